//! Suites of the Rust code on this machine.

use crate::debian::{self, REDIS_SERVER};
use crate::failure::Result;
use crate::process::Program;
use crate::{mutate, rust};

const WARNINGS_ARE_ERRORS: [&str; 3] = ["--", "-D", "warnings"];

pub(super) fn fmt() -> Result {
    Program::cargo().args(&["fmt", "--all", "--check"]).run()
}

/// The packages are checked one by one: together, Cargo would unify the features of their dependencies and build those
/// again.
pub(super) fn clippy() -> Result {
    rust::ensure_target(rust::WASM)?;
    rust::ensure_target(rust::BARE_METAL)?;
    let all_targets = ["--all-targets"];
    // For a target that builds no cdylib: on the host that would need an allocator and a panic handler of its own.
    let without_std = ["--lib", "--no-default-features", "--target", rust::BARE_METAL];
    let for_wasm = [
        "--lib",
        "--test",
        "wasm_sessions",
        "--test",
        "same_everywhere",
        "--test",
        "simulation",
        "--no-default-features",
        "--features",
        "wasm",
        "--target",
        rust::WASM,
    ];
    clippy_on("keylatch", &all_targets)?;
    clippy_on("keylatch", &["--all-targets", "--features", "scripting"])?;
    // Not tested by default, so not among all targets either.
    clippy_on("keylatch", &["--test", "differential"])?;
    clippy_on("keylatch", &without_std)?;
    clippy_on("keylatch", &for_wasm)?;
    clippy_on("keylatch-models", &all_targets)?;
    clippy_on("xtask", &all_targets)
}

fn clippy_on(package: &str, arguments: &[&str]) -> Result {
    Program::cargo().args(&["clippy", "--package", package]).args(arguments).args(&WARNINGS_ARE_ERRORS).run()
}

pub(super) fn native() -> Result {
    Program::cargo().args(&["test", "--package", "keylatch", "--no-fail-fast"]).run()?;
    Program::cargo()
        .args(&with_lua(&[
            "--lib",
            "--test",
            "script_libraries",
            "--test",
            "scripting",
            "--test",
            "script_memory",
            "--test",
            "script_arguments",
            "--test",
            "script_costs",
            "--test",
            "shortage",
        ]))
        .run()?;
    Program::cargo().args(&with_lua(&["--test", "sessions", "--test", "conformance"])).run()?;
    Program::cargo().args(&["test", "--package", "xtask"]).run()
}

/// Arguments of cargo for tests of the build with Lua.
fn with_lua<'a>(tests: &[&'a str]) -> Vec<&'a str> {
    [&["test", "--package", "keylatch", "--features", "scripting", "--no-fail-fast"], tests].concat()
}

pub(super) fn models() -> Result {
    let tests = ["test", "--profile", "proofs", "--package", "keylatch-models", "--", "--nocapture"];
    Program::cargo().args(&tests).run()?;
    mutate::run()
}

/// The target is not part of `native`, since it fails on a machine without a server.
pub(super) fn differential() -> Result {
    let server = debian::path(REDIS_SERVER)?;
    let tests = ["test", "--package", "keylatch", "--test", "differential", "--", "--nocapture"];
    Program::cargo().args(&tests).env(REDIS_SERVER.variable, &server).run()?;
    let random = ["--test", "scripting_differential", "--", "--nocapture"];
    Program::cargo().args(&with_lua(&random)).env(REDIS_SERVER.variable, &server).run()?;
    let drawn = ["--test", "script_libraries", "--", "--nocapture", "--ignored", "drawn"];
    Program::cargo().args(&with_lua(&drawn)).env(REDIS_SERVER.variable, server).run()
}

/// These tests also run in `native`, where they are skipped without a server; here a server is required.
pub(super) fn redis() -> Result {
    let server = debian::path(REDIS_SERVER)?;
    let tests = ["test", "--package", "keylatch", "--test", "persistence", "real_server"];
    Program::cargo().args(&tests).env(REDIS_SERVER.variable, server).run()
}

/// `--crate-type rlib`: as a cdylib the library would need an allocator and a panic handler of its own.
pub(super) fn bare_metal() -> Result {
    rust::ensure_target(rust::BARE_METAL)?;
    Program::cargo()
        .args(&["rustc", "--package", "keylatch", "--lib", "--crate-type", "rlib"])
        .args(&["--no-default-features", "--target", rust::BARE_METAL])
        .run()
}
