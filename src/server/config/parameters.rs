//! Table of parameters: names, defaults and kinds of values.

use super::reading::Kind;

/// Parameter of redis.conf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) default: &'static str,
    pub(super) kind: Kind,
}

const fn parameter(name: &'static str, default: &'static str, kind: Kind) -> Parameter {
    Parameter { name, default, kind }
}

const POLICIES: &[&str] = &[
    "volatile-lru",
    "volatile-lfu",
    "volatile-random",
    "volatile-ttl",
    "volatile-lrm",
    "allkeys-lru",
    "allkeys-lfu",
    "allkeys-random",
    "allkeys-lrm",
    "noeviction",
];
const NUMBER: Kind = Kind::Number(0, i64::MAX);
/// Range of a parameter that is an `int` in Redis.
const INT: Kind = Kind::Number(0, i32::MAX as i64);
const MEMORY: Kind = memory_from(0);
/// Limit of request sizes, at least 1 MiB. With a smaller limit, CONFIG SET could not be sent to raise it again.
const REQUEST: Kind = memory_from(1024 * 1024);

const fn memory_from(min: u64) -> Kind {
    Kind::Memory(min, i64::MAX as u64)
}

/// Size of the replication backlog, at least 16 KiB.
const BACKLOG: Kind = Kind::Clamped(&memory_from(1), 16 * 1024, i64::MAX);
/// Frequency of background tasks per second.
const HZ: Kind = Kind::Clamped(&INT, 1, 500);

/// Parameters in order of their names.
pub(super) const PARAMETERS: &[Parameter] = &[
    parameter("active-defrag-cycle-max", "25", Kind::Number(1, 99)),
    parameter("active-defrag-cycle-min", "1", Kind::Number(1, 99)),
    parameter("active-expire-effort", "1", Kind::Number(1, 10)),
    parameter("activedefrag", "no", Kind::YesNo),
    parameter("activerehashing", "yes", Kind::YesNo),
    parameter("aof-load-truncated", "yes", Kind::YesNo),
    parameter("aof-timestamp-enabled", "no", Kind::YesNo),
    parameter("aof-use-rdb-preamble", "yes", Kind::YesNo),
    parameter("appenddirname", "appendonlydir", Kind::Fixed),
    parameter("appendfilename", "appendonly.aof", Kind::Fixed),
    parameter("appendfsync", "everysec", Kind::OneOf(&["everysec", "always", "no"])),
    parameter("appendonly", "no", Kind::YesNo),
    parameter("auto-aof-rewrite-min-size", "67108864", MEMORY),
    parameter("auto-aof-rewrite-percentage", "100", INT),
    parameter("bind", "127.0.0.1", Kind::Text),
    parameter("busy-reply-threshold", "5000", NUMBER),
    parameter(
        "client-output-buffer-limit",
        "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
        Kind::OutputLimits,
    ),
    parameter("client-query-buffer-limit", "1073741824", REQUEST),
    parameter("cluster-enabled", "no", Kind::Fixed),
    parameter("daemonize", "no", Kind::Fixed),
    parameter("databases", "16", Kind::Fixed),
    parameter("dbfilename", "dump.rdb", Kind::Protected),
    parameter("dir", "/", Kind::Protected),
    parameter("dynamic-hz", "yes", Kind::YesNo),
    parameter("enable-debug-command", "yes", Kind::FixedOneOf(&["no", "yes", "local"])),
    parameter("hash-max-listpack-entries", "512", NUMBER),
    parameter("hash-max-listpack-value", "64", MEMORY),
    parameter("hash-max-ziplist-entries", "512", NUMBER),
    parameter("hash-max-ziplist-value", "64", MEMORY),
    parameter("hll-sparse-max-bytes", "3000", MEMORY),
    parameter("hz", "10", HZ),
    parameter("io-threads", "1", Kind::Fixed),
    parameter("latency-monitor-threshold", "0", NUMBER),
    parameter("latency-tracking", "yes", Kind::YesNo),
    parameter("latency-tracking-info-percentiles", "50 99 99.9", Kind::Percentiles),
    parameter("lazyfree-lazy-eviction", "no", Kind::YesNo),
    parameter("lazyfree-lazy-expire", "no", Kind::YesNo),
    parameter("lazyfree-lazy-server-del", "no", Kind::YesNo),
    parameter("lazyfree-lazy-user-del", "no", Kind::YesNo),
    parameter("lazyfree-lazy-user-flush", "no", Kind::YesNo),
    parameter("lfu-decay-time", "1", INT),
    parameter("lfu-log-factor", "10", INT),
    parameter("list-compress-depth", "0", INT),
    parameter("list-max-listpack-size", "-2", Kind::Number(i32::MIN as i64, i32::MAX as i64)),
    parameter("list-max-ziplist-size", "-2", Kind::Number(i32::MIN as i64, i32::MAX as i64)),
    parameter("logfile", "", Kind::Fixed),
    parameter("loglevel", "notice", Kind::OneOf(&["debug", "verbose", "notice", "warning", "nothing"])),
    // Of keylatch: the time of a script is limited by its instructions, and its reply may repeat a long string. A client that
    // could raise these limits could stop the server.
    parameter("lua-instruction-limit", "100000000", Kind::ProgramOnly(&Kind::Number(1000, i64::MAX))),
    parameter("lua-memory-limit", "33554432", Kind::ProgramOnly(&Kind::Memory(1 << 20, 1 << 30))),
    parameter("lua-reply-limit", "67108864", Kind::ProgramOnly(&Kind::Memory(1 << 10, 1 << 29))),
    parameter("lua-time-limit", "5000", NUMBER),
    parameter("maxclients", "10000", Kind::Number(1, u32::MAX as i64)),
    parameter("maxmemory", "0", Kind::Memory(0, u64::MAX)),
    parameter("maxmemory-clients", "0", Kind::MemoryOrPercent),
    parameter("maxmemory-eviction-tenacity", "10", Kind::Number(0, 100)),
    parameter("maxmemory-policy", "noeviction", Kind::OneOf(POLICIES)),
    parameter("maxmemory-samples", "5", Kind::Number(1, 64)),
    parameter("min-replicas-max-lag", "10", INT),
    parameter("min-replicas-to-write", "0", INT),
    parameter("no-appendfsync-on-rewrite", "no", Kind::YesNo),
    parameter("notify-keyspace-events", "", Kind::EventClasses),
    parameter("port", "6379", Kind::Fixed),
    parameter("protected-mode", "yes", Kind::YesNo),
    parameter("proto-max-bulk-len", "536870912", REQUEST),
    parameter("rdbchecksum", "yes", Kind::Fixed),
    parameter("rdbcompression", "yes", Kind::YesNo),
    parameter("repl-backlog-size", "1048576", BACKLOG),
    parameter("repl-timeout", "60", Kind::Number(1, i32::MAX as i64)),
    parameter("replica-read-only", "yes", Kind::YesNo),
    parameter("requirepass", "", Kind::Text),
    parameter("save", "", Kind::SavePoints),
    parameter("set-max-intset-entries", "512", NUMBER),
    parameter("set-max-listpack-entries", "128", NUMBER),
    parameter("set-max-listpack-value", "64", NUMBER),
    parameter("slowlog-log-slower-than", "10000", Kind::Number(-1, i64::MAX)),
    parameter("slowlog-max-len", "128", NUMBER),
    parameter("stop-writes-on-bgsave-error", "yes", Kind::YesNo),
    parameter("stream-node-max-bytes", "4096", MEMORY),
    parameter("stream-node-max-entries", "100", NUMBER),
    parameter("tcp-backlog", "511", Kind::Fixed),
    parameter("tcp-keepalive", "300", INT),
    parameter("timeout", "0", INT),
    parameter("tracking-table-max-keys", "1000000", NUMBER),
    parameter("unixsocket", "", Kind::Fixed),
    parameter("zset-max-listpack-entries", "128", NUMBER),
    parameter("zset-max-listpack-value", "64", MEMORY),
    parameter("zset-max-ziplist-entries", "128", NUMBER),
    parameter("zset-max-ziplist-value", "64", MEMORY),
];

/// Deprecated names, each with the canonical name.
const ALIASES: &[(&str, &str)] = &[
    ("hash-max-ziplist-entries", "hash-max-listpack-entries"),
    ("hash-max-ziplist-value", "hash-max-listpack-value"),
    ("list-max-ziplist-size", "list-max-listpack-size"),
    ("lua-time-limit", "busy-reply-threshold"),
    ("zset-max-ziplist-entries", "zset-max-listpack-entries"),
    ("zset-max-ziplist-value", "zset-max-listpack-value"),
];

pub(super) fn find(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name))
}

/// Canonical name of a parameter.
pub(super) fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name)
}
