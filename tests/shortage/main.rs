//! Lets memory run out at every allocation that can fail, in commands of every row: the reply is the error, and nothing
//! else has changed. An allocation that cannot fail gracefully aborts the process, and with it this test, which prints the
//! command before; `KEYLATCH_SHORTAGE_STACKS=1` prints the stacks of such allocations instead.

#[path = "../support/dice.rs"]
mod dice;
mod fixtures;
mod heap;
#[allow(dead_code)]
#[path = "../differential/pools.rs"]
mod pools;
mod requests;
mod running;
mod scenarios;

use std::collections::BTreeMap;

use heap::{Heap, Outcome, RESERVE_BYTES, with_budget, with_memory};
use keylatch::internals::commands::{Group, find};
use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options};
use requests::{Request, Requests};
use running::announce;

#[global_allocator]
static HEAP: Heap = Heap;

const COMMANDS: u64 = 800;
/// Maximum number of failures tried for each command.
const FAILURES_MAX: usize = 24;
/// A long value, and the limit of its command's further memory: a growing table, a list of arguments.
const VALUE_BYTES: usize = 1 << 20;
const BESIDE_BYTES: usize = 32 * 1024;
/// Minimum number of commands that must be refused at least once.
const REFUSING_MIN: usize = 20;
/// Maximum number of slices until deleted values are freed.
const SLICES_MAX: usize = 8;
const ERROR: &[u8] = b"-OOM ";
const LCS_ERROR: &[u8] = b"-ERR Insufficient memory";

type Engine = Keylatch<ManualClock>;

/// State that only the command may change.
#[derive(Clone, PartialEq, Debug)]
struct State {
    digest: u64,
    bytes: u64,
    effects: Vec<u8>,
    events: usize,
}

impl State {
    /// Captured after all deleted values have been freed.
    fn of(engine: &mut Engine) -> State {
        (0..SLICES_MAX).for_each(|_| engine.tick());
        let bytes = engine.keyspace().counted_bytes();
        State { digest: engine.digest(), bytes, effects: engine.take_effects(), events: engine.take_events().len() }
    }

    /// Ignores the bytes of a collection that was converted to its large encoding for members that did not fit: its
    /// value is the same, but it counts as more bytes.
    fn but_for_the_form(
        mut self,
        before: &State,
        now: &mut Engine,
        then: &mut Engine,
        client: ClientId,
        request: &Request,
    ) -> State {
        let encoding = |engine: &mut Engine| {
            let mut reply = Vec::new();
            let key = request.get(1).cloned().unwrap_or_default();
            run(engine, client, &vec![b"OBJECT".to_vec(), b"ENCODING".to_vec(), key], &mut reply);
            reply
        };
        if encoding(now) != encoding(then) {
            self.bytes = before.bytes;
        }
        self
    }
}

fn run(engine: &mut Engine, client: ClientId, request: &Request, out: &mut Vec<u8>) {
    engine.execute(client, Argv::from_slices(request).as_ref(), out);
}

/// Runs a function with a budget of bytes.
type Limit = fn(isize, &mut dyn FnMut()) -> Outcome;

/// Returns the limit for a request. Small pieces of most commands come out of the reserve, whatever else is free. A machine of
/// Lua is 80 KB of them, more than a command may take from there: it is built after a check for 1 MiB, so its pieces use
/// what is free, and the reserve beyond.
fn limit_for(engine: &Engine, client: ClientId, request: &Request) -> Limit {
    let row = find(&String::from_utf8_lossy(&request[0]));
    let in_transaction = engine.client(client).is_some_and(|client| client.in_transaction());
    let may_build = in_transaction || row.is_some_and(|row| row.group == Group::Scripting);
    if cfg!(feature = "scripting") && may_build {
        |bytes, run| with_memory(bytes, run)
    } else {
        |bytes, run| with_budget(bytes, run)
    }
}

fn shown(request: &Request) -> String {
    let words = request.iter().map(|word| String::from_utf8_lossy(&word[..word.len().min(20)]).into_owned());
    words.take(12).collect::<Vec<_>>().join(" ")
}

#[derive(Default)]
struct Findings {
    /// Number of refusals of each command.
    refused: BTreeMap<String, usize>,
    /// First failure of each command.
    wrong: BTreeMap<String, String>,
}

impl Findings {
    /// Runs a command with every budget that makes another allocation fail.
    fn try_failures(&mut self, engine: &Engine, client: ClientId, request: &Request) {
        let argv = Argv::from_slices(request);
        let mut calm = engine.clone();
        let mut calm_reply = Vec::new();
        let limited = limit_for(engine, client, request);
        let unlimited = limited(isize::MAX, &mut || calm.execute(client, argv.as_ref(), &mut calm_reply));
        if unlimited.marks.is_empty() {
            return;
        }
        let name = String::from_utf8_lossy(&request[0]).into_owned();
        let refused = self.refused.entry(name.clone()).or_default();
        let (before, after) = (State::of(&mut engine.clone()), State::of(&mut calm));
        for mark in unlimited.marks.iter().step_by(unlimited.marks.len().div_ceil(FAILURES_MAX)) {
            announce(format!("{} (budget {mark})", shown(request)));
            let mut short = engine.clone();
            let mut reply = Vec::new();
            let outcome = limited(mark - 1, &mut || short.execute(client, argv.as_ref(), &mut reply));
            if outcome.panicked {
                let complaint = format!("{}: panicked (budget {mark})", shown(request));
                self.wrong.entry(name.clone()).or_insert(complaint);
                continue;
            }
            let reserve_peak = outcome.reserve_peak;
            let state = State::of(&mut short);
            let is_refused = reply.starts_with(ERROR) || reply.starts_with(LCS_ERROR);
            *refused += usize::from(is_refused);
            let complaint = if reserve_peak > RESERVE_BYTES {
                format!("{reserve_peak} bytes of the reserve")
            } else if is_refused
                && state.clone().but_for_the_form(&before, &mut short, &mut engine.clone(), client, request) != before
            {
                "half done".into()
            } else if !is_refused && reply != calm_reply {
                format!("another reply: {}", String::from_utf8_lossy(&reply[..reply.len().min(60)]))
            } else if !is_refused && state.digest != after.digest {
                "not the requested change".into()
            } else {
                continue;
            };
            self.wrong.entry(name.clone()).or_insert(format!(
                "{}: {complaint} (budget {mark} of {:?})",
                shown(request),
                unlimited.marks.last()
            ));
        }
    }
}

#[test]
fn a_command_that_finds_no_memory_changes_nothing() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let mut requests = Requests::new(setting("KEYLATCH_SHORTAGE_SEED").unwrap_or(7));
    let _turn = heap::turn();
    heap::end_with_panics();
    let mut findings = Findings::default();
    for round in 0..4 {
        let mut engine = Keylatch::new(Options { seed: 3 }, ManualClock::new(SESSION_START));
        let client = engine.connect();
        engine.record(round % 2 == 0);
        engine.listen(round % 2 == 0);
        Requests::beginning().iter().for_each(|request| run(&mut engine, client, request, &mut Vec::new()));
        let beginning = engine.clone();
        for _ in 0..setting("KEYLATCH_SHORTAGE_COMMANDS").unwrap_or(COMMANDS) / 4 {
            let request = requests.next();
            let in_transaction = engine.client(client).is_some_and(|client| client.in_transaction());
            findings.try_failures(&engine, client, &request);
            run(&mut engine, client, &request, &mut Vec::new());
            if in_transaction && requests.dice().roll(4) == 0 {
                run(&mut engine, client, &vec![b"exec".to_vec()], &mut Vec::new());
            }
            let client_is_free = engine.client(client).is_some_and(|client| !client.is_blocked() && !client.closing);
            if !client_is_free || requests.dice().roll(3) == 0 {
                engine = beginning.clone();
            }
        }
    }
    let refused = findings.refused.iter().map(|(name, count)| format!("{name} {count}"));
    println!("refused: {}", refused.collect::<Vec<_>>().join(", "));
    let refusing = findings.refused.values().filter(|count| **count > 0).count();
    assert!(refusing >= REFUSING_MIN, "only {refusing} commands were refused: this tests little");
    let wrong: Vec<&str> = findings.wrong.values().map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} commands:\n{}", wrong.len(), wrong.join("\n"));
}

/// Runs a function with an engine and a client, while no other test allocates.
fn alone(run: impl FnOnce(&mut Engine, ClientId)) {
    let _turn = heap::turn();
    heap::end_with_panics();
    let mut engine = Keylatch::new(Options { seed: 3 }, ManualClock::new(SESSION_START));
    let client = engine.connect();
    run(&mut engine, client);
}

/// Reply to a request with this many bytes for large pieces.
fn answer(engine: &mut Engine, client: ClientId, request: &Request, budget: usize) -> String {
    let argv = Argv::from_slices(request);
    let mut reply = Vec::new();
    announce(format!("{} (budget {budget})", shown(request)));
    let outcome = with_budget(budget as isize, || engine.execute(client, argv.as_ref(), &mut reply));
    assert!(!outcome.panicked, "{}", shown(request));
    String::from_utf8_lossy(&reply).into_owned()
}

fn with_long_word(line: &str) -> Request {
    let long = |word: &str| if word == "~" { vec![b'v'; VALUE_BYTES] } else { word.into() };
    line.split(' ').map(long).collect()
}

#[test]
fn a_long_value_needs_room_for_itself_alone() {
    let copied_once = [
        "SET k ~",
        "SET k ~ EX 100",
        "SETNX new ~",
        "SET nx ~ NX PX 100",
        "MSET m ~ n v",
        "MSETNX o ~",
        "APPEND p ~",
        "SETRANGE q 0 ~",
        "RPUSH l ~",
        "DEL ~",
    ];
    // A compact collection is converted to a large one meanwhile.
    let copied_twice = ["SADD s ~", "HSET h f ~", "ZADD z 1 ~"];
    // Events contain keys, and no values.
    let with_events = ["SET k ~", "SET k ~ EX 100", "MSET m ~ n v", "APPEND k v"];
    alone(|engine, client| {
        // The first successful lookup allocates the cache of lookups.
        for line in ["SET first v", "GET first"] {
            answer(engine, client, &with_long_word(line), usize::MAX >> 1);
        }
        let mut run = |lines: &[&str], copies: usize, listening: bool| {
            engine.listen(listening);
            for line in lines {
                let reply = answer(engine, client, &with_long_word(line), copies * VALUE_BYTES + BESIDE_BYTES);
                assert!(!reply.starts_with('-'), "{line}: {reply}");
            }
        };
        run(&copied_once, 1, false);
        run(&copied_twice, 2, false);
        run(&with_events, 1, true);
    });
}

#[test]
fn an_error_that_repeats_what_was_sent_is_another_one_where_it_does_not_fit() {
    alone(|engine, client| {
        for line in ["EXPIRE k 5 ~", "HEXPIRE h 5 ~", "HGETEX h ~", "CONFIG SET ~ 1", "DEBUG ~", "CLIENT LIST TYPE ~"] {
            for budget in [0, VALUE_BYTES / 2, 2 * VALUE_BYTES, 5 * VALUE_BYTES] {
                let reply = answer(engine, client, &with_long_word(line), budget);
                assert!(
                    reply.starts_with("-OOM ") || reply.len() > VALUE_BYTES || reply.len() < 200,
                    "{line}: {budget}"
                );
            }
            assert_eq!(answer(engine, client, &with_long_word("PING"), 0), "+PONG\r\n", "{line}");
        }
    });
}
