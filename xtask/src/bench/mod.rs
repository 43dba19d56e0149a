//! `cargo xtask bench`: measures keylatch and other stores in the same run, and prints ratios.
//!
//! Scripts and programs measure; this module selects and starts them, keeps their rows in target/bench and prints
//! tables.

mod aims;
mod headlines;
mod javascript;
mod landed;
mod machine;
mod native;
mod report;
mod row;
mod written;

use crate::cli::BenchOptions;
use crate::debian::{self, CHROMIUM, REDIS_BENCHMARK, REDIS_SERVER, Wanted};
use crate::failure::{Failure, Result};
use crate::progress;
use aims::Verdict;
use report::Judged;
use row::Row;

/// A suite of benches.
#[derive(Debug)]
pub(crate) struct BenchSuite {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Programs without which it is skipped.
    needs: &'static [Wanted],
    run: fn(&BenchOptions) -> Result<Vec<Row>>,
}

pub(crate) const SUITES: &[BenchSuite] = &[
    BenchSuite {
        name: "node",
        about: "the package in Node, compared with other JavaScript stores",
        needs: &[],
        run: javascript::node,
    },
    BenchSuite {
        name: "browser",
        about: "the package in headless Chromium, compared with other JavaScript stores",
        needs: &[CHROMIUM],
        run: javascript::browser,
    },
    BenchSuite {
        name: "native",
        about: "the native core, compared with a HashMap of vectors with foldhash",
        needs: &[],
        run: native::core,
    },
    BenchSuite {
        name: "memory",
        about: "bytes per key, and the longest pause while growing, in Node",
        needs: &[],
        run: javascript::memory,
    },
    BenchSuite {
        name: "start",
        about: "loading time of the package, and sizes of the built files",
        needs: &[],
        run: javascript::start,
    },
    BenchSuite {
        name: "persist",
        about: "data in files: opening them again, and writing beside recording alone",
        needs: &[],
        run: javascript::persist,
    },
    BenchSuite {
        name: "worker",
        about: "a Durable Object on workerd, beside one that does nothing, and its wake",
        needs: &[],
        run: javascript::worker,
    },
    BenchSuite {
        name: "server",
        about: "`keylatch serve`, compared with a real redis-server over loopback",
        needs: &[REDIS_SERVER, REDIS_BENCHMARK],
        run: javascript::server,
    },
];

pub(crate) fn run(options: &BenchOptions) -> Result {
    crate::build()?;
    let judged = measure_all(options)?;
    // A short round is too short for a verdict.
    if options.quick {
        return Ok(());
    }
    println!("{}", report::aims_table(&judged));
    if options.write {
        written::write()?;
    }
    let missed = judged.iter().filter(|judged| judged.verdict == Verdict::Miss).count();
    if options.strict && missed > 0 {
        return Err(Failure::new(format!("{missed} figures miss the floor of their aim")));
    }
    Ok(())
}

fn measure_all(options: &BenchOptions) -> Result<Vec<Judged>> {
    let is_wanted =
        |suite: &&BenchSuite| options.suites.is_empty() || options.suites.iter().any(|name| name == suite.name);
    let (mut judged, mut found) = (Vec::new(), false);
    for suite in SUITES.iter().filter(is_wanted) {
        if let Some(missing) = suite.needs.iter().find(|wanted| debian::find(**wanted).is_none()) {
            println!("SKIPPED  {}: {} was not found (Debian: {})", suite.name, missing.program, missing.package);
            continue;
        }
        let rows = measure(suite, options)?;
        found |= !rows.is_empty();
        judged.extend(judge(suite, &rows, options)?);
    }
    match found {
        true => Ok(judged),
        false => Err(Failure::new(format!("nothing was measured: no row has `{}` in its name", options.filter))),
    }
}

/// Checks the aims against the rows. A whole run has all the rows that aims name.
fn judge(suite: &BenchSuite, rows: &[Row], options: &BenchOptions) -> Result<Vec<Judged>> {
    let judged = report::judge(suite.name, rows);
    match aims::of(suite.name).into_iter().find(|aim| judged.iter().all(|judged| judged.aim != *aim)) {
        Some(aim) if options.filter.is_empty() => {
            Err(Failure::new(format!("nothing was measured for the aim of `{}` in {}", aim.row, suite.name)))
        }
        _ => Ok(judged),
    }
}

/// Runs one short round of some suites, and checks that every row has its figures.
pub(crate) fn short_round(suites: &[&str]) -> Result {
    let suites = suites.iter().map(|name| (*name).to_owned()).collect();
    run(&BenchOptions { suites, quick: true, ..BenchOptions::default() })
}

/// Runs one suite and prints its tables. A whole run is kept.
fn measure(suite: &BenchSuite, options: &BenchOptions) -> Result<Vec<Row>> {
    let step = progress::step(&format!("bench: {}", suite.about));
    let rows = (suite.run)(options)?;
    step.done();
    println!("{}", report::tables(&rows));
    if !options.quick && options.filter.is_empty() {
        written::keep(suite, machine::describe(), &rows)?;
    }
    Ok(rows)
}
