//! Lets memory run out while a command affects other clients: blocked clients, subscribers, monitors, tracking clients;
//! and during expiry and eviction. In each case the log matches the keyspace, no client receives a partial message, and
//! all work continues when there is memory again.

use std::collections::BTreeMap;

use keylatch::internals::keyspace::keys;
use keylatch::internals::resp::read::{Value, read};
use keylatch::{Argv, Event, Timestamp};

use super::fixtures::{Action, Engine, Fixture, Rule, Scenario, scenarios};
use super::heap::{self, BEGUN, Outcome, SPENT, with_memory};
use super::running::announce;
use super::{ERROR, shown};

/// Maximum number of ticks until nothing is due.
const TICKS_MAX: usize = 64;
/// Delay of the deferred active expire cycle; equal to `src/keyspace/mod.rs`.
const PUT_OFF_MS: i64 = 100;
/// Maximum number of clients that are checked for replies.
const ASKED_MAX: usize = 20;
/// Maximum number of failures tried in a scenario, and in one of many clients.
const FAILURES_MAX: usize = 12;
const FAILURES_OF_MANY_MAX: usize = 4;

/// All outputs of a scenario.
#[derive(Clone, PartialEq, Debug)]
struct Outputs {
    reply: Vec<u8>,
    /// Outbox of each client, whether it is to be closed, and whether it is blocked.
    clients: Vec<(Vec<u8>, bool, bool)>,
    digest: u64,
    bytes: u64,
    effects: Vec<u8>,
    events: Vec<Event>,
}

/// Runs the action with this much memory.
fn play(fixture: &mut Fixture, action: &Action, memory: isize) -> (Outcome, Vec<u8>) {
    let mut reply = Vec::new();
    let outcome = match action {
        Action::Run(client, request) => {
            let (client, argv) = (fixture.clients[*client], Argv::from_slices(request));
            with_memory(memory, || fixture.engine.execute(client, argv.as_ref(), &mut reply))
        }
        Action::Tick => with_memory(memory, || fixture.engine.tick()),
    };
    (outcome, reply)
}

/// Runs all due work, including the deferred active expire cycle.
fn run_until_idle(engine: &mut Engine) {
    engine.clock_mut().advance(PUT_OFF_MS);
    engine.tick();
    for _ in 0..TICKS_MAX {
        if engine.next_deadline().is_none_or(|due| due > engine.now()) {
            return;
        }
        engine.tick();
    }
}

/// True when an engine without memory has nothing due at this instant after a while: otherwise a host would call it
/// over and over.
fn rests_without_memory(mut engine: Engine) -> bool {
    let mut rests = false;
    with_memory(0, || {
        rests = (0..TICKS_MAX).any(|_| {
            engine.tick();
            engine.next_deadline().is_none_or(|due| due > engine.now())
        });
    });
    rests
}

impl Outputs {
    fn of(fixture: &mut Fixture, reply: Vec<u8>) -> Outputs {
        let Fixture { engine, clients, .. } = fixture;
        let (effects, events) = (engine.take_effects(), engine.take_events());
        let clients = clients.iter().map(|&client| {
            let outbox = engine.take_outbox(client);
            engine
                .client(client)
                .map_or((outbox.clone(), true, false), |state| (outbox, state.closing, state.is_blocked()))
        });
        let clients = clients.collect();
        while engine.keyspace().free_garbage() {}
        Outputs { reply, clients, digest: engine.digest(), bytes: engine.keyspace().counted_bytes(), effects, events }
    }
}

/// Sum of the memory of all keys, one by one.
fn recounted(engine: &mut Engine) -> u64 {
    let keyspace = engine.keyspace();
    let keys: Vec<(u8, Vec<u8>)> = keyspace
        .databases()
        .flat_map(|(database, db)| db.entries().map(move |entry| (database, entry.key.to_vec())))
        .collect();
    let size = |(database, key): (u8, Vec<u8>)| {
        // Before all deadlines, so that reading changes nothing.
        keys::memory_usage(&mut keyspace.at(database, Timestamp::MIN), &key).unwrap_or(0)
    };
    keys.into_iter().map(size).sum()
}

fn are_whole_messages(mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match read(bytes) {
            Ok(Some((_, len))) => bytes = &bytes[len..],
            _ => return false,
        }
    }
    true
}

/// Whether the error about memory is among the messages.
fn is_refused(bytes: &[u8]) -> bool {
    bytes.windows(ERROR.len()).any(|window| window == ERROR)
}

struct Trial<'a> {
    scenario: &'a Scenario,
    before: Outputs,
    calm: Outputs,
    /// Digest after all due work.
    final_digest: u64,
}

impl Trial<'_> {
    /// The first violation after a shortage, if any.
    fn complaint(&self, short: &mut Fixture, reply: Vec<u8>) -> Option<String> {
        let outputs = Outputs::of(short, reply);
        let (is_before, is_calm) = (outputs.digest == self.before.digest, outputs.digest == self.calm.digest);
        let refused = outputs.reply.starts_with(ERROR);
        let client = match &self.scenario.action {
            Action::Run(client, _) => Some(*client),
            Action::Tick => None,
        };
        let is_closing = client.is_some_and(|client| outputs.clients[client].1);
        let is_whole = self.scenario.rule == Rule::Whole;
        if is_whole && !refused && outputs.reply != self.calm.reply && !is_closing {
            return Some(format!("another reply: {}", text(&outputs.reply)));
        }
        if !are_whole_messages(&outputs.reply) {
            return Some(format!("an incomplete reply: {}", text(&outputs.reply)));
        }
        if is_whole && refused && !is_before {
            return Some("half done".into());
        }
        if let Some(complaint) = self.of_clients(&outputs, refused && is_whole) {
            return Some(complaint);
        }
        let others_refused = outputs.clients.iter().any(|(outbox, closing, _)| *closing || is_refused(outbox));
        if is_whole && !refused && !is_calm && !others_refused {
            return Some("not the requested change".into());
        }
        if is_calm && !is_before && !others_refused && outputs.events != self.calm.events {
            return Some(format!("{} of {} events", outputs.events.len(), self.calm.events.len()));
        }
        if is_before && !others_refused && outputs.bytes != self.before.bytes && refused {
            return Some(format!("{} bytes, {} before", outputs.bytes, self.before.bytes));
        }
        let recounted = recounted(&mut short.engine);
        if outputs.bytes != recounted {
            return Some(format!("counted {} bytes for {recounted}", outputs.bytes));
        }
        if !rests_without_memory(short.engine.clone()) {
            return Some("without memory there is always something due".into());
        }
        if self.scenario.fixture.is_recorded {
            let mut again = self.scenario.fixture.engine.clone();
            match again.replay(&outputs.effects) {
                Ok(_) if again.digest() == outputs.digest => {}
                Ok(_) => return Some("the log gives another keyspace".into()),
                Err(error) => return Some(format!("the log cannot be read: {error:?}")),
            }
        }
        self.goes_on(short, &outputs, refused && is_whole && !is_closing)
    }

    fn of_clients(&self, outputs: &Outputs, refused: bool) -> Option<String> {
        for (number, (outbox, closing, _)) in outputs.clients.iter().enumerate() {
            let (before, calm) = (&self.before.clients[number], &self.calm.clients[number]);
            if !are_whole_messages(outbox) {
                return Some(format!("client {number} receives a partial message: {}", text(outbox)));
            }
            // A monitor receives refused commands as well.
            if *closing || outbox == &calm.0 || refused && outbox == &before.0 {
                continue;
            }
            if self.scenario.rule == Rule::Whole && !is_refused(outbox) {
                return Some(format!("client {number} receives {} instead of {}", text(outbox), text(&calm.0)));
            }
        }
        None
    }

    /// Checks that with memory the final state is the same, and that all open clients get replies.
    fn goes_on(&self, short: &mut Fixture, outputs: &Outputs, asks_again: bool) -> Option<String> {
        if asks_again {
            let (_, reply) = play(short, &self.scenario.action, isize::MAX);
            if reply != self.calm.reply {
                return Some(format!("with memory it replies {}", text(&reply)));
            }
        }
        run_until_idle(&mut short.engine);
        if self.scenario.rule == Rule::Converges && short.engine.digest() != self.final_digest {
            return Some("with memory the final state differs".into());
        }
        for (number, (_, closing, blocked)) in outputs.clients.iter().enumerate().take(ASKED_MAX) {
            let mut reply = Vec::new();
            if !closing && !blocked {
                let ping = vec![b"CLIENT".to_vec(), b"ID".to_vec()];
                super::run(&mut short.engine, short.clients[number], &ping, &mut reply);
                if reply.is_empty() {
                    return Some(format!("client {number} gets no replies any more"));
                }
            }
        }
        None
    }
}

fn text(bytes: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    format!("{shown:?} ({} bytes)", bytes.len())
}

fn try_scenario(scenario: &Scenario, wrong: &mut BTreeMap<String, String>) -> usize {
    let mut calm = scenario.fixture.clone();
    let (unlimited, reply) = play(&mut calm, &scenario.action, isize::MAX);
    let calm_outputs = Outputs::of(&mut calm, reply);
    run_until_idle(&mut calm.engine);
    let before = Outputs::of(&mut scenario.fixture.clone(), Vec::new());
    let trial = Trial { scenario, before, final_digest: calm.engine.digest(), calm: calm_outputs };
    let failures_max = if scenario.fixture.clients.len() > ASKED_MAX { FAILURES_OF_MANY_MAX } else { FAILURES_MAX };
    let step = unlimited.marks.len().div_ceil(failures_max).max(1);
    let marks = unlimited.marks.iter().step_by(step).map(|mark| mark - 1);
    let mut budgets: Vec<isize> = marks.chain([0, BEGUN, SPENT]).collect();
    budgets.dedup();
    for budget in &budgets {
        announce(format!("{} (budget {budget})", scenario.name));
        let mut short = scenario.fixture.clone();
        let (outcome, reply) = play(&mut short, &scenario.action, *budget);
        let complaint = if outcome.panicked {
            Some("panicked".into())
        } else if !outcome.had_reserve {
            Some("more small pieces than the reserve has".into())
        } else {
            trial.complaint(&mut short, reply)
        };
        if let Some(complaint) = complaint {
            wrong.entry(scenario.name.clone()).or_insert(format!("{}: {complaint} (budget {budget})", scenario.name));
        }
    }
    budgets.len()
}

#[test]
fn a_shortage_reaches_other_clients_only_as_an_error_or_a_closed_connection() {
    let _turn = heap::turn();
    heap::end_with_panics();
    let only = std::env::var("KEYLATCH_SHORTAGE_SCENARIO").unwrap_or_default();
    let mut wrong = BTreeMap::new();
    let mut failures = 0;
    for scenario in scenarios().filter(|scenario| scenario.name.contains(&only)) {
        failures += try_scenario(&scenario, &mut wrong);
    }
    println!("{failures} failures");
    let wrong: Vec<&str> = wrong.values().map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} scenarios:\n{}", wrong.len(), wrong.join("\n"));
}

/// The action in messages.
impl std::fmt::Display for Action {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Action::Run(client, request) => write!(out, "{client}> {}", shown(request)),
            Action::Tick => out.write_str("tick"),
        }
    }
}

#[test]
fn partial_messages_are_detected() {
    assert!(are_whole_messages(b"+OK\r\n$1\r\nx\r\n") && !are_whole_messages(b"+OK\r\n$1\r\nx"));
    assert!(matches!(read(b":1\r\n"), Ok(Some((Value::Integer(1), 4)))));
}
