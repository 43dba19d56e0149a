//! Pub/sub family.

use alloc::vec::Vec;

use super::table::args::Args;
use super::table::row::{Group, flags::*};
use super::{Blocking, Context, Reply, Row};
use crate::base::glob;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::pubsub::Channels;

const SUBSCRIPTION: u32 = PUBSUB | NOSCRIPT | LOADING | STALE | TO_SUBSCRIBERS;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row {
        since: "2.0.0",
        complexity: "O(N) with N the number of channels or patterns.",
        reply: "any",
        ..Row::of(Group::PubSub, name, arity, flags, &[], handler)
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "pattern:pattern...",
        summary: "Subscribes to the channels that match glob patterns.",
        ..row("psubscribe", -2, SUBSCRIPTION | KEEPS, psubscribe)
    },
    Row {
        arguments: "channel message",
        complexity: "O(N+M) with N the number of subscribers and M the number of patterns.",
        summary: "Sends a message to a channel and returns the number of receivers.",
        reply: "integer",
        ..row("publish", 3, PUBSUB | LOADING | STALE | FAST | LONG, publish)
    },
    Row {
        since: "2.8.0",
        complexity: "Depends on the subcommand.",
        summary: "Inspects channels and their subscribers.",
        subcommands: PUBSUB_ROWS,
        ..row("pubsub", -2, 0, help)
    },
    Row {
        arguments: "[pattern:pattern...]",
        summary: "Unsubscribes from the given patterns, or from all of them.",
        ..row("punsubscribe", -1, SUBSCRIPTION, punsubscribe)
    },
    Row {
        since: "7.0.0",
        arguments: "shardchannel message",
        complexity: "O(N) with N the number of subscribers.",
        summary: "Sends a message to a shard channel and returns the number of receivers.",
        reply: "integer",
        ..row("spublish", 3, PUBSUB | LOADING | STALE | FAST | LONG, spublish)
    },
    Row {
        since: "7.0.0",
        arguments: "shardchannel...",
        summary: "Subscribes to shard channels.",
        ..row("ssubscribe", -2, SUBSCRIPTION | KEEPS, ssubscribe)
    },
    Row {
        arguments: "channel...",
        summary: "Subscribes to channels.",
        ..row("subscribe", -2, SUBSCRIPTION | KEEPS, subscribe)
    },
    Row {
        since: "7.0.0",
        arguments: "[shardchannel...]",
        summary: "Unsubscribes from the given shard channels, or from all of them.",
        ..row("sunsubscribe", -1, SUBSCRIPTION, sunsubscribe)
    },
    Row {
        arguments: "[channel...]",
        summary: "Unsubscribes from the given channels, or from all of them.",
        ..row("unsubscribe", -1, SUBSCRIPTION, unsubscribe)
    },
];

const INSPECTION: u32 = PUBSUB | LOADING | STALE;

const PUBSUB_ROWS: &[Row] = &[
    Row {
        since: "2.8.0",
        arguments: "[pattern:pattern]",
        summary: "Returns the channels that have subscribers.",
        reply: "array(bulk)",
        ..row("pubsub|channels", -2, INSPECTION | UNORDERED, channels)
    },
    Row {
        since: "6.2.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row("pubsub|help", 2, LOADING | STALE, help)
    },
    Row {
        since: "2.8.0",
        complexity: "O(1)",
        summary: "Returns the number of patterns with subscribers.",
        reply: "integer",
        ..row("pubsub|numpat", 2, INSPECTION, numpat)
    },
    Row {
        since: "2.8.0",
        arguments: "[channel...]",
        summary: "Returns the number of subscribers per channel.",
        reply: "array(bulk|integer)",
        ..row("pubsub|numsub", -2, INSPECTION, numsub)
    },
    Row {
        since: "7.0.0",
        arguments: "[pattern:pattern]",
        summary: "Returns the shard channels that have subscribers.",
        reply: "array(bulk)",
        ..row("pubsub|shardchannels", -2, INSPECTION | UNORDERED, shardchannels)
    },
    Row {
        since: "7.0.0",
        arguments: "[shardchannel...]",
        summary: "Returns the number of subscribers per shard channel.",
        reply: "array(bulk|integer)",
        ..row("pubsub|shardnumsub", -2, INSPECTION, shardnumsub)
    },
];

fn help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::help::write_help(cx, "pubsub")
}

fn subscribe(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    subscribe_to(cx, args, Channels::Plain)
}

fn psubscribe(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    subscribe_to(cx, args, Channels::Pattern)
}

fn ssubscribe(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    // In a transaction every command has one reply. Redis exempts SUBSCRIBE and PSUBSCRIBE for old clients only.
    if cx.blocking == Blocking::Denied {
        return Err(CommandError::SHARD_SUBSCRIPTION_DENIED);
    }
    subscribe_to(cx, args, Channels::Shard)
}

fn unsubscribe(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    unsubscribe_from(cx, args, Channels::Plain)
}

fn punsubscribe(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    unsubscribe_from(cx, args, Channels::Pattern)
}

fn sunsubscribe(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    unsubscribe_from(cx, args, Channels::Shard)
}

/// Subscribes to channels and writes a confirmation for each, with the client's number of subscriptions.
fn subscribe_to(cx: &mut Context<'_>, args: &mut Args<'_>, channels: Channels) -> Reply {
    for name in args.rest() {
        let Some(client) = cx.clients.get_mut(cx.client) else { break };
        cx.server.pubsub.subscribe(channels, name, client);
        confirm(cx, channels, channels.words().subscribed, Some(name), 0);
    }
    Ok(())
}

fn unsubscribe_from(cx: &mut Context<'_>, args: &mut Args<'_>, channels: Channels) -> Reply {
    let word = channels.words().unsubscribed;
    let is_all = args.left() == 0;
    for name in args.rest() {
        let Some(client) = cx.clients.get_mut(cx.client) else { break };
        cx.server.pubsub.unsubscribe(channels, name, client);
        confirm(cx, channels, word, Some(name), 0);
    }
    let Some(client) = cx.clients.get_mut(cx.client).filter(|_| is_all) else { return Ok(()) };
    let names = cx.server.pubsub.leave(channels, client);
    if names.is_empty() {
        confirm(cx, channels, word, None, 0);
    }
    for (name, remaining) in names.iter().zip((0..names.len()).rev()) {
        confirm(cx, channels, word, Some(name), remaining);
    }
    Ok(())
}

/// Writes a confirmation with the number of the client's subscriptions plus `remaining`, those that are still to be
/// confirmed. Shard channels are counted separately.
fn confirm(cx: &mut Context<'_>, channels: Channels, word: &str, name: Option<&[u8]>, remaining: usize) {
    let count = cx.clients.get(cx.client).map_or(0, |client| match channels {
        Channels::Plain | Channels::Pattern => client.channels.len() + client.patterns.len(),
        Channels::Shard => client.shard_channels.len(),
    });
    cx.reply.push(3);
    cx.reply.bulk(word.as_bytes());
    cx.reply.optional_bulk(name);
    cx.reply.integer((count + remaining) as i64);
}

fn publish(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    send(cx, args, Channels::Plain)
}

fn spublish(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    send(cx, args, Channels::Shard)
}

fn send(cx: &mut Context<'_>, args: &mut Args<'_>, channels: Channels) -> Reply {
    let (name, message) = (args.bytes()?, args.bytes()?);
    // Notifications of earlier commands in the same transaction are published before the message.
    cx.server.announce(cx.keyspace, cx.clients);
    cx.clients.events_before = cx.keyspace.events.len();
    let receivers = cx.server.pubsub.publish(channels, name, message, cx.clients);
    cx.reply.integer(receivers as i64);
    Ok(())
}

fn channels(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    list(cx, args, Channels::Plain)
}

fn shardchannels(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    list(cx, args, Channels::Shard)
}

fn list(cx: &mut Context<'_>, args: &mut Args<'_>, channels: Channels) -> Reply {
    if args.left() > 1 {
        return Err(args.refuse(ErrorText::unknown_or_wrong("PUBSUB", args.argv().get(1).unwrap_or_default())));
    }
    let pattern = args.optional();
    let names = cx.server.pubsub.names(channels);
    let matching: Vec<&[u8]> =
        names.filter(|name| pattern.is_none_or(|pattern| glob::matches_channel(pattern, name))).collect();
    cx.reply.array(matching.len());
    matching.iter().for_each(|name| cx.reply.bulk(name));
    Ok(())
}

fn numsub(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    count(cx, args, Channels::Plain)
}

fn shardnumsub(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    count(cx, args, Channels::Shard)
}

fn count(cx: &mut Context<'_>, args: &mut Args<'_>, channels: Channels) -> Reply {
    cx.reply.array(args.left() * 2);
    for name in args.rest() {
        cx.reply.bulk(name);
        cx.reply.integer(cx.server.pubsub.subscriber_count(channels, name) as i64);
    }
    Ok(())
}

fn numpat(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.integer(cx.server.pubsub.count(Channels::Pattern) as i64);
    Ok(())
}
