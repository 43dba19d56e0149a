//! What a person sees while xtask works: a heading per step, a line per skipped step, the time a step took.

use std::time::{Duration, Instant};

/// Starts a step; the answer prints how long it took when it is finished.
pub(crate) fn step(text: &str) -> Step {
    println!("==> {text}");
    Step { text: text.to_owned(), started: Instant::now() }
}

/// A step that had nothing to do.
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
