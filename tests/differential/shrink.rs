//! Shortens a sequence with a difference, by removing units that are not needed for it.

use std::time::{Duration, Instant};

use super::allowed::Tally;
use super::generator::{CLIENTS, Unit};
use super::pair::{Difference, Pair};
use super::redis::Server;

/// Time limit in milliseconds for shortening.
const TIME_MAX: Duration = Duration::from_secs(20);

/// The first difference of a sequence, and the number of units up to it.
pub fn difference_in(units: &[Unit], server: &mut Server, allowed: &Tally) -> Option<(usize, Difference)> {
    let mut pair = Pair::new(&CLIENTS, server, allowed);
    for (index, unit) in units.iter().enumerate() {
        for request in unit {
            if let Err(difference) = pair.perform(request) {
                return Some((index + 1, difference));
            }
        }
    }
    pair.flush().err().map(|difference| (units.len(), difference))
}

/// A shorter part of a sequence that has a difference too, and that difference.
pub fn shortest(mut units: Vec<Unit>, server: &mut Server, allowed: &Tally) -> Option<(Vec<Unit>, Difference)> {
    let started = Instant::now();
    let (length, mut difference) = difference_in(&units, server, allowed)?;
    units.truncate(length);
    let mut piece = units.len().div_ceil(2);
    while piece > 0 {
        let mut start = 0;
        let before = units.len();
        while start < units.len() && started.elapsed() < TIME_MAX {
            let mut fewer = units.clone();
            fewer.drain(start..(start + piece).min(fewer.len()));
            match difference_in(&fewer, server, allowed) {
                Some((length, found)) => {
                    fewer.truncate(length);
                    (units, difference) = (fewer, found);
                }
                None => start += piece,
            }
        }
        // Single units are tried again while that shortens the sequence.
        piece = if piece == 1 && units.len() < before { 1 } else { piece / 2 };
    }
    Some((units, difference))
}

/// The sequence as a session, and the two replies to its last request.
pub fn story(units: &[Unit], difference: &Difference) -> String {
    let lines: Vec<String> = units.iter().flatten().map(|request| request.line()).collect();
    format!(
        "{}\n--- replies to {}\n--- ours\n{}\n--- theirs\n{}\n",
        lines.join("\n"),
        difference.request.line(),
        difference.ours,
        difference.theirs
    )
}
