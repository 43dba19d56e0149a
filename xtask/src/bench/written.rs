//! Files of runs in target/bench, and the pages that `--write` generates from them.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::headlines;
use super::machine;
use super::report;
use super::row::Row;
use super::{BenchSuite, SUITES};
use crate::failure::{Failure, Result};
use crate::paths;

#[path = "../../../tests/support/block.rs"]
mod block;

const PAGE: &str = "# Benchmarks

Written by `cargo xtask bench --write`; do not edit. How it is measured: [CONTRIBUTING.md](../CONTRIBUTING.md#benchmarks).

A cell holds a figure, and behind it, in parentheses, keylatch's figure divided by it: for times and bytes, less than 1 is in keylatch's favour; for rates, more.
`1e5` is the number of keys. Keys have 16 bytes, values 32 unless the row names another length; `JSON` is a text of 84 bytes. Behind a comma stands the
[configuration](../CONTRIBUTING.md#benchmarks) of keylatch. `bare` is keylatch without it, `landed` the package of an earlier commit in it.
";

/// A whole run of one suite.
struct Kept {
    machine: Map<String, Value>,
    rows: Vec<Row>,
}

fn file(suite: &BenchSuite) -> PathBuf {
    paths::bench().join(format!("{}.json", suite.name))
}

pub(super) fn keep(suite: &BenchSuite, machine: Map<String, Value>, rows: &[Row]) -> Result {
    paths::create_folder(&paths::bench())?;
    let text = section(suite, &machine, rows);
    paths::write(&file(suite).with_extension("md"), text)?;
    let rows: Vec<Value> = rows.iter().map(Row::to_json).collect();
    paths::write(&file(suite), format!("{:#}\n", json!({ "machine": machine, "rows": rows })))
}

/// None when no whole run of the suite was kept.
fn kept(suite: &BenchSuite) -> Result<Option<Kept>> {
    let file = file(suite);
    if !file.is_file() {
        println!("skipped `{0}`, which has no whole run yet: run cargo xtask bench {0}", suite.name);
        return Ok(None);
    }
    let value: Value = serde_json::from_str(&paths::read_text(&file)?)
        .map_err(|error| Failure::new(format!("{}: {error}", paths::short(&file))))?;
    let rows = value["rows"].as_array().into_iter().flatten().filter_map(Row::from_json).collect();
    Ok(Some(Kept { machine: value["machine"].as_object().cloned().unwrap_or_default(), rows }))
}

fn section(suite: &BenchSuite, machine: &Map<String, Value>, rows: &[Row]) -> String {
    let (heading, tables) = (format!("{}: {}", suite.name, suite.about), report::tables(rows));
    format!("\n## {heading}\n\n{}.\n{tables}", machine::sentence(machine))
}

/// Writes the last whole run of every suite into docs/benchmarks.md, and five of its figures into README.md.
pub(super) fn write() -> Result {
    let mut all = Vec::new();
    for suite in SUITES {
        all.extend(kept(suite)?.map(|kept| (suite, kept)));
    }
    let judged: Vec<_> = all.iter().flat_map(|(suite, kept)| report::judge(suite.name, &kept.rows)).collect();
    let aims = report::aims_table(&judged);
    let sections: String = all.iter().map(|(suite, kept)| section(suite, &kept.machine, &kept.rows)).collect();
    paths::write(&paths::root().join("docs/benchmarks.md"), format!("{PAGE}{aims}{sections}"))?;
    let machine = all.first().map(|(_, kept)| machine::sentence(&kept.machine)).unwrap_or_default();
    let rows_of = |name: &str| {
        let found = all.iter().find(|(suite, _)| suite.name == name);
        found.map(|(_, kept)| kept.rows.as_slice()).unwrap_or_default()
    };
    let figures = format!("{}\nMeasured on: {machine}.\n", headlines::table(rows_of));
    let readme = paths::root().join("README.md");
    let document = block::with_block(&paths::read_text(&readme)?, "bench", &figures)
        .ok_or_else(|| Failure::new("README.md lacks the marks bench:begin and bench:end"))?;
    paths::write(&readme, document)
}
