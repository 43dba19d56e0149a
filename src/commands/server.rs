//! Server family: databases as a whole, and the time.

use super::keys::database;
use super::table::args::{Args, is};
use super::table::row::{Group, flags::*};
use super::{Context, Reply, Row};
use crate::base::number::{parse_integer, write_integer};
use crate::resp::error::CommandError;

const MS_PER_SECOND: i64 = 1000;
const US_PER_MS: i64 = 1000;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row::of(Group::Server, name, arity, flags, &[], handler)
}

pub(super) const ROWS: &[Row] = &[
    Row {
        summary: "Counts the keys of the selected database.",
        reply: "integer",
        tips: &["request_policy:all_shards", "response_policy:agg_sum"],
        ..row("dbsize", 1, READONLY | FAST, dbsize)
    },
    Row {
        arguments: "[flush-type=ASYNC | SYNC]",
        complexity: "O(N) with N the number of keys in all databases.",
        summary: "Deletes all keys of all databases.",
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        ..row("flushall", -1, WRITE | DANGEROUS, flushall)
    },
    Row {
        arguments: "[flush-type=ASYNC | SYNC]",
        complexity: "O(N) with N the number of keys in the database.",
        summary: "Deletes all keys of the selected database.",
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        ..row("flushdb", -1, WRITE | DANGEROUS, flushdb)
    },
    Row {
        arguments: "index1:integer index2:integer",
        complexity: "O(N) with N the number of keys that clients watch or are blocked on.",
        since: "4.0.0",
        summary: "Exchanges the contents of two databases.",
        ..row("swapdb", 3, WRITE | FAST | LONG | DANGEROUS, swapdb)
    },
    Row {
        since: "2.6.0",
        summary: "Returns the time as Unix seconds and microseconds within the second.",
        reply: "array(bulk,bulk)",
        tips: &["nondeterministic_output"],
        ..row("time", 1, LOADING | STALE | FAST | TIME, time)
    },
];

fn dbsize(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let len = cx.txn().db().len();
    cx.reply.integer(len as i64);
    Ok(())
}

fn flushdb(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    check_flush_type(args)?;
    cx.keyspace.interest.reserve_headroom_to_mark_ready()?;
    cx.txn().flush();
    cx.reply.ok();
    Ok(())
}

fn flushall(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    check_flush_type(args)?;
    cx.keyspace.interest.reserve_headroom_to_mark_ready()?;
    cx.keyspace.flush_all();
    cx.reply.ok();
    Ok(())
}

/// `SWAPDB index1 index2`. Both are parsed before either is checked against the number of databases.
fn swapdb(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let mut index = |error| parse_integer(args.bytes()?).and_then(|index| i32::try_from(index).ok()).ok_or(error);
    let (first, second) = (index(CommandError::FIRST_DATABASE)?, index(CommandError::SECOND_DATABASE)?);
    let (first, second) = (database(cx, first.into())?, database(cx, second.into())?);
    cx.keyspace.swap(first, second, cx.now)?;
    cx.reply.ok();
    Ok(())
}

/// Checks the flush type. ASYNC and SYNC have the same effect: whole pages are freed, which takes little time.
fn check_flush_type(args: &mut Args<'_>) -> Result<(), CommandError> {
    match args.optional() {
        Some(word) if !is(word, "ASYNC") && !is(word, "SYNC") => Err(CommandError::SYNTAX),
        _ => args.finish(),
    }
}

fn time(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let now_ms = cx.now.as_ms();
    let parts = [now_ms.div_euclid(MS_PER_SECOND), now_ms.rem_euclid(MS_PER_SECOND) * US_PER_MS];
    cx.reply.array(parts.len());
    for part in parts {
        let mut text = alloc::vec::Vec::new();
        write_integer(part, &mut text);
        cx.reply.bulk(&text);
    }
    Ok(())
}
