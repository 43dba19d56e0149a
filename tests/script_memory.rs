//! Memory of scripts and libraries: their texts count as used memory, and what libraries keep leaves room for scripts.
#![cfg(feature = "scripting")]

use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options, Timestamp};

const LIBRARY: &str = "#!lua name=lib\nredis.register_function('one', function() return 1 end)";

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
        let mut out = Vec::new();
        self.engine.execute(self.client, Argv::from_slices(words).as_ref(), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn eval(&mut self, script: &str) -> String {
        self.run(&["EVAL", script, "0"])
    }
}

fn used_memory(db: &mut Db) -> u64 {
    let info = db.run(&["INFO", "memory"]);
    info.split("used_memory:").nth(1).unwrap().split("\r\n").next().unwrap().parse().unwrap()
}

#[test]
fn texts_of_scripts_and_libraries_count_by_their_length() {
    let mut db = Db::new();
    assert_eq!(used_memory(&mut db), 0);
    db.eval("return 1");
    let one = used_memory(&mut db);
    db.eval("return 1");
    assert_eq!(used_memory(&mut db), one);
    db.eval("return 12");
    db.run(&["EVAL_RO", "return 3", "0"]);
    let three = used_memory(&mut db);
    assert!(three > 3 * one, "{three}");
    // The formula knows the length alone, so a copy that compiled nothing counts the same.
    assert_eq!(used_memory(&mut Db { engine: db.engine.clone(), client: db.client }), three);
    db.run(&["FUNCTION", "LOAD", LIBRARY]);
    let with_library = used_memory(&mut db);
    assert!(with_library > three + LIBRARY.len() as u64);
    db.run(&["FUNCTION", "LOAD", "REPLACE", LIBRARY]);
    assert_eq!(used_memory(&mut db), with_library);
    db.run(&["FUNCTION", "DELETE", "lib"]);
    assert_eq!(used_memory(&mut db), three);
    db.run(&["SCRIPT", "FLUSH"]);
    assert_eq!(used_memory(&mut db), 0);
}

#[test]
fn scripts_of_eval_are_forgotten_before_keys_are_evicted() {
    let mut db = Db::new();
    for policy in ["noeviction", "allkeys-lru"] {
        db.run(&["SCRIPT", "FLUSH"]);
        db.run(&["SCRIPT", "LOAD", "return 'loaded'"]);
        db.run(&["SET", "k", &"v".repeat(1000)]);
        db.engine.configure("maxmemory-policy", policy).unwrap();
        db.engine.configure("maxmemory", "100000").unwrap();
        for number in 0..100 {
            let script = format!("return {number}");
            assert_eq!(db.eval(&script), format!(":{number}\r\n"));
            assert!(used_memory(&mut db) < 102_000);
            assert_eq!(db.run(&["SET", "k", &"v".repeat(1000)]), "+OK\r\n");
        }
        for number in 0..10 {
            let script = format!("return '{}{number}'", "x".repeat(4000));
            assert_eq!(db.eval(&script).len(), 4001 + 9, "{number}");
        }
        assert_eq!(db.run(&["SET", "other", "v"]), "+OK\r\n");
        assert_eq!(db.run(&["EXISTS", "k", "other"]), ":2\r\n");
        let info = db.run(&["INFO", "memory"]);
        assert!(info.contains("number_of_cached_scripts:"), "{info}");
        let loaded = db.run(&["SCRIPT", "LOAD", "return 'loaded'"]);
        assert_eq!(db.run(&["EVALSHA", loaded.lines().nth(1).unwrap(), "0"]), "$6\r\nloaded\r\n");
    }
}

#[test]
fn scripts_and_libraries_beyond_the_limit_are_refused() {
    let mut db = Db::new();
    db.engine.configure("maxmemory", "1000000").unwrap();
    let text = |number: usize| format!("return '{}{number}'", "x".repeat(20_000));
    let refused = (0..100).find(|&number| db.run(&["SCRIPT", "LOAD", &text(number)]).starts_with("-OOM"));
    assert!(refused.is_some_and(|count| (3..20).contains(&count)), "{refused:?}");
    assert!(used_memory(&mut db) < 1_300_000);
    assert!(db.run(&["FUNCTION", "LOAD", LIBRARY]).starts_with("-OOM"));
    assert!(db.run(&["SET", "k", "v"]).starts_with("-OOM"));
    db.run(&["MULTI"]);
    assert!(db.run(&["SCRIPT", "LOAD", "return 7"]).starts_with("-OOM"));
    db.run(&["DISCARD"]);
    db.run(&["SCRIPT", "FLUSH"]);
    let library = |number: usize| {
        format!(
            "#!lua name=l{number}\nlocal t = '{}' redis.register_function('f{number}', function() return t end)",
            "x".repeat(20_000)
        )
    };
    let refused = (0..100).find(|&number| db.run(&["FUNCTION", "LOAD", &library(number)]).starts_with("-OOM"));
    assert!(refused.is_some_and(|count| (3..20).contains(&count)), "{refused:?}");
    assert_eq!(db.run(&["FUNCTION", "DELETE", "l0"]), "+OK\r\n");
    assert_eq!(db.run(&["FCALL", "f1", "0"]).len(), 20_000 + 10);
}

#[test]
fn libraries_that_keep_much_are_loaded_once() {
    let mut db = Db::new();
    let library = |name: &str, elements: usize| {
        format!(
            "#!lua name={name}\nlocal t, n = {{}}, 0 for i = 1, {elements} do t[i] = {{i}} end\n\
            redis.register_function('{name}', function() n = n + 1 return n, t end)"
        )
    };
    for number in 0..6 {
        let name = format!("l{number}");
        assert_eq!(db.run(&["FUNCTION", "LOAD", &library(&name, 25_000)]), "$2\r\n".to_owned() + &name + "\r\n");
    }
    // A library that is loaded again counts from one.
    for count in 1..20 {
        assert_eq!(db.run(&["FCALL", "l0", "0"]), format!(":{count}\r\n"));
        assert_eq!(db.eval("local t = {} for i = 1, 1e4 do t = {t} end return #string.rep('x', 1e6)"), ":1000000\r\n");
        assert_eq!(db.run(&["FCALL", "l5", "0"]), format!(":{count}\r\n"));
    }
    // Garbage is collected, although libraries keep most of the memory.
    assert_eq!(db.eval("for i = 1, 30 do local s = string.rep('x', 1e6) .. i end return 1"), ":1\r\n");
    let kept = (6..40)
        .take_while(|number| db.run(&["FUNCTION", "LOAD", &library(&format!("l{number}"), 25_000)]).starts_with('$'));
    assert!(kept.count() < 10, "libraries are bounded");
    let refused = db.run(&["FUNCTION", "LOAD", &library("more", 100_000)]);
    assert!(refused.contains("lua-memory-limit"), "{refused}");
    assert_eq!(db.run(&["FCALL", "l3", "0"]), ":1\r\n");
    assert_eq!(db.run(&["FCALL", "more", "0"]), "-ERR Function not found\r\n");
}
