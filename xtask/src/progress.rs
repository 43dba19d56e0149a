//! Progress output of xtask: a heading per step, a line per skipped step, the duration of a step.

use std::time::{Duration, Instant};

/// Starts a step; `done` of the result prints its duration.
pub(crate) fn step(text: &str) -> Step {
    println!("==> {text}");
    Step { text: text.to_owned(), started: Instant::now() }
}

/// Prints that a step was skipped.
pub(crate) fn unchanged(text: &str) {
    println!("==> {text}: unchanged");
}

#[derive(Debug)]
pub(crate) struct Step {
    text: String,
    started: Instant,
}

impl Step {
    pub(crate) fn done(self) {
        println!("    {}: {}", self.text, seconds(self.started.elapsed()));
    }
}

pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
