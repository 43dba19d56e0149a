//! Suites that run inside WebAssembly, and the test runner that Cargo uses for them (see .cargo/config.toml).

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::debian::{self, CHROMEDRIVER};
use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::{node, paths, rust};

/// Time limit in seconds for the tests of one file in a browser; the runner's own limit is for small tests.
const TIMEOUT_S: &str = "300";

pub(super) fn in_node() -> Result {
    tests()?.run()?;
    scripts()?.run()
}

pub(super) fn in_browser() -> Result {
    let driver = debian::path(CHROMEDRIVER)?;
    tests()?.env("WASM_BINDGEN_USE_BROWSER", "1").env("CHROMEDRIVER", driver).run()
}

fn tests() -> Result<Program> {
    rust::ensure_target(rust::WASM)?;
    node::check()?;
    Ok(Program::cargo()
        .args(&["test", "--package", "keylatch", "--target", rust::WASM])
        .args(&["--test", "wasm_sessions", "--test", "same_everywhere", "--test", "simulation"])
        .args(&["--no-default-features", "--features", "wasm"])
        .env("WASM_BINDGEN_TEST_TIMEOUT", TIMEOUT_S)
        .env("KEYLATCH_SESSION_FILES", session_files()?))
}

/// Tests of scripts: their numbers become addresses of 32 bits here. Without optimization their frames need a larger stack.
fn scripts() -> Result<Program> {
    let stack = format!("target.{}.rustflags=[\"-Clink-arg=-zstack-size=4194304\"]", rust::WASM);
    Ok(Program::cargo()
        .args(&["test", "--package", "keylatch", "--target", rust::WASM, "--test", "script_arguments"])
        .args(&["--no-default-features", "--features", "wasm,scripting", "--config", &stack])
        .env("WASM_BINDGEN_TEST_TIMEOUT", TIMEOUT_S))
}

/// Fingerprint of the names of all session files. They are compiled into the test: the compiler detects a changed file,
/// but an added one only by this variable.
fn session_files() -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for folder in ["tests/sessions", "www/lessons"] {
        paths::files_below(&paths::root().join(folder))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Runs a test compiled to wasm, in place of Cargo; the arguments are the file and the options of the test harness.
pub(crate) fn run_as_test_runner(arguments: &[String]) -> Result {
    let name = String::from("wasm-test-runner");
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::iter::once(&name).chain(arguments))
        .map_err(|error| Failure::new(format!("{error:#}")))
}
