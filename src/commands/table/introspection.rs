//! COMMAND: queries of the command table.

use alloc::vec::Vec;

use super::args::{Args, is};
use super::docs::{categories, without_sign, write_docs, write_info};
use super::keys_of::keys_of;
use super::row::{FamilyCategory, Group, KeyAccess, flags::*};
use crate::base::argv::ArgvRef;
use crate::base::glob;
use crate::commands::{CommandTable, Context, Reply, Row, resolve};
use crate::resp::error::CommandError;

const fn row(name: &'static str, arity: i32, flags: u32, handler: crate::commands::Handler) -> Row {
    Row { category: FamilyCategory::Connection, ..Row::of(Group::Server, name, arity, flags, &[], handler) }
}

pub const ROWS: &[Row] = &[Row {
    since: "2.8.13",
    complexity: "O(N) with N the number of commands.",
    summary: "Returns the properties of all commands.",
    reply: "array(any)",
    tips: &["nondeterministic_output_order"],
    subcommands: COMMAND_ROWS,
    ..row("command", -1, LOADING | STALE | UNORDERED, command)
}];

const COMMAND_ROWS: &[Row] = &[
    Row {
        since: "2.8.13",
        summary: "Returns the number of commands.",
        reply: "integer",
        ..row("command|count", 2, LOADING | STALE, command_count)
    },
    Row {
        arguments: "[command-name...]",
        since: "7.0.0",
        complexity: "O(N) with N the number of given commands.",
        summary: "Returns documentation of commands.",
        reply: "map(bulk,any)",
        tips: &["nondeterministic_output_order"],
        ..row("command|docs", -2, LOADING | STALE | UNORDERED, command_docs)
    },
    Row {
        arguments: "command [arg...]",
        since: "2.8.13",
        complexity: "O(N) with N the number of arguments.",
        summary: "Returns the keys of a command.",
        reply: "array(bulk)",
        ..row("command|getkeys", -3, LOADING | STALE, command_getkeys)
    },
    Row {
        arguments: "command [arg...]",
        since: "7.0.0",
        complexity: "O(N) with N the number of arguments.",
        summary: "Returns the keys of a command and the access flags of each.",
        reply: "array(any)",
        ..row("command|getkeysandflags", -3, LOADING | STALE, command_getkeysandflags)
    },
    Row {
        since: "5.0.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row("command|help", 2, LOADING | STALE, command_help)
    },
    Row {
        arguments: "[command-name...]",
        since: "2.8.13",
        complexity: "O(N) with N the number of given commands.",
        summary: "Returns arity, flags, keys and categories of commands.",
        reply: "array(any|null)",
        tips: &["nondeterministic_output_order"],
        ..row("command|info", -2, LOADING | STALE | UNORDERED, command_info)
    },
    Row {
        arguments: "[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern:pattern>]",
        since: "7.0.0",
        complexity: "O(N) with N the number of commands.",
        summary: "Returns the names of commands.",
        reply: "array(bulk)",
        tips: &["nondeterministic_output_order"],
        ..row("command|list", -2, LOADING | STALE | UNORDERED, command_list)
    },
];

fn command(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.array(cx.table.commands().count());
    cx.table.commands().for_each(|row| write_info(row, cx.reply));
    Ok(())
}

fn command_count(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.integer(cx.table.commands().count() as i64);
    Ok(())
}

fn command_info(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if args.is_done() {
        return command(cx, args);
    }
    cx.reply.array(args.left());
    for name in args.rest() {
        match find_row(cx.table, name) {
            Some(row) => write_info(row, cx.reply),
            None => cx.reply.null(),
        }
    }
    Ok(())
}

fn command_docs(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if args.is_done() {
        cx.reply.map(cx.table.commands().count());
        cx.table.commands().for_each(|row| write_docs(row, cx.reply));
        return Ok(());
    }
    let table = cx.table;
    let rows = || args.argv().iter().skip(2).filter_map(|name| find_row(table, name));
    cx.reply.map(rows().count());
    rows().for_each(|row| write_docs(row, cx.reply));
    Ok(())
}

/// Returns the row of a name that a client sent: `get` or `config|get`, but not `config get`.
pub fn find_row(table: &CommandTable, name: &[u8]) -> Option<&'static Row> {
    table.find(core::str::from_utf8(name).ok().filter(|name| !name.contains(' '))?)
}

fn command_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    crate::commands::help::write_help(cx, "command")
}

/// `COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern]`
fn command_list(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let all = || cx.table.rows();
    let is_wanted: &dyn Fn(&Row) -> bool = match args.optional() {
        None => &|_| true,
        Some(word) if is(word, "FILTERBY") && args.left() == 2 => {
            let (by, value) = (args.bytes()?, args.bytes()?);
            match by {
                _ if is(by, "MODULE") => &|_| false,
                _ if is(by, "ACLCAT") => &move |row| in_category(row, value),
                _ if is(by, "PATTERN") => &move |row| glob::matches(value, row.name.as_bytes()),
                _ => return Err(CommandError::SYNTAX),
            }
        }
        Some(_) => return Err(CommandError::SYNTAX),
    };
    let list = cx.reply.open();
    let mut len = 0;
    for row in all().filter(|row| is_wanted(row)) {
        cx.reply.bulk(row.name.as_bytes());
        len += 1;
    }
    cx.reply.close_array(list, len);
    Ok(())
}

fn in_category(row: &Row, category: &[u8]) -> bool {
    categories(row).iter().any(|name| is(category, without_sign(name)))
}

fn command_getkeys(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (row, argv) = inner_request(cx, args)?;
    let keys = keys_or_none(row, argv)?;
    cx.reply.array(keys.len());
    keys.iter().for_each(|(key, _)| cx.reply.bulk(key));
    Ok(())
}

fn command_getkeysandflags(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (row, argv) = inner_request(cx, args)?;
    let keys = keys_or_none(row, argv)?;
    cx.reply.array(keys.len());
    for (key, access) in keys {
        cx.reply.array(2);
        cx.reply.bulk(key);
        cx.reply.set(access.flags().len());
        access.flags().iter().for_each(|flag| cx.reply.simple(flag));
    }
    Ok(())
}

/// Keys of a request with their access. A script may have none, which a number of keys that fits nothing means, too.
fn keys_or_none<'a>(row: &Row, argv: ArgvRef<'a>) -> Result<Vec<(&'a [u8], KeyAccess)>, CommandError> {
    match keys_of(row, argv) {
        Err(CommandError::INVALID_KEY_ARGUMENTS) if row.has(RUNS_SCRIPT) => Ok(Vec::new()),
        keys => keys,
    }
}

/// Returns the row and the arguments of the request that follows COMMAND GETKEYS.
fn inner_request<'a>(cx: &Context<'_>, args: &Args<'a>) -> Result<(&'static Row, ArgvRef<'a>), CommandError> {
    let argv = args.argv().from_index(2);
    let (_, row) = resolve(cx.table, argv).map_err(|_| CommandError::INVALID_COMMAND)?;
    if row.keys.is_empty() {
        return Err(CommandError::NO_KEY_ARGUMENTS);
    }
    if row.accepts(argv.len()) { Ok((row, argv)) } else { Err(CommandError::BAD_ARGUMENT_COUNT) }
}
