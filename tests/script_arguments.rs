//! Numbers that scripts pass to functions, and the words of their errors: results of a real redis-server, on targets with
//! 32 and with 64 bits. Scripts of any bytes do no harm on either.
//!
//! `support/script_arguments.jsonl` holds a script and its reply a line, without the name of the script. Replies are those
//! of Redis 7.0.15, but for the words of `redis.log` and `redis.set_repl`, which Redis 8 has, and for `string.rep`.
#![cfg(feature = "scripting")]

#[path = "support/dice.rs"]
#[allow(dead_code)]
mod dice;
#[path = "support/mutation.rs"]
mod mutation;
#[path = "../fuzz/src/script.rs"]
mod script;

use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options, Timestamp};

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const RECORDED: &str = include_str!("support/script_arguments.jsonl");
/// An argument of each script.
const ARGUMENT: &str = "4294967296";
/// Changed scripts that are run.
const MUTANTS: usize = 300;

struct Db(Keylatch<ManualClock>, ClientId);

impl Db {
    fn new() -> Db {
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(Timestamp::from_ms(0)));
        let client = engine.connect();
        Db(engine, client)
    }

    fn run(&mut self, words: &[&str]) -> String {
        let mut reply = Vec::new();
        self.0.execute(self.1, Argv::from_slices(words).as_ref(), &mut reply);
        String::from_utf8_lossy(&reply).into_owned()
    }
}

/// Reply without the name of the script.
fn shortened(reply: &str) -> String {
    match reply.split_once(" script: ") {
        Some((message, _)) if reply.starts_with('-') => format!("{message}\r\n"),
        _ => reply.into(),
    }
}

#[test]
fn numbers_are_read_as_in_c_on_every_target() {
    let mut db = Db::new();
    let mut differences = Vec::new();
    for line in RECORDED.lines() {
        let (script, expected): (String, String) = serde_json::from_str(line).unwrap();
        let reply = shortened(&db.run(&["EVAL", &script, "0", ARGUMENT]));
        if reply != expected {
            differences.push(format!("{script}\n  expected {expected:?}\n  was      {reply:?}"));
        }
    }
    assert!(differences.is_empty(), "{} differ\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn changed_scripts_do_no_harm_on_every_target() {
    let (seeds, mut dice) = (script::seeds(), dice::Dice::new(32));
    for round in 0..MUTANTS {
        script::check(&mutation::mutated(&seeds[round % seeds.len()], &mut dice));
    }
}

#[test]
fn numbers_of_commands_are_in_their_shortest_form() {
    let mut db = Db::new();
    for (number, expected) in [
        ("0.1", "0.1"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("3", "3"),
        ("-0", "0"),
        ("1e15", "1000000000000000"),
        ("2^53", "9007199254740992"),
        ("2^62", "4611686018427387904"),
        ("-2^62", "-4611686018427387904"),
        ("1e20", "1e+20"),
        ("1e300", "1e+300"),
        ("1e-7", "1e-7"),
        ("1/0", "inf"),
    ] {
        let reply = db.run(&["EVAL", &format!("return redis.call('ECHO', {number})"), "0"]);
        assert_eq!(reply, format!("${}\r\n{expected}\r\n", expected.len()), "{number}");
    }
}

#[test]
fn names_of_functions_ignore_case_and_those_of_libraries_do_not() {
    let mut db = Db::new();
    let library = |name: &str, function: &str| {
        format!("#!lua name={name}\nredis.register_function('{function}', function() error('x') end)")
    };
    assert_eq!(db.run(&["FUNCTION", "LOAD", &library("Mine", "MyFunc")]), "$4\r\nMine\r\n");
    assert_eq!(db.run(&["FUNCTION", "LOAD", &library("mine", "other")]), "$4\r\nmine\r\n");
    assert_eq!(db.run(&["FUNCTION", "LOAD", &library("third", "MYFUNC")]), "-ERR Function MYFUNC already exists\r\n");
    let failed = "-ERR user_function:2: x script: MyFunc, on @user_function:2.\r\n";
    for name in ["MyFunc", "myfunc", "MYFUNC"] {
        assert_eq!(db.run(&["FCALL", name, "0"]), failed, "{name}");
    }
    assert_eq!(db.run(&["FUNCTION", "DELETE", "MINE"]), "-ERR Library not found\r\n");
    assert_eq!(db.run(&["FUNCTION", "DELETE", "Mine"]), "+OK\r\n");
    assert_eq!(db.run(&["FCALL", "myfunc", "0"]), "-ERR Function not found\r\n");
}

#[test]
fn random_numbers_go_on_from_script_to_script() {
    let draw = |db: &mut Db| db.run(&["EVAL", "return math.random(1000000)", "0"]);
    let (mut db, mut twin) = (Db::new(), Db::new());
    let drawn: Vec<_> = (0..4).map(|_| draw(&mut db)).collect();
    assert!(drawn.windows(2).all(|pair| pair[0] != pair[1]), "{drawn:?}");
    assert_eq!(drawn, (0..4).map(|_| draw(&mut twin)).collect::<Vec<_>>(), "equal seeds");
    let mut loaded = Db::new();
    loaded.0.load(&db.0.snapshot().unwrap()).unwrap();
    assert_eq!(draw(&mut loaded), draw(&mut db), "a snapshot has the state");
    for db in [&mut db, &mut loaded] {
        db.run(&["EVAL", "math.randomseed(5)", "0"]);
    }
    // The sequence of lrand48, as in Redis.
    for expected in [":524840\r\n", ":272855\r\n"] {
        assert_eq!(draw(&mut db), expected);
        assert_eq!(draw(&mut loaded), expected);
    }
}

#[test]
fn settings_of_cjson_end_with_a_flush_and_belong_to_scripts_or_functions() {
    let mut db = Db::new();
    let shown = "return cjson.encode(0.123456)";
    let library = format!(
        "#!lua name=lib\nredis.register_function('show', function() {shown} end)\nredis.register_function('set', function() cjson.encode_number_precision(2) end)"
    );
    db.run(&["FUNCTION", "LOAD", &library]);
    db.run(&["EVAL", "cjson.encode_number_precision(3)", "0"]);
    assert_eq!(db.run(&["EVAL", shown, "0"]), "$5\r\n0.123\r\n");
    assert_eq!(db.run(&["FCALL", "show", "0"]), "$8\r\n0.123456\r\n");
    db.run(&["FCALL", "set", "0"]);
    assert_eq!(db.run(&["FCALL", "show", "0"]), "$4\r\n0.12\r\n");
    db.run(&["SCRIPT", "FLUSH"]);
    assert_eq!(db.run(&["EVAL", shown, "0"]), "$8\r\n0.123456\r\n");
    assert_eq!(db.run(&["FCALL", "show", "0"]), "$4\r\n0.12\r\n");
    db.run(&["FUNCTION", "FLUSH"]);
    db.run(&["FUNCTION", "LOAD", &library]);
    assert_eq!(db.run(&["FCALL", "show", "0"]), "$8\r\n0.123456\r\n");
}
