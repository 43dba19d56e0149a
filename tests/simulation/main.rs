//! Seeded simulation of clients, network, clock and process around latches. A failure is shrunk to a session.
//!
//! `cargo xtask simulate --steps N` runs it long. A schedule has one digest on every target.

#[path = "../support/dice.rs"]
mod dice;
mod run;
mod schedule;
mod server;

use run::{Failure, Outcome, run};
use schedule::{Event, draw};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Schedules of the short round.
const SHORT: u64 = 60;
/// Digest of the short round, natively and in WebAssembly.
const DIGEST: u64 = 15_847_828_993_500_227_756;

#[test]
fn a_short_round_violates_nothing_and_has_one_digest() {
    let mut total = Outcome::default();
    for seed in 1..=SHORT {
        let outcome =
            simulate(seed).unwrap_or_else(|failure| panic!("seed {seed}: {}\n{}", failure.text, failure.session));
        total.steps += outcome.steps;
        total.grants += outcome.grants;
        total.digest = total.digest.rotate_left(1) ^ outcome.digest;
    }
    assert!(total.grants > SHORT * 10, "{} grants in {} steps", total.grants, total.steps);
    assert_eq!(total.digest, DIGEST, "{} steps", total.steps);
}

/// Runs the schedule of a seed; a failure has the shortest session that shrinking finds.
fn simulate(seed: u64) -> Result<Outcome, Failure> {
    let events = draw(seed);
    run(&events, false).map_err(|failure| shrunk(events, failure))
}

/// Leaves out events, in ever smaller runs of them, while a rule of the same name is violated.
fn shrunk(mut events: Vec<Event>, mut failure: Failure) -> Failure {
    let rule = |failure: &Failure| failure.text.split(':').next().map(str::to_owned);
    let mut len = events.len().div_ceil(2);
    while len > 0 {
        let mut start = 0;
        while start < events.len() {
            let mut fewer = events.clone();
            fewer.drain(start..(start + len).min(events.len()));
            match run(&fewer, true) {
                Err(found) if rule(&found) == rule(&failure) => (events, failure) = (fewer, found),
                _ => start += len,
            }
        }
        len /= 2;
    }
    if let Err(found) = run(&events, true) {
        failure = found;
    }
    failure.session += &format!("# {}\n", failure.text);
    failure
}

#[cfg(not(target_arch = "wasm32"))]
mod long {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::time::Instant;

    use super::simulate;

    fn setting(name: &str, default: u64) -> u64 {
        let text = std::env::var(format!("KEYLATCH_SIMULATION_{name}")).unwrap_or_default();
        text.parse().unwrap_or(default)
    }

    /// Writes the session of a failure, and names the file.
    fn write(seed: u64, session: &str) -> String {
        let folder = std::env::var("KEYLATCH_SIMULATION_FAILURES").unwrap_or_else(|_| String::from("."));
        let file = format!("{folder}/seed-{seed}.session");
        std::fs::write(&file, session).map_or_else(|error| format!("{file}: {error}"), |()| file.clone())
    }

    #[test]
    #[ignore = "run by cargo xtask simulate"]
    fn a_long_round() {
        let (wanted, first, threads) = (setting("STEPS", 1_000_000), setting("SEED", 1), setting("THREADS", 1));
        let (next, steps, failed) = (AtomicU64::new(first), AtomicU64::new(0), AtomicBool::new(false));
        let started = Instant::now();
        let work = || {
            while steps.load(Ordering::Relaxed) < wanted && !failed.load(Ordering::Relaxed) {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                match simulate(seed) {
                    Ok(outcome) => drop(steps.fetch_add(outcome.steps, Ordering::Relaxed)),
                    Err(failure) => {
                        failed.store(true, Ordering::Relaxed);
                        println!("seed {seed}: {}, in {}", failure.text, write(seed, &failure.session));
                    }
                }
                if seed % 20_000 == 0 {
                    println!("seed {seed}: {} steps", steps.load(Ordering::Relaxed));
                }
            }
        };
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        let (steps, seeds, seconds) = (steps.into_inner(), next.into_inner() - first, started.elapsed().as_secs());
        println!("{steps} steps of {seeds} schedules from seed {first} in {seconds} s");
        assert!(!failed.into_inner(), "a rule is violated");
    }
}
