//! Connection family, except CLIENT.

use super::keys::database;
use super::table::args::{Args, is};
use super::table::row::{Group, Role, flags::*};
use super::{Context, Reply, Row};
use crate::base::number::parse_integer;
use crate::keyspace::Interest;
use crate::resp::REDIS_VERSION;
use crate::resp::encode::Protocol;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::{Client, ReplyMode};
use crate::server::secrets::Secrets;

/// Name of the only user.
pub(super) const DEFAULT_USER: &[u8] = b"default";

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row::of(Group::Connection, name, arity, flags, &[], handler)
}

/// Flags of commands that a client may send in any state.
const AT_ANY_TIME: u32 = LOADING
    | STALE
    | FAST
    | NO_AUTH
    | NOSCRIPT
    | ALLOW_BUSY
    | IMMEDIATE
    | CONNECTION_STATE
    | ENDS_MULTI
    | TO_SUBSCRIBERS;

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "[username] password",
        complexity: "O(N) with N the length of the password.",
        summary: "Authenticates the connection with a password.",
        role: Role::Secret(Secrets::All),
        ..row("auth", -2, LOADING | STALE | FAST | NO_AUTH | NOSCRIPT | ALLOW_BUSY | SERVER_STATE, auth)
    },
    Row {
        arguments: "message",
        summary: "Returns its argument.",
        reply: "bulk",
        ..row("echo", 2, LOADING | STALE | FAST, echo)
    },
    Row {
        arguments: "[arguments=protover:integer [AUTH auth-data] [SETNAME clientname]]",
        since: "6.0.0",
        summary: "Sets the protocol version, the user and the name of the connection.",
        reply: "map(bulk,any)",
        role: Role::Secret(Secrets::Login),
        ..row("hello", -1, LOADING | STALE | FAST | NO_AUTH | NOSCRIPT | ALLOW_BUSY | CONNECTION_STATE, hello)
    },
    Row {
        arguments: "[message]",
        summary: "Returns PONG or its argument.",
        reply: "status|bulk",
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        role: Role::HealthCheck,
        ..row("ping", -1, FAST | TO_SUBSCRIBERS, ping)
    },
    Row { summary: "Closes the connection after its replies are sent.", ..row("quit", -1, AT_ANY_TIME, quit) },
    Row {
        since: "6.2.0",
        summary: "Resets the connection to its initial state.",
        reply: "status",
        ..row("reset", 1, AT_ANY_TIME, reset)
    },
    Row {
        arguments: "index:integer",
        summary: "Selects the database of the connection.",
        role: Role::ChoosesDatabase,
        ..row("select", 2, LOADING | STALE | FAST, select)
    },
];

fn ping(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let subscribed = cx.reply.protocol() == Protocol::Resp2 && cx.client().is_some_and(|client| client.is_subscribed());
    match (args.optional(), args.is_done()) {
        (message, true) if subscribed => {
            cx.reply.array(2);
            cx.reply.bulk(b"pong");
            cx.reply.bulk(message.unwrap_or_default());
        }
        (None, _) => cx.reply.simple("PONG"),
        (Some(message), true) => cx.reply.bulk(message),
        (Some(_), false) => return Err(CommandError::WRONG_ARITY),
    }
    Ok(())
}

fn echo(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    cx.reply.bulk(args.bytes()?);
    Ok(())
}

fn select(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let database = database(cx, args.integer()?)?;
    if let Some(client) = cx.client() {
        client.database = database;
    }
    cx.reply.ok();
    Ok(())
}

fn quit(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    if let Some(client) = cx.client() {
        client.closing = true;
    }
    cx.reply.ok();
    Ok(())
}

fn reset(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.keyspace.interest.unwatch(cx.client);
    cx.keyspace.interest.tracking.stop(cx.client);
    let authenticated = cx.server.config.get("requirepass").is_empty();
    if let Some(client) = cx.clients.get_mut(cx.client) {
        cx.server.pubsub.unsubscribe_all(client);
        client.transaction = None;
        client.database = 0;
        client.protocol = Protocol::Resp2;
        client.name = Default::default();
        client.reply_mode = ReplyMode::On;
        (client.no_evict, client.no_touch) = (false, false);
        client.authenticated = authenticated;
    }
    cx.clients.set_monitor(cx.client, false);
    cx.reply.set_protocol(Protocol::Resp2);
    cx.reply.simple("RESET");
    Ok(())
}

/// `AUTH [username] password`
fn auth(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if args.left() > 2 {
        return Err(CommandError::SYNTAX);
    }
    let first = args.bytes()?;
    let (user, password) = match args.optional() {
        Some(password) => (first, password),
        None if cx.server.config.get("requirepass").is_empty() => return Err(CommandError::NO_PASSWORD_SET),
        None => (DEFAULT_USER, first),
    };
    log_in(cx, user, password)?;
    cx.reply.ok();
    Ok(())
}

fn log_in(cx: &mut Context<'_>, user: &[u8], password: &[u8]) -> Result<(), CommandError> {
    let expected = cx.server.config.get("requirepass");
    // Without `requirepass` the default user accepts any password, as in Redis.
    let accepted = expected.is_empty() || equal_in_constant_time(expected.as_bytes(), password);
    if user != DEFAULT_USER || !accepted {
        return Err(CommandError::WRONG_PASSWORD);
    }
    if let Some(client) = cx.client() {
        client.authenticated = true;
    }
    Ok(())
}

/// Compares passwords in a time that does not depend on the position of the first difference.
fn equal_in_constant_time(expected: &[u8], given: &[u8]) -> bool {
    let differing = expected
        .iter()
        .enumerate()
        .fold(0, |differing, (index, byte)| differing | (byte ^ given.get(index).copied().unwrap_or(!byte)));
    differing == 0 && expected.len() == given.len()
}

/// `HELLO [protover [AUTH username password] [SETNAME name]]`. Protocol and name change only if all arguments are
/// valid; AUTH takes effect at once.
fn hello(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let protocol = match args.optional() {
        None => None,
        Some(version) => Some(match parse_integer(version).ok_or(CommandError::PROTOCOL_NOT_AN_INTEGER)? {
            2 => Protocol::Resp2,
            3 => Protocol::Resp3,
            _ => return Err(CommandError::PROTOCOL_VERSION),
        }),
    };
    let mut name = None;
    while let Some(word) = args.optional() {
        if is(word, "AUTH") && args.left() >= 2 {
            let (user, password) = (args.bytes()?, args.bytes()?);
            log_in(cx, user, password)?;
        } else if is(word, "SETNAME") && args.left() >= 1 {
            name = Some(valid_name(args.bytes()?, CommandError::BAD_CLIENT_NAME)?);
        } else {
            return Err(args.refuse(ErrorText::hello_option(word)));
        }
    }
    let Some(client) = cx.client() else { return Ok(()) };
    if !client.authenticated {
        return Err(CommandError::HELLO_NEEDS_AUTH);
    }
    if let Some(name) = name {
        client.name = name.into();
    }
    if let Some(protocol) = protocol {
        client.protocol = protocol;
        cx.reply.set_protocol(protocol);
    }
    write_hello(cx);
    Ok(())
}

fn write_hello(cx: &mut Context<'_>) {
    let version = match cx.reply.protocol() {
        Protocol::Resp2 => 2,
        Protocol::Resp3 => 3,
    };
    let reply = &mut *cx.reply;
    reply.map(7);
    for (name, value) in [("server", "redis"), ("version", REDIS_VERSION)] {
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    }
    reply.bulk(b"proto");
    reply.integer(version);
    reply.bulk(b"id");
    reply.integer(cx.client.0.into());
    for (name, value) in [("mode", "standalone"), ("role", "master")] {
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    }
    reply.bulk(b"modules");
    reply.array(0);
}

/// Returns the name if CLIENT LIST can show it, and `error` if it has blanks, line breaks or other special characters.
pub(super) fn valid_name(name: &[u8], error: CommandError) -> Result<&[u8], CommandError> {
    if name.iter().all(|byte| (b'!'..=b'~').contains(byte)) { Ok(name) } else { Err(error) }
}

/// Returns the `flags` of CLIENT LIST, one letter each, as in Redis.
pub(super) fn client_flags(client: &Client, interest: &Interest) -> alloc::string::String {
    let tracker = interest.tracking.tracker(client.id);
    let marks = [
        (client.is_monitor, 'O'),
        (client.is_subscribed(), 'P'),
        (client.in_transaction(), 'x'),
        (client.is_blocked(), 'b'),
        (tracker.is_some(), 't'),
        (tracker.is_some_and(|tracker| tracker.is_redirect_broken), 'R'),
        (tracker.is_some_and(|tracker| tracker.broadcast), 'B'),
        (interest.is_disturbed(client.id), 'd'),
        (client.closing, 'c'),
        (client.no_evict, 'e'),
        (client.no_touch, 'T'),
    ];
    let set: alloc::string::String = marks.into_iter().filter(|(holds, _)| *holds).map(|(_, mark)| mark).collect();
    if set.is_empty() { "N".into() } else { set }
}
