//! Scripts of any bytes: each has one reply, harms nothing, and its effects give the same keyspace.

use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options, Timestamp};

/// Few, so that an endless script ends soon.
const INSTRUCTIONS: &str = "100000";

pub fn check(script: &[u8]) {
    let mut db = engine();
    let client = db.connect();
    db.record(true);
    let reply = run(&mut db, client, &[b"EVAL", script, b"1", b"key", b"argument"]);
    let read = keylatch::internals::resp::read::read(&reply);
    assert!(matches!(read, Ok(Some((_, used))) if used == reply.len()), "not one reply: {}", reply.escape_ascii());
    assert_eq!(run(&mut db, client, &[b"EVAL", b"return 'next'", b"0"]), b"$4\r\nnext\r\n");
    let library = [b"#!lua name=fuzzed\n", script].concat();
    run(&mut db, client, &[b"FUNCTION", b"LOAD", &library]);
    assert_eq!(run(&mut db, client, &[b"EVAL", b"return 'next'", b"0"]), b"$4\r\nnext\r\n");
    let mut copy = engine();
    copy.replay(&db.take_effects()).expect("an own log is read");
    assert_eq!(copy.digest(), db.digest());
}

fn engine() -> Keylatch<ManualClock> {
    let mut db = Keylatch::new(Options::default(), ManualClock::new(Timestamp::from_ms(1_767_225_600_000)));
    db.configure("lua-instruction-limit", INSTRUCTIONS).expect("a known parameter");
    db
}

fn run(db: &mut Keylatch<ManualClock>, client: ClientId, words: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    db.execute(client, Argv::from_slices(words).as_ref(), &mut out);
    out
}

pub fn seeds() -> Vec<Vec<u8>> {
    let scripts = [
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end",
        "local t = {} for i = 1, 10 do t[#t + 1] = i .. 'x' end table.sort(t) return table.concat(t, ',')",
        "redis.call('SET', KEYS[1], 'v', 'PX', 100) return {redis.call('PTTL', KEYS[1]), ok = nil, {1, 2.5, false}}",
        "for k, v in pairs({a = 1, b = 2}) do redis.call('HSET', KEYS[1], k, v) end return redis.call('HGETALL', KEYS[1])",
        "return {string.find('a.b', '.', 1, true), ('key=1'):match('(%w+)=(%d*)'), (string.gsub('abc', '%w', '%0-'))}",
        "local ok, text = pcall(redis.call, 'INCR', KEYS[1], 1) return {ok, text, select('#', unpack({1, 2, 3}))}",
        "local m = setmetatable({}, {__index = function(t, k) return k end, __call = function(t, x) return x end}) return m(m.z)",
        "local c = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2 end) return {c(1), c(5)}",
        "#!lua flags=no-writes,allow-oom\nreturn string.format('%5.1f|%s|%d|%q', 1.25, 'x', 7, 'y')",
        "redis.register_function('f', function(keys, args) return redis.call('INCR', keys[1]) end)",
        "redis.setresp(3) return {map = {a = {set = {b = true}}}, double = 1.5, big_number = '12'}",
        "local s = 'x' while #s < 100 do s = s .. s .. 'a' .. 1 .. 'b' .. 2 .. 'c' .. 3 .. 'd' end return #s",
    ];
    scripts.iter().map(|script| script.as_bytes().to_vec()).collect()
}
