//! Benches in JavaScript: the scripts of benches/js.

use std::path::Path;

use super::landed;
use super::row::{self, Figure, Row};
use crate::cli::BenchOptions;
use crate::debian::{self, CHROMIUM, REDIS_BENCHMARK, REDIS_SERVER};
use crate::failure::Result;
use crate::process::Program;
use crate::{node, paths, sizes};

pub(super) fn node(options: &BenchOptions) -> Result<Vec<Row>> {
    let landed = landed::package(options);
    all_with(&[&["node.mjs"], &["clients.mjs", "mock"], &["scripts.mjs", "node"]], options, landed.as_deref())
}

pub(super) fn browser(options: &BenchOptions) -> Result<Vec<Row>> {
    all(&[&["chromium.mjs"], &["browser-persist.mjs"]], options)
}

pub(super) fn memory(options: &BenchOptions) -> Result<Vec<Row>> {
    all(&[&["memory.mjs"], &["pauses.mjs"]], options)
}

/// Sizes of the built files, and loading times.
pub(super) fn start(options: &BenchOptions) -> Result<Vec<Row>> {
    let mut rows = all(&[&["start.mjs"]], options)?;
    rows.extend(sizes()?.into_iter().filter(|row| options.wants(&row.name)));
    Ok(rows)
}

/// Opening folders of data, and writing to them.
pub(super) fn persist(options: &BenchOptions) -> Result<Vec<Row>> {
    all(&[&["persist.mjs"]], options)
}

/// A Durable Object on workerd, with the Worker that its tests bundle.
pub(super) fn worker(options: &BenchOptions) -> Result<Vec<Row>> {
    let folder = paths::root().join("tests/worker");
    node::install(&folder)?;
    Program::node().arg("support/build.mjs").folder(&folder).env("KEYLATCH_PACKAGE", paths::package()).run()?;
    all(&[&["durable-object.mjs"]], options)
}

pub(super) fn server(options: &BenchOptions) -> Result<Vec<Row>> {
    all(
        &[
            &["server.mjs"],
            &["server-log.mjs"],
            &["rest.mjs"],
            &["clients.mjs", "loopback"],
            &["scripts.mjs", "loopback"],
        ],
        options,
    )
}

/// Runs scripts that print rows to standard output, and their progress to standard error.
fn all(scripts: &[&[&str]], options: &BenchOptions) -> Result<Vec<Row>> {
    all_with(scripts, options, None)
}

/// Runs scripts with the package of the earlier commit, for those that compare it.
fn all_with(scripts: &[&[&str]], options: &BenchOptions, landed: Option<&Path>) -> Result<Vec<Row>> {
    let folder = paths::root().join("benches/js");
    node::install(&folder)?;
    let mut rows = Vec::new();
    for script in scripts {
        let mut program = Program::node()
            .args(script)
            .folder(&folder)
            .env("KEYLATCH_PACKAGE", paths::package())
            .env("KEYLATCH_LANDED", landed.unwrap_or(Path::new("")))
            .env("KEYLATCH_BENCH_FILTER", &options.filter)
            .env("KEYLATCH_BENCH_QUICK", if options.quick { "1" } else { "" });
        for wanted in [CHROMIUM, REDIS_SERVER, REDIS_BENCHMARK] {
            program =
                debian::find(wanted).into_iter().fold(program, |program, path| program.env(wanted.variable, path));
        }
        rows.extend(row::parse(&program.answer()?)?);
    }
    Ok(rows)
}

fn sizes() -> Result<Vec<Row>> {
    let row = |line: sizes::Line| Row {
        table: "Sizes".into(),
        name: line.what.into(),
        unit: "KB".into(),
        figures: vec![Figure { of: "keylatch".into(), value: line.bytes as f64 / sizes::KB, ratio: None }],
    };
    Ok(sizes::measure()?.into_iter().map(row).collect())
}
