//! `cargo xtask bench`: measures beside others in the same run, and prints what came out as ratios.
//!
//! Scripts and programs measure; here they are chosen and started, and their answers kept in target/bench and made into tables.

mod aims;
mod javascript;
mod machine;
mod report;
mod row;
mod written;

use crate::cli::BenchOptions;
use crate::failure::{Failure, Result};
use crate::progress;
use aims::Verdict;
use row::Row;

/// Somewhere to measure.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    run: fn(&BenchOptions) -> Result<Vec<Row>>,
}

const fn place(name: &'static str, about: &'static str, run: fn(&BenchOptions) -> Result<Vec<Row>>) -> Place {
    Place { name, about, run }
}

pub(crate) const PLACES: &[Place] = &[
    place("node", "the package in Node, beside other stores of JavaScript", javascript::node),
    place("memory", "bytes a key and the worst pause while growing, in Node", javascript::memory),
];

pub(crate) fn run(options: &BenchOptions) -> Result {
    crate::build()?;
    let is_wanted = |place: &&Place| options.places.is_empty() || options.places.iter().any(|name| name == place.name);
    let (mut judged, mut count) = (Vec::new(), 0);
    for place in PLACES.iter().filter(is_wanted) {
        let rows = measure(place, options)?;
        count += rows.len();
        judged.extend(report::judge(place.name, &rows));
    }
    if count == 0 {
        return Err(Failure::new(format!("no row has `{}` in its name", options.filter)));
    }
    // A short round is too short to judge anything by.
    if !options.quick {
        println!("{}", report::aims(&judged));
    }
    if options.write {
        written::write()?;
    }
    let missed = judged.iter().filter(|judged| judged.verdict == Verdict::Miss).count();
    if options.strict && !options.quick && missed > 0 {
        return Err(Failure::new(format!("{missed} figures are beyond the floor of their aim")));
    }
    Ok(())
}

/// Measures in one place and prints its tables. They are kept when they are whole.
fn measure(place: &Place, options: &BenchOptions) -> Result<Vec<Row>> {
    let step = progress::step(&format!("bench: {}", place.about));
    let rows = (place.run)(options)?;
    step.done();
    println!("{}", report::tables(&rows));
    if !options.quick && options.filter.is_empty() {
        written::keep(place, machine::describe(), &rows)?;
    }
    Ok(rows)
}
