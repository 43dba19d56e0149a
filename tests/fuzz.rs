//! The checks of the fuzzers, some thousand times in every run: the seeds of each target, changed a little.

#[path = "support/dice.rs"]
mod dice;
#[path = "../fuzz/src/lib.rs"]
mod fuzz;
#[path = "support/mutation.rs"]
mod mutation;

use dice::Dice;

#[test]
fn changed_seeds_do_no_harm() {
    for target in fuzz::TARGETS {
        let seeds = (target.seeds)();
        seeds.iter().for_each(|seed| (target.check)(seed));
        let mut dice = Dice::new(target.name.len() as u64);
        for round in 0..target.rounds {
            let mutant = mutation::mutated(&seeds[round % seeds.len()], &mut dice);
            let outcome = std::panic::catch_unwind(|| (target.check)(&mutant));
            assert!(outcome.is_ok(), "{}: b\"{}\"", target.name, mutant.escape_ascii());
        }
    }
}
