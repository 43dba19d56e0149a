//! Eviction as an application observes it: memory stays within its limit, the policies are as precise as documented,
//! and no call takes long. Uses the public interface only.

#[path = "support/dice.rs"]
mod dice;

use keylatch::internals::keyspace::keys;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use dice::Dice;
use keylatch::session::SESSION_START;
use keylatch::{Argv, EventKind, Keylatch, ManualClock, Options};

const POLICIES: [&str; 9] = [
    "allkeys-lru",
    "allkeys-lrm",
    "allkeys-lfu",
    "allkeys-random",
    "volatile-lru",
    "volatile-lrm",
    "volatile-lfu",
    "volatile-random",
    "volatile-ttl",
];

struct Engine {
    keylatch: Keylatch<ManualClock>,
    client: keylatch::ClientId,
}

impl Engine {
    fn new(max_bytes: u64, policy: &str) -> Engine {
        let mut keylatch = Keylatch::new(Options { seed: 11 }, ManualClock::new(SESSION_START));
        let client = keylatch.connect();
        let mut engine = Engine { keylatch, client };
        engine.run(&["CONFIG", "SET", "maxmemory", &max_bytes.to_string(), "maxmemory-policy", policy]);
        engine
    }

    fn run(&mut self, words: &[&str]) -> Vec<u8> {
        let mut reply = Vec::new();
        self.keylatch.execute(self.client, Argv::from_slices(words).as_ref(), &mut reply);
        reply
    }

    fn used(&mut self) -> u64 {
        self.keylatch.keyspace().counted_bytes()
    }

    fn evicted(&mut self) -> u64 {
        self.keylatch.keyspace().counts.evicted
    }

    /// Read without a command, because each command evicts first.
    fn size_of(&mut self, key: &str) -> u64 {
        keys::memory_usage(&mut self.keylatch.keyspace().at(0, SESSION_START), key.as_bytes()).unwrap_or(0)
    }
}

/// A command that may grow memory by one value: the key, and the words.
fn growing(dice: &mut Dice) -> (String, Vec<String>) {
    let key = format!("{}:{}", ["string", "list", "set", "hash", "zset"][dice.roll(5) as usize], dice.roll(60));
    let sizes = [3, 40, 500, 3_000];
    let text = "x".repeat(*dice.pick(&sizes) as usize) + &dice.roll(1000).to_string();
    let words: Vec<&str> = match key.split(':').next() {
        Some("string") => match dice.roll(4) {
            0 => vec!["APPEND", &key, &text],
            1 => vec!["SETRANGE", &key, "900", &text],
            2 => vec!["SET", &key, &text, "EX", "1000"],
            _ => vec!["SET", &key, &text],
        },
        Some("list") => vec!["RPUSH", &key, &text],
        Some("set") => vec!["SADD", &key, &text],
        Some("hash") => vec!["HSET", &key, &text, "1"],
        _ => vec!["ZADD", &key, "1", &text],
    };
    let words = words.into_iter().map(String::from).collect();
    (key, words)
}

#[test]
fn memory_passes_the_limit_by_at_most_one_value() {
    const MAX_BYTES: u64 = 60_000;
    for policy in POLICIES.iter().chain(&["noeviction"]) {
        let (mut engine, mut dice) = (Engine::new(MAX_BYTES, policy), Dice::new(5));
        let (mut refused, mut passed) = (0, 0);
        for _ in 0..2_000 {
            let (key, words) = growing(&mut dice);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let reply = engine.run(&words);
            let is_refused = reply.starts_with(b"-OOM");
            refused += u32::from(is_refused);
            let used = engine.used();
            if used > MAX_BYTES && !is_refused {
                passed += 1;
                let value = engine.size_of(&key);
                assert!(used - MAX_BYTES <= value, "{policy}: {used} bytes, {value} of them in {key}");
            }
            if dice.roll(3) == 0 {
                engine.run(&["EXPIRE", &key, &(100 + dice.roll(1000)).to_string()]);
            }
            if dice.roll(50) == 0 {
                engine.run(&["DEL", &key]);
            }
        }
        assert!(passed > 0, "{policy}: the limit was reached");
        if policy.starts_with("allkeys") {
            assert_eq!(refused, 0, "{policy}: there was always a key to evict");
            assert!(engine.evicted() > 100, "{policy}");
        }
        if *policy == "noeviction" {
            assert!(refused > 0 && engine.evicted() == 0);
        }
    }
}

#[test]
fn a_lowered_limit_is_worked_off_in_slices_and_memory_only_falls() {
    const SLICE: u64 = 256;
    let mut engine = Engine::new(0, "allkeys-lru");
    let filler = "x".repeat(20);
    (0..5_000).for_each(|number| drop(engine.run(&["SET", &format!("key:{number}"), &filler])));
    let full = engine.used();
    engine.run(&["CONFIG", "SET", "maxmemory", &(full / 5).to_string()]);
    assert!(engine.keylatch.next_deadline().is_some(), "the next deadline wakes a sleeping host");

    let before = engine.evicted();
    engine.run(&["PING"]);
    assert_eq!(engine.evicted() - before, SLICE);
    engine.keylatch.tick();
    assert_eq!(engine.evicted() - before, 2 * SLICE);

    let (mut highest, large) = (engine.used(), "y".repeat(40_000));
    let mut calls = 0;
    while engine.used() > full / 5 && calls < 100 {
        assert_eq!(engine.run(&["SET", "large", &large]), b"+OK\r\n", "there is a key to evict");
        engine.run(&["DEL", "large"]);
        assert!(engine.used() <= highest);
        highest = engine.used();
        calls += 1;
    }
    engine.run(&["PING"]);
    assert!(engine.used() <= full / 5 && calls < 100);
    assert_eq!(engine.keylatch.next_deadline(), None);
}

#[test]
fn what_does_not_grow_memory_evicts_a_slice_at_most_and_the_next_that_does_the_rest() {
    let mut engine = Engine::new(200_000, "allkeys-lru");
    (0..4_000).for_each(|number| drop(engine.run(&["SET", &format!("key:{number}"), "0123456789"])));
    engine.run(&["SET", "large", &"x".repeat(100_000)]);
    let before = engine.evicted();
    engine.run(&["GET", "large"]);
    assert_eq!(engine.evicted() - before, 256);
    engine.run(&["SET", "small", "1"]);
    assert!(engine.used() <= 200_000 + engine.size_of("small"));
    assert_eq!(engine.run(&["EXISTS", "large", "small"]), b":2\r\n");
}

#[test]
fn deleted_values_are_freed_as_far_as_a_command_needs_and_no_key_is_evicted_meanwhile() {
    const LARGE: usize = 1_500_000;
    // Values of lists are freed a bounded number at a time.
    const SLICE_BYTES: u64 = 256 * 400;
    let mut engine = Engine::new(0, "allkeys-lru");
    let element = "x".repeat(200);
    (0..8_000).for_each(|number| drop(engine.run(&["RPUSH", &format!("list:{number}"), &element, &element[..50]])));
    let max_bytes = engine.used() + 1_000;
    engine.run(&["CONFIG", "SET", "maxmemory", &max_bytes.to_string()]);
    engine.run(&["SELECT", "1"]);
    engine.run(&["SET", "large", &"y".repeat(LARGE)]);
    engine.run(&["SWAPDB", "0", "1"]);
    engine.run(&["FLUSHDB"]);
    let evicted = engine.evicted();
    engine.run(&["SELECT", "0"]);
    let held = engine.used();
    assert!(held > max_bytes + LARGE as u64 / 2, "it counts until it is given back");

    engine.run(&["STRLEN", "large"]);
    assert!(engine.used() > max_bytes + LARGE as u64 / 4, "a slice or two: {} of {held} bytes", engine.used());
    engine.run(&["SET", "small", "1"]);
    let (used, small) = (engine.used(), engine.size_of("small"));
    assert!(used <= max_bytes + small && used + 3 * SLICE_BYTES > max_bytes, "{used} bytes");
    assert_eq!(engine.keylatch.next_deadline(), Some(engine.keylatch.now()), "there is more to give back");
    assert_eq!(engine.run(&["EXISTS", "large", "small"]), b":2\r\n");
    assert_eq!(engine.evicted(), evicted);
}

#[test]
fn large_values_that_are_evicted_are_given_back_in_slices_too() {
    let mut engine = Engine::new(0, "allkeys-lru");
    let members: Vec<String> = (0..3_000).map(|number| format!("member:{number:030}")).collect();
    let scores: Vec<&str> = members.iter().flat_map(|member| ["1", member.as_str()]).collect();
    for number in 0..20 {
        engine.run(&[&["ZADD", &format!("zset:{number}")][..], &scores].concat());
    }
    let zset = engine.size_of("zset:0");
    let max_bytes = engine.used() + 1_000;
    engine.run(&["CONFIG", "SET", "maxmemory", &max_bytes.to_string()]);
    engine.run(&["SET", "large", &"y".repeat(10 * zset as usize)]);
    engine.run(&["PING"]);
    assert!((1..=3).contains(&engine.evicted()), "{} of them", engine.evicted());
    engine.run(&["SET", "small", "1"]);
    assert!(engine.used() <= max_bytes + engine.size_of("small"));
    assert!((10..=12).contains(&engine.evicted()), "{} of them", engine.evicted());
}

#[test]
fn evictions_are_in_the_log_and_loading_it_evicts_no_key() {
    let mut engine = Engine::new(20_000, "allkeys-random");
    engine.keylatch.record(true);
    engine.keylatch.listen(true);
    let mut dice = Dice::new(8);
    for _ in 0..3_000 {
        let (_, words) = growing(&mut dice);
        engine.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let events = engine.keylatch.take_events();
    let evicted = events.iter().filter(|event| event.kind == EventKind::Evicted).count();
    assert!(evicted > 100 && evicted as u64 == engine.evicted());

    let log = engine.keylatch.take_effects();
    let mut again = Engine::new(1_000, "allkeys-random");
    again.keylatch.replay(&log).unwrap();
    assert_eq!(again.keylatch.digest(), engine.keylatch.digest());
    assert_eq!(again.evicted(), 0);

    let snapshot = engine.keylatch.snapshot().unwrap();
    let mut loaded = Engine::new(1_000, "allkeys-random");
    loaded.keylatch.load(&snapshot).unwrap();
    assert_eq!((loaded.keylatch.digest(), loaded.evicted()), (engine.keylatch.digest(), 0));
    (0..20).for_each(|_| loaded.keylatch.tick());
    assert!(loaded.used() <= 1_000 && loaded.evicted() > 0);
}

#[test]
fn a_snapshot_keeps_what_is_known_of_uses_where_they_are_ranked() {
    for (policy, word, expected) in [("allkeys-lru", "IDLETIME", ":70\r\n"), ("allkeys-lfu", "FREQ", ":6\r\n")] {
        let mut engine = Engine::new(0, policy);
        engine.run(&["SET", "key", "v"]);
        engine.run(&["GET", "key"]);
        engine.run(&["CONFIG", "SET", "lfu-decay-time", "0"]);
        engine.keylatch.clock_mut().advance(70_000);
        engine.run(&["SET", "other", "v"]);
        let mut loaded = Engine::new(0, policy);
        loaded.keylatch.clock_mut().advance(70_000);
        loaded.keylatch.load(&engine.keylatch.snapshot().unwrap()).unwrap();
        assert_eq!(loaded.run(&["OBJECT", word, "key"]), expected.as_bytes(), "{policy}");
        assert_ne!(loaded.run(&["OBJECT", word, "other"]), expected.as_bytes(), "{policy}");
    }
}

#[test]
fn the_same_seed_and_input_evict_the_same_keys() {
    let run = || {
        let mut digests = Vec::new();
        for policy in POLICIES {
            let (mut engine, mut dice) = (Engine::new(30_000, policy), Dice::new(2));
            for _ in 0..1_000 {
                let (key, words) = growing(&mut dice);
                engine.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
                engine.run(&["EXPIRE", &key, "100"]);
            }
            digests.push(engine.keylatch.digest());
        }
        digests
    };
    let digests = run();
    assert_eq!(digests, run());
    // There are no reads here, so the last use is the last change.
    let different: BTreeSet<&u64> = digests.iter().collect();
    assert!(different.len() >= 6, "policies choose differently: {digests:?}");
}

// --- Precision of the policies.

const UNIVERSE: usize = 5_000;
const USES: usize = 40_000;
const KEY_BYTES: u64 = 44;

/// Keys in proportion to the inverse of their rank.
struct Zipf {
    cumulative: Vec<f64>,
    dice: Dice,
}

impl Zipf {
    fn new(seed: u64) -> Zipf {
        let mut total = 0.0;
        let cumulative = (1..=UNIVERSE).map(|rank| {
            total += 1.0 / rank as f64;
            total
        });
        Zipf { cumulative: cumulative.collect(), dice: Dice::new(seed) }
    }

    fn next(&mut self) -> usize {
        let point = self.dice.roll(1 << 50) as f64 / (1u64 << 50) as f64 * self.cumulative[UNIVERSE - 1];
        self.cumulative.partition_point(|&sum| sum < point)
    }
}

/// Reads keys and sets missing ones, as a cache in front of a slow data source does; returns the hit rate of the second
/// half. `ms_per_use` is the step of the clock.
fn hit_rate(policy: &str, ms_per_use: i64, stream: impl Iterator<Item = usize>, capacity: usize) -> f64 {
    let mut engine = Engine::new(capacity as u64 * KEY_BYTES, policy);
    let mut hits = 0;
    for (count, number) in stream.enumerate() {
        let key = format!("{number:08}");
        match engine.run(&["GET", &key]).as_slice() {
            b"$-1\r\n" => assert_eq!(engine.run(&["SET", &key, "0123456789abcdef"]), b"+OK\r\n"),
            _ => hits += usize::from(count >= USES / 2),
        }
        engine.keylatch.clock_mut().advance(ms_per_use);
    }
    hits as f64 / (USES - USES / 2) as f64
}

/// Hit rate of a cache with the exact order of uses.
fn ideal_lru_hit_rate(stream: impl Iterator<Item = usize>, capacity: usize) -> f64 {
    let (mut last_use, mut order): (HashMap<usize, usize>, BTreeMap<usize, usize>) = Default::default();
    let mut hits = 0;
    for (count, number) in stream.enumerate() {
        if let Some(before) = last_use.insert(number, count) {
            hits += usize::from(count >= USES / 2);
            order.remove(&before);
        } else if last_use.len() > capacity
            && let Some((_, oldest)) = order.pop_first()
        {
            last_use.remove(&oldest);
        }
        order.insert(count, number);
    }
    hits as f64 / (USES - USES / 2) as f64
}

/// Hit rate of a cache that always holds the most popular keys.
fn ideal_lfu_hit_rate(stream: impl Iterator<Item = usize>, capacity: usize) -> f64 {
    stream.skip(USES / 2).filter(|&rank| rank < capacity).count() as f64 / (USES - USES / 2) as f64
}

fn zipf_stream() -> impl Iterator<Item = usize> {
    let mut zipf = Zipf::new(1);
    core::iter::repeat_with(move || zipf.next()).take(USES)
}

#[test]
fn keys_count_as_the_test_of_hit_rates_supposes() {
    let mut engine = Engine::new(0, "noeviction");
    engine.run(&["SET", "00000001", "0123456789abcdef"]);
    assert_eq!(engine.used(), KEY_BYTES);
}

#[test]
fn hit_rates_are_near_those_of_ideal_policies_and_above_chance() {
    let capacity = 500;
    let ideal_lru = ideal_lru_hit_rate(zipf_stream(), capacity);
    let ideal_lfu = ideal_lfu_hit_rate(zipf_stream(), capacity);
    for ms_per_use in [0, 1] {
        let rate = |policy| hit_rate(policy, ms_per_use, zipf_stream(), capacity);
        let (random, lru, lfu) = (rate("allkeys-random"), rate("allkeys-lru"), rate("allkeys-lfu"));
        let rates = format!("random {random:.4}, LRU {lru:.4} of {ideal_lru:.4}, LFU {lfu:.4} of {ideal_lfu:.4}");
        assert!(lru > ideal_lru - 0.01 && lru > random + 0.03, "{rates}");
        assert!(lfu > ideal_lfu - 0.05 && lfu > lru + 0.04, "{rates}");
    }
}

#[test]
fn a_key_that_is_read_all_the_time_stays_however_many_are_added() {
    let mut engine = Engine::new(100 * KEY_BYTES, "allkeys-lru");
    engine.run(&["SET", "favourite", "v"]);
    for number in 0..20_000 {
        engine.run(&["SET", &format!("{number:08}"), "0123456789abcdef"]);
        if number % 10 == 0 {
            assert_eq!(engine.run(&["GET", "favourite"]), b"$1\r\nv\r\n", "after {number}");
        }
    }
}
