//! The native benches of benches/: Criterion runs them, and its estimates are read from its files.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::row::{Figure, Row};
use crate::cli::BenchOptions;
use crate::failure::{Failure, Result};
use crate::paths;
use crate::process::Program;

const TABLE: &str = "The core, natively";
const OURS: &str = "keylatch";

/// Criterion's options: seconds of warming up and of measuring, number of samples, and number of resamples.
const EFFORT: [&str; 8] =
    ["--warm-up-time", "1", "--measurement-time", "3", "--sample-size", "50", "--nresamples", "10000"];
const QUICK_EFFORT: [&str; 8] =
    ["--warm-up-time", "0.01", "--measurement-time", "0.02", "--sample-size", "10", "--nresamples", "1001"];

pub(super) fn core(options: &BenchOptions) -> Result<Vec<Row>> {
    let folder = paths::bench().join("criterion");
    // Estimates of an earlier run would be read as well.
    let _ = fs::remove_dir_all(&folder);
    // A short round does not measure speed, so it needs no release build.
    let (profile, effort) = if options.quick { ("dev", QUICK_EFFORT) } else { ("bench", EFFORT) };
    Program::cargo()
        .args(&["bench", "--package", "keylatch", "--bench", "core", "--profile", profile, "--"])
        .args(&effort)
        .arg(pattern(&options.filter))
        .env("CRITERION_HOME", &folder)
        .run()?;
    let mut measured = Vec::new();
    for file in paths::files_below(&folder)?.iter().filter(|file| file.ends_with("new/benchmark.json")) {
        measured.push(read(file)?);
    }
    Ok(rows(measured))
}

/// Criterion selects by regular expression.
fn pattern(filter: &str) -> String {
    let escaped = filter.chars().flat_map(|c| c.is_ascii_punctuation().then_some('\\').into_iter().chain([c]));
    format!("(?i-u){}", escaped.collect::<String>())
}

/// Nanoseconds of one store for one command.
struct Measured {
    row: String,
    side: String,
    median_ns: f64,
}

fn read(benchmark: &Path) -> Result<Measured> {
    let json = |path: PathBuf| {
        let value: Option<Value> = serde_json::from_str(&paths::read_text(&path)?).ok();
        value.ok_or_else(|| Failure::new(format!("{} is no JSON", paths::short(&path))))
    };
    let names = json(benchmark.to_path_buf())?;
    let estimates = json(benchmark.with_file_name("estimates.json"))?;
    let text = |name: &str| names[name].as_str().map(str::to_owned);
    let median_ns = estimates["median"]["point_estimate"].as_f64().filter(|ns| ns.is_finite() && *ns > 0.0);
    match (text("group_id"), text("function_id"), median_ns) {
        (Some(row), Some(side), Some(median_ns)) => Ok(Measured { row, side, median_ns }),
        _ => Err(Failure::new(format!("{} holds no estimate", paths::short(benchmark)))),
    }
}

/// Combines the stores of one row, keylatch first.
fn rows(mut measured: Vec<Measured>) -> Vec<Row> {
    measured.sort_by_key(|one| (one.row.clone(), one.side != OURS));
    let mut rows: Vec<Row> = Vec::new();
    for Measured { row, side, median_ns } in measured {
        match rows.last_mut().filter(|last| last.name == row) {
            Some(last) => {
                let ratio = last.figures.first().map(|ours| ours.value / median_ns);
                last.figures.push(Figure { of: side, value: median_ns, ratio });
            }
            None => {
                let ours = Figure { of: side, value: median_ns, ratio: None };
                rows.push(Row { table: TABLE.into(), name: row, unit: "ns".into(), figures: vec![ours] });
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keylatch_comes_first_and_is_compared() {
        let measured = |row: &str, side: &str, median_ns| Measured { row: row.into(), side: side.into(), median_ns };
        let rows = rows(vec![measured("set", OURS, 3.0), measured("get", "HashMap", 4.0), measured("get", OURS, 2.0)]);
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["get", "set"]);
        assert_eq!(rows[0].figures[1], Figure { of: "HashMap".into(), value: 4.0, ratio: Some(0.5) });
    }

    #[test]
    fn a_filter_is_taken_literally() {
        assert_eq!(pattern("get 1e3"), "(?i-u)get 1e3");
        assert_eq!(pattern("a+b"), "(?i-u)a\\+b");
    }
}
