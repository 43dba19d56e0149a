//! CONFIG: reads and changes configuration parameters.

use alloc::string::String;
use alloc::vec::Vec;

use super::table::args::Args;
use super::table::row::{Group, Role, flags::*};
use super::{Context, Reply, Row};
use crate::resp::error::{CommandError, ErrorText};
use crate::server::config::{Config, matching};
use crate::server::secrets::Secrets;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row {
        since: "2.0.0",
        complexity: "O(N) with N the number of parameters.",
        ..Row::of(Group::Server, name, arity, flags | NOSCRIPT | LOADING | STALE | SERVER_STATE, &[], handler)
    }
}

pub(super) const ROWS: &[Row] = &[Row {
    complexity: "Depends on the subcommand.",
    summary: "Reads and changes the configuration.",
    reply: "any",
    subcommands: SUBCOMMANDS,
    ..row("config", -2, 0, help)
}];

const SUBCOMMANDS: &[Row] = &[
    Row {
        arguments: "parameter...",
        summary: "Returns the parameters that match glob patterns, with their values.",
        reply: "map(bulk,bulk)",
        ..row("config|get", -3, ADMIN, get)
    },
    Row {
        since: "5.0.0",
        complexity: "O(1)",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..Row::of(Group::Server, "config|help", 2, LOADING | STALE, &[], help)
    },
    Row { complexity: "O(1)", summary: "Resets the counters of INFO.", ..row("config|resetstat", 2, ADMIN, resetstat) },
    Row {
        complexity: "O(1)",
        summary: "Returns an error: there is no configuration file.",
        reply: "error",
        ..row("config|rewrite", 2, ADMIN, rewrite)
    },
    Row {
        arguments: "(parameter value)...",
        summary: "Sets all of the given parameters or none.",
        role: Role::Secret(Secrets::Parameters),
        ..row("config|set", -4, ADMIN, set)
    },
];

fn help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::help::write_help(cx, "config")
}

fn get(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let patterns: Vec<&[u8]> = args.rest().collect();
    let found = matching(&cx.server.config, &patterns);
    cx.reply.map(found.len());
    for (name, value) in found {
        cx.reply.bulk(name);
        cx.reply.bulk(value.as_bytes());
    }
    Ok(())
}

fn set(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if args.left() % 2 == 1 {
        return Err(CommandError::SYNTAX);
    }
    let pairs = args.pairs(args.left() / 2).map(|(name, value)| (name, String::from_utf8_lossy(name), value));
    let by_connection = cx.client().is_some_and(|client| !client.address.is_empty());
    for (index, (sent, name, _)) in pairs.clone().enumerate() {
        let may_set =
            Config::may_set(&name, by_connection).ok_or_else(|| args.refuse(ErrorText::unknown_parameter(sent)))?;
        let is_first = pairs.clone().take(index).all(|(other, ..)| !other.eq_ignore_ascii_case(sent));
        let checked = may_set.and(if is_first { Ok(()) } else { Err("duplicate parameter") });
        checked.map_err(|problem| args.refuse(ErrorText::config_set(&name, problem)))?;
    }
    let mut changes: Vec<(&'static str, String)> = Vec::new();
    for (_, name, value) in pairs {
        let change = cx.server.config.check(&name, &String::from_utf8_lossy(value));
        let refuse = |problem: String| args.refuse(ErrorText::config_set(&name.to_ascii_lowercase(), &problem));
        changes.push(change.map_err(refuse)?);
    }
    cx.server.configure(changes, cx.keyspace);
    cx.reply.ok();
    Ok(())
}

fn resetstat(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.server.stats.reset();
    cx.keyspace.counts = Default::default();
    cx.reply.ok();
    Ok(())
}

fn rewrite(_: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    Err(CommandError::NO_CONFIG_FILE)
}
