//! INFO: statistics, section by section.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::table::args::{Args, is};
use super::table::row::{Group, flags::*};
use super::{Context, Reply, Row};
use crate::base::number::parse_double;
use crate::resp::REDIS_VERSION;
use crate::server::KEYLATCH_VERSION;
use crate::server::saving::SaveKind;

const MS_PER_SECOND: i64 = 1000;
const SECONDS_PER_DAY: i64 = 86_400;
const UNITS: [(char, u64); 4] = [('T', 1 << 40), ('G', 1 << 30), ('M', 1 << 20), ('K', 1 << 10)];

pub(super) const ROWS: &[Row] = &[Row {
    arguments: "[section...]",
    summary: "Returns statistics of the server.",
    reply: "bulk",
    tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
    ..Row::of(Group::Server, "info", -1, LOADING | STALE | DANGEROUS | TIME | SERVER_STATE, &[], info)
}];

type Section = fn(&Context<'_>, &mut Lines);

/// Sections: name, title, whether the section is a default one, and its writer.
const SECTIONS: &[(&str, &str, bool, Section)] = &[
    ("server", "Server", true, server),
    ("clients", "Clients", true, clients),
    ("memory", "Memory", true, memory),
    ("persistence", "Persistence", true, persistence),
    ("stats", "Stats", true, stats),
    ("replication", "Replication", true, replication),
    ("cpu", "CPU", true, cpu),
    ("modules", "Modules", true, modules),
    ("commandstats", "Commandstats", false, commandstats),
    ("errorstats", "Errorstats", true, errorstats),
    ("latencystats", "Latencystats", false, latencystats),
    ("cluster", "Cluster", true, cluster),
    ("keyspace", "Keyspace", true, keyspace),
];

/// `INFO [section ...]`, where `default`, `all` and `everything` stand for several sections.
fn info(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let sections: Vec<&[u8]> = args.rest().collect();
    let is_named = |name: &str| sections.iter().any(|word| is(word, name));
    let everything = is_named("all") || is_named("everything");
    let defaults = sections.is_empty() || is_named("default");
    let mut text = Lines::default();
    for (name, title, by_default, lines) in SECTIONS {
        if everything || is_named(name) || (defaults && *by_default) {
            let gap = if text.0.is_empty() { "" } else { "\r\n" };
            text.push(&[gap, "# ", title]);
            lines(cx, &mut text);
        }
    }
    cx.reply.verbatim(b"txt", text.0.as_bytes());
    Ok(())
}

/// Reply under construction, line by line.
#[derive(Default)]
struct Lines(String);

impl Lines {
    #[inline(never)]
    fn push(&mut self, parts: &[&str]) {
        parts.iter().for_each(|part| self.0.push_str(part));
        self.0.push_str("\r\n");
    }

    #[inline(never)]
    fn text(&mut self, name: &str, value: &str) {
        self.push(&[name, ":", value]);
    }

    fn number(&mut self, name: &str, value: impl TryInto<i64>) {
        self.integer(name, value.try_into().unwrap_or(i64::MAX));
    }

    #[inline(never)]
    fn integer(&mut self, name: &str, value: i64) {
        self.text(name, &format!("{value}"));
    }
}

fn server(cx: &Context<'_>, lines: &mut Lines) {
    let started_at = cx.server.started_at.unwrap_or(cx.now);
    let uptime_s = cx.now.ms_since(started_at).max(0) / MS_PER_SECOND;
    lines.text("redis_version", REDIS_VERSION);
    lines.text("keylatch_version", KEYLATCH_VERSION);
    lines.text("redis_mode", "standalone");
    lines.number("arch_bits", usize::BITS);
    lines.text("multiplexing_api", "host");
    lines.text("process_id", "0");
    lines.text("run_id", &format!("{:016x}{:016x}{:08x}", cx.keyspace.seed(), cx.keyspace.seed(), 0));
    lines.text("tcp_port", cx.server.config.get("port"));
    lines.number("server_time_usec", cx.now.as_ms().saturating_mul(1000));
    lines.number("uptime_in_seconds", uptime_s);
    lines.number("uptime_in_days", uptime_s / SECONDS_PER_DAY);
    lines.text("hz", cx.server.config.get("hz"));
    lines.text("configured_hz", cx.server.config.get("hz"));
    lines.text("executable", "");
    lines.text("config_file", "");
}

fn clients(cx: &Context<'_>, lines: &mut Lines) {
    let count = |is: fn(&crate::server::clients::Client) -> bool| cx.clients.iter().filter(|client| is(client)).count();
    lines.number("connected_clients", cx.clients.len());
    lines.text("cluster_connections", "0");
    lines.text("maxclients", cx.server.config.get("maxclients"));
    lines.number("blocked_clients", count(|client| client.is_blocked()));
    lines.number("pubsub_clients", count(|client| client.is_subscribed()));
    lines.number("tracking_clients", cx.keyspace.interest.tracking.client_count());
}

fn memory(cx: &Context<'_>, lines: &mut Lines) {
    let used = cx.keyspace.counted_bytes();
    let maxmemory = cx.server.config.number("maxmemory") as u64;
    lines.number("used_memory", used);
    lines.text("used_memory_human", &human(used));
    lines.number("used_memory_dataset", cx.keyspace.dataset_bytes());
    let scripts = &cx.server.scripts;
    lines.number("used_memory_scripts_eval", scripts.evaluation.counted_bytes());
    lines.number("number_of_cached_scripts", scripts.evaluation.script_count());
    lines.number("number_of_libraries", scripts.libraries.len());
    lines.number("used_memory_functions", scripts.libraries.counted_bytes());
    lines.number("used_memory_scripts", cx.server.script_bytes());
    lines.number("maxmemory", maxmemory);
    lines.text("maxmemory_human", &human(maxmemory));
    lines.text("maxmemory_policy", cx.server.config.get("maxmemory-policy"));
    lines.text("mem_allocator", "slab");
}

fn persistence(cx: &Context<'_>, lines: &mut Lines) {
    lines.text("loading", "0");
    lines.text("async_loading", "0");
    let saving = &cx.server.saving;
    let flag = |is_set: bool| u8::from(is_set);
    let status = |has_failed: bool| if has_failed { "err" } else { "ok" };
    lines.number("rdb_changes_since_last_save", saving.unsaved(cx.keyspace.effects.count()));
    lines.number("rdb_bgsave_in_progress", flag(saving.is_active(SaveKind::Snapshot)));
    lines.number("rdb_last_save_time", saving.saved_at.as_ms() / MS_PER_SECOND);
    lines.text("rdb_last_bgsave_status", status(saving.has_failed(SaveKind::Snapshot)));
    lines.number("aof_enabled", flag(saving.is_available && cx.server.config.get("appendonly") == "yes"));
    lines.number("aof_rewrite_in_progress", flag(saving.is_active(SaveKind::LogRewrite)));
    lines.number("aof_rewrite_scheduled", flag(saving.is_scheduled(SaveKind::LogRewrite)));
    lines.text("aof_last_bgrewrite_status", status(saving.has_failed(SaveKind::LogRewrite)));
    lines.text("aof_last_write_status", status(saving.log_failure().is_some()));
}

fn stats(cx: &Context<'_>, lines: &mut Lines) {
    let (stats, counts) = (&cx.server.stats, &cx.keyspace.counts);
    let pubsub = |channels| cx.server.pubsub.count(channels);
    let tracking = &cx.keyspace.interest.tracking;
    lines.number("total_connections_received", stats.connections_received);
    lines.number("total_commands_processed", stats.commands_processed);
    lines.number("expired_subkeys", counts.expired_fields);
    lines.number("expired_keys", counts.expired);
    lines.number("evicted_keys", counts.evicted);
    lines.number("keyspace_hits", counts.hits);
    lines.number("keyspace_misses", counts.misses);
    lines.number("pubsub_channels", pubsub(crate::server::pubsub::Channels::Plain));
    lines.number("pubsub_patterns", pubsub(crate::server::pubsub::Channels::Pattern));
    lines.number("pubsubshard_channels", pubsub(crate::server::pubsub::Channels::Shard));
    lines.text("latest_fork_usec", "0");
    lines.number("tracking_total_keys", tracking.key_count());
    lines.number("tracking_total_items", tracking.reader_count());
    lines.number("tracking_total_prefixes", tracking.prefix_count());
    lines.number("total_error_replies", stats.errors.iter().map(|(_, count)| count).sum::<u64>());
}

fn replication(_: &Context<'_>, lines: &mut Lines) {
    lines.text("role", "master");
    lines.text("connected_slaves", "0");
    lines.text("master_repl_offset", "0");
}

/// Writes nothing: the engine reads no clock and cannot measure processor time.
fn cpu(_: &Context<'_>, _: &mut Lines) {}

fn modules(_: &Context<'_>, _: &mut Lines) {}

fn cluster(_: &Context<'_>, lines: &mut Lines) {
    lines.text("cluster_enabled", "0");
}

fn commandstats(cx: &Context<'_>, lines: &mut Lines) {
    for (number, stats) in cx.server.stats.commands() {
        let per_call = hundredths(stats.elapsed_us, stats.calls.max(1));
        let value = format!(
            "calls={},usec={},usec_per_call={per_call},rejected_calls={},failed_calls={}",
            stats.calls, stats.elapsed_us, stats.rejected, stats.failed
        );
        lines.text(&format!("cmdstat_{}", cx.table.row(number).name), &value);
    }
}

fn errorstats(cx: &Context<'_>, lines: &mut Lines) {
    for (code, count) in &cx.server.stats.errors {
        lines.text(&format!("errorstat_{code}"), &format!("count={count}"));
    }
}

fn latencystats(cx: &Context<'_>, lines: &mut Lines) {
    let percentiles = cx.server.config.get("latency-tracking-info-percentiles");
    for (number, stats) in cx.server.stats.commands() {
        let Some(durations) = stats.durations() else { continue };
        let shown = |text: &str| {
            let percentile = parse_double(text.as_bytes()).unwrap_or(100.0);
            format!("p{text}={}.000", durations.percentile_us(percentile))
        };
        let values: Vec<String> = percentiles.split(' ').filter(|text| !text.is_empty()).map(shown).collect();
        lines.text(&format!("latency_percentiles_usec_{}", cx.table.row(number).name), &values.join(","));
    }
}

/// Formats a number of bytes in the largest unit that is not above it, with two decimals.
fn human(bytes: u64) -> String {
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((letter, unit)) => format!("{}{letter}", hundredths(bytes, *unit)),
        None => format!("{bytes}B"),
    }
}

/// Formats a quotient with two decimals, rounded down. Integer arithmetic saves the code that formats floats.
fn hundredths(numerator: u64, denominator: u64) -> String {
    let hundredths = numerator.saturating_mul(100) / denominator;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn keyspace(cx: &Context<'_>, lines: &mut Lines) {
    for (number, db) in cx.keyspace.databases().filter(|(_, db)| !db.is_empty()) {
        let value = format!(
            "keys={},expires={},avg_ttl=0,subexpiry={}",
            db.len(),
            db.deadline_count(),
            db.field_deadline_count()
        );
        lines.text(&format!("db{number}"), &value);
    }
}
