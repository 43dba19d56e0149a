//! `cargo xtask simulate`: a long run of tests/simulation, on every processor.

use std::thread;

use crate::cli::SimulateOptions;
use crate::failure::{Failure, Result};
use crate::paths;
use crate::process::Program;

pub(crate) fn run(options: &SimulateOptions) -> Result {
    let failures = paths::target().join("simulation");
    paths::create_folder(&failures)?;
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let simulation = |arguments: &[&str]| {
        Program::cargo()
            .args(&["test", "--quiet", "--profile", "proofs", "--package", "keylatch", "--test", "simulation"])
            .args(arguments)
            .env("KEYLATCH_SIMULATION_STEPS", options.steps.to_string())
            .env("KEYLATCH_SIMULATION_SEED", options.seed.to_string())
            .env("KEYLATCH_SIMULATION_THREADS", processors.to_string())
            .env("KEYLATCH_SIMULATION_FAILURES", &failures)
    };
    let outcome = simulation(&["--", "--ignored", "--nocapture", "a_long_round"]).run();
    outcome
        .map_err(|failure| Failure::new(format!("{failure}; sessions of failures are in {}", paths::short(&failures))))
}
