//! Diagnostics: DEBUG, MONITOR and SLOWLOG; LOLWUT and WAIT. LATENCY is in
//! `latency`.

mod latency;

use alloc::format;
use alloc::vec::Vec;

use super::table::args::{Args, count_of};
use super::table::row::{FamilyCategory, Group, Role, flags::*};
use super::{BlockOn, Blocking, Context, Reply, Row};
use crate::base::number::{leading_integer, parse_integer};
use crate::commands::blocking::timeout_ms;
use crate::keyspace::{PastUse, keys};
use crate::resp::REDIS_VERSION;
use crate::resp::error::CommandError;

const MS_PER_SECOND: i64 = 1000;
/// Default count of SLOWLOG GET, as in Redis.
const SLOWLOG_COUNT: i64 = 10;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row::of(Group::Server, name, arity, flags, &[], handler)
}

const LOADING_STALE: u32 = LOADING | STALE;

const fn debug_row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row { role: Role::DebugTool, ..row(name, arity, ADMIN | NOSCRIPT | LOADING_STALE | flags, handler) }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        complexity: "Depends on the subcommand.",
        summary: "Provides tools for testing the server.",
        reply: "any",
        subcommands: DEBUG_ROWS,
        ..debug_row("debug", -2, 0, debug_help)
    },
    Row {
        since: "2.8.13",
        complexity: "Depends on the subcommand.",
        summary: "Reports command latencies.",
        reply: "any",
        subcommands: latency::ROWS,
        ..row("latency", -2, NOSCRIPT | LOADING_STALE, latency::help)
    },
    Row {
        since: "5.0.0",
        arguments: "[VERSION version:integer]",
        summary: "Returns ASCII art and the version.",
        reply: "bulk",
        category: FamilyCategory::Absent,
        ..row("lolwut", -1, READONLY | FAST, lolwut)
    },
    Row {
        since: "1.0.0",
        summary: "Streams every command that the server executes.",
        ..row("monitor", 1, ADMIN | NOSCRIPT | LOADING_STALE | CONNECTION_STATE, monitor)
    },
    Row {
        since: "2.2.12",
        complexity: "Depends on the subcommand.",
        summary: "Manages the slow log.",
        reply: "any",
        subcommands: SLOWLOG_ROWS,
        ..row("slowlog", -2, LOADING_STALE, slowlog_help)
    },
    Row {
        since: "3.0.0",
        arguments: "numreplicas:integer timeout:integer",
        summary: "Blocks until the timeout if replicas are requested, and returns 0: there are none.",
        reply: "integer",
        tips: &["request_policy:all_shards", "response_policy:agg_min"],
        category: FamilyCategory::Connection,
        ..Row::of(Group::Generic, "wait", 3, BLOCKING | TIME | SERVER_STATE, &[], wait)
    },
];

const DEBUG_ROWS: &[Row] = &[
    Row { summary: "Describes the subcommands.", reply: "array(status)", ..debug_row("debug|help", 2, 0, debug_help) },
    Row {
        arguments: "key:key",
        summary: "Describes the encoding of a value.",
        reply: "status",
        ..debug_row("debug|object", 3, TIME | SERVER_STATE, debug_object)
    },
    Row {
        complexity: "O(N) with N the number of keys.",
        summary: "Saves the keyspace to a snapshot and loads it again.",
        ..debug_row("debug|reload", -2, SERVER_STATE, debug_reload)
    },
    Row {
        arguments: "enabled:integer",
        summary: "Stops (0) or resumes (1) the active expire cycle.",
        ..debug_row("debug|set-active-expire", 3, SERVER_STATE, set_active_expire)
    },
];

const SLOWLOG_ROWS: &[Row] = &[
    Row {
        since: "2.2.12",
        arguments: "[count:integer]",
        complexity: "O(N) with N the number of entries.",
        summary: "Returns the latest entries of the slow log, or all with -1.",
        reply: "array(any)",
        tips: &["request_policy:all_nodes", "nondeterministic_output"],
        ..row("slowlog|get", -2, ADMIN | LOADING_STALE | SERVER_STATE, slowlog_get)
    },
    Row {
        since: "6.2.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row("slowlog|help", 2, LOADING_STALE, slowlog_help)
    },
    Row {
        since: "2.2.12",
        summary: "Returns the length of the slow log.",
        reply: "integer",
        ..row("slowlog|len", 2, ADMIN | LOADING_STALE | SERVER_STATE, slowlog_len)
    },
    Row {
        since: "2.2.12",
        complexity: "O(N) with N the number of entries.",
        summary: "Clears the slow log.",
        ..row("slowlog|reset", 2, ADMIN | LOADING_STALE | SERVER_STATE, slowlog_reset)
    },
];

/// Refuses DEBUG if the client may not use it. In a transaction that was done when the command was queued.
fn check_debug(cx: &Context<'_>) -> Result<(), CommandError> {
    cx.server.check_debug(cx.clients.get(cx.client))
}

fn debug_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    check_debug(cx)?;
    super::help::write_help(cx, "debug")
}

fn slowlog_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::help::write_help(cx, "slowlog")
}

fn lolwut(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let latch = "  .--.\n (    )\n _|__|_\n|  ..  |\n|  ||  |\n'------'\n";
    cx.reply.verbatim(b"txt", format!("{latch}\nRedis ver. {REDIS_VERSION}\n").as_bytes());
    Ok(())
}

fn monitor(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.clients.set_monitor(cx.client, true);
    cx.reply.ok();
    Ok(())
}

/// `WAIT numreplicas timeout`. Without replicas, a blocked client waits for the timeout only.
fn wait(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let replicas = args.integer()?;
    // Redis truncates the number of a blocked client to 32 bits, so a huge number may become zero or negative.
    let has_replicas_to_await = replicas > 0 && replicas as i32 > 0;
    let timeout_ms = timeout_ms(args.bytes()?)?;
    if has_replicas_to_await && cx.blocking == Blocking::Allowed {
        let until = cx.now.checked_add_ms(timeout_ms).filter(|_| timeout_ms > 0);
        cx.block_on = Some(BlockOn::timeout(until));
        return Ok(());
    }
    cx.reply.integer(0);
    Ok(())
}

fn set_active_expire(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    check_debug(cx)?;
    // Parsed like C's `atoi`, as in Redis: a word without a number is 0.
    let (number, _) = leading_integer(args.bytes()?);
    cx.keyspace.set_sweeping(number as i32 != 0);
    cx.reply.ok();
    Ok(())
}

fn debug_object(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    check_debug(cx)?;
    let key = args.bytes()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let entry = txn.peek(key).ok_or(CommandError::NO_SUCH_KEY)?;
    let (encoding, size) = (super::keys::encoding(entry.key, entry.value, entry.is_raw), entry.value.size());
    let idle_s = match keys::past_use(&mut txn, key) {
        Some(PastUse::IdleSeconds(idle_s)) => idle_s,
        Some(PastUse::Frequency(_)) | None => 0,
    };
    reply.simple(&format!(
        "Value at:0x0 refcount:1 encoding:{encoding} serializedlength:{size} lru:0 lru_seconds_idle:{idle_s}"
    ));
    Ok(())
}

fn debug_reload(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    check_debug(cx)?;
    cx.server.reload = true;
    cx.reply.ok();
    Ok(())
}

/// `SLOWLOG GET [count]`
fn slowlog_get(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let count = match args.optional() {
        None => SLOWLOG_COUNT,
        Some(count) => parse_integer(count).filter(|&count| count >= -1).ok_or(CommandError::SLOWLOG_COUNT)?,
    };
    let count = count_of(count).unwrap_or(usize::MAX);
    let slow: Vec<_> = cx.server.stats.slow.iter().take(count).collect();
    cx.reply.array(slow.len());
    for command in slow {
        cx.reply.array(6);
        cx.reply.integer(command.id as i64);
        cx.reply.integer(command.at.as_ms() / MS_PER_SECOND);
        cx.reply.integer(command.elapsed_us as i64);
        cx.reply.array(command.argv.len());
        command.argv.as_ref().iter().for_each(|argument| cx.reply.bulk(argument));
        cx.reply.bulk(command.client_address.as_bytes());
        cx.reply.bulk(command.client_name.as_bytes());
    }
    Ok(())
}

fn slowlog_len(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.integer(cx.server.stats.slow.len() as i64);
    Ok(())
}

fn slowlog_reset(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.server.stats.slow.clear();
    cx.reply.ok();
    Ok(())
}
