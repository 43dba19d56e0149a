//! INFO: true figures, section by section.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Cx;
use super::args::{Args, is};
use super::row::{Group, Reply, Row, flags::*};
use crate::number::parse_double;
use crate::server::{KEYLATCH_VERSION, REDIS_VERSION};

const MS_PER_SECOND: i64 = 1000;
const SECONDS_PER_DAY: i64 = 86_400;
const UNITS: [(char, u64); 4] = [('T', 1 << 40), ('G', 1 << 30), ('M', 1 << 20), ('K', 1 << 10)];

pub(super) const ROWS: &[Row] = &[Row {
    arguments: "[section...]",
    summary: "Answers figures about the server.",
    reply: "bulk",
    tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
    ..Row::of(Group::Server, "info", -1, LOADING | STALE | DANGEROUS | TIME, &[], info)
}];

type Section = fn(&Cx<'_>) -> Vec<(String, String)>;

/// Name, title, and whether it is among the default sections.
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

/// `INFO [section ...]`; `default`, `all` and `everything` name several at once.
fn info(cx: &mut Cx<'_>, args: &mut Args<'_>) -> Reply {
    let wanted: Vec<&[u8]> = args.rest().collect();
    let named = |name: &str| wanted.iter().any(|word| is(word, name));
    let everything = named("all") || named("everything");
    let defaults = wanted.is_empty() || named("default");
    let mut text = String::new();
    for (name, title, by_default, lines) in SECTIONS {
        if everything || named(name) || (defaults && *by_default) {
            let gap = if text.is_empty() { "" } else { "\r\n" };
            text += &format!("{gap}# {title}\r\n");
            lines(cx).iter().for_each(|(name, value)| text += &format!("{name}:{value}\r\n"));
        }
    }
    cx.reply.verbatim("txt", text.as_bytes());
    Ok(())
}

fn lines<const N: usize>(pairs: [(&str, String); N]) -> Vec<(String, String)> {
    pairs.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

fn server(cx: &Cx<'_>) -> Vec<(String, String)> {
    let started_at = cx.server.started_at.unwrap_or(cx.now);
    let uptime_s = cx.now.ms_since(started_at).max(0) / MS_PER_SECOND;
    lines([
        ("redis_version", REDIS_VERSION.into()),
        ("keylatch_version", KEYLATCH_VERSION.into()),
        ("redis_mode", "standalone".into()),
        ("arch_bits", format!("{}", usize::BITS)),
        ("multiplexing_api", "host".into()),
        ("process_id", "0".into()),
        ("run_id", format!("{:016x}{:016x}{:08x}", cx.keyspace.seed(), cx.keyspace.seed(), 0)),
        ("tcp_port", cx.server.config.get("port").into()),
        ("server_time_usec", format!("{}", cx.now.as_ms().saturating_mul(1000))),
        ("uptime_in_seconds", format!("{uptime_s}")),
        ("uptime_in_days", format!("{}", uptime_s / SECONDS_PER_DAY)),
        ("hz", cx.server.config.get("hz").into()),
        ("configured_hz", cx.server.config.get("hz").into()),
        ("executable", String::new()),
        ("config_file", String::new()),
    ])
}

fn clients(cx: &Cx<'_>) -> Vec<(String, String)> {
    let count = |is: fn(&crate::client::Client) -> bool| cx.clients.iter().filter(|client| is(client)).count();
    lines([
        ("connected_clients", format!("{}", cx.clients.len())),
        ("cluster_connections", "0".into()),
        ("maxclients", cx.server.config.get("maxclients").into()),
        ("blocked_clients", format!("{}", count(|client| client.is_parked()))),
        ("pubsub_clients", format!("{}", count(|client| client.is_subscribed()))),
        ("tracking_clients", format!("{}", cx.keyspace.interest.tracking.client_count())),
    ])
}

fn memory(cx: &Cx<'_>) -> Vec<(String, String)> {
    let used = cx.keyspace.counted_bytes();
    let maxmemory = cx.server.config.number("maxmemory") as u64;
    lines([
        ("used_memory", format!("{used}")),
        ("used_memory_human", human(used)),
        ("used_memory_dataset", format!("{used}")),
        ("maxmemory", format!("{maxmemory}")),
        ("maxmemory_human", human(maxmemory)),
        ("maxmemory_policy", cx.server.config.get("maxmemory-policy").into()),
        ("mem_allocator", "slab".into()),
    ])
}

fn persistence(cx: &Cx<'_>) -> Vec<(String, String)> {
    lines([
        ("loading", "0".into()),
        ("async_loading", "0".into()),
        ("rdb_bgsave_in_progress", "0".into()),
        ("rdb_last_save_time", format!("{}", cx.server.saved_at.as_ms() / MS_PER_SECOND)),
        ("rdb_last_bgsave_status", "ok".into()),
        ("aof_enabled", "0".into()),
        ("aof_rewrite_in_progress", "0".into()),
        ("aof_last_bgrewrite_status", "ok".into()),
    ])
}

fn stats(cx: &Cx<'_>) -> Vec<(String, String)> {
    let (stats, counts) = (&cx.server.stats, &cx.keyspace.counts);
    let pubsub = |channels| cx.server.pubsub.count(channels);
    let tracking = &cx.keyspace.interest.tracking;
    lines([
        ("total_connections_received", format!("{}", stats.connections_received)),
        ("total_commands_processed", format!("{}", stats.commands_processed)),
        ("expired_subkeys", format!("{}", counts.expired_fields)),
        ("expired_keys", format!("{}", counts.expired)),
        ("evicted_keys", format!("{}", counts.evicted)),
        ("keyspace_hits", format!("{}", counts.hits)),
        ("keyspace_misses", format!("{}", counts.misses)),
        ("pubsub_channels", format!("{}", pubsub(crate::pubsub::Channels::Plain))),
        ("pubsub_patterns", format!("{}", pubsub(crate::pubsub::Channels::Pattern))),
        ("pubsubshard_channels", format!("{}", pubsub(crate::pubsub::Channels::Shard))),
        ("latest_fork_usec", "0".into()),
        ("tracking_total_keys", format!("{}", tracking.key_count())),
        ("tracking_total_items", format!("{}", tracking.reader_count())),
        ("tracking_total_prefixes", format!("{}", tracking.prefix_count())),
        ("total_error_replies", format!("{}", stats.errors.iter().map(|(_, count)| count).sum::<u64>())),
    ])
}

fn replication(_: &Cx<'_>) -> Vec<(String, String)> {
    lines([("role", "master".into()), ("connected_slaves", "0".into()), ("master_repl_offset", "0".into())])
}

/// The engine reads no clock, so time on the processor is the host's to know.
fn cpu(_: &Cx<'_>) -> Vec<(String, String)> {
    Vec::new()
}

fn modules(_: &Cx<'_>) -> Vec<(String, String)> {
    Vec::new()
}

fn cluster(_: &Cx<'_>) -> Vec<(String, String)> {
    lines([("cluster_enabled", "0".into())])
}

fn commandstats(cx: &Cx<'_>) -> Vec<(String, String)> {
    let commands = cx.server.stats.commands().map(|(number, stats)| {
        let per_call = hundredths(stats.elapsed_us, stats.calls.max(1));
        let value = format!(
            "calls={},usec={},usec_per_call={per_call},rejected_calls={},failed_calls={}",
            stats.calls, stats.elapsed_us, stats.rejected, stats.failed
        );
        (format!("cmdstat_{}", cx.table.row(number).name), value)
    });
    commands.collect()
}

fn errorstats(cx: &Cx<'_>) -> Vec<(String, String)> {
    let errors = cx.server.stats.errors.iter();
    errors.map(|(code, count)| (format!("errorstat_{code}"), format!("count={count}"))).collect()
}

fn latencystats(cx: &Cx<'_>) -> Vec<(String, String)> {
    let percentiles = cx.server.config.get("latency-tracking-info-percentiles");
    let measured = cx.server.stats.commands().filter_map(|(number, stats)| Some((number, stats.durations()?)));
    let commands = measured.map(|(number, durations)| {
        let shown = |text: &str| {
            let percentile = parse_double(text.as_bytes()).unwrap_or(100.0);
            format!("p{text}={}.000", durations.percentile_us(percentile))
        };
        let values: Vec<String> = percentiles.split(' ').filter(|text| !text.is_empty()).map(shown).collect();
        (format!("latency_percentiles_usec_{}", cx.table.row(number).name), values.join(","))
    });
    commands.collect()
}

/// Bytes in the largest unit there is one of.
fn human(bytes: u64) -> String {
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((letter, unit)) => format!("{}{letter}", hundredths(bytes, *unit)),
        None => format!("{bytes}B"),
    }
}

/// A quotient with two decimals, rounded down: floats and their formatting would cost more than the figure is worth.
fn hundredths(numerator: u64, denominator: u64) -> String {
    let hundredths = numerator.saturating_mul(100) / denominator;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn keyspace(cx: &Cx<'_>) -> Vec<(String, String)> {
    let used = cx.keyspace.databases().filter(|(_, db)| !db.is_empty());
    let databases = used.map(|(number, db)| {
        let value = format!(
            "keys={},expires={},avg_ttl=0,subexpiry={}",
            db.len(),
            db.deadline_count(),
            db.field_deadline_count()
        );
        (format!("db{number}"), value)
    });
    databases.collect()
}
