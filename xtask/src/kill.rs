//! `cargo xtask kill`: kills processes at random moments while they write to a store, and looks what the store holds.

use crate::cli::KillOptions;
use crate::debian::{self, CHROMIUM};
use crate::failure::Result;
use crate::paths;
use crate::process::Program;

/// Rounds in the test command.
const SHORT_ROUNDS: u32 = 3;

/// Builds the package, then kills writers of each kind.
pub(crate) fn run(options: &KillOptions) -> Result {
    crate::build()?;
    node(options.rounds)?;
    debian::ensure(&[CHROMIUM])?;
    browser(options.rounds)
}

/// Short variant for the test command, with a package that is built already.
pub(crate) fn short() -> Result {
    node(SHORT_ROUNDS)
}

/// Short variant in Chromium.
pub(crate) fn short_browser() -> Result {
    browser(SHORT_ROUNDS)
}

fn node(rounds: u32) -> Result {
    script("node.mjs", rounds).run()
}

fn browser(rounds: u32) -> Result {
    let chromium = debian::path(CHROMIUM)?;
    script("chromium.mjs", rounds).env("CHROMIUM", chromium).run()
}

fn script(name: &str, rounds: u32) -> Program {
    Program::node()
        .arg(paths::root().join("tests/kill").join(name))
        .args(&["--rounds", &rounds.to_string()])
        .env("KEYLATCH_PACKAGE", paths::package())
}
