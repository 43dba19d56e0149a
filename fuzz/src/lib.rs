//! Properties that must hold for any bytes, each defined once: fuzzers search for counterexamples (`cargo xtask fuzz
//! TARGET`), and `tests/fuzz.rs` tries a few thousand changed seeds in every run of the tests.
//!
//! A check panics when its property does not hold; so does the code under test.

pub mod line;
pub mod log;
pub mod payload;
pub mod reply;
pub mod request;
#[cfg(feature = "scripting")]
pub mod script;
pub mod session;
pub mod snapshot;
pub mod stream;

mod engines;

/// A kind of input and its check.
pub struct Target {
    pub name: &'static str,
    pub check: fn(&[u8]),
    /// Valid inputs: mutations of them reach deeper code.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Number of changed seeds in a run of the tests: more for faster checks.
    pub rounds: usize,
}

const QUICK: usize = 5_000;
const SLOW: usize = 120;
#[cfg(feature = "scripting")]
const SCRIPTS: usize = 600;

pub const TARGETS: &[Target] = &[
    Target { name: "line", check: line::check, seeds: line::seeds, rounds: QUICK },
    Target { name: "log", check: log::check, seeds: log::seeds, rounds: SLOW },
    Target { name: "payload", check: payload::check, seeds: payload::seeds, rounds: SLOW },
    Target { name: "reply", check: reply::check, seeds: reply::seeds, rounds: QUICK },
    Target { name: "request", check: request::check, seeds: request::seeds, rounds: QUICK },
    #[cfg(feature = "scripting")]
    Target { name: "script", check: script::check, seeds: script::seeds, rounds: SCRIPTS },
    Target { name: "session", check: session::check, seeds: session::seeds, rounds: QUICK },
    Target { name: "snapshot", check: snapshot::check, seeds: snapshot::seeds, rounds: SLOW },
    Target { name: "stream", check: stream::check, seeds: stream::seeds, rounds: SLOW },
];
