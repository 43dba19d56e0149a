//! Statistics of commands for INFO, SLOWLOG and LATENCY. Durations are measured by the host and recorded afterwards;
//! nothing here reads a clock.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::Timestamp;
use crate::resp::error::ErrorText;
use crate::server::secrets::{REDACTED, Secrets};

/// Maximum number of arguments that SLOWLOG keeps of a command, as in Redis.
const SLOW_ARGUMENTS_MAX: usize = 32;
/// Maximum number of bytes that SLOWLOG keeps of an argument, as in Redis.
const SLOW_ARGUMENT_BYTES_MAX: usize = 128;
/// Number of classes of the histogram. Class `n` reaches up to 2^n microseconds.
const DURATION_CLASSES: usize = 32;

/// Statistics of one command (INFO commandstats).
#[derive(Clone, Debug, Default)]
pub struct CommandStats {
    pub calls: u64,
    pub elapsed_us: u64,
    /// Number of calls refused before execution (arity, permissions).
    pub rejected: u64,
    /// Number of calls that returned an error.
    pub failed: u64,
    durations: Option<Box<Histogram>>,
}

/// Histogram of durations with classes by powers of two.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: [u64; DURATION_CLASSES],
}

impl Histogram {
    /// Adds `count` commands of `elapsed_us` microseconds each.
    pub fn add(&mut self, elapsed_us: u64, count: u32) {
        let class = (u64::BITS - elapsed_us.saturating_sub(1).leading_zeros()) as usize;
        self.counts[class.min(DURATION_CLASSES - 1)] += u64::from(count);
    }

    /// Upper bound in microseconds of the class that contains the percentile.
    pub fn percentile_us(&self, percentile: f64) -> u64 {
        let total: u64 = self.counts.iter().sum();
        let rank = total as f64 * percentile / 100.0;
        let mut seen = 0;
        for (class, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen > 0 && seen as f64 >= rank {
                return 1 << class;
            }
        }
        0
    }

    /// Upper bounds of the classes that are not empty, with cumulative counts.
    pub fn cumulative(&self) -> Vec<(u64, u64)> {
        let mut seen = 0;
        let classes = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        classes
            .map(|(class, count)| {
                seen += count;
                (1 << class, seen)
            })
            .collect()
    }
}

/// Entry of SLOWLOG.
#[derive(Clone, Debug)]
pub struct SlowCommand {
    pub id: u64,
    pub at: Timestamp,
    pub elapsed_us: u64,
    pub argv: Argv,
    pub client_address: String,
    pub client_name: String,
}

/// Statistics of an engine.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Statistics by row number.
    commands: Vec<CommandStats>,
    /// Number of errors by error code.
    pub errors: Vec<(String, u64)>,
    pub commands_processed: u64,
    pub connections_received: u64,
    pub slow: VecDeque<SlowCommand>,
    slow_ids: u64,
}

impl Stats {
    /// Creates statistics for `commands` rows. Memory is allocated here, so that counting a command cannot fail later.
    pub fn new(commands: usize) -> Stats {
        let mut stats = Stats::default();
        stats.commands.resize_with(commands, CommandStats::default);
        stats
    }

    #[inline(always)]
    pub fn command(&mut self, number: u16) -> &mut CommandStats {
        let number = usize::from(number);
        if number >= self.commands.len() {
            self.commands.resize_with(number + 1, CommandStats::default);
        }
        &mut self.commands[number]
    }

    /// Statistics of the commands that were called or refused.
    pub fn commands(&self) -> impl Iterator<Item = (u16, &CommandStats)> {
        (0..).zip(&self.commands).filter(|(_, stats)| stats.calls > 0 || stats.rejected > 0)
    }

    /// Counts a call that returned an error.
    pub fn fail(&mut self, number: u16, error: &ErrorText) {
        self.command(number).failed += 1;
        self.error(error);
    }

    /// Counts an error by its code: the first word of its text.
    pub fn error(&mut self, error: &ErrorText) {
        let code = error.bytes().split(|byte| *byte == b' ').next().unwrap_or_default();
        let code = &*String::from_utf8_lossy(code);
        match self.errors.iter_mut().find(|(known, _)| known == code) {
            Some((_, count)) => *count += 1,
            None => self.errors.push((code.into(), 1)),
        }
    }

    /// Records the total duration of `count` calls of a command.
    pub fn took(&mut self, number: u16, count: u32, elapsed_us: u64) {
        let stats = self.command(number);
        stats.elapsed_us += elapsed_us;
        let durations = stats.durations.get_or_insert_default();
        durations.add(elapsed_us / u64::from(count.max(1)), count);
    }

    /// Adds an entry to SLOWLOG and removes the oldest ones beyond `len_max`.
    pub fn remember_slow(&mut self, slow: SlowCommand, len_max: usize) {
        // If the list cannot grow, the oldest entry is replaced.
        if self.slow.try_reserve(1).is_err() && self.slow.pop_back().is_none() {
            return;
        }
        self.slow.push_front(SlowCommand { id: self.slow_ids, ..slow });
        self.slow_ids += 1;
        self.slow.truncate(len_max);
    }

    /// Resets all statistics except SLOWLOG (CONFIG RESETSTAT).
    pub fn reset(&mut self) {
        let (slow, slow_ids) = (core::mem::take(&mut self.slow), self.slow_ids);
        let mut commands = core::mem::take(&mut self.commands);
        commands.iter_mut().for_each(|stats| *stats = CommandStats::default());
        *self = Stats { commands, slow, slow_ids, ..Stats::default() };
    }
}

impl CommandStats {
    /// Histogram of durations; `None` before the first one is recorded.
    pub fn durations(&self) -> Option<&Histogram> {
        self.durations.as_deref()
    }
}

/// Arguments as SLOWLOG keeps them: at most 32, each of at most 128 bytes, with a note on what was omitted, and without
/// passwords.
pub fn shortened(argv: ArgvRef<'_>, secrets: Secrets) -> Argv {
    let mut kept = Argv::default();
    let shown = if argv.len() > SLOW_ARGUMENTS_MAX { SLOW_ARGUMENTS_MAX - 1 } else { argv.len() };
    for (index, argument) in argv.iter().take(shown).enumerate() {
        if secrets.include(argv, index) {
            kept.push(REDACTED.as_bytes());
            continue;
        }
        if argument.len() <= SLOW_ARGUMENT_BYTES_MAX {
            kept.push(argument);
            continue;
        }
        let mut cut = argument[..SLOW_ARGUMENT_BYTES_MAX].to_vec();
        let left_out = argument.len() - SLOW_ARGUMENT_BYTES_MAX;
        cut.extend_from_slice(alloc::format!("... ({left_out} more bytes)").as_bytes());
        kept.push(&cut);
    }
    if argv.len() > shown {
        kept.push(alloc::format!("... ({} more arguments)", argv.len() - shown).as_bytes());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_fall_into_classes_of_powers_of_two() {
        let mut histogram = Histogram::default();
        [1, 2, 3, 4, 900].into_iter().for_each(|elapsed_us| histogram.add(elapsed_us, 1));
        assert_eq!(histogram.cumulative(), [(1, 1), (2, 2), (4, 4), (1024, 5)]);
        assert_eq!((histogram.percentile_us(50.0), histogram.percentile_us(99.9)), (4, 1024));
        assert_eq!(Histogram::default().percentile_us(50.0), 0);
    }

    #[test]
    fn long_commands_are_truncated_with_a_note() {
        let long = [b"SET".to_vec(), vec_of(200)].concat();
        let argv = Argv::from_slices(&[b"SET".to_vec(), long]);
        let kept = shortened(argv.as_ref(), Secrets::None);
        assert!(kept.as_ref().get(1).unwrap().ends_with(b"... (75 more bytes)"));
        let many = Argv::from_slices(&alloc::vec![b"x"; 40]);
        let kept = shortened(many.as_ref(), Secrets::None);
        assert_eq!((kept.len(), kept.as_ref().get(31)), (32, Some(&b"... (9 more arguments)"[..])));
    }

    #[test]
    fn passwords_are_not_kept() {
        let argv = Argv::from_slices(&["AUTH", "user", "secret"]);
        let kept = shortened(argv.as_ref(), Secrets::All);
        let words: Vec<&[u8]> = kept.as_ref().iter().collect();
        assert_eq!(words, [&b"AUTH"[..], b"(redacted)", b"(redacted)"]);
    }

    fn vec_of(len: usize) -> Vec<u8> {
        alloc::vec![b'x'; len]
    }
}
