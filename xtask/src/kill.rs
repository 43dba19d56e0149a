//! `cargo xtask kill`: kills processes at random moments while they write to a store, and looks what the store holds.

use crate::cli::KillOptions;
use crate::failure::Result;
use crate::paths;
use crate::process::Program;

/// Rounds in the test command.
const SHORT_ROUNDS: u32 = 3;

/// Builds the package, then kills writers of each kind.
pub(crate) fn run(options: &KillOptions) -> Result {
    crate::build()?;
    writers(options.rounds)
}

/// Short variant for the test command, with a package that is built already.
pub(crate) fn short() -> Result {
    writers(SHORT_ROUNDS)
}

fn writers(rounds: u32) -> Result {
    let script = paths::root().join("tests/kill/node.mjs");
    Program::node()
        .arg(&script)
        .args(&["--rounds", &rounds.to_string()])
        .env("KEYLATCH_PACKAGE", paths::package())
        .run()
}
