//! Model checks of the engine: every order of actions of a few clients, against a specification.
//!
//! `cargo test --profile proofs --package keylatch-models` runs them; the number of explored states is printed with
//! `-- --nocapture`.
#![cfg(test)]

mod explore;
mod latch;
mod observation;
mod primitives;
mod recipes;
mod redlock;
mod specification;
mod world;

use explore::{expect_safe, explore};
use keylatch::{Keylatch, ManualClock, Options};
use latch::{Latches, Move};
use primitives::{Barrier, Limit, Once};
use recipes::Recipe;
use redlock::Trouble;
use specification::Mode;

const LOCK: Latches = Latches {
    clients: 2,
    modes: &[Mode::Exclusive, Mode::Shared],
    limit: 0,
    ttl: 2,
    wait: 2,
    delay: 0,
    moves: &[],
    crashes: true,
};

#[test]
fn two_clients_share_a_lock() {
    use Move::{Cancel, CancelWithError, Deepen, Downgrade, Guard, Renew, Resend, Rise, Steal, Vanish};
    let moves = &[Renew, Downgrade, Guard, Steal, Cancel, CancelWithError, Vanish, Resend, Deepen, Rise];
    expect_safe("lock, 2 clients", Latches { moves, ..LOCK });
}

#[test]
fn two_clients_wait_out_a_delay() {
    let (modes, moves) = (&[Mode::Exclusive], &[Move::Renew, Move::Guard, Move::Steal, Move::Cancel]);
    expect_safe("lock with a delay, 2 clients", Latches { delay: 1, modes, moves, ..LOCK });
}

#[test]
fn three_clients_share_a_lock() {
    expect_safe(
        "lock, 3 clients",
        Latches { clients: 3, moves: &[Move::Renew, Move::Guard, Move::Cancel, Move::Vanish], crashes: false, ..LOCK },
    );
}

#[test]
fn two_clients_share_a_semaphore() {
    use Move::{Cancel, Guard, Renew, Resend, Vanish};
    let modes = &[Mode::Permits(1), Mode::Permits(2)];
    expect_safe(
        "semaphore, 2 clients",
        Latches { modes, limit: 2, moves: &[Renew, Guard, Cancel, Vanish, Resend], ..LOCK },
    );
}

#[test]
fn three_clients_share_a_semaphore() {
    let modes = &[Mode::Permits(1), Mode::Permits(2)];
    expect_safe(
        "semaphore, 3 clients",
        Latches { clients: 3, modes, limit: 3, moves: &[Move::Cancel], crashes: false, ..LOCK },
    );
}

#[test]
fn limits_admit_what_they_promise() {
    for limit in [Limit::Even, Limit::Fixed, Limit::Sliding] {
        expect_safe(&format!("limit {limit:?}"), limit);
    }
}

#[test]
fn work_runs_once() {
    expect_safe("once, 2 clients", Once);
}

#[test]
fn a_barrier_opens_for_all_at_once() {
    expect_safe("barrier, 3 clients", Barrier);
}

#[test]
fn redlock_is_safe_within_its_assumptions() {
    expect_safe("redlock, drift and crashes", Trouble::Assumed);
    expect_safe("redlock, a node that forgets and waits", Trouble::ForgetsAndWaits);
}

#[test]
fn redlock_fails_if_a_node_forgets_or_a_clock_jumps() {
    for trouble in [Trouble::Forgets, Trouble::Jumps] {
        let found = explore(&format!("redlock {trouble:?}"), trouble).expect("two owners");
        println!("\n## Redlock, {trouble:?}: {} after {} steps\n{}", found.rule, found.steps, found.session);
        assert_eq!(found.rule, "S11");
    }
}

/// Finds a fault in a recipe, prints the shortest way to it, and checks that the session runs as printed.
fn expect_unsafe(recipe: Recipe, rule: &str, steps: usize) {
    let found = explore(&format!("{recipe:?}"), recipe).expect("a fault");
    println!("\n## {recipe:?} violates {}\n{}", found.rule, found.session);
    assert_eq!((found.rule, found.steps), (rule, steps));
    let session = keylatch::session::parse(&found.session).expect("a session");
    let mut engine = Keylatch::new(Options::default(), ManualClock::default());
    let report = keylatch::session::run(&mut engine, &session, None).expect("a session that runs");
    assert_eq!(report.mismatches(), 0, "{}", report.print());
}

#[test]
fn unsafe_recipes_are_found_with_their_shortest_counterexample() {
    expect_unsafe(Recipe::DeleteWithoutComparison, "S4", 4);
    expect_unsafe(Recipe::ExpireAfterSetnx, "L1", 2);
    expect_unsafe(Recipe::WriteWithoutToken, "S3", 5);
    expect_unsafe(Recipe::CheckThenSet, "S1", 4);
    expect_unsafe(Recipe::GetSet { ahead: 4 }, "S1", 3);
}

#[test]
fn safe_recipes_have_no_fault() {
    let safe = [Recipe::DeleteIfEqual, Recipe::SetWithExpiry, Recipe::WriteWithToken, Recipe::GetSet { ahead: 0 }];
    for recipe in safe {
        expect_safe(&format!("{recipe:?}"), recipe);
    }
}
