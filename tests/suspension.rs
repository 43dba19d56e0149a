//! Scripts that are suspended: slices of any length give the replies and effects of one run, and the engine
//! refuses other clients meanwhile, but for what may end the script.
#![cfg(feature = "scripting")]

#[path = "support/script_streams.rs"]
mod script_streams;
#[path = "support/suspended_scripts.rs"]
mod suspended_scripts;
// The test of sessions uses more of it.
#[allow(dead_code)]
#[path = "support/tree.rs"]
mod tree;

use keylatch::session::{self, StepKind};
use keylatch::{Argv, ClientId, Connection};
use script_streams::{Db, Stream, request};
use suspended_scripts::SCRIPTS;

/// Lengths of slices, in instructions.
const SLICES: [u64; 8] = [1, 2, 3, 7, 20, 99, 1000, 50_000];
/// A script that runs until its limit.
const ENDLESS: &str = "while true do end";
const BUSY: &str = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";
const BUSY_FUNCTION: &str =
    "-BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.\r\n";

/// Replies to requests one after another, with the log, the events and the number of slices.
fn run_all(slice: u64, requests: &[Vec<u8>]) -> (Vec<String>, String, Vec<String>, u64) {
    let mut db = Db::new(slice);
    let mut stream = db.connect();
    let (mut replies, mut log, mut events, mut slices) = (Vec::new(), String::new(), Vec::new(), 0);
    for request in requests {
        let (reply, count) = db.ask_bytes(&mut stream, request);
        replies.push(reply);
        slices += count;
        log += &String::from_utf8_lossy(&db.engine.take_effects());
        events.extend(db.engine.take_events().iter().map(|event| format!("{event:?}")));
    }
    (replies, log, events, slices)
}

/// Compares slices of each length with one run.
fn check(requests: &[Vec<u8>], lengths: &[u64]) {
    let whole = run_all(0, requests);
    assert_eq!(whole.3, 0);
    for slice in lengths {
        let sliced = run_all(*slice, requests);
        for (index, (one, many)) in whole.0.iter().zip(&sliced.0).enumerate() {
            assert_eq!(many, one, "slices of {slice}: {}", String::from_utf8_lossy(&requests[index]));
        }
        assert_eq!((&sliced.1, &sliced.2), (&whole.1, &whole.2), "slices of {slice}");
        assert!(sliced.3 > 0 || *slice > 1000, "nothing was suspended");
    }
}

#[test]
fn slices_of_any_length_give_the_replies_and_effects_of_one_run() {
    for script in SCRIPTS {
        let requests = vec![request(&["EVAL", script, "0"]); 2];
        let whole = run_all(0, &requests);
        for slice in SLICES {
            let sliced = run_all(slice, &requests);
            assert_eq!(
                (&sliced.0, &sliced.1, &sliced.2),
                (&whole.0, &whole.1, &whole.2),
                "slices of {slice}: {script}"
            );
        }
    }
    let requests: Vec<Vec<u8>> = SCRIPTS.iter().map(|script| request(&["EVAL", script, "0"])).collect();
    check(&requests, &[1, 20, 1000]);
}

#[test]
fn scripts_of_the_sessions_give_the_same_replies_in_slices() {
    for file in tree::sessions().into_iter().filter(|file| file.path.contains("/scripting/")) {
        let Ok(parsed) = session::parse(&file.text) else { continue };
        let commands = parsed.actions.iter().filter(|action| action.kind == StepKind::Command);
        let requests: Vec<Vec<u8>> = commands.map(|action| format!("{}\r\n", action.text).into_bytes()).collect();
        let whole = run_all(0, &requests);
        for slice in SLICES {
            let sliced = run_all(slice, &requests);
            assert_eq!((&sliced.0, &sliced.1), (&whole.0, &whole.1), "{}, slices of {slice}", file.path);
        }
    }
}

#[test]
fn a_transaction_goes_on_behind_each_of_its_scripts() {
    let script = "for i = 1, 500 do end redis.call('RPUSH', 'l', ARGV[1]) return redis.call('LLEN', 'l')";
    let requests: Vec<Vec<u8>> = [
        vec!["MULTI"],
        vec!["EVAL", script, "0", "a"],
        vec!["RPUSH", "l", "b"],
        vec!["EVAL", script, "0", "c"],
        vec!["EVAL", "error('x')", "0"],
        vec!["SELECT", "2"],
        vec!["EVAL", script, "0", "d"],
        vec!["EXEC"],
        vec!["LRANGE", "l", "0", "-1"],
    ]
    .iter()
    .map(|words| request(words))
    .collect();
    check(&requests, &SLICES[..6]);
    let (replies, log, ..) = run_all(1, &requests);
    assert!(replies[7].starts_with("*6\r\n:1\r\n:2\r\n:3\r\n-ERR user_script:1: x"), "{}", replies[7]);
    assert_eq!(log.matches("MULTI").count(), 1, "one unit: {log}");
}

#[test]
fn others_wait_and_are_refused_as_busy_later() {
    let mut db = Db::new(100);
    let (mut own, mut other, mut queueing) = (db.connect(), db.connect(), db.connect());
    assert_eq!(db.ask(&mut queueing, &["MULTI"]).0, "+OK\r\n");
    let fed = db.feed(&mut own, &["EVAL", ENDLESS, "0"]);
    assert!(fed.blocked && fed.suspended);
    assert!([&mut other, &mut queueing].into_iter().all(|stream| db.feed(stream, &["SET", "k", "v"]).blocked));
    assert!(db.engine.scripts().resume(1) && db.engine.take_affected().is_empty());
    db.engine.scripts().refuse_others();
    assert_eq!(db.engine.take_affected(), [other.connection.client(), queueing.connection.client()]);
    for stream in [&mut other, &mut queueing] {
        assert!(!stream.connection.feed(&mut db.engine, b"", &mut stream.out).blocked);
        assert_eq!(stream.taken(), BUSY);
    }
    let mut refused = |words: &[&str], stream: &mut Stream| {
        db.feed(stream, words);
        stream.taken()
    };
    assert_eq!(
        refused(&["EXEC"], &mut queueing),
        format!("-EXECABORT Transaction discarded because of: {}", &BUSY[1..])
    );
    assert_eq!(refused(&["PING"], &mut other), BUSY);
    assert_eq!(refused(&["FUNCTION", "STATS"], &mut other), BUSY);
    assert_eq!(refused(&["FUNCTION", "KILL"], &mut other), BUSY);
    assert!(refused(&["HELLO", "2"], &mut other).starts_with("*14"));
    assert_eq!(refused(&["WATCH", "k"], &mut other), "+OK\r\n");
    assert_eq!(refused(&["NOSUCH"], &mut other), "-ERR unknown command 'NOSUCH'\r\n");
    assert_eq!(refused(&["SCRIPT", "KILL"], &mut other), "+OK\r\n");
    assert!(db.feed(&mut own, &["GET", "k"]).blocked);
    assert!(!db.engine.scripts().resume(2));
    own.connection.feed(&mut db.engine, b"", &mut own.out);
    let killed = own.taken();
    let name = killed.split(' ').nth(9).unwrap_or_default().trim_end_matches(',').to_owned();
    assert_eq!(
        killed,
        format!("-ERR Script killed by user with SCRIPT KILL... script: {name}, on @user_script:1.\r\n$-1\r\n")
    );
    assert_eq!(db.ask(&mut other, &["SCRIPT", "KILL"]).0, "-NOTBUSY No scripts in execution right now.\r\n");
    assert_eq!(db.ask(&mut other, &["GET", "k"]).0, "$-1\r\n");
    assert_eq!(db.ask(&mut own, &["EVAL", "return 1", "0"]).0, ":1\r\n");
}

#[test]
fn a_script_that_has_written_is_not_killed() {
    let mut db = Db::new(100);
    let (mut own, mut other) = (db.connect(), db.connect());
    db.feed(&mut own, &["EVAL", "redis.call('SET', 'w', '1') for i = 1, 1000 do end return 'done'", "0"]);
    assert!(db.engine.take_effects().is_empty() && db.engine.take_events().is_empty());
    db.engine.scripts().refuse_others();
    db.feed(&mut other, &["SCRIPT", "KILL"]);
    assert!(other.taken().starts_with("-UNKILLABLE Sorry the script already executed write commands"));
    assert!(!db.engine.scripts().kill());
    while db.engine.scripts().resume(1) {}
    own.connection.feed(&mut db.engine, b"", &mut own.out);
    assert_eq!(own.taken(), "$4\r\ndone\r\n");
    assert!(!db.engine.take_effects().is_empty() && !db.engine.take_events().is_empty());
}

#[test]
fn a_function_is_shown_and_killed_by_its_own_commands() {
    let mut db = Db::new(100);
    let (mut own, mut other) = (db.connect(), db.connect());
    let library = "#!lua name=lib\nredis.register_function('spin', function() while true do end end)";
    assert_eq!(db.ask(&mut own, &["FUNCTION", "LOAD", library]).0, "$3\r\nlib\r\n");
    db.feed(&mut own, &["FCALL", "spin", "0", "argument"]);
    db.engine.scripts().resume(7_654_321);
    db.engine.scripts().refuse_others();
    let mut asked = |words: &[&str]| {
        db.feed(&mut other, words);
        other.taken()
    };
    assert_eq!(asked(&["PING"]), BUSY_FUNCTION);
    assert_eq!(asked(&["SCRIPT", "KILL"]), BUSY_FUNCTION);
    let shown = "*4\r\n$14\r\nrunning_script\r\n*6\r\n$4\r\nname\r\n$4\r\nspin\r\n$7\r\ncommand\r\n*4\r\n$5\r\nFCALL\r\n$4\r\nspin\r\n$1\r\n0\r\n$8\r\nargument\r\n$11\r\nduration_ms\r\n:7654\r\n";
    assert!(asked(&["FUNCTION", "STATS"]).starts_with(shown));
    assert_eq!(asked(&["FUNCTION", "KILL"]), "+OK\r\n");
    db.engine.scripts().resume(8_000_000);
    own.connection.feed(&mut db.engine, b"", &mut own.out);
    assert_eq!(own.taken(), "-ERR Script killed by user with SCRIPT KILL... script: spin, on @user_function:2.\r\n");
    assert!(db.ask(&mut own, &["FUNCTION", "STATS"]).0.contains("running_script\r\n$-1"));
}

#[test]
fn limits_are_set_by_the_program_and_by_no_connection() {
    let mut db = Db::new(0);
    let mut stream = db.connect();
    let client = db.engine.connect();
    let mut program = Stream { connection: Connection::new(client, db.engine.limits()), out: Vec::new() };
    for name in ["lua-instruction-limit", "lua-memory-limit", "lua-reply-limit"] {
        let words = ["CONFIG", "SET", name, "2000000"];
        let refusal =
            format!("-ERR CONFIG SET failed (possibly related to argument '{name}') - can't set protected config\r\n");
        assert_eq!(db.ask(&mut stream, &words).0, refusal);
        assert_eq!(db.ask(&mut program, &words).0, "+OK\r\n");
    }
}

#[test]
fn time_stands_still_for_the_script() {
    let mut db = Db::new(100);
    let (mut own, mut other) = (db.connect(), db.connect());
    db.ask(&mut own, &["SET", "k", "v", "PX", "100"]);
    let script = "local before = redis.call('TIME') for i = 1, 1000 do end local now = redis.call('TIME') return {redis.call('GET', 'k'), tostring(now[1] == before[1])}";
    db.feed(&mut own, &["EVAL", script, "0"]);
    db.engine.clock_mut().advance(60_000);
    db.engine.tick();
    assert_eq!(db.engine.next_deadline(), None);
    while db.engine.scripts().resume(1) {}
    own.connection.feed(&mut db.engine, b"", &mut own.out);
    assert_eq!(own.taken(), "*2\r\n$1\r\nv\r\n$4\r\ntrue\r\n");
    assert_eq!(db.ask(&mut other, &["GET", "k"]).0, "$-1\r\n");
}

#[test]
fn calls_of_the_program_run_the_script_to_its_end_first() {
    let mut db = Db::new(100);
    let (mut own, program) = (db.connect(), db.engine.connect());
    let write = "for i = 1, 1000 do end redis.call('SET', 'k', 'v') return 'done'";
    db.feed(&mut own, &["EVAL", write, "0"]);
    let mut out = Vec::new();
    db.engine.execute(program, Argv::from_slices(&["GET", "k"]).as_ref(), &mut out);
    assert_eq!(out, b"$1\r\nv\r\n");
    own.connection.feed(&mut db.engine, b"", &mut own.out);
    assert_eq!(own.taken(), "$4\r\ndone\r\n");
    // One that never ends stops at its limit.
    db.feed(&mut own, &["EVAL", ENDLESS, "0"]);
    db.engine.scripts().finish();
    own.connection.feed(&mut db.engine, b"", &mut own.out);
    assert!(own.taken().starts_with("-ERR the script ran longer than lua-instruction-limit allows"));
    // A script of the program itself runs through, also one in a stream.
    db.feed(&mut own, &["EVAL", write, "0"]);
    let mut stream = Stream { connection: Connection::new(program, db.engine.limits()), out: Vec::new() };
    assert!(!db.feed(&mut stream, &["EVAL", write, "0"]).suspended && stream.taken() == "$4\r\ndone\r\n");
    own.connection.feed(&mut db.engine, b"", &mut own.out);
    assert_eq!(own.taken(), "$4\r\ndone\r\n");
    out.clear();
    db.engine.execute(program, Argv::from_slices(&["EVAL", write, "0"]).as_ref(), &mut out);
    assert_eq!(out, b"$4\r\ndone\r\n");
}

#[test]
fn work_that_cannot_be_left_ends_at_a_fifth_of_the_limit_and_loads_at_the_limit() {
    let count = |script: &str| -> i64 {
        let mut db = Db::new(0);
        let mut own = db.connect();
        let reply = db.ask(&mut own, &["EVAL", script, "0"]).0;
        assert!(reply.starts_with("-ERR the script ran longer than lua-instruction-limit allows"), "{reply}");
        let count = db.ask(&mut own, &["GET", "n"]).0;
        count.split("\r\n").nth(1).and_then(|count| count.parse().ok()).unwrap_or_default()
    };
    let whole = count("while true do redis.call('INCR', 'n') end");
    for held in [
        "table.sort({3, 2, 1}, function() while true do redis.call('INCR', 'n') end end)",
        "string.gsub('abc', '.', function() while true do redis.call('INCR', 'n') end end)",
        "pcall(string.gsub, 'abc', '.', function() while true do redis.call('INCR', 'n') end end) while true do end",
        "table.sort({3, 2, 1}, coroutine.wrap(function() while true do redis.call('INCR', 'n') end end))",
    ] {
        let count = count(held);
        // Instructions are charged by samples.
        assert!((whole / 6..=whole / 4).contains(&count), "{held}: {count} of {whole}");
    }
    // A short one does not count for what follows.
    let many =
        "for i = 1, 100 do table.sort({3, 2, 1}, function() for i = 1, 100 do end return false end) end return 'done'";
    let mut db = Db::new(0);
    let mut own = db.connect();
    assert_eq!(db.ask(&mut own, &["EVAL", many, "0"]).0, "$4\r\ndone\r\n");
    let library =
        |loops: u32| format!("#!lua name=lib\nfor i = 1, {loops} do end redis.register_function('f', function() end)");
    assert_eq!(db.ask(&mut own, &["FUNCTION", "LOAD", &library(75_000)]).0, "$3\r\nlib\r\n");
    let refused = db.ask(&mut own, &["FUNCTION", "LOAD", "REPLACE", &library(125_000)]).0;
    assert!(refused.contains("ran longer than lua-instruction-limit allows"), "{refused}");
}

#[test]
fn a_clone_has_no_script() {
    let mut db = Db::new(100);
    let mut own = db.connect();
    db.feed(&mut own, &["EVAL", "redis.call('SET', 'k', 'v') while true do end", "0"]);
    let mut copy = Db { engine: db.engine.clone() };
    let mut other = copy.connect();
    assert!(!copy.engine.scripts().is_suspended());
    assert_eq!(copy.ask(&mut other, &["EVAL", "return redis.call('GET', 'k')", "0"]).0, "$1\r\nv\r\n");
}

#[test]
fn a_script_goes_on_without_its_client() {
    let mut db = Db::new(100);
    let (mut own, mut other) = (db.connect(), db.connect());
    let script = "redis.call('SELECT', 5) for i = 1, 500 do redis.call('INCR', 'n') end";
    db.feed(&mut own, &["EVAL", script, "0"]);
    let gone: ClientId = own.connection.client();
    db.engine.disconnect(gone);
    while db.engine.scripts().resume(1) {}
    db.ask(&mut other, &["SELECT", "5"]);
    assert_eq!(db.ask(&mut other, &["GET", "n"]).0, "$3\r\n500\r\n");
    let clients = db.ask(&mut other, &["CLIENT", "LIST"]).0;
    assert_eq!(clients.matches("addr=").count() - clients.matches("laddr=").count(), 1, "{clients}");
}

#[test]
fn other_streams_have_their_turn_between_the_long_scripts_of_a_packet() {
    let mut db = Db::new(0);
    let mut own = db.connect();
    let long = ["EVAL", "for i = 1, 20000 do local x = i end return 1", "0"];
    let packet = [request(&long).repeat(8), request(&["PING"])].concat();
    let mut replies_of_calls = Vec::new();
    let mut chunk = packet.as_slice();
    loop {
        let fed = own.connection.feed(&mut db.engine, chunk, &mut own.out);
        replies_of_calls.push(own.taken());
        chunk = b"";
        if !fed.more {
            break;
        }
    }
    assert!(replies_of_calls.len() >= 3, "{replies_of_calls:?}");
    assert!(replies_of_calls.iter().all(|replies| !replies.is_empty()), "{replies_of_calls:?}");
    assert_eq!(replies_of_calls.concat(), format!("{}+PONG\r\n", ":1\r\n".repeat(8)));
}

#[test]
fn short_scripts_of_a_packet_run_together() {
    let mut db = Db::new(0);
    let mut own = db.connect();
    let packet = request(&["EVAL", "return 1", "0"]).repeat(100);
    let fed = own.connection.feed(&mut db.engine, &packet, &mut own.out);
    assert!(!fed.more);
    assert_eq!(own.taken(), ":1\r\n".repeat(100));
    // They too are not endless.
    let fed = own.connection.feed(&mut db.engine, &packet.repeat(10), &mut own.out);
    let replies = own.taken().len() / ":1\r\n".len();
    assert!(fed.more && (100..500).contains(&replies), "{replies}");
}

#[test]
fn clients_that_waited_come_before_the_next_script_of_a_packet() {
    let mut db = Db::new(100);
    let (mut own, mut other) = (db.connect(), db.connect());
    let spin = ["EVAL", "for i = 1, 1000 do end return 1", "0"];
    let packet = request(&spin).repeat(2);
    own.connection.feed(&mut db.engine, &packet, &mut own.out);
    assert!(db.feed(&mut other, &["PING"]).blocked);
    while db.engine.scripts().resume(1) {}
    assert_eq!(db.engine.take_affected(), [other.connection.client(), own.connection.client()]);
    other.connection.feed(&mut db.engine, b"", &mut other.out);
    assert_eq!(other.taken(), "+PONG\r\n");
    assert!(own.connection.feed(&mut db.engine, b"", &mut own.out).blocked && db.engine.scripts().is_suspended());
}
