//! MEMORY: memory usage of keys and of the keyspace.

use crate::keyspace::keys;
use alloc::format;

use super::table::args::{Args, is};
use super::table::row::{FamilyCategory, Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::resp::error::CommandError;

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row {
        since: "4.0.0",
        category: FamilyCategory::Absent,
        ..Row::of(Group::Server, name, arity, flags, keys, handler)
    }
}

pub(super) const ROWS: &[Row] = &[Row {
    summary: "Reports memory usage.",
    reply: "any",
    complexity: "Depends on the subcommand.",
    subcommands: MEMORY_ROWS,
    ..row("memory", -2, 0, &[], help)
}];

const MEMORY_ROWS: &[Row] = &[
    Row {
        summary: "Returns a report on memory problems.",
        reply: "bulk",
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        ..row("memory|doctor", 2, SERVER_STATE, &[], doctor)
    },
    Row {
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row("memory|help", 2, LOADING | STALE, &[], help)
    },
    Row {
        summary: "Returns a notice: statistics are not supported.",
        reply: "bulk",
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        ..row("memory|malloc-stats", 2, SERVER_STATE, &[], malloc_stats)
    },
    Row {
        summary: "Returns OK without effect: freed pages are reused.",
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        ..row("memory|purge", 2, SERVER_STATE, &[], purge)
    },
    Row {
        complexity: "O(N) with N the number of databases.",
        summary: "Returns memory statistics.",
        reply: "map(bulk,integer)",
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        ..row("memory|stats", 2, SERVER_STATE, &[], stats)
    },
    Row {
        arguments: "key:key [SAMPLES count:integer]",
        summary: "Returns the bytes that a key, its value and its index entry use.",
        reply: "integer|null",
        ..row("memory|usage", -3, READONLY | SERVER_STATE, &[KeySpec::one(2, KeyAccess::ReadOnly)], usage)
    },
];

/// `MEMORY USAGE key [SAMPLES count]`. Sizes are kept up to date, so `count` has no effect.
fn usage(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    while let Some(word) = args.optional() {
        if !is(word, "SAMPLES") || args.integer()? < 0 {
            return Err(CommandError::SYNTAX);
        }
    }
    match keys::memory_usage(&mut cx.txn(), key) {
        Some(bytes) => cx.reply.integer(bytes as i64),
        None => cx.reply.null(),
    }
    Ok(())
}

fn doctor(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let keys: usize = cx.keyspace.databases().map(|(_, db)| db.len()).sum();
    let bytes = cx.keyspace.counted_bytes();
    let report = format!("No problems found: {bytes} bytes are counted for {keys} keys, and freed pages are reused.\n");
    cx.reply.verbatim(b"txt", report.as_bytes());
    Ok(())
}

/// `MEMORY STATS`, with those fields of Redis that apply to this engine.
fn stats(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let keys = cx.keyspace.databases().map(|(_, db)| db.len() as u64).sum();
    let bytes = cx.keyspace.counted_bytes();
    let dataset = cx.keyspace.dataset_bytes();
    let figures = [
        ("total.allocated", bytes),
        ("lua.caches", cx.server.scripts.evaluation.counted_bytes()),
        ("functions.caches", cx.server.scripts.libraries.counted_bytes()),
        ("keys.count", keys),
        ("keys.bytes-per-key", dataset.checked_div(keys).unwrap_or(0)),
        ("dataset.bytes", dataset),
    ];
    cx.reply.map(figures.len());
    for (name, figure) in figures {
        cx.reply.bulk(name.as_bytes());
        cx.reply.integer(figure as i64);
    }
    Ok(())
}

fn malloc_stats(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.bulk(b"Stats not supported for the current allocator");
    Ok(())
}

fn purge(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.ok();
    Ok(())
}

fn help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::help::write_help(cx, "memory")
}
