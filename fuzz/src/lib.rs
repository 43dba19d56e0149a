//! What must be true of any bytes whatsoever, said once: fuzzers look for bytes of which it is not
//! (`cargo xtask fuzz TARGET`), and `tests/fuzz.rs` tries a few thousand changed seeds in every run of the tests.
//!
//! A check panics where something is not as it has to be; so does the code it calls.

pub mod line;
pub mod log;
pub mod payload;
pub mod reply;
pub mod request;
pub mod snapshot;
pub mod stream;

mod engines;

/// Bytes of one kind.
pub struct Target {
    pub name: &'static str,
    pub check: fn(&[u8]),
    /// Bytes that are as they should be: what changing them reaches is deeper inside.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// How many changed seeds a run of the tests tries: the more the quicker they are tried.
    pub rounds: usize,
}

const QUICK: usize = 5_000;
const SLOW: usize = 120;

pub const TARGETS: &[Target] = &[
    Target { name: "line", check: line::check, seeds: line::seeds, rounds: QUICK },
    Target { name: "log", check: log::check, seeds: log::seeds, rounds: SLOW },
    Target { name: "payload", check: payload::check, seeds: payload::seeds, rounds: SLOW },
    Target { name: "reply", check: reply::check, seeds: reply::seeds, rounds: QUICK },
    Target { name: "request", check: request::check, seeds: request::seeds, rounds: QUICK },
    Target { name: "snapshot", check: snapshot::check, seeds: snapshot::seeds, rounds: SLOW },
    Target { name: "stream", check: stream::check, seeds: stream::seeds, rounds: SLOW },
];
