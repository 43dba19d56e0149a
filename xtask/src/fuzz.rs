//! `cargo xtask fuzz`: builds a target under fuzz/ with the coverage instrumentation of libFuzzer, and runs it. The
//! toolchain of the project is sufficient: only branches are instrumented. `script-costs` measures generated scripts in
//! the built package instead.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::cli::FuzzOptions;
use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::variant::Variant;
use crate::{paths, progress};

/// A target of fuzz/src/lib.rs, and its description.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "line", about: "command lines as people type them" },
    Target { name: "log", about: "replay of logs" },
    Target { name: "payload", about: "RESTORE of DUMP payloads" },
    Target { name: "reply", about: "decoding of replies" },
    Target { name: "request", about: "requests in chunks of any length" },
    Target { name: "script", about: "scripts in Lua" },
    Target { name: SCRIPT_COSTS, about: "time of scripts beside their charges, in WebAssembly" },
    Target { name: "session", about: "session texts, run and printed" },
    Target { name: "snapshot", about: "loading of snapshots" },
    Target { name: "stream", about: "whole streams of commands" },
];

/// Compiler flags of cargo-fuzz, without a sanitizer: the tested code has no unsafe blocks.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing";
/// Seconds after which an input is reported as slow.
const INPUT_SECONDS_MAX: u32 = 20;

/// Target that measures generated scripts.
const SCRIPT_COSTS: &str = "script-costs";
/// Scripts that are generated for each second: one takes 20 ms, or a few times as long.
const SCRIPTS_PER_SECOND: u64 = 60;

pub(crate) fn run(options: &FuzzOptions) -> Result {
    let name = options.target.as_str();
    if name == SCRIPT_COSTS {
        return measure_scripts(options.seconds);
    }
    let host = host()?;
    let target_folder = paths::target().join("fuzz");
    let manifest = paths::root().join("fuzz/Cargo.toml");
    let cargo = |words: &[&str]| {
        let program = Program::cargo().args(words).arg("--manifest-path").arg(&manifest);
        program.env("CARGO_TARGET_DIR", &target_folder)
    };
    let step = progress::step(&format!("building the fuzzer of `{name}`"));
    // With an explicit target, build scripts and macros are not instrumented.
    cargo(&["build", "--release", "--bin", name, "--target", &host]).env("RUSTFLAGS", COVERAGE).run()?;
    step.done();
    let corpus = target_folder.join("corpus").join(name);
    if !corpus.is_dir() {
        let seeds = cargo(&["run", "--example", "seeds"]).args(&["--", name]).arg(&corpus);
        seeds.run()?;
    }
    let artifacts = target_folder.join("artifacts").join(name);
    paths::create_folder(&artifacts)?;
    let program = target_folder.join(&host).join("release").join(name);
    Program::new(program)
        .arg(&corpus)
        .arg(format!("-max_total_time={}", options.seconds))
        .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .run()
}

/// Generates scripts, others in each run, and measures them in the built package.
fn measure_scripts(seconds: u32) -> Result {
    crate::build()?;
    let first = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let step = progress::step("generating scripts");
    let scripts = Program::cargo()
        .args(&["run", "--quiet", "--release", "--example", "costly_scripts", "--manifest-path"])
        .arg(paths::root().join("fuzz/Cargo.toml"))
        .args(&["--", &first.to_string(), &(u64::from(seconds) * SCRIPTS_PER_SECOND).to_string()])
        .env("CARGO_TARGET_DIR", paths::target().join("fuzz"))
        .output()?;
    let file = paths::target().join("fuzz/costly-scripts.jsonl");
    paths::write(&file, scripts)?;
    step.done();
    Program::node()
        .arg(paths::root().join("fuzz/script-costs.mjs"))
        .arg(Variant::Scripting.package())
        .arg(file)
        .arg(seconds.to_string())
        .run()
}

/// Target triple of the host.
fn host() -> Result<String> {
    let version = Program::new("rustc").args(&["-vV"]).output()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("rustc did not print its host target"))
}

#[test]
fn every_target_of_the_fuzz_package_can_be_asked_for() {
    let manifest = std::fs::read_to_string(paths::root().join("fuzz/Cargo.toml")).unwrap();
    let bins = manifest.matches("[[bin]]").count();
    let fuzzers = TARGETS.iter().filter(|target| target.name != SCRIPT_COSTS);
    assert_eq!(bins, fuzzers.clone().count());
    for target in fuzzers {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{}.rs\"", target.name)), "{}", target.name);
    }
}
