//! Scripts and functions through the public interface: effects and copies, limits, forks, monitors, pauses and protocols.
#![cfg(feature = "scripting")]

#[path = "support/hostile_scripts.rs"]
mod hostile_scripts;

use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options, Protocol, Timestamp};

const LIBRARY: &str = "#!lua name=lib\nlocal n = 0\nredis.register_function('count', function(keys) n = n + 1 redis.call('INCR', keys[1]) return n end)";

struct Db {
    engine: Keylatch<ManualClock>,
    client: ClientId,
}

impl Db {
    fn new() -> Db {
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(Timestamp::from_ms(1_767_225_600_000)));
        let client = engine.connect();
        Db { engine, client }
    }

    fn run(&mut self, words: &[&str]) -> String {
        self.run_as(self.client, words)
    }

    fn run_as(&mut self, client: ClientId, words: &[&str]) -> String {
        let mut out = Vec::new();
        self.engine.execute(client, Argv::from_slices(words).as_ref(), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn eval(&mut self, script: &str) -> String {
        self.run(&["EVAL", script, "0"])
    }
}

/// Commands of a log without lengths and annotations.
fn words(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log).replace("\r\n", "\n");
    text.lines().filter(|line| !line.starts_with(['*', '$', '#'])).collect::<Vec<_>>().join(" ")
}

#[test]
fn effects_of_a_script_are_one_unit_and_need_no_lua() {
    let mut db = Db::new();
    db.engine.record(true);
    db.eval("redis.call('SET', 'a', 1) redis.call('INCR', 'a') redis.call('SET', 'b', 2, 'EX', 10) error('x')");
    let log = db.engine.take_effects();
    assert_eq!(words(&log), "SELECT 0 MULTI SET a 1 INCRBY a 1 SET b 2 PXAT 1767225610000 EXEC");
    let mut copy = Db::new();
    copy.engine.replay(&log).unwrap();
    assert_eq!(copy.engine.digest(), db.engine.digest());
}

#[test]
fn libraries_are_in_the_log_and_in_snapshots() {
    let mut db = Db::new();
    db.engine.record(true);
    assert_eq!(db.run(&["FUNCTION", "LOAD", LIBRARY]), "$3\r\nlib\r\n");
    assert_eq!(db.run(&["FCALL", "count", "1", "k"]), ":1\r\n");
    let log = db.engine.take_effects();
    let mut copies = [Db::new(), Db::new()];
    copies[0].engine.replay(&log).unwrap();
    copies[1].engine.load(&db.engine.snapshot().unwrap()).unwrap();
    for copy in &mut copies {
        // Variables of a library start again.
        assert_eq!(copy.run(&["FCALL", "count", "1", "k"]), ":1\r\n");
        assert_eq!(copy.run(&["GET", "k"]), "$1\r\n2\r\n");
        copy.engine.record(true);
        assert_eq!(copy.run(&["FUNCTION", "DELETE", "lib"]), "+OK\r\n");
        assert_eq!(words(&copy.engine.take_effects()), "SELECT 0 FUNCTION DELETE lib");
        assert_eq!(copy.run(&["FCALL", "count", "1", "k"]), "-ERR Function not found\r\n");
    }
}

#[test]
fn a_fork_and_a_migrated_engine_keep_scripts_and_functions() {
    let mut db = Db::new();
    db.run(&["FUNCTION", "LOAD", LIBRARY]);
    db.run(&["SCRIPT", "LOAD", "return 1"]);
    let mut migrated = Db::new();
    migrated.engine.load(&db.engine.snapshot().unwrap()).unwrap();
    migrated.engine.import_state(db.engine.export_state().unwrap().as_ref());
    let fork = Db { engine: db.engine.clone(), client: db.client };
    for mut copy in [fork, migrated] {
        assert_eq!(copy.run(&["EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"]), ":1\r\n");
        assert_eq!(copy.run(&["FCALL", "count", "1", "k"]), ":1\r\n");
    }
    assert_eq!(db.run(&["FCALL", "count", "1", "k"]), ":1\r\n");
}

#[test]
fn scripts_without_an_end_end_and_the_next_one_runs() {
    for kind in ["greedy", "deep", "large"] {
        for script in hostile_scripts::scripts(kind) {
            let mut db = Db::new();
            db.engine.configure("lua-instruction-limit", "10000000").unwrap();
            let (reply, shown) = (db.eval(&script), &script[..script.len().min(80)]);
            assert!(reply.starts_with("-ERR "), "{shown}: {}", &reply[..reply.len().min(200)]);
            assert_eq!(db.eval("return 'next'"), "$4\r\nnext\r\n", "{shown}");
        }
    }
}

#[test]
fn errors_name_the_limit_that_was_met() {
    let mut db = Db::new();
    db.engine.configure("lua-instruction-limit", "10000").unwrap();
    assert!(db.eval("while true do end").starts_with("-ERR the script ran longer than lua-instruction-limit allows"));
    assert!(db.eval("pcall(function() while true do end end)").contains("lua-instruction-limit"));
    db.engine.configure("lua-instruction-limit", "100000000").unwrap();
    for script in
        ["return string.rep('x', 1e9)", "local t = {} for i = 1, 1000 do t[i] = string.rep('x', 1e5) .. i end"]
    {
        let reply = db.eval(script);
        assert!(reply.starts_with("-ERR the script needs more memory than lua-memory-limit allows"), "{reply}");
    }
}

#[test]
fn a_step_of_the_collector_frees_nothing_in_use() {
    let mut db = Db::new();
    let script = "local bad = 0
        for i = 1, 5000 do
            local digit = string.sub('x' .. i, 2, 2)
            collectgarbage('step')
            if digit .. i ~= tostring(i):sub(1, 1) .. i then bad = bad + 1 end
            string.gsub('x' .. i, '%d', function(c) collectgarbage('step') return c end)
        end
        return {bad, collectgarbage('step') and 1 or 0, collectgarbage('collect'), collectgarbage('count') > 0 and 1}";
    assert_eq!(db.eval(script), "*4\r\n:0\r\n:1\r\n:0\r\n:1\r\n");
}

#[test]
fn what_libraries_and_arguments_hold_leaves_room_for_scripts() {
    let mut db = Db::new();
    let greedy = "#!lua name=greedy\nlocal t = {}\nredis.register_function('keep', function() for i = 1, 1e4 do t[#t + 1] = 'x' .. #t end return #t end)";
    db.run(&["FUNCTION", "LOAD", greedy]);
    for _ in 0..80 {
        assert!(db.run(&["FCALL", "keep", "0"]).starts_with(':'));
    }
    assert_eq!(db.eval("return 1"), ":1\r\n");
    let argument = "x".repeat(14 << 20);
    for _ in 0..3 {
        assert_eq!(db.run(&["EVAL", "return #ARGV[1]", "0", &argument]), ":14680064\r\n");
    }
    assert_eq!(db.eval("return #string.rep('x', 1e7)"), ":10000000\r\n");
}

#[test]
fn large_values_that_a_script_replaces_are_freed_while_it_runs() {
    let mut db = Db::new();
    db.eval("local s = string.rep('x', 1e6) for i = 1, 300 do redis.call('SET', 'b', s) end");
    let info = db.run(&["INFO", "memory"]);
    let used: u64 = info.split("used_memory:").nth(1).unwrap().split("\r\n").next().unwrap().parse().unwrap();
    assert!(used < 20_000_000, "{used}");
}

#[test]
fn a_reply_is_at_most_as_large_as_the_limit() {
    let mut db = Db::new();
    db.engine.configure("lua-reply-limit", "1024").unwrap();
    assert!(db.eval("return string.rep('x', 1000)").starts_with("$1000\r\n"));
    assert_eq!(
        db.eval("return {1, string.rep('x', 1030)}"),
        "-ERR the reply of the script is larger than lua-reply-limit\r\n"
    );
    assert_eq!(db.eval("local t = {} for i = 1, 256 do t[i] = 1 end return #t"), ":256\r\n");
    assert!(db.eval("local t = {} for i = 1, 257 do t[i] = 1 end return t").starts_with("-ERR the reply"));
}

#[test]
fn nothing_escapes_the_sandbox() {
    let mut db = Db::new();
    for script in [
        "getmetatable('').__index = 1",
        "getmetatable(_G).__index = 1",
        "setmetatable(_G, {})",
        "setmetatable(string, nil)",
        "rawset(redis, 'call', 1)",
        "table.insert(KEYS and math, 1)",
        "table.remove(math)",
        "table.sort(string)",
        "math.random = 1",
        "_G.x = 1",
        "for k in pairs(_G) do _G[k] = nil end",
        "return loadstring(string.dump(function() end))()",
        "return newproxy()",
        "return getfenv(1)",
        "return debug",
        "return require",
        "return dofile",
    ] {
        let reply = db.eval(script);
        assert!(reply.starts_with("-ERR"), "{script}: {reply}");
    }
    assert!(db.eval("local _, t = pairs(string) t.x = 1").contains("readonly"));
    assert_eq!(
        db.eval("return {type(string.x), type(math.random), ('x'):upper()}"),
        "*3\r\n$3\r\nnil\r\n$8\r\nfunction\r\n$1\r\nX\r\n"
    );
}

#[test]
fn scripts_take_chance_and_time_from_the_engine() {
    let (mut db, mut twin) = (Db::new(), Db::new());
    let first = db.eval("return {tostring(math.random()), math.random(100), redis.call('TIME')[1]}");
    assert_eq!(twin.eval("return {tostring(math.random()), math.random(100), redis.call('TIME')[1]}"), first);
    assert_eq!(db.eval("local n = 0 for i = 1, 1000 do n = n + i end return os.clock() > 0"), ":1\r\n");
}

#[test]
fn no_text_of_a_script_breaks_the_framing_of_a_reply() {
    let mut db = Db::new();
    let mut verbatim = |format: &str| {
        db.engine.set_protocol(db.client, Protocol::Resp3);
        db.eval(&format!("return {{verbatim_string = {{format = '{format}', string = 'x'}}}}"))
    };
    assert_eq!(verbatim("toolong"), "=5\r\ntoo:x\r\n");
    assert_eq!(verbatim("a"), "=5\r\na  :x\r\n");
    assert_eq!(verbatim("a\\0b"), "=5\r\na  :x\r\n");
    assert!(verbatim("\\255\\254\\253").starts_with("=5\r\n"));
    let number = r"return {big_number = '1\r\n2'}";
    assert_eq!(db.eval(number), "(1  2\r\n");
    db.engine.set_protocol(db.client, Protocol::Resp2);
    assert_eq!(db.eval(number), "$4\r\n1  2\r\n");
}

#[test]
fn a_function_that_a_library_keeps_registers_nothing() {
    let mut db = Db::new();
    let library = "#!lua name=kept\nlocal register = redis.register_function\n\
        register('kept', function() local _, text = pcall(register, 'late', function() end) return text end)";
    db.run(&["FUNCTION", "LOAD", library]);
    assert!(db.run(&["FCALL", "kept", "0"]).contains("can only be called on FUNCTION LOAD command"));
    assert_eq!(db.run(&["FCALL", "late", "0"]), "-ERR Function not found\r\n");
}

#[test]
fn protocols_are_those_of_the_client_and_of_the_script() {
    let mut db = Db::new();
    db.engine.set_protocol(db.client, Protocol::Resp3);
    assert_eq!(
        db.eval("return {1, false, true, {double = 1.5}, {map = {a = 1}}, {set = {x = true}}}"),
        "*6\r\n:1\r\n_\r\n:1\r\n,1.5\r\n%1\r\n$1\r\na\r\n:1\r\n~1\r\n$1\r\nx\r\n"
    );
    assert_eq!(db.eval("redis.setresp(3) return {true, false}"), "*2\r\n#t\r\n#f\r\n");
    assert_eq!(
        db.eval("redis.setresp(3) redis.call('HSET', 'h', 'f', 1) return redis.call('HGETALL', 'h')"),
        "%1\r\n$1\r\nf\r\n$1\r\n1\r\n"
    );
    assert_eq!(db.eval("return {big_number = '123'}"), "(123\r\n");
    assert_eq!(
        db.eval("redis.setresp(3) redis.call('ZADD', 'z', 1.5, 'm') return redis.call('ZSCORE', 'z', 'm').double"),
        ":1\r\n"
    );
}

#[test]
fn monitors_see_the_script_before_its_commands() {
    let mut db = Db::new();
    let monitor = db.engine.connect();
    db.run_as(monitor, &["MONITOR"]);
    db.eval("return redis.call('SET', 'k', 'v')");
    let shown = String::from_utf8(db.engine.take_outbox(monitor)).unwrap();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(lines[0].contains("\"EVAL\"") && lines[1].ends_with("[0 lua] \"SET\" \"k\" \"v\""), "{shown}");
}

#[test]
fn a_pause_of_writes_holds_scripts_back_unless_they_only_read() {
    let mut db = Db::new();
    let other = db.engine.connect();
    db.run(&["CLIENT", "PAUSE", "1000", "WRITE"]);
    assert_eq!(db.run_as(other, &["EVAL_RO", "return 1", "0"]), ":1\r\n");
    assert_eq!(db.run_as(other, &["EVAL", "#!lua flags=no-writes\nreturn 1", "0"]), ":1\r\n");
    assert_eq!(db.run_as(other, &["EVAL", "return 1", "0"]), "");
    db.run(&["CLIENT", "UNPAUSE"]);
    assert_eq!(db.engine.take_outbox(other), b":1\r\n");
}

#[test]
fn scripts_watch_track_and_wake_like_other_commands() {
    let mut db = Db::new();
    let other = db.engine.connect();
    db.run_as(other, &["WATCH", "k"]);
    db.eval("return redis.call('SET', 'k', 'v')");
    db.run_as(other, &["MULTI"]);
    assert_eq!(db.run_as(other, &["EXEC"]), "*-1\r\n");
    assert_eq!(db.run_as(other, &["BLPOP", "list", "0"]), "");
    db.eval("redis.call('RPUSH', 'list', 'a') return redis.call('LLEN', 'list')");
    assert_eq!(db.engine.take_outbox(other), b"*2\r\n$4\r\nlist\r\n$1\r\na\r\n");
    db.run_as(other, &["HELLO", "3"]);
    db.run_as(other, &["CLIENT", "TRACKING", "ON"]);
    db.run_as(other, &["EVAL", "return redis.call('GET', 'tracked')", "0"]);
    db.run(&["SET", "tracked", "1"]);
    assert!(String::from_utf8_lossy(&db.engine.take_outbox(other)).contains("tracked"));
}

#[test]
fn latches_work_in_scripts_without_waiting() {
    let mut db = Db::new();
    assert!(db.eval("return redis.call('LATCH.ACQUIRE', 'lock', 'me', 'TTL', 1000)").starts_with(':'));
    let refused = db.eval("return redis.call('LATCH.ACQUIRE', 'lock', 'you', 'TTL', 1000, 'WAIT', 5000)");
    assert_eq!(refused, "$-1\r\n", "a script waits for nothing");
    assert!(db.eval("return redis.call('LATCH.CHECK', 'lock', 'you', 1)").starts_with("-FENCED"), "CHECK raises");
}

#[test]
fn scripts_that_eval_ran_are_forgotten_when_there_are_many() {
    let mut db = Db::new();
    db.run(&["SCRIPT", "LOAD", "return 'kept'"]);
    for number in 0..600 {
        db.eval(&format!("return {number}"));
    }
    let exists = |db: &mut Db, script: &str| {
        let name = db.run(&["EVAL", "return redis.sha1hex(ARGV[1])", "0", script]);
        db.run(&["SCRIPT", "EXISTS", name.lines().nth(1).unwrap()])
    };
    assert_eq!(exists(&mut db, "return 0"), "*1\r\n:0\r\n");
    assert_eq!(exists(&mut db, "return 599"), "*1\r\n:1\r\n");
    assert_eq!(exists(&mut db, "return 'kept'"), "*1\r\n:1\r\n");
    assert_eq!(db.eval("return 0"), ":0\r\n");
}
