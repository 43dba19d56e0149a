//! Configuration parameters: the names harnesses and clients ask for or set. All are remembered; those that mean
//! something here are read where they matter, by name.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;

use crate::keyspace::{Choice, Counting, Frequency, MemoryLimit};
use crate::number::parse_integer;
use crate::request;
use crate::value::{Limits, ListLimit, PackedLimit, SetLimit, SketchLimit};

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    YesNo,
    /// A number between two bounds.
    Number(i64, i64),
    /// A number of bytes between two bounds, with an optional unit (`kb`, `mb`, `gb`: powers of two; `k`, `m`, `g`: powers of
    /// ten).
    Memory(u64, u64),
    OneOf(&'static [&'static str]),
    Text,
    /// Letters of keyspace notifications.
    EventClasses,
    /// Known, but fixed when a server starts.
    Fixed,
}

/// A parameter of redis.conf.
#[derive(Clone, Copy, Debug)]
struct Parameter {
    name: &'static str,
    default: &'static str,
    kind: Kind,
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
/// What is an `int` in Redis.
const INT: Kind = Kind::Number(0, i32::MAX as i64);
const MEMORY: Kind = memory_from(0);
/// What a request may take at least: nobody could take a smaller limit back.
const REQUEST: Kind = memory_from(1024 * 1024);

const fn memory_from(least: u64) -> Kind {
    Kind::Memory(least, i64::MAX as u64)
}

/// In the order of their names.
const PARAMETERS: &[Parameter] = &[
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
        Kind::Text,
    ),
    parameter("client-query-buffer-limit", "1073741824", REQUEST),
    parameter("cluster-enabled", "no", Kind::Fixed),
    parameter("daemonize", "no", Kind::Fixed),
    parameter("databases", "16", Kind::Fixed),
    parameter("dbfilename", "dump.rdb", Kind::Text),
    parameter("dir", "/", Kind::Text),
    parameter("dynamic-hz", "yes", Kind::YesNo),
    parameter("enable-debug-command", "yes", Kind::Fixed),
    parameter("hash-max-listpack-entries", "512", NUMBER),
    parameter("hash-max-listpack-value", "64", MEMORY),
    parameter("hash-max-ziplist-entries", "512", NUMBER),
    parameter("hash-max-ziplist-value", "64", MEMORY),
    parameter("hll-sparse-max-bytes", "3000", MEMORY),
    parameter("hz", "10", Kind::Number(1, 500)),
    parameter("io-threads", "1", Kind::Fixed),
    parameter("latency-monitor-threshold", "0", NUMBER),
    parameter("latency-tracking", "yes", Kind::YesNo),
    parameter("latency-tracking-info-percentiles", "50 99 99.9", Kind::Text),
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
    parameter("lua-time-limit", "5000", NUMBER),
    parameter("maxclients", "10000", Kind::Number(1, u32::MAX as i64)),
    parameter("maxmemory", "0", Kind::Memory(0, u64::MAX)),
    parameter("maxmemory-clients", "0", MEMORY),
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
    parameter("repl-backlog-size", "1048576", memory_from(1)),
    parameter("repl-timeout", "60", Kind::Number(1, i32::MAX as i64)),
    parameter("replica-read-only", "yes", Kind::YesNo),
    parameter("requirepass", "", Kind::Text),
    parameter("save", "", Kind::Text),
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

/// Older names of the same parameter, each with the name that counts.
const ALIASES: &[(&str, &str)] = &[
    ("hash-max-ziplist-entries", "hash-max-listpack-entries"),
    ("hash-max-ziplist-value", "hash-max-listpack-value"),
    ("list-max-ziplist-size", "list-max-listpack-size"),
    ("lua-time-limit", "busy-reply-threshold"),
    ("zset-max-ziplist-entries", "zset-max-listpack-entries"),
    ("zset-max-ziplist-value", "zset-max-listpack-value"),
];

/// The values that differ from the defaults.
#[derive(Clone, Debug, Default)]
pub struct Config {
    values: Vec<(&'static str, String)>,
}

impl Config {
    /// The value of a known parameter as text; empty for an unknown one.
    pub fn get(&self, name: &str) -> &str {
        let name = canonical(name);
        match self.values.iter().find(|(set, _)| *set == name) {
            Some((_, value)) => value,
            None => find(name).map_or("", |parameter| parameter.default),
        }
    }

    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == "yes"
    }

    /// What clients may send at most.
    pub fn request_limits(&self) -> request::Limits {
        let bytes = |name| u32::try_from(self.number(name)).unwrap_or(u32::MAX);
        request::Limits { bulk_bytes: bytes("proto-max-bulk-len"), request_bytes: bytes("client-query-buffer-limit") }
    }

    /// Up to where collections are kept compact.
    pub fn limits(&self) -> Limits {
        let size = |name| usize::try_from(self.number(name)).unwrap_or(usize::MAX);
        let packed = |members, bytes| PackedLimit { members: size(members), bytes: size(bytes) };
        Limits {
            list: ListLimit::new(self.number("list-max-listpack-size")),
            set: SetLimit {
                packed: packed("set-max-listpack-entries", "set-max-listpack-value"),
                integers: size("set-max-intset-entries"),
            },
            hash: packed("hash-max-listpack-entries", "hash-max-listpack-value"),
            zset: packed("zset-max-listpack-entries", "zset-max-listpack-value"),
            sketch: SketchLimit { sparse_bytes: size("hll-sparse-max-bytes") },
        }
    }

    /// How much memory there may be, and who goes when there is more.
    pub fn memory_limit(&self) -> MemoryLimit {
        let positive = |name| self.number(name).max(0) as u64;
        let policy = self.get("maxmemory-policy");
        let (whose, by) = policy.split_once('-').unwrap_or_default();
        let (choice, counting) = match by {
            "random" => (Choice::Anybody, Counting::Uses),
            "ttl" => (Choice::FirstToDie, Counting::Uses),
            "lru" => (Choice::LeastUsed, Counting::Uses),
            "lrm" => (Choice::LeastUsed, Counting::Changes),
            "lfu" => {
                let (log_factor, decay_minutes) = (positive("lfu-log-factor"), positive("lfu-decay-time"));
                (Choice::LeastUsed, Counting::Frequency(Frequency { log_factor, decay_minutes }))
            }
            _ => (Choice::Nobody, Counting::Uses),
        };
        let (max_bytes, samples) = (positive("maxmemory"), positive("maxmemory-samples") as usize);
        MemoryLimit { max_bytes, choice, volatile: whose == "volatile", samples, counting }
    }

    pub fn number(&self, name: &str) -> i64 {
        parse_integer(self.get(name).as_bytes()).unwrap_or(0)
    }

    /// All names with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        PARAMETERS.iter().map(|parameter| (parameter.name, self.get(parameter.name)))
    }

    pub fn is_known(name: &str) -> bool {
        find(name).is_some()
    }

    /// Reads a value for a parameter without setting it: the text to store, or what is wrong with it.
    pub fn check(name: &str, value: &str) -> Result<(&'static str, String), String> {
        match find(name) {
            Some(Parameter { kind: Kind::Fixed, .. }) => Err("can't set immutable config".into()),
            _ => Config::check_at_start(name, value),
        }
    }

    /// As [`Config::check`], also for parameters that are fixed once a server runs.
    pub fn check_at_start(name: &str, value: &str) -> Result<(&'static str, String), String> {
        let parameter = find(name).ok_or_else(|| "unknown parameter".to_string())?;
        let text = match parameter.kind {
            Kind::Text | Kind::Fixed => value.to_string(),
            Kind::EventClasses => {
                event_classes(value).ok_or("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")?
            }
            Kind::YesNo => one_of(value, &["yes", "no"]).ok_or("argument must be 'yes' or 'no'")?,
            Kind::OneOf(names) => one_of(value, names)
                .ok_or_else(|| format!("argument(s) must be one of the following: {}", names.join(", ")))?,
            Kind::Memory(least, most) => within(least, most, memory(value).ok_or("argument must be a memory value")?)?,
            Kind::Number(least, most) => {
                let number = parse_integer(value.as_bytes()).ok_or("argument couldn't be parsed into an integer")?;
                within(least, most, number)?
            }
        };
        Ok((canonical(parameter.name), text))
    }

    /// Stores a value that [`Config::check`] has read.
    pub fn set(&mut self, (name, value): (&'static str, String)) {
        self.values.retain(|(set, _)| *set != name);
        self.values.push((name, value));
    }
}

/// The letters that `A` stands for.
const ALL_CLASSES: &str = "g$lshzxetd";
const OTHER_CLASSES: &str = "KEmno";

/// The letters in Redis' order, all of them together as `A`.
fn event_classes(value: &str) -> Option<String> {
    if !value.chars().all(|letter| letter == 'A' || among(ALL_CLASSES, letter) || among(OTHER_CLASSES, letter)) {
        return None;
    }
    let named = |classes: &str| classes.chars().filter(|&letter| among(value, letter)).collect::<String>();
    let some = named(ALL_CLASSES);
    let all = among(value, 'A') || some == ALL_CLASSES;
    Some(if all { "A".into() } else { some } + &named(OTHER_CLASSES))
}

/// Whether notifications of a class, named by its letter, are on.
pub fn notifies(classes: &str, letter: char) -> bool {
    among(classes, letter) || (among(classes, 'A') && among(ALL_CLASSES, letter))
}

/// `contains` looks for any text in any text, and is as large.
fn among(letters: &str, letter: char) -> bool {
    letters.chars().any(|other| other == letter)
}

fn find(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name))
}

fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name)
}

fn one_of(value: &str, names: &[&str]) -> Option<String> {
    names.iter().find(|name| name.eq_ignore_ascii_case(value)).map(|name| (*name).to_string())
}

fn within<T: PartialOrd + Display + Copy>(least: T, most: T, number: T) -> Result<String, String> {
    if !(least..=most).contains(&number) {
        return Err(format!("argument must be between {least} and {most} inclusive"));
    }
    Ok(number.to_string())
}

/// Nothing at all is none, as in Redis.
fn memory(value: &str) -> Option<u64> {
    if value.is_empty() {
        return Some(0);
    }
    let unit = value.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = value.strip_suffix(unit)?;
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" => 1000,
        "kb" => 1 << 10,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// The names that a glob pattern matches, with their values.
pub fn matching<'c>(config: &'c Config, patterns: &[&[u8]]) -> Vec<(&'static str, &'c str)> {
    let matches = |name: &str| {
        let name = name.as_bytes();
        patterns.iter().any(|pattern| crate::glob::matches(&pattern.to_ascii_lowercase(), name))
    };
    config.iter().filter(|(name, _)| matches(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_defaults_are_legal() {
        assert!(PARAMETERS.is_sorted_by_key(|parameter| parameter.name));
        for parameter in PARAMETERS.iter().filter(|parameter| parameter.kind != Kind::Fixed) {
            let (name, text) = Config::check(parameter.name, parameter.default).expect(parameter.name);
            assert_eq!(text, parameter.default, "{name}");
        }
    }

    #[test]
    fn values_are_read_as_redis_reads_them() {
        assert_eq!(Config::check("MAXMEMORY", "1mb"), Ok(("maxmemory", "1048576".into())));
        assert_eq!(Config::check("maxmemory", "1m"), Ok(("maxmemory", "1000000".into())));
        assert_eq!(Config::check("maxmemory", ""), Ok(("maxmemory", "0".into())));
        assert_eq!(Config::check("maxmemory", "x"), Err("argument must be a memory value".into()));
        assert_eq!(Config::check("appendonly", "maybe"), Err("argument must be 'yes' or 'no'".into()));
        assert_eq!(Config::check("hz", "1000"), Err("argument must be between 1 and 500 inclusive".into()));
        let bytes = |value| Config::check("proto-max-bulk-len", value).map(|(_, text)| text);
        assert_eq!(bytes("1mb"), Ok("1048576".into()));
        assert_eq!(bytes("10"), Err("argument must be between 1048576 and 9223372036854775807 inclusive".into()));
        assert_eq!(
            Config::check("maxmemory", "18446744073709551615"),
            Ok(("maxmemory", "18446744073709551615".into()))
        );
        assert_eq!(Config::check("port", "1"), Err("can't set immutable config".into()));
        assert_eq!(Config::check_at_start("port", "1"), Ok(("port", "1".into())));
    }

    #[test]
    fn limits_begin_as_the_configuration_does() {
        assert_eq!(Config::default().limits(), Limits::default());
        assert_eq!(Config::default().memory_limit(), MemoryLimit::default());
    }

    #[test]
    fn policies_say_who_goes() {
        let limit = |policy: &str| {
            let mut config = Config::default();
            config.set(Config::check("maxmemory-policy", policy).expect(policy));
            let limit = config.memory_limit();
            (limit.choice, limit.volatile, limit.counting)
        };
        let frequency = Counting::Frequency(Frequency { log_factor: 10, decay_minutes: 1 });
        assert_eq!(limit("noeviction"), (Choice::Nobody, false, Counting::Uses));
        assert_eq!(limit("allkeys-lru"), (Choice::LeastUsed, false, Counting::Uses));
        assert_eq!(limit("volatile-lru"), (Choice::LeastUsed, true, Counting::Uses));
        assert_eq!(limit("allkeys-lrm"), (Choice::LeastUsed, false, Counting::Changes));
        assert_eq!(limit("volatile-lfu"), (Choice::LeastUsed, true, frequency));
        assert_eq!(limit("allkeys-random"), (Choice::Anybody, false, Counting::Uses));
        assert_eq!(limit("volatile-ttl"), (Choice::FirstToDie, true, Counting::Uses));
    }

    #[test]
    fn an_old_name_is_the_same_parameter() {
        let mut config = Config::default();
        config.set(Config::check("hash-max-ziplist-entries", "7").unwrap());
        assert_eq!((config.number("hash-max-listpack-entries"), config.number("hash-max-ziplist-entries")), (7, 7));
    }
}
