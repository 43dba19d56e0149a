//! CLIENT: information about clients, and their settings. CLIENT TRACKING is in `tracking`.

mod kill;
mod types;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::connection::{client_flags, valid_name};
use super::table::args::{Args, is};
use super::table::row::{Group, Role, flags::*};
use super::tracking;
use super::{Context, Reply, Row};
use crate::base::clock::Timestamp;
use crate::base::headroom::try_reserve;
use crate::base::number::parse_integer;
use crate::commands::blocking::timeout_ms;
use crate::resp::encode::Protocol;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::{Client, ClientId, ReplyMode};
use crate::server::{Pause, Unblock};
use types::{client_type, type_of};

const MS_PER_SECOND: i64 = 1000;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    let flags = flags | NOSCRIPT | LOADING | STALE | CONNECTION_STATE;
    Row { role: Role::KeepsCaching, ..Row::of(Group::Connection, name, arity, flags, &[], handler) }
}

pub(super) const ROWS: &[Row] = &[Row {
    since: "2.4.0",
    complexity: "Depends on the subcommand.",
    summary: "Manages client connections.",
    reply: "any",
    subcommands: SUBCOMMANDS,
    role: Role::Regular,
    ..row("client", -2, 0, help)
}];

const SUBCOMMANDS: &[Row] = &[
    Row {
        since: "6.0.0",
        arguments: "<mode=YES | NO>",
        summary: "Turns tracking on or off for keys read by the next command.",
        ..row("client|caching", 3, 0, tracking::caching)
    },
    Row {
        since: "2.6.9",
        summary: "Returns the connection name.",
        reply: "bulk|null",
        ..row("client|getname", 2, 0, getname)
    },
    Row {
        since: "6.0.0",
        summary: "Returns the ID of the client that receives invalidations, -1 without tracking.",
        reply: "integer",
        ..row("client|getredir", 2, 0, tracking::getredir)
    },
    Row {
        since: "5.0.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        role: Role::KeepsCaching,
        ..Row::of(Group::Connection, "client|help", 2, LOADING | STALE, &[], help)
    },
    Row {
        since: "5.0.0",
        summary: "Returns the ID of the connection.",
        reply: "integer",
        ..row("client|id", 2, 0, id)
    },
    Row {
        since: "6.2.0",
        summary: "Describes the connection in one line.",
        reply: "bulk",
        tips: &["nondeterministic_output"],
        ..row("client|info", 2, TIME, info)
    },
    Row {
        since: "2.4.0",
        complexity: "O(N) with N the number of clients.",
        arguments: "<filter=old-format | (new-format=[ID client-id:integer] [TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [USER username] [ADDR address] [LADDR address] [SKIPME <YES | NO>] [MAXAGE maxage:integer])...>",
        summary: "Closes connections and returns their number.",
        reply: "OK|integer",
        ..row("client|kill", -3, ADMIN | TIME, kill::kill)
    },
    Row {
        since: "2.4.0",
        complexity: "O(N) with N the number of clients.",
        arguments: "[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id:integer...]",
        summary: "Describes the client connections, one per line.",
        reply: "bulk",
        tips: &["nondeterministic_output"],
        ..row("client|list", -2, ADMIN | TIME, list)
    },
    Row {
        since: "7.0.0",
        arguments: "<enabled=ON | OFF>",
        summary: "Excludes the client from eviction by maxmemory-clients.",
        ..row("client|no-evict", 3, ADMIN, no_evict)
    },
    Row {
        since: "7.2.0",
        arguments: "<enabled=ON | OFF>",
        summary: "Turns LRU and LFU updates by the client's commands off or on.",
        ..row("client|no-touch", 3, 0, no_touch)
    },
    Row {
        since: "3.0.0",
        arguments: "timeout:integer [mode=WRITE | ALL]",
        summary: "Pauses all commands, or only writes, for a number of milliseconds.",
        ..row("client|pause", -3, ADMIN | TIME, pause)
    },
    Row {
        since: "3.2.0",
        arguments: "<action=ON | OFF | SKIP>",
        summary: "Turns replies to the client on or off.",
        reply: "OK|null",
        ..row("client|reply", 3, 0, reply)
    },
    Row {
        since: "7.2.0",
        arguments: "<attr=LIB-NAME libname | LIB-VER libver>",
        summary: "Sets the name or version of the client library.",
        ..row("client|setinfo", 4, 0, setinfo)
    },
    Row {
        since: "2.6.9",
        arguments: "connection-name",
        summary: "Sets or clears the name of the connection.",
        ..row("client|setname", 3, 0, setname)
    },
    Row {
        since: "6.0.0",
        arguments: tracking::ARGUMENTS,
        complexity: "O(N) with N the number of prefixes.",
        summary: "Turns tracking of keys for client-side caching on or off.",
        ..row("client|tracking", -3, KEEPS, tracking::tracking)
    },
    Row {
        since: "6.2.0",
        complexity: "O(N) with N the number of prefixes.",
        summary: "Returns the tracking settings of the connection.",
        reply: "map(bulk,any)",
        ..row("client|trackinginfo", 2, 0, tracking::trackinginfo)
    },
    Row {
        since: "5.0.0",
        arguments: "client-id:integer [unblock-type=TIMEOUT | ERROR]",
        complexity: "O(log N) with N the number of clients.",
        summary: "Unblocks a client that is blocked by a command.",
        reply: "integer",
        ..row("client|unblock", -3, ADMIN, unblock)
    },
    Row { since: "6.2.0", summary: "Ends CLIENT PAUSE.", ..row("client|unpause", 2, ADMIN, unpause) },
];

fn help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::help::write_help(cx, "client")
}

/// Changes the client that sent the command and replies OK.
fn update_client(cx: &mut Context<'_>, change: impl FnOnce(&mut Client)) -> Reply {
    if let Some(client) = cx.client() {
        change(client);
    }
    cx.reply.ok();
    Ok(())
}

fn id(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.integer(cx.client.0.into());
    Ok(())
}

fn getname(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let Some(client) = cx.clients.get(cx.client) else { return Ok(()) };
    cx.reply.optional_bulk(Some(&*client.name).filter(|name| !name.is_empty()));
    Ok(())
}

fn setname(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let name = valid_name(args.bytes()?, CommandError::BAD_CLIENT_NAME)?;
    update_client(cx, |client| client.name = name.into())
}

fn setinfo(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (attribute, value) = (args.bytes()?, args.bytes()?);
    if is(attribute, "LIB-NAME") {
        let value = valid_name(value, CommandError::BAD_LIBRARY_NAME)?;
        update_client(cx, |client| client.library_name = value.into())
    } else if is(attribute, "LIB-VER") {
        let value = valid_name(value, CommandError::BAD_LIBRARY_VERSION)?;
        update_client(cx, |client| client.library_version = value.into())
    } else {
        Err(args.refuse(ErrorText::quoted("ERR Unrecognized option", attribute)))
    }
}

fn on_or_off(word: &[u8]) -> Result<bool, CommandError> {
    match word {
        _ if is(word, "ON") => Ok(true),
        _ if is(word, "OFF") => Ok(false),
        _ => Err(CommandError::SYNTAX),
    }
}

fn no_evict(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let on = on_or_off(args.bytes()?)?;
    update_client(cx, |client| client.no_evict = on)
}

fn no_touch(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let on = on_or_off(args.bytes()?)?;
    update_client(cx, |client| client.no_touch = on)
}

fn reply(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let word = args.bytes()?;
    let mode = match word {
        _ if is(word, "ON") => ReplyMode::On,
        _ if is(word, "OFF") => ReplyMode::Off,
        _ if is(word, "SKIP") => ReplyMode::SkipNext,
        _ => return Err(CommandError::SYNTAX),
    };
    update_client(cx, |client| {
        // SKIP has no effect while replies are off.
        if !(mode == ReplyMode::SkipNext && client.reply_mode == ReplyMode::Off) {
            client.reply_mode = mode;
        }
    })
}

/// `CLIENT PAUSE milliseconds [WRITE | ALL]`
fn pause(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let timeout_ms = timeout_ms(args.bytes()?)?;
    let writes_only = match args.optional() {
        None => false,
        Some(word) if is(word, "ALL") => false,
        Some(word) if is(word, "WRITE") => true,
        Some(_) => return Err(CommandError::PAUSE_MODE),
    };
    args.finish()?;
    let until = cx.now.checked_add_ms(timeout_ms).ok_or(CommandError::BAD_TIMEOUT)?;
    // A pause in force is never shortened or relaxed.
    let previous = cx.server.pause.filter(|pause| pause.until > cx.now);
    cx.server.pause = Some(Pause {
        until: previous.map_or(until, |pause| pause.until.max(until)),
        writes_only: writes_only && previous.is_none_or(|pause| pause.writes_only),
    });
    cx.reply.ok();
    Ok(())
}

fn unpause(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.server.pause = None;
    cx.reply.ok();
    Ok(())
}

/// `CLIENT UNBLOCK id [TIMEOUT | ERROR]`
fn unblock(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let id = client_id(args.bytes()?).ok_or(CommandError::NOT_AN_INTEGER)?;
    let with_error = match args.optional() {
        None => false,
        Some(word) if is(word, "TIMEOUT") => false,
        Some(word) if is(word, "ERROR") => true,
        Some(_) => return Err(CommandError::BAD_UNBLOCK_REASON),
    };
    let blocked = cx.clients.get(id).and_then(|client| client.blocked);
    // A transaction may unblock the same client twice; the second CLIENT UNBLOCK returns 0.
    let blocked = blocked.filter(|position| cx.server.unblocks.iter().all(|unblock| unblock.position != *position));
    if let Some(position) = blocked {
        try_reserve(&mut cx.server.unblocks, 1)?;
        cx.server.unblocks.push(Unblock { position, with_error });
    }
    cx.reply.integer(blocked.is_some().into());
    Ok(())
}

/// Parses a client ID. An integer out of range becomes 0, which no client has.
fn client_id(text: &[u8]) -> Option<ClientId> {
    let id = parse_integer(text)?;
    Some(ClientId(u32::try_from(id).unwrap_or(0)))
}

fn info(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let line = cx.clients.get(cx.client).map(|client| describe(cx, client)).unwrap_or_default();
    cx.reply.verbatim(b"txt", line.as_bytes());
    Ok(())
}

/// `CLIENT LIST [TYPE type] [ID id ...]`
fn list(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let mut ids: Option<Vec<ClientId>> = None;
    let mut kind = None;
    if let Some(word) = args.optional() {
        if is(word, "TYPE") && args.left() == 1 {
            kind = {
                let word = args.bytes()?;
                Some(client_type(args, word)?)
            };
        } else if is(word, "ID") && !args.is_done() {
            let parsed = args.rest().map(|id| client_id(id).ok_or(CommandError::INVALID_CLIENT_ID));
            ids = Some(parsed.collect::<Result<_, _>>()?);
        } else {
            return Err(CommandError::SYNTAX);
        }
    }
    let mut lines = String::new();
    for client in cx.clients.iter() {
        let is_listed = ids.as_ref().is_none_or(|ids| ids.contains(&client.id));
        if is_listed && kind.is_none_or(|kind| type_of(client) == kind) {
            lines += &describe(cx, client);
        }
    }
    cx.reply.verbatim(b"txt", lines.as_bytes());
    Ok(())
}

/// Returns the line of a client in CLIENT LIST. Fields about descriptors and socket buffers are zero.
fn describe(cx: &Context<'_>, client: &Client) -> String {
    let seconds_since = |then: Timestamp| cx.now.ms_since(then).max(0) / MS_PER_SECOND;
    let queued = client.transaction.as_ref().map_or(-1, |transaction| transaction.queue.len() as i64);
    let interest = &cx.keyspace.interest;
    let tracker = interest.tracking.tracker(client.id);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let protocol = match client.protocol {
        Protocol::Resp2 => 2,
        Protocol::Resp3 => 3,
    };
    format!(
        "id={} addr={} laddr={} fd=0 name={} age={} idle={} flags={} db={} sub={} psub={} ssub={} multi={queued} watch={} \
         qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem={} tot-mem=0 events=r cmd={} \
         user=default redir={} resp={protocol} lib-name={} lib-ver={}\n",
        client.id.0,
        client.address,
        client.local_address,
        text(&client.name),
        seconds_since(client.connected_at),
        seconds_since(client.last_command_at),
        client_flags(client, interest),
        client.database,
        client.channels.len(),
        client.patterns.len(),
        client.shard_channels.len(),
        interest.watched_by(client.id).len(),
        client.outbox.len(),
        client.last_command,
        tracking::redirect_of(tracker),
        text(&client.library_name),
        text(&client.library_version),
    )
}
