//! Equal seeds, clocks and input give equal replies and digests on every target: this file runs natively
//! and, by `cargo xtask test wasm wasm-browser`, inside WebAssembly, and compares with the numbers of a native run.

use keylatch::session::SESSION_START;
use keylatch::{Argv, Keylatch, ManualClock, Options};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Commands with replies that depend on the seed, on the order of keys or members, or on floating point.
const ASKING: &[&[&str]] = &[
    &["KEYS", "*"],
    &["SCAN", "0", "COUNT", "20"],
    &["RANDOMKEY"],
    &["RANDOMKEY"],
    &["INCRBYFLOAT", "float", "0.1"],
    &["INCRBYFLOAT", "float", "3.0e-5"],
    &["DIGEST", "key:7"],
    &["PTTL", "key:9"],
    &["SMEMBERS", "set"],
    &["SSCAN", "set", "0", "COUNT", "20"],
    &["SPOP", "set"],
    &["SRANDMEMBER", "set", "-5"],
    &["HGETALL", "hash"],
    &["HRANDFIELD", "hash", "3"],
    &["ZINCRBY", "scores", "0.1", "member:7"],
    &["ZRANGE", "scores", "0", "9", "WITHSCORES"],
    &["ZRANDMEMBER", "scores", "-5"],
    &["ZSCAN", "scores", "0", "COUNT", "20"],
];

const REPLIES: u64 = 4_322_602_116_939_391_890;
const DIGEST: u64 = 5_661_644_140_353_822_901;

#[test]
fn replies_and_digest_do_not_depend_on_the_target() {
    let mut engine = Keylatch::new(Options { seed: 7 }, ManualClock::new(SESSION_START));
    let client = engine.connect();
    let mut replies = Vec::new();
    let mut run = |words: &[&str]| engine.execute(client, Argv::from_slices(words).as_ref(), &mut replies);
    for number in 0..500 {
        let (key, value) = (format!("key:{number}"), format!("value {}", number * number));
        run(&["SET", &key, &value, "PX", &format!("{}", 1000 + number)]);
        let member = format!("member:{number}");
        run(&["SADD", "set", &member]);
        run(&["HSET", "hash", &member, &value]);
        run(&["ZADD", "scores", &format!("{}e-1", number * number % 97), &member]);
    }
    run(&["SET", "float", "10.5"]);
    run(&["RPUSH", "list", "a", "b", "c"]);
    run(&["HSET", "small", "field", "value", "other", "1"]);
    run(&["HPEXPIRE", "hash", "5000", "FIELDS", "1", "member:3"]);
    ASKING.iter().for_each(|words| run(words));
    assert_eq!((fingerprint(&replies), engine.digest()), (REPLIES, DIGEST));
}

/// Evictions depend on the seed, on uses, and on the counted memory.
const USED_BYTES: [u64; 3] = [50_006, 50_023, 50_016];
const KEPT: [u64; 3] = [14_376_543_710_963_568_677, 15_507_749_381_907_179_823, 1_109_762_418_378_744_005];

#[test]
fn evictions_and_counted_memory_do_not_depend_on_the_target() {
    let run = |policy: &str| {
        let mut engine = Keylatch::new(Options { seed: 7 }, ManualClock::new(SESSION_START));
        let client = engine.connect();
        let mut run = |words: &[&str]| engine.execute(client, Argv::from_slices(words).as_ref(), &mut Vec::new());
        run(&["CONFIG", "SET", "maxmemory", "50000", "maxmemory-policy", policy]);
        for number in 0..1_500 {
            let (key, member) = (format!("key:{}", number % 400), format!("member:{number}"));
            run(&["SET", &key, &"x".repeat(number % 97), "PX", &format!("{}", 1_000 + number)]);
            run(&["GET", &format!("key:{}", number * number % 400)]);
            run(&["HSET", &format!("hash:{}", number % 7), &member, "value"]);
            run(&["ZADD", &format!("zset:{}", number % 7), "1.5", &member]);
            run(&["RPUSH", &format!("list:{}", number % 7), &member]);
            run(&["SADD", &format!("set:{}", number % 7), &member]);
        }
        (engine.keyspace().counted_bytes(), engine.digest())
    };
    let outcomes = ["allkeys-lru", "allkeys-lfu", "volatile-random"].map(run);
    assert_eq!((outcomes.map(|(used, _)| used), outcomes.map(|(_, digest)| digest)), (USED_BYTES, KEPT));
}

/// FNV-1a, so that a difference shows as a number.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3))
}
