//! Charges of scripts: they are at least the work that they stand for, in counts of bytes, elements and steps, so that no
//! script takes much longer than `lua-instruction-limit` says. `cargo xtask fuzz script-costs` measures the same by time.
#![cfg(feature = "scripting")]

#[path = "support/costly_scripts.rs"]
mod costly_scripts;
#[path = "support/dice.rs"]
mod dice;

use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options, Timestamp};

struct Db(Keylatch<ManualClock>, ClientId);

impl Db {
    /// Makes an engine with a limit of instructions.
    fn new(instructions: u64) -> Db {
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(Timestamp::from_ms(1_767_225_600_000)));
        let client = engine.connect();
        engine.configure("lua-instruction-limit", &instructions.to_string()).unwrap();
        Db(engine, client)
    }

    fn run(&mut self, words: &[&str]) -> String {
        let mut out = Vec::new();
        self.0.execute(self.1, Argv::from_slices(words).as_ref(), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn eval(&mut self, script: &str) -> String {
        self.run(&["EVAL", script, "0"])
    }
}

/// Turns of the work that is charged: enough for the mean of a sample.
const TURNS: u64 = 200;
const LIMIT: u64 = 100_000_000_000;

/// Charges of one turn of some work after a preparation.
fn charge_of(preparation: &str, work: &str) -> u64 {
    let script = format!(
        "{preparation} local start = os.clock() for i = 1, {TURNS} do {work} end
        return string.format('%.0f', (os.clock() - start) * 1e8)"
    );
    let reply = Db::new(LIMIT).eval(&script);
    let charged: u64 =
        reply.lines().nth(1).and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{work}: {reply}"));
    charged / TURNS
}

/// A table with many keys in few chains.
const CROWDED: &str = "local t = {} for i = 1, 2000 do t[i * 131071] = i t[i * 4095] = i end";

/// Preparation, work, and the least charge of a turn: bytes that are compared or copied by 32, nodes that are visited by 4,
/// values that are moved by 8, calls, tables and texts that are made by one each.
const FINDINGS: &[(&str, &str, u64)] = &[
    ("local a = ('x'):rep(1e5) local b = a .. 'b' a = a .. 'a'", "local c = a < b", 100_000 / 32),
    ("local a = ('x'):rep(1e5)", "local c = a < 'y'", 100_000 / 32),
    (CROWDED, "local c = select('#', unpack(t, 1, 2000))", 2_000 * 100),
    ("local t = {} for i = 1, 5000 do t[i] = {i} end", "pcall(collectgarbage, 'nothing')", 5_000),
    ("local a = ('x'):rep(1e5) local b = a .. 'b' a = a .. 'b'", "local c = a == b", 100_000 / 32),
    ("local a = ('x'):rep(1e4)", "local c = a .. i", 10_000 / 32),
    ("local a = ('x'):rep(1e4)", "local c = a:sub(2)", 10_000 / 32),
    ("local a = ('x'):rep(1e4)", "local c = a:upper()", 10_000 / 32),
    ("local a = ('x'):rep(1e4)", "local c = a:gsub('x', 'y', 0)", 10_000 / 32),
    ("local a = ('0'):rep(1e4)", "local c = a + 1", 10_000 / 32),
    ("local a, t = ('x'):rep(1e3), {} for i = 1, 10 do t[i] = a end", "local c = table.concat(t)", 10_000 / 32),
    ("local a = ('x'):rep(1e3)", "local c = ('xxxxxxxxxx'):gsub('x', {x = a})", 10_000 / 32),
    ("local t = {} for i = 1, 500 do t = setmetatable({}, {__index = t}) end", "local c = t.x", 500),
    ("local t = {} for i = 1, 100 do t = setmetatable({}, {__newindex = t}) end", "t.x = 1", 100),
    ("local t = {} for i = 1, 3000 do t[i / 3] = 1 end", "local c = t[-i / 3]", 1_000 / 4),
    ("local t = {} for i = 1, 3000 do t[i * 4095] = 1 end", "local c = t[(i + 3000) * 4095]", 2_000 / 4),
    ("local t = {} for i = 1, 3000 do t[i / 3] = 1 end", "local c = rawget(t, -i / 3)", 1_000 / 4),
    ("local t = {} for i = 1, 1024 do t['k' .. i] = 1 end", "t['k' .. i] = nil t['k' .. i + 1024] = 1", 1_024 / 8),
    ("local t = setmetatable({}, {__mode = 'k'})", "t[{}] = 1", 30),
    ("local t = {} for i = 1, 4000 do t[i] = i end local function f(...) return ... end", "f(unpack(t))", 12_000 / 8),
    ("local a, b = 1e308, 3e-308", "local c = a % b", 2_000 / 8),
    ("", "local c = math.fmod(1e308, 3e-308)", 2_000 / 8),
    ("", "string.format('%99.99f', 1e300)", 400),
    ("", "pcall(error)", 100),
    ("", "xpcall(error, error)", 100),
    ("local c = coroutine.wrap(function() while true do pcall(error) coroutine.yield() end end)", "c()", 100),
    ("local c = coroutine.wrap(function() while true do xpcall(error, error) coroutine.yield() end end)", "c()", 1_000),
    ("", "coroutine.wrap(function() for i = 1, 15 do end end)()", 200),
    // A thread ends before its first interval does.
    ("local a = ('x'):rep(1e5)", "coroutine.wrap(function() return a < 'y' end)()", 100_000 / 64),
    ("", "loadstring('local a return ' .. ('a or '):rep(100) .. '1')", 100 * 100 / 16),
    ("local t = {} for i = 1, 1000 do t[i] = i end", "table.sort(t)", 1_000 * 10),
    ("local t = {} for i = 1, 1000 do t[i] = i end", "table.insert(t, 1, 1) table.remove(t, 1)", 2_000),
    ("for i = 1, 1000 do redis.call('SET', i, i) end", "redis.call('KEYS', '*zz*')", 1_000),
    ("for i = 1, 1000 do redis.call('SET', i, i) end", "redis.call('SCAN', '0', 'COUNT', '1000', 'MATCH', 'z')", 1_000),
    ("for i = 1, 1000 do redis.call('RPUSH', 'l', i) end", "redis.call('SORT', 'l', 'LIMIT', '0', '1')", 10_000),
    ("for i = 1, 1000 do redis.call('RPUSH', 'l', i) end", "redis.call('LPOS', 'l', 'x')", 1_000),
    ("for i = 1, 1000 do redis.call('SADD', 's', 'm' .. i) end", "redis.call('SINTERCARD', '2', 's', 's')", 1_000),
    ("for i = 1, 1000 do redis.call('SADD', 's', 'm' .. i) end", "redis.call('COPY', 's', 'd', 'REPLACE')", 1_000),
    ("for i = 1, 1000 do redis.call('SADD', 's', 'm' .. i) end", "redis.call('DUMP', 's')", 1_000),
    ("for i = 1, 1000 do redis.call('ZADD', 'z', i, i) end", "redis.call('ZUNIONSTORE', 'd', '2', 'z', 'z')", 2_000),
    ("for i = 1, 1000 do redis.call('HSET', 'h', i, i) end", "redis.call('HRANDFIELD', 'h', '900')", 900),
    (
        "for i = 1, 1000 do redis.call('GEOADD', 'g', i / 300, i / 300, i) end",
        "redis.call('GEOSEARCH', 'g', 'FROMLONLAT', '1', '1', 'BYRADIUS', '900', 'km', 'COUNT', '1')",
        1_000,
    ),
    (
        "redis.call('SET', 'a', ('x'):rep(1000)) redis.call('SET', 'b', ('y'):rep(1000))",
        "redis.call('LCS', 'a', 'b', 'LEN')",
        1_000 * 1_000 / 64,
    ),
    ("", "redis.call('INCRBYFLOAT', 'f', '0.1')", 100),
    // Keys that share a chain in the next larger table.
    ("local n = 0", "local t = {} for j = 1, 1025 do n = n + 1 t[j * 2047] = 1 end", 1_024 * 1_024 / 16),
    // Texts with one hash.
    (
        "local p, t = {[0] = 'Aa', 'BB'}, {}
        for i = 1, 4096 do
            local s, n = '', i
            for j = 1, 12 do s, n = s .. p[n % 2], math.floor(n / 2) end
            t[i] = s
        end
        collectgarbage()",
        "local c = t[i]:sub(1, 24)",
        4_096 / 4,
    ),
];

#[test]
fn charges_are_at_least_the_work() {
    for (preparation, work, least) in FINDINGS {
        let charged = charge_of(preparation, work);
        assert!(charged >= *least, "{preparation} {work}: charged {charged}, at least {least}");
    }
}

#[test]
fn an_empty_loop_is_charged_an_instruction_a_turn() {
    let charged = charge_of("", "for j = 1, 1000 do end");
    assert!((950..1_100).contains(&charged), "{charged}");
}

#[test]
fn texts_are_charged_before_they_are_compiled() {
    let mut db = Db::new(100_000_000);
    let chain = format!("local a = 1 return {}1", "a or ".repeat(50_000));
    assert!(db.eval(&chain).contains("lua-instruction-limit"), "{}", &db.eval(&chain)[..100]);
    let branches = format!("local a if a then {}end", "elseif a then ".repeat(50_000));
    assert!(db.eval(&branches).contains("lua-instruction-limit"));
    let constants: String = (0..50_000).map(|number| format!("x={number}.5 ")).collect();
    assert!(db.eval(&constants).contains("lua-instruction-limit"));
    // An ordinary text of this length is no trouble.
    let ordinary = "local x = redis.call('GET', KEYS[1]) if x == nil or x == false then x = 1 end ".repeat(1_000);
    let ordinary = format!("if true then return 1 end do {} end", ordinary.replace("local x", "y"));
    assert_eq!(db.eval(&ordinary), ":1\r\n");
}

#[test]
fn replies_are_charged_by_elements_and_bytes() {
    let mut db = Db::new(1_000_000);
    let repeated = "local t = {} for i = 1, 24 do t = {t, t} end return t";
    assert!(db.eval(repeated).contains("lua-instruction-limit"), "{}", &db.eval(repeated)[..100]);
    let long = "local s = ('x'):rep(1e5) local t = {} for i = 1, 300 do t[i] = s end return t";
    assert!(db.eval(long).contains("lua-instruction-limit"));
    assert_eq!(db.eval("return {1, {2}}"), "*2\r\n:1\r\n*1\r\n:2\r\n");
}

#[test]
fn scripts_of_a_transaction_share_one_budget() {
    let mut db = Db::new(1_000_000);
    let half = "for i = 1, 600000 do end return 1";
    assert_eq!(db.eval(half), ":1\r\n");
    assert_eq!(db.eval(half), ":1\r\n");
    db.run(&["MULTI"]);
    for _ in 0..3 {
        db.run(&["EVAL", half, "0"]);
    }
    db.run(&["EVAL", "return 2", "0"]);
    let reply = db.run(&["EXEC"]);
    let lines: Vec<&str> = reply.lines().collect();
    assert_eq!(lines[..2], ["*4", ":1"]);
    assert!(lines[2..].len() == 3 && lines[2..].iter().all(|line| line.contains("lua-instruction-limit")), "{reply}");
    assert_eq!(db.eval(half), ":1\r\n");
}

#[test]
fn the_body_of_a_library_has_a_budget() {
    let mut db = Db::new(1_000_000);
    let endless = "#!lua name=l\nwhile true do end";
    assert!(db.run(&["FUNCTION", "LOAD", endless]).contains("lua-instruction-limit"));
    let long = format!("#!lua name=l\nlocal a = 1 a = {}1", "a or ".repeat(10_000));
    assert!(db.run(&["FUNCTION", "LOAD", &long]).contains("lua-instruction-limit"));
    // A library that was loaded is loaded again with a budget of its own.
    let library = "#!lua name=l\nfor i = 1, 150000 do end redis.register_function('f', function() return 1 end)";
    assert_eq!(db.run(&["FUNCTION", "LOAD", library]), "$1\r\nl\r\n");
    let mut copy = db.0.clone();
    let (client, mut out) = (copy.connect(), Vec::new());
    for words in
        [&["MULTI"][..], &["EVAL", "while true do end", "0"], &["FCALL", "f", "0"], &["EXEC"], &["FCALL", "f", "0"]]
    {
        out.clear();
        copy.execute(client, Argv::from_slices(words).as_ref(), &mut out);
    }
    assert_eq!(String::from_utf8_lossy(&out), ":1\r\n");
}

#[test]
fn memory_is_limited_between_the_checks() {
    for script in [
        "local s = 'x' while true do s = s .. s end",
        "local s = 'x' while true do s = s .. s .. s .. s .. s .. s .. s .. s end",
        "local s = 'x' while true do s = s:rep(8) end",
        "local t = {} while true do t = {t, t, t, {}, {}, {}} t.x = {} end",
        "local t, n = {}, 0 while true do n = n + 1 t[n] = n end",
        "local t, n = {}, 0 while true do n = n + 1 t[n] = ('x'):rep(1e5) .. n end",
        "local c = {} while true do c[#c + 1] = coroutine.create(function() end) end",
        "return table.concat({('x'):rep(3e7), ('y'):rep(3e7), ('z'):rep(3e7)})",
    ] {
        let mut db = Db::new(1_000_000_000);
        let reply = db.eval(script);
        assert!(reply.starts_with("-ERR the script needs more memory"), "{script}: {reply}");
        assert_eq!(db.eval("return 'next'"), "$4\r\nnext\r\n", "{script}");
    }
}

#[test]
fn coroutines_are_charged() {
    let in_coroutine = "coroutine.wrap(function() for j = 1, 1000 do end end)()";
    assert!(charge_of("", in_coroutine) > 1_000);
    let compared = "local a = ('x'):rep(1e5) local b = a .. 'b' a = a .. 'a'";
    let comparing = "local c = coroutine.wrap(function() while true do coroutine.yield(a < b) end end)";
    assert!(charge_of(&format!("{compared} {comparing}"), "c()") > 100_000 / 32);
}

#[test]
fn scripts_of_costly_parts_end() {
    for seed in 0..60 {
        let script = costly_scripts::script(seed);
        assert!(script.len() <= 1_500, "{}", script.len());
        let mut db = Db::new(300_000);
        let reply = db.eval(&script);
        assert!(!reply.contains("user_script:1: unexpected") && !reply.contains("compiling"), "{script}: {reply}");
        assert_eq!(db.eval("return 'next'"), "$4\r\nnext\r\n", "{script}");
    }
}
