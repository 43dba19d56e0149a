//! Replays recorded sessions of a real Redis 8.6.3 and compares every reply byte by byte, or as loosely as the
//! recording allows; then replays the effects of the session, which must give the same keyspace. Sessions with an
//! unsupported command are skipped; the floors below limit their number. Uses the engine's public interface only, and
//! parses replies with a reader of its own.

#[path = "support/copies.rs"]
mod copies;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use keylatch::{Argv, ClientId, Keylatch, ManualClock, MovableClock, Options, Timestamp};
use serde_json::Value;

/// Minimum number of sessions of a file that must run. Raise a floor when new commands let more of them run.
const FLOORS: &[(&str, usize)] = &[
    ("string", 55),
    ("new", 35),
    ("counter", 35),
    ("expire", 40),
    ("list", 40),
    ("range", 30),
    ("set", 35),
    ("zset", 55),
    ("hash", 40),
    ("hashttl", 25),
    ("multi", 60),
    ("stream", 28),
    ("group", 12),
];

/// Recordings of scripts and functions, for the build with Lua, each with the number of sessions that must run.
const LUA_FLOORS: &[(&str, usize)] = &[("script", 50), ("function", 25)];

/// 2026-01-01T00:00:00Z. The recordings hold dates long past and dates after 2100, so any day of this century serves.
const NOW: Timestamp = Timestamp::from_ms(1_767_225_600_000);

/// Folder of docs-examples.jsonl, which cannot be distributed with this project.
const DOCS_EXAMPLES_FOLDER: &str = "KEYLATCH_DOCS_EXAMPLES";

#[test]
fn recorded_sessions_of_a_real_redis_give_the_same_replies() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut outcomes = BTreeMap::new();
    for path in files_in(&folder) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !cfg!(feature = "scripting") && LUA_FLOORS.iter().any(|(file, _)| *file == name) {
            continue;
        }
        let outcome = replay_file(&path);
        println!("{name}: {} of {} sessions run, {} differ", outcome.run, outcome.total, outcome.differing);
        outcomes.insert(name, outcome);
    }
    let differences: String = outcomes.values().map(|outcome| outcome.differences.as_str()).collect();
    assert!(differences.is_empty(), "{differences}");
    let with_lua = if cfg!(feature = "scripting") { LUA_FLOORS } else { &[] };
    for &(name, floor) in FLOORS.iter().chain(with_lua) {
        let run = outcomes.get(name).map_or(0, |outcome| outcome.run);
        assert!(run >= floor, "{name}: {run} sessions have run, at least {floor} must");
    }
}

#[test]
fn examples_of_the_documentation_give_the_same_replies() {
    let Some(folder) = std::env::var_os(DOCS_EXAMPLES_FOLDER) else {
        println!("{DOCS_EXAMPLES_FOLDER} is not set: documentation examples not run");
        return;
    };
    let outcome = replay_file(&Path::new(&folder).join("docs-examples.jsonl"));
    let pass = outcome.run - outcome.differing;
    println!("documentation pages: {pass} pass, {} run, {} in total", outcome.run, outcome.total);
    assert!(outcome.differences.is_empty(), "{}", outcome.differences);
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files
}

#[derive(Default)]
struct Outcome {
    total: usize,
    run: usize,
    differing: usize,
    differences: String,
}

fn replay_file(path: &Path) -> Outcome {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut outcome = Outcome::default();
    for (index, line) in text.lines().enumerate() {
        let session: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("line {}: {error}", index + 1));
        if session.get("header").is_some() {
            continue;
        }
        outcome.total += 1;
        let id = session["id"].as_str().unwrap();
        let steps: Vec<Step> = session["steps"].as_array().unwrap().iter().map(Step::read).collect();
        if !steps.iter().all(Step::is_implemented) {
            continue;
        }
        outcome.run += 1;
        let differences = replay(&steps);
        if !differences.is_empty() {
            outcome.differing += 1;
            writeln!(outcome.differences, "{id}:\n{differences}").unwrap();
        }
    }
    outcome
}

struct Step {
    argv: Vec<Vec<u8>>,
    reply: Vec<u8>,
    mode: String,
    connection: usize,
}

impl Step {
    fn read(step: &Value) -> Step {
        Step {
            argv: step["c"].as_array().unwrap().iter().map(|argument| latin1(argument.as_str().unwrap())).collect(),
            reply: latin1(step["r"].as_str().unwrap()),
            mode: step["m"].as_str().unwrap_or("exact").to_string(),
            connection: step["k"].as_u64().unwrap_or(0) as usize,
        }
    }

    /// A command that a real server rejects as well needs no implementation.
    fn is_implemented(&self) -> bool {
        if self.reply.starts_with(b"-ERR unknown ") {
            return true;
        }
        let word =
            |index: usize| self.argv.get(index).and_then(|word| std::str::from_utf8(word).ok()).unwrap_or_default();
        match keylatch::internals::commands::find(word(0)) {
            Some(row) if !row.subcommands.is_empty() && self.argv.len() > 1 => {
                row.subcommands.iter().any(|sub| sub.own_name().eq_ignore_ascii_case(word(1)))
            }
            row => row.is_some(),
        }
    }

    fn matches(&self, got: &[u8]) -> bool {
        match self.mode.as_str() {
            "exact" => got == self.reply,
            "any" => !got.is_empty(),
            mode => matches_loosely(mode, &Reply::read_whole(&self.reply), &Reply::read_whole(got)),
        }
    }
}

/// The recordings write each byte as one character.
fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).expect("recordings hold characters up to U+00FF")).collect()
}

fn replay(steps: &[Step]) -> String {
    let mut engine = Keylatch::new(Options::default(), ManualClock::new(NOW));
    engine.record(true);
    let mut clients: BTreeMap<usize, ClientId> = BTreeMap::new();
    let mut differences = String::new();
    for (index, step) in steps.iter().enumerate() {
        let client = *clients.entry(step.connection).or_insert_with(|| engine.connect());
        let mut got = Vec::new();
        engine.execute(client, Argv::from_slices(&step.argv).as_ref(), &mut got);
        if got.is_empty() {
            got = wait_out(&mut engine, client);
        }
        if !step.matches(&got) {
            let words: Vec<String> = step.argv.iter().map(|argument| argument.escape_ascii().to_string()).collect();
            let (expected, got) = (step.reply.escape_ascii(), got.escape_ascii());
            writeln!(
                differences,
                "  step {index} {words:?} ({})\n    expected {expected}\n    got      {got}",
                step.mode
            )
            .unwrap();
        }
    }
    if let Err(difference) = copies::check(&mut engine) {
        writeln!(differences, "  {difference}").unwrap();
    }
    differences
}

/// Reply of a blocked command after its timeout: in the recordings no other client serves a blocked one.
fn wait_out(engine: &mut Keylatch<ManualClock>, client: ClientId) -> Vec<u8> {
    if let Some(due) = engine.next_deadline() {
        engine.clock_mut().set(due);
        engine.tick();
    }
    engine.take_outbox(client)
}

fn matches_loosely(mode: &str, expected: &Reply, got: &Reply) -> bool {
    match mode {
        "set" => expected.bag(1) == got.bag(1),
        "pairs" => expected.bag(2) == got.bag(2),
        "scan" => expected.page(1) == got.page(1),
        "scanpairs" => expected.page(2) == got.page(2),
        "near" => expected.is_near(got, 1),
        "near1000" => expected.is_near(got, 1_000),
        "encoding" => matches!(got, Reply::Scalar(_)),
        _ => panic!("unknown match mode {mode}"),
    }
}

/// A RESP2 reply with the structure that the match modes need.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reply {
    /// With its type byte and its length.
    Scalar(Vec<u8>),
    Array(Vec<Reply>),
    Unreadable,
}

impl Reply {
    fn read_whole(bytes: &[u8]) -> Reply {
        match Reply::read(bytes) {
            Some((reply, [])) => reply,
            _ => Reply::Unreadable,
        }
    }

    fn read(bytes: &[u8]) -> Option<(Reply, &[u8])> {
        let line_length = bytes.windows(2).position(|end| end == b"\r\n")? + 2;
        let (line, mut rest) = bytes.split_at(line_length);
        let number = || std::str::from_utf8(&line[1..line_length - 2]).ok()?.parse::<i64>().ok();
        match line[0] {
            b'*' => {
                let mut elements = Vec::new();
                for _ in 0..number()? {
                    let (element, after) = Reply::read(rest)?;
                    elements.push(element);
                    rest = after;
                }
                Some((Reply::Array(elements), rest))
            }
            b'$' => {
                let body_length = usize::try_from(number()?).map_or(0, |length| length + 2);
                let whole = bytes.get(..line_length + body_length)?;
                Some((Reply::Scalar(whole.to_vec()), &bytes[whole.len()..]))
            }
            _ => Some((Reply::Scalar(line.to_vec()), rest)),
        }
    }

    /// The elements in groups, without their order; a reply that is no array is one element.
    fn bag(&self, group: usize) -> Vec<Vec<Reply>> {
        let Reply::Array(elements) = self else { return vec![vec![self.clone()]] };
        let mut bag: Vec<Vec<Reply>> = elements.chunks(group).map(<[Reply]>::to_vec).collect();
        bag.sort();
        bag
    }

    /// The cursor, and the page without its order.
    fn page(&self, group: usize) -> (Option<&Reply>, Vec<Vec<Reply>>) {
        match self {
            Reply::Array(elements) if elements.len() == 2 => (elements.first(), elements[1].bag(group)),
            _ => (None, self.bag(1)),
        }
    }

    fn is_near(&self, other: &Reply, distance: u64) -> bool {
        match (self.integer(), other.integer()) {
            (Some(a), Some(b)) => a.abs_diff(b) <= distance,
            _ => self == other,
        }
    }

    fn integer(&self) -> Option<i64> {
        let Reply::Scalar(line) = self else { return None };
        std::str::from_utf8(line).ok()?.strip_prefix(':')?.trim_end().parse().ok()
    }
}

#[test]
fn match_modes_are_as_loose_as_they_say() {
    let same = |mode: &str, a: &str, b: &str| {
        matches_loosely(mode, &Reply::read_whole(a.as_bytes()), &Reply::read_whole(b.as_bytes()))
    };
    assert!(same("set", "*2\r\n:1\r\n$1\r\na\r\n", "*2\r\n$1\r\na\r\n:1\r\n"));
    assert!(!same("set", "*2\r\n:1\r\n:1\r\n", "*2\r\n:1\r\n:2\r\n"));
    assert!(!same("set", "*1\r\n:1\r\n", "-ERR\r\n"));
    assert!(same("pairs", "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*4\r\n:3\r\n:4\r\n:1\r\n:2\r\n"));
    assert!(!same("pairs", "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*4\r\n:3\r\n:2\r\n:1\r\n:4\r\n"));
    assert!(same("scan", "*2\r\n:0\r\n*2\r\n:1\r\n:2\r\n", "*2\r\n:0\r\n*2\r\n:2\r\n:1\r\n"));
    assert!(!same("scan", "*2\r\n:0\r\n*1\r\n:1\r\n", "*2\r\n:5\r\n*1\r\n:1\r\n"));
    assert!(!same("scanpairs", "*2\r\n:0\r\n*2\r\n:1\r\n:2\r\n", "*2\r\n:0\r\n*2\r\n:2\r\n:1\r\n"));
    assert!(
        same("near", ":9\r\n", ":10\r\n") && !same("near", ":8\r\n", ":10\r\n") && !same("near", ":8\r\n", "-ERR\r\n")
    );
    assert!(same("near1000", ":9\r\n", ":1009\r\n") && !same("near1000", ":9\r\n", ":1010\r\n"));
}
