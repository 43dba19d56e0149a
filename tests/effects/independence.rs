//! Rows say on what their replies and changes depend: commands of all others are alike on two engines with equal keys and
//! clocks, whatever the engines did before.

use std::collections::BTreeSet;

use keylatch::internals::commands::{Row, flags};
use keylatch::session::SESSION_START;
use keylatch::{Argv, Keylatch, ManualClock, Options};

use crate::engine_harness::EngineHarness;
use crate::generator::Generator;
use crate::scope::{Scope, row_of};

const SEEDS: u64 = 36;
const UNITS: usize = 1_000;
/// Commands that leave no key behind, but random draws, other numbers of clients, counts, scripts and configuration.
const BEFORE: &[&str] = &[
    "SADD s a b c d",
    "SRANDMEMBER s -7",
    "SPOP s 2",
    "GET missing",
    "SCRIPT LOAD x",
    "CONFIG SET slowlog-max-len 7",
    "CLIENT SETNAME old",
    "SAVE",
    "DEL s",
];

fn is_independent(row: &Row) -> bool {
    flags::DEPENDS_ON.iter().all(|(flag, _)| !row.has(*flag))
}

/// An engine without keys that was used before.
fn used(seed: u64) -> Keylatch<ManualClock> {
    let mut engine = Keylatch::new(Options { seed }, ManualClock::new(SESSION_START));
    for line in BEFORE {
        let client = engine.connect();
        let words: Vec<&str> = line.split(' ').collect();
        engine.execute(client, Argv::from_slices(&words).as_ref(), &mut Vec::new());
        engine.disconnect(client);
    }
    engine
}

#[test]
fn independent_rows_are_alike_on_engines_with_different_pasts() {
    let scope = Scope::all();
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        let mut fresh = EngineHarness::new(seed, SESSION_START);
        let mut past = EngineHarness::over(used(seed));
        let mut generator = Generator::new(&scope, seed);
        for unit in 0..UNITS {
            for request in generator.unit(&fresh) {
                let Some(row) = row_of(&request.argv).filter(|row| is_independent(row)) else { continue };
                let line = request.line();
                assert_eq!(fresh.perform(&request), past.perform(&request), "seed {seed}: {line}");
                assert_eq!(fresh.engine.digest(), past.engine.digest(), "seed {seed}: {line}");
                seen.insert(row.name);
            }
            if unit % 25 == 0 {
                for engine in [&mut fresh.engine, &mut past.engine] {
                    engine.clock_mut().advance(unit as i64 * 1_000);
                    engine.tick();
                }
            }
        }
    }
    let choices = scope.choices.iter().filter(|choice| choice.weight > 0 && is_independent(choice.row));
    let missing: Vec<&str> = choices.map(|choice| choice.row.name).filter(|name| !seen.contains(name)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "rows that were never run");
}

#[test]
fn rows_that_draw_random_numbers_depend_on_chance() {
    let scope = Scope::all();
    let mut drawing = BTreeSet::new();
    for seed in 0..SEEDS {
        let mut harness = EngineHarness::new(seed, SESSION_START);
        let mut generator = Generator::new(&scope, seed);
        for _ in 0..UNITS {
            for request in generator.unit(&harness) {
                let before = harness.engine.keyspace_ref().random_state();
                harness.perform(&request);
                let drew = harness.engine.keyspace_ref().random_state() != before;
                drawing.extend(row_of(&request.argv).filter(|_| drew).map(|row| (row.name, row.flags)));
            }
        }
    }
    let runs_others = flags::RUNS_QUEUE | flags::RUNS_SCRIPT;
    let undeclared = drawing.iter().filter(|(_, own)| own & (flags::CHANCE | runs_others) == 0);
    assert_eq!(undeclared.collect::<Vec<_>>(), Vec::<&(&str, u32)>::new());
    assert!(drawing.iter().any(|(name, _)| *name == "spop"), "{drawing:?}");
}
