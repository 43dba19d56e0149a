//! Configuration parameters by name, as CONFIG GET and CONFIG SET use them. All values are stored; parameters without
//! meaning for this engine have no other effect.

mod parameters;
mod reading;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use self::parameters::{PARAMETERS, Parameter, canonical, find};
use self::reading::Kind;
pub use self::reading::notifies;
use crate::base::number::parse_integer;
use crate::keyspace::{Counting, EvictionPolicy, Frequency, MemoryLimit};
use crate::resp::decode;
use crate::values::{EncodingLimits, ListLimit, PackedLimit, STRING_MAX, SetLimit, SketchLimit};

/// Values that differ from the defaults.
#[derive(Clone, Debug, Default)]
pub struct Config {
    values: Vec<(&'static str, String)>,
}

impl Config {
    /// Value of a parameter as text; empty for an unknown name.
    pub fn get(&self, name: &str) -> &str {
        let name = canonical(name);
        match self.values.iter().find(|(set, _)| *set == name) {
            Some((_, value)) => value,
            None => find(name).map_or("", |parameter| parameter.default),
        }
    }

    /// Limits of request sizes.
    pub fn request_limits(&self) -> decode::Limits {
        let bytes = |name| u32::try_from(self.number(name)).unwrap_or(u32::MAX);
        decode::Limits { bulk_bytes: bytes("proto-max-bulk-len"), request_bytes: bytes("client-query-buffer-limit") }
    }

    /// Limits of values.
    pub fn limits(&self) -> EncodingLimits {
        let size = |name| usize::try_from(self.number(name)).unwrap_or(usize::MAX);
        let packed = |members, bytes| PackedLimit { members: size(members), bytes: size(bytes) };
        EncodingLimits {
            string_bytes: size("proto-max-bulk-len").min(STRING_MAX),
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

    /// Memory limit and eviction policy.
    pub fn memory_limit(&self) -> MemoryLimit {
        let positive = |name| self.number(name).max(0) as u64;
        let policy = self.get("maxmemory-policy");
        let (scope, criterion) = policy.split_once('-').unwrap_or_default();
        let (policy, counting) = match criterion {
            "random" => (EvictionPolicy::Random, Counting::Uses),
            "ttl" => (EvictionPolicy::EarliestDeadline, Counting::Uses),
            "lru" => (EvictionPolicy::LeastUsed, Counting::Uses),
            "lrm" => (EvictionPolicy::LeastUsed, Counting::Changes),
            "lfu" => {
                let (log_factor, decay_minutes) = (positive("lfu-log-factor"), positive("lfu-decay-time"));
                (EvictionPolicy::LeastUsed, Counting::Frequency(Frequency { log_factor, decay_minutes }))
            }
            _ => (EvictionPolicy::NoEviction, Counting::Uses),
        };
        let (max_bytes, samples) = (positive("maxmemory"), positive("maxmemory-samples") as usize);
        MemoryLimit { max_bytes, policy, volatile: scope == "volatile", samples, counting }
    }

    pub fn number(&self, name: &str) -> i64 {
        parse_integer(self.get(name).as_bytes()).unwrap_or(0)
    }

    /// All parameters with their values, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        PARAMETERS.iter().map(|parameter| (parameter.name, self.get(parameter.name)))
    }

    /// Checks whether a parameter may be set at run time, by the program or by a connection; the error is the reason why not.
    /// `None` for an unknown name.
    pub fn may_set(name: &str, by_connection: bool) -> Option<Result<(), &'static str>> {
        Some(match find(name)?.kind {
            Kind::Fixed | Kind::FixedOneOf(_) => Err("can't set immutable config"),
            Kind::ProgramOnly(_) if by_connection => Err("can't set protected config"),
            Kind::Protected => Err("can't set protected config"),
            _ => Ok(()),
        })
    }

    /// Validates a value without setting it. Returns the canonical name with the text to store, or an error message.
    /// Parameters that are fixed at run time are accepted ([`Config::may_set`]).
    pub fn check(&self, name: &str, value: &str) -> Result<(&'static str, String), String> {
        let Parameter { name, kind, .. } = find(name).ok_or_else(|| "unknown parameter".to_string())?;
        Ok((canonical(name), kind.read(value, self.get(name))?))
    }

    /// Stores a value returned by [`Config::check`].
    pub fn set(&mut self, (name, value): (&'static str, String)) {
        self.values.retain(|(set, _)| *set != name);
        self.values.push((name, value));
    }
}

/// Parameters that match glob patterns or names, with their values. A parameter that is first matched by a name is
/// returned with the spelling of the request.
pub fn matching<'c>(config: &'c Config, patterns: &[&'c [u8]]) -> Vec<(&'c [u8], &'c str)> {
    let shown = |(name, value): (&'static str, &'c str)| {
        let name = name.as_bytes();
        let named = patterns.iter().find_map(|pattern| match pattern.iter().any(|byte| b"[*?".contains(byte)) {
            true => crate::base::glob::matches(&pattern.to_ascii_lowercase(), name).then_some(name),
            false => pattern.eq_ignore_ascii_case(name).then_some(*pattern),
        });
        Some((named?, value))
    };
    config.iter().filter_map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: &str) -> Result<String, String> {
        Config::default().check(name, value).map(|(_, text)| text)
    }

    #[test]
    fn names_are_sorted_and_defaults_are_legal() {
        assert!(PARAMETERS.is_sorted_by_key(|parameter| parameter.name));
        for parameter in PARAMETERS {
            assert_eq!(
                check(parameter.name, parameter.default).as_deref(),
                Ok(parameter.default),
                "{}",
                parameter.name
            );
        }
    }

    #[test]
    fn some_parameters_are_fixed_at_run_time() {
        assert_eq!(Config::may_set("Port", false), Some(Err("can't set immutable config")));
        assert_eq!(Config::may_set("dir", false), Some(Err("can't set protected config")));
        assert_eq!((Config::may_set("HZ", true), Config::may_set("nothing", true)), (Some(Ok(())), None));
        assert_eq!(Config::may_set("enable-debug-command", false), Some(Err("can't set immutable config")));
        assert!(check("enable-debug-command", "maybe").is_err());
        assert_eq!((check("port", "1"), check("DIR", "/data")), (Ok("1".into()), Ok("/data".into())));
    }

    #[test]
    fn limits_of_output_keep_the_classes_that_are_not_named() {
        let mut config = Config::default();
        for value in ["replica 2mb 1k 5", "pubsub 1 2 3 NORMAL 4 5 6 pubsub 7 8 9"] {
            let change = config.check("client-output-buffer-limit", value).expect(value);
            config.set(change);
        }
        assert_eq!(config.get("client-output-buffer-limit"), "normal 4 5 6 slave 2097152 1000 5 pubsub 7 8 9");
    }

    #[test]
    fn limits_begin_as_the_configuration_does() {
        assert_eq!(Config::default().limits(), EncodingLimits::default());
        assert_eq!(Config::default().memory_limit(), MemoryLimit::default());
    }

    #[test]
    fn policies_are_decoded() {
        let limit = |policy: &str| {
            let mut config = Config::default();
            config.set(config.check("maxmemory-policy", policy).expect(policy));
            let limit = config.memory_limit();
            (limit.policy, limit.volatile, limit.counting)
        };
        let frequency = Counting::Frequency(Frequency { log_factor: 10, decay_minutes: 1 });
        assert_eq!(limit("noeviction"), (EvictionPolicy::NoEviction, false, Counting::Uses));
        assert_eq!(limit("allkeys-lru"), (EvictionPolicy::LeastUsed, false, Counting::Uses));
        assert_eq!(limit("volatile-lru"), (EvictionPolicy::LeastUsed, true, Counting::Uses));
        assert_eq!(limit("allkeys-lrm"), (EvictionPolicy::LeastUsed, false, Counting::Changes));
        assert_eq!(limit("volatile-lfu"), (EvictionPolicy::LeastUsed, true, frequency));
        assert_eq!(limit("allkeys-random"), (EvictionPolicy::Random, false, Counting::Uses));
        assert_eq!(limit("volatile-ttl"), (EvictionPolicy::EarliestDeadline, true, Counting::Uses));
    }

    #[test]
    fn an_old_name_is_the_same_parameter() {
        let mut config = Config::default();
        config.set(config.check("hash-max-ziplist-entries", "7").unwrap());
        assert_eq!((config.number("hash-max-listpack-entries"), config.number("hash-max-ziplist-entries")), (7, 7));
    }
}
