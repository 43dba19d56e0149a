//! Benches in JavaScript: the scripts of benches/js.

use std::path::PathBuf;

use super::row::{self, Row};
use crate::cli::BenchOptions;
use crate::failure::Result;
use crate::process::Program;
use crate::{node, paths};

fn folder() -> PathBuf {
    paths::root().join("benches/js")
}

pub(super) fn node(options: &BenchOptions) -> Result<Vec<Row>> {
    all(&["node.mjs"], options)
}

pub(super) fn memory(options: &BenchOptions) -> Result<Vec<Row>> {
    all(&["memory.mjs", "pauses.mjs"], options)
}

fn all(scripts: &[&str], options: &BenchOptions) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in scripts {
        rows.extend(row::parse(&script(name, options)?.answer()?)?);
    }
    Ok(rows)
}

/// A script that answers rows, and shows its progress beside.
fn script(name: &str, options: &BenchOptions) -> Result<Program> {
    node::install(&folder())?;
    Ok(Program::node()
        .arg(folder().join(name))
        .env("KEYLATCH_PACKAGE", paths::package())
        .env("KEYLATCH_BENCH_FILTER", &options.filter)
        .env("KEYLATCH_BENCH_QUICK", if options.quick { "1" } else { "" }))
}
