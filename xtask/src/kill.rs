//! `cargo xtask kill`: signals processes at random moments while they write to a store, and looks what the store holds.

use crate::cli::KillOptions;
use crate::debian::{self, CHROMIUM};
use crate::failure::Result;
use crate::paths;
use crate::process::Program;

/// Rounds of the browser in the test command.
const SHORT_BROWSER_ROUNDS: u32 = 3;

/// Steps on the model disk; the test command makes 2,000.
const LONG_DISK_STEPS: &str = "100000";

/// Rounds of each cell of the short matrix.
const SHORT_CELL_ROUNDS: u32 = 2;

/// Builds the package, then ends writers of each kind.
pub(crate) fn run(options: &KillOptions) -> Result {
    crate::build()?;
    rounds("matrix.mjs", options.rounds).run()?;
    single_scripts()?;
    model_disk()?;
    debian::ensure(&[CHROMIUM])?;
    browser(options.rounds)
}

/// Short variant for the test command, with a package that is built already.
pub(crate) fn short() -> Result {
    rounds("matrix.mjs", SHORT_CELL_ROUNDS).args(&["--short"]).run()?;
    single_scripts()
}

/// Short variant in Chromium.
pub(crate) fn short_browser() -> Result {
    browser(SHORT_BROWSER_ROUNDS)
}

/// Scripts that run each of their cases once.
fn single_scripts() -> Result {
    ["traps.mjs", "namespaces.mjs"].iter().try_for_each(|name| script(name).run())
}

/// Stores on a model of a disk, with faults and a cut of power after each step.
fn model_disk() -> Result {
    let test = paths::root().join("tests/js/persist-disk.test.mjs");
    Program::node().args(&["--test"]).arg(test).env("KEYLATCH_DISK_STEPS", LONG_DISK_STEPS).run()
}

fn browser(count: u32) -> Result {
    let chromium = debian::path(CHROMIUM)?;
    rounds("chromium.mjs", count).env("CHROMIUM", chromium).run()
}

fn rounds(name: &str, count: u32) -> Program {
    script(name).args(&["--rounds", &count.to_string()])
}

fn script(name: &str) -> Program {
    Program::node().arg(paths::root().join("tests/kill").join(name)).env("KEYLATCH_PACKAGE", paths::package())
}
