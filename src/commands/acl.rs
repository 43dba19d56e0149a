//! ACL: the only user has all permissions.

use alloc::vec::Vec;

use super::table::args::{Args, is};
use super::table::docs::{CATEGORY_ORDER, categories, without_sign};
use super::table::row::{Group, flags::*};
use super::{Context, Reply, Row};
use crate::resp::error::ErrorText;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row::of(Group::Server, name, arity, flags, &[], handler)
}

const LOADING_STALE: u32 = LOADING | STALE;

pub(super) const ROWS: &[Row] = &[Row {
    since: "6.0.0",
    complexity: "Depends on the subcommand.",
    summary: "Inspects access control; the only user has all permissions.",
    reply: "any",
    subcommands: ACL_ROWS,
    ..row("acl", -2, 0, acl_help)
}];

const ACL_ROWS: &[Row] = &[
    Row {
        since: "6.0.0",
        arguments: "[category]",
        complexity: "O(N) with N the number of commands.",
        summary: "Returns the command categories, or the commands of one.",
        reply: "array(bulk)",
        ..row("acl|cat", -2, NOSCRIPT | LOADING_STALE | UNORDERED, acl_cat)
    },
    Row {
        since: "6.0.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row("acl|help", 2, LOADING_STALE, acl_help)
    },
    Row {
        since: "6.0.0",
        summary: "Returns the user names.",
        reply: "array(bulk)",
        ..row("acl|users", 2, ADMIN | NOSCRIPT | LOADING_STALE, acl_users)
    },
    Row {
        since: "6.0.0",
        summary: "Returns the user name of the connection.",
        reply: "bulk",
        ..row("acl|whoami", 2, NOSCRIPT | LOADING_STALE, acl_whoami)
    },
];

fn acl_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::help::write_help(cx, "acl")
}

/// `ACL CAT [category]`
fn acl_cat(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if args.left() > 1 {
        return Err(args.refuse(ErrorText::unknown_or_wrong("ACL", args.argv().get(1).unwrap_or_default())));
    }
    let names: Vec<&str> = match args.optional() {
        None => CATEGORY_ORDER.iter().map(|name| without_sign(name)).collect(),
        Some(word) => {
            let category = CATEGORY_ORDER.iter().find(|name| is(word, without_sign(name)));
            let category = category.ok_or_else(|| args.refuse(ErrorText::quoted("ERR Unknown category", word)))?;
            let all = cx.table.rows();
            let is_member = |row: &&Row| row.subcommands.is_empty() && categories(row).contains(category);
            all.filter(is_member).map(|row| row.name).collect()
        }
    };
    cx.reply.array(names.len());
    names.iter().for_each(|name| cx.reply.bulk(name.as_bytes()));
    Ok(())
}

fn acl_users(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.array(1);
    cx.reply.bulk(super::connection::DEFAULT_USER);
    Ok(())
}

fn acl_whoami(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.bulk(super::connection::DEFAULT_USER);
    Ok(())
}
