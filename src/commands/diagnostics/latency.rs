//! LATENCY: histograms of command durations. No latency spikes are recorded.

use alloc::vec::Vec;

use crate::commands::help::write_help;
use crate::commands::table::args::Args;
use crate::commands::table::introspection::find_row;
use crate::commands::table::row::{Group, flags::*};
use crate::commands::{Context, Handler, Reply, Row};
use crate::resp::error::ErrorText;

const LOADING_STALE: u32 = LOADING | STALE;

const fn row(name: &'static str, arity: i32, flags: u32, handler: Handler) -> Row {
    Row::of(Group::Server, name, arity, flags, &[], handler)
}

pub(super) const ROWS: &[Row] = &[
    Row {
        since: "2.8.13",
        summary: "Returns a report on latency.",
        reply: "bulk",
        ..row("latency|doctor", 2, ADMIN | NOSCRIPT | LOADING_STALE | SERVER_STATE, doctor)
    },
    Row {
        since: "2.8.13",
        arguments: "event",
        summary: "Returns an error: no latency spikes are recorded.",
        reply: "error",
        tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
        ..row("latency|graph", 3, ADMIN | NOSCRIPT | LOADING_STALE | SERVER_STATE, graph)
    },
    Row {
        since: "2.8.13",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row("latency|help", 2, LOADING_STALE, help)
    },
    Row {
        since: "7.0.0",
        arguments: "[command...]",
        complexity: "O(N) with N the number of commands.",
        summary: "Returns latency histograms of commands.",
        reply: "map(bulk,any)",
        ..row("latency|histogram", -2, ADMIN | NOSCRIPT | LOADING_STALE | SERVER_STATE | UNORDERED, histogram)
    },
    Row {
        since: "2.8.13",
        arguments: "event",
        summary: "Returns the latency spikes of an event, always none.",
        reply: "array(any)",
        ..row("latency|history", 3, ADMIN | NOSCRIPT | LOADING_STALE | SERVER_STATE, no_spikes)
    },
    Row {
        since: "2.8.13",
        summary: "Returns the latest latency spikes, always none.",
        reply: "array(any)",
        ..row("latency|latest", 2, ADMIN | NOSCRIPT | LOADING_STALE | SERVER_STATE, no_spikes)
    },
    Row {
        since: "2.8.13",
        arguments: "[event...]",
        summary: "Clears the latency spikes, and returns the number of events.",
        reply: "integer",
        ..row("latency|reset", -2, ADMIN | NOSCRIPT | LOADING_STALE | SERVER_STATE, reset)
    },
];

pub(super) fn help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    write_help(cx, "latency")
}

fn doctor(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply
        .verbatim(b"txt", b"No spikes are recorded here. LATENCY HISTOGRAM and SLOWLOG show how long commands take.\n");
    Ok(())
}

fn graph(_: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let event = args.bytes()?;
    Err(args.refuse(ErrorText::quoted("ERR No samples available for event", event)))
}

fn no_spikes(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.array(0);
    Ok(())
}

fn reset(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.integer(0);
    Ok(())
}

/// `LATENCY HISTOGRAM [command ...]`
fn histogram(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let is_all = args.is_done();
    let names: Vec<_> = args.rest().filter_map(|name| find_row(cx.table, name)).collect();
    let is_named = |name: &str| is_all || names.iter().any(|row| row.name == name);
    let (open, mut count) = (cx.reply.open(), 0);
    for (number, stats) in cx.server.stats.commands() {
        let row = cx.table.row(number);
        if stats.calls == 0 || !is_named(row.name) {
            continue;
        }
        let buckets = stats.durations().map(|durations| durations.cumulative()).unwrap_or_default();
        cx.reply.bulk(row.name.as_bytes());
        cx.reply.map(2);
        cx.reply.bulk(b"calls");
        cx.reply.integer(stats.calls as i64);
        cx.reply.bulk(b"histogram_usec");
        cx.reply.map(buckets.len());
        for (bound_us, calls) in buckets {
            cx.reply.integer(bound_us as i64);
            cx.reply.integer(calls as i64);
        }
        count += 1;
    }
    cx.reply.close_map(open, count);
    Ok(())
}
