//! Sends random scripts to the engine and to a real redis-server 7.0.15, if one is found, and compares every reply.
//!
//! `KEYLATCH_DIFFERENTIAL_SCRIPTS` sets the number of scripts and `KEYLATCH_DIFFERENTIAL_SEED` the seed, which is printed.
#![cfg(feature = "scripting")]

#[path = "support/dice.rs"]
mod dice;
// The tests of persistence use more of it.
#[allow(dead_code)]
#[path = "support/redis.rs"]
mod redis;

use dice::Dice;
use keylatch::{Argv, ClientId, Keylatch, Options, SystemClock};

const SCRIPTS: u64 = 4_000;
/// Scripts after which both sides are emptied.
const ROUND: u64 = 200;
const SEED: u64 = 23;

const KEYS: &[&str] = &["KEYS[1]", "KEYS[2]", "'k'", "'l'", "'h'", "'z'"];
const NAMES: &[&str] = &["a", "b", "c"];
const NUMBERS: &[&str] = &["0", "1", "2", "-1", "3.5", "10", "1e3", "-0.25", "#KEYS", "tonumber(ARGV[1])"];
const TEXTS: &[&str] =
    &["'x'", "''", "'hello world'", "'12'", "'a,b,,c'", "ARGV[1]", "ARGV[2]", "'%d+'", "'k=v'", "'\\0z'"];
const PATTERNS: &[&str] =
    &["'%w+'", "'(%w)(%w*)'", "'.'", "'^h'", "'o$'", "'[^,]*'", "','", "'%s'", "'l-o'", "'()'", "'%d'", "'x?'", "'%%'"];
const COMMANDS: &[&str] = &[
    "'SET', {k}, {t}",
    "'SET', {k}, {n}",
    "'GET', {k}",
    "'INCR', {k}",
    "'INCRBY', {k}, {n}",
    "'APPEND', {k}, {t}",
    "'DEL', {k}",
    "'EXISTS', {k}",
    "'TYPE', {k}",
    "'RPUSH', {k}, {t}, {n}",
    "'LRANGE', {k}, 0, -1",
    "'LPOP', {k}",
    "'HSET', {k}, {t}, {n}",
    "'HGETALL', {k}",
    "'HGET', {k}, {t}",
    "'ZADD', {k}, {n}, {t}",
    "'ZRANGE', {k}, 0, -1, 'WITHSCORES'",
    "'ZSCORE', {k}, {t}",
    "'STRLEN', {k}",
    "'EXPIRE', {k}, 1000",
    "'TTL', {k}",
    "'MGET', {k}, {k}",
    "'ECHO', {e}",
    "'PING'",
    "'NOSUCH', {t}",
    "'GET'",
    "'MULTI'",
    "'SELECT', 0",
];
const EXPRESSIONS: &[&str] = &[
    "{n}",
    "{t}",
    "{v}",
    "{e} .. {e}",
    "{e} + {e}",
    "{e} * {n}",
    "{n} % 3",
    "{n} / 4",
    "2 ^ {n}",
    "{e} == {e}",
    "{n} < {n}",
    "{t} < {t}",
    "not {e}",
    "{e} and {e} or {e}",
    "#{t}",
    "-{n}",
    "tostring({e})",
    "tonumber({t})",
    "type({e})",
    "{{e}, {e}, {e}}",
    "{{e}, x = {e}}",
    "{ok = {t}}",
    "{err = {t}}",
    "string.upper({t})",
    "string.sub({t}, {n}, {n})",
    "string.rep({t}, 3)",
    "string.find({t}, {p})",
    "string.match({t}, {p})",
    "string.gsub({t}, {p}, {t})",
    "string.gsub({t}, {p}, '<%0>')",
    "string.format('%s|%5.2f', ARGV[2], {n})",
    "string.byte({t})",
    "string.reverse({t})",
    "string.len({t})",
    "({t}):lower()",
    "table.concat({{t}, {t}, {n}}, {t})",
    "math.floor({n})",
    "math.max({n}, {n})",
    "math.abs({n})",
    "select('#', {e}, {e})",
    "unpack({{e}, {e}})",
    "next({})",
    "redis.call({c})",
    "redis.pcall({c})",
    "pcall(redis.call, {c})",
    "pcall(function() return {e} end)",
    "redis.sha1hex({t})",
    "redis.status_reply({t})",
    "redis.error_reply({t})",
    "redis.pcall({c}).err",
    "nosuch",
    "{v}.x",
    "{v}[{n}]",
];
const STATEMENTS: &[&str] = &[
    "local {v} = {e}",
    "{v} = {e}",
    "redis.call({c})",
    "if {e} then {s} else {s} end",
    "for i = 1, 3 do {s} end",
    "for i, w in ipairs({{e}, {e}}) do {v} = w {s} end",
    "for w in string.gmatch({t}, {p}) do {v} = w end",
    "local r = redis.pcall({c}) if type(r) == 'table' and r.err then {v} = r.err end",
    "{v} = {{e}, {e}} table.insert({v}, {e})",
    "local t = {3, 1, 2} table.sort(t) {v} = t",
    "do {s} {s} end",
    "while {e} do break end",
    "local function f(x) {s} return x end {v} = f({e})",
    "if {e} then error({t}) end",
];

/// Words of Lua's library that this machine has of a later version, and addresses; replies with them are not compared.
const OTHER_WORDS: &[&str] =
    &["nan", "out of range", "table index is", "overflow", "no value", "arithmetic", "with a '", "0x"];

#[test]
fn random_scripts_are_answered_alike() {
    let Some(program) = redis::program() else {
        println!("no redis-server found: scripts are not compared");
        return;
    };
    let setting = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let seed = setting("KEYLATCH_DIFFERENTIAL_SEED", SEED);
    let scripts = setting("KEYLATCH_DIFFERENTIAL_SCRIPTS", SCRIPTS);
    println!("KEYLATCH_DIFFERENTIAL_SEED={seed} KEYLATCH_DIFFERENTIAL_SCRIPTS={scripts}");
    let mut server = redis::Server::start(&program, redis::Folder::new("scripting"), &["--appendonly", "no"]);
    let mut db = Keylatch::new(Options::default(), SystemClock);
    let (client, mut dice, mut compared) = (db.connect(), Dice::new(seed), 0);
    let mut differences = Vec::new();
    for number in 0..scripts {
        if number % ROUND == 0 {
            server.run(&["FLUSHALL"]);
            run(&mut db, client, &["FLUSHALL"]);
        }
        let script = script(&mut dice);
        let arguments: [&str; 2] = [*dice.pick::<&str>(&["7", "x", ""]), *dice.pick::<&str>(&["y", "1.5"])];
        let request = ["EVAL", &script, "2", "k", "l", arguments[0], arguments[1]];
        let (theirs, ours) = (server.run(&request), run(&mut db, client, &request));
        let is_known = |reply: &[u8]| {
            let text = String::from_utf8_lossy(reply);
            OTHER_WORDS.iter().any(|words| text.contains(words))
        };
        if is_known(&theirs) || is_known(&ours) {
            // Both sides may have stopped at different points.
            server.run(&["FLUSHALL"]);
            run(&mut db, client, &["FLUSHALL"]);
            continue;
        }
        compared += 1;
        if theirs != ours {
            differences.push(format!(
                "{request:?}\n  redis {}\n  ours  {}",
                theirs.escape_ascii(),
                ours.escape_ascii()
            ));
            server.run(&["FLUSHALL"]);
            run(&mut db, client, &["FLUSHALL"]);
        }
    }
    println!("{compared} of {scripts} scripts compared");
    assert!(compared * 10 > scripts * 9, "only {compared} of {scripts} scripts were compared");
    let shown = differences.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {compared} differ\n{shown}", differences.len());
}

fn run(db: &mut Keylatch<SystemClock>, client: ClientId, words: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    db.execute(client, Argv::from_slices(words).as_ref(), &mut out);
    out
}

fn script(dice: &mut Dice) -> String {
    let mut script = String::from("local a, b, c = 1, 'two', {3} ");
    for _ in 0..=dice.roll(4) {
        script += &filled(dice, "{s}", 3);
        script.push(' ');
    }
    script + "return " + &filled(dice, "{e}", 3)
}

/// Replaces the placeholders of a template.
fn filled(dice: &mut Dice, template: &str, depth: usize) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let kind = rest.as_bytes().get(at + 1..at + 3).unwrap_or_default();
        let choices: &[&str] = match kind {
            b"k}" => KEYS,
            b"v}" => NAMES,
            b"n}" => NUMBERS,
            b"t}" => TEXTS,
            b"p}" => PATTERNS,
            b"c}" => COMMANDS,
            b"e}" if depth == 0 => NUMBERS,
            b"e}" => EXPRESSIONS,
            b"s}" if depth == 0 => &["a = 1"],
            b"s}" => STATEMENTS,
            _ => {
                out += &rest[..=at];
                rest = &rest[at + 1..];
                continue;
            }
        };
        out += &rest[..at];
        let chosen = *dice.pick(choices);
        let inner = if matches!(kind, b"e}" | b"s}") { depth.saturating_sub(1) } else { depth };
        let text = filled(dice, chosen, inner);
        // An expression keeps its own precedence; a call of a method needs a name in front.
        out += &if kind == b"e}" && depth > 0 { format!("({text})") } else { text };
        rest = &rest[at + 3..];
    }
    out + rest
}
