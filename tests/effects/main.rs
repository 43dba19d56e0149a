//! Random commands of all rows, in any order and in transactions: their effects give the same keyspace when replayed,
//! and so does a snapshot. In debug builds the engine itself panics on a change without an effect and on an effect
//! without a change.

// The differential test uses more of these.
#[allow(dead_code)]
#[path = "../differential/compare.rs"]
mod compare;
#[path = "../support/copies.rs"]
#[allow(dead_code)]
mod copies;
#[path = "../support/dice.rs"]
mod dice;
#[allow(dead_code)]
#[path = "../differential/engine_harness.rs"]
mod engine_harness;
#[path = "../differential/generator.rs"]
#[allow(dead_code)]
mod generator;
#[allow(dead_code)]
#[path = "../differential/harness.rs"]
mod harness;
#[path = "../differential/pools.rs"]
mod pools;
#[allow(dead_code)]
#[path = "../support/redis.rs"]
mod redis;
#[allow(dead_code)]
#[path = "../differential/scope.rs"]
mod scope;
#[allow(dead_code)]
#[path = "../differential/special.rs"]
mod special;
#[path = "../differential/stream_arguments.rs"]
mod stream_arguments;

mod facts;
mod independence;

use std::collections::BTreeSet;

use dice::Dice;
use engine_harness::EngineHarness;
use generator::Generator;
use keylatch::internals::commands::flags;
use keylatch::session::SESSION_START;
use scope::{Scope, row_of};

const SEEDS: u64 = 40;
/// Limit of seeds: some rows need rare conditions, for which the search continues.
const SEEDS_MAX: u64 = 400;
const UNITS: usize = 1_200;
/// Largest step of time in days: keys that live for days expire meanwhile.
const DAYS_MAX: u64 = 40;
const MS_PER_DAY: u64 = 24 * 60 * 60 * 1_000;

/// Rows that may write, but never do here: there are no functions.
const NEVER_CHANGE: &[&str] = &["function|flush"];

#[test]
fn the_effects_of_every_row_make_the_same_keyspace_again() {
    let scope = Scope::all();
    let mut changed = BTreeSet::new();
    let writes = || scope.choices.iter().map(|choice| choice.row).filter(|row| row.has(flags::WRITE));
    let silent = |changed: &BTreeSet<&str>| -> Vec<&str> {
        writes().map(|row| row.name).filter(|name| !changed.contains(name)).collect()
    };
    for seed in 0..SEEDS_MAX {
        if seed >= SEEDS && silent(&changed) == NEVER_CHANGE {
            break;
        }
        let mut harness = EngineHarness::new(seed, SESSION_START);
        let mut generator = Generator::new(&scope, seed);
        let mut dice = Dice::new(!seed);
        let mut log = Vec::new();
        for _ in 0..UNITS {
            for request in generator.unit(&harness) {
                harness.perform(&request);
                let effects = harness.engine.take_effects();
                if !effects.is_empty() {
                    changed.extend(row_of(&request.argv).map(|row| row.name));
                }
                log.extend(effects);
            }
            if dice.roll(40) == 0 {
                harness.engine.clock_mut().advance((dice.roll(DAYS_MAX * MS_PER_DAY)) as i64);
                harness.engine.tick();
            }
        }
        log.extend(harness.engine.take_effects());
        copies::check_with(&mut harness.engine, &log).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
    }
    assert_eq!(silent(&changed), NEVER_CHANGE, "rows that may write were never seen to");
}
