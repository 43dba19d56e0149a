//! How long commands take. Reading a clock costs as much as a quick command, so quick commands are measured together
//! and share their time; others, and all of them when SLOWLOG asks for short ones, are measured alone.

use alloc::vec::Vec;

use crate::argv::ArgvRef;
use crate::client::ClientId;
use crate::clock::Clock;
use crate::command::{Request, flags};
use crate::keylatch::{Keylatch, Turn};

/// SLOWLOG thresholds below this have every command measured alone.
const ALONE_BELOW_US: i64 = 1000;
/// A request or a reply of so many bytes takes its time, whatever the command.
const LARGE_BYTES: usize = 64 * 1024;
/// So many different commands are counted between two readings.
const RUNS_MAX: usize = 16;

/// Measures the commands of streams and tells the engine.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Microseconds since some fixed instant; without it nothing is measured.
    watch: Option<fn() -> u64>,
    /// When the watch was last read.
    read_us: u64,
    /// What ran since then: numbers of commands, and how often each ran.
    runs: Vec<(u16, u32)>,
    all_alone: bool,
}

impl Meter {
    /// Measures with a watch that never goes back and shows microseconds.
    pub fn new(watch: fn() -> u64) -> Meter {
        Meter { watch: Some(watch), ..Meter::default() }
    }

    /// Runs one command that came alone and measures it, unless it is a quick one.
    pub fn execute_alone<C: Clock>(
        &mut self,
        keylatch: &mut Keylatch<C>,
        client: ClientId,
        argv: ArgvRef<'_>,
        out: &mut Vec<u8>,
    ) {
        let mut turn = keylatch.turn();
        let request = turn.request(argv);
        if is_quick(&request) && !(0..ALONE_BELOW_US).contains(&turn.slow_from_us()) {
            return turn.perform(client, request, out);
        }
        self.lap_us();
        turn.perform(client, request, out);
        if turn.ran().is_some() {
            let elapsed_us = self.lap_us();
            turn.took(client, argv, elapsed_us);
        }
    }

    pub(super) fn start<C: Clock>(&mut self, turn: &Turn<'_, C>) {
        self.all_alone = (0..ALONE_BELOW_US).contains(&turn.slow_from_us());
        self.lap_us();
    }

    /// Runs a command and measures it, alone or with its neighbours.
    pub(super) fn execute<C: Clock>(
        &mut self,
        turn: &mut Turn<'_, C>,
        client: ClientId,
        argv: ArgvRef<'_>,
        out: &mut Vec<u8>,
    ) {
        if self.watch.is_none() {
            return turn.execute(client, argv, out);
        }
        let before = out.len();
        if !self.all_alone
            && argv.bytes_len() < LARGE_BYTES
            && let Some(number) = turn.execute_plain(client, argv, out)
        {
            if out.len().saturating_sub(before) >= LARGE_BYTES {
                return self.tell(turn, client, argv);
            }
            return self.count(turn, number);
        }
        let request = turn.request(argv);
        let alone = self.all_alone || !is_quick(&request);
        if alone {
            self.stop(turn);
        }
        turn.perform(client, request, out);
        let Some(number) = turn.ran() else { return };
        if alone || out.len().saturating_sub(before) >= LARGE_BYTES {
            return self.tell(turn, client, argv);
        }
        self.count(turn, number);
    }

    /// Tells the time of a command that does not share it.
    fn tell<C: Clock>(&mut self, turn: &mut Turn<'_, C>, client: ClientId, argv: ArgvRef<'_>) {
        self.stop(turn);
        let elapsed_us = self.lap_us();
        turn.took(client, argv, elapsed_us);
    }

    /// Counts a command that shares the time with its neighbours.
    #[inline(always)]
    fn count<C: Clock>(&mut self, turn: &mut Turn<'_, C>, number: u16) {
        match self.runs.iter_mut().find(|(counted, _)| *counted == number) {
            Some((_, count)) => *count += 1,
            None => self.count_first(turn, number),
        }
    }

    fn count_first<C: Clock>(&mut self, turn: &mut Turn<'_, C>, number: u16) {
        if self.runs.len() >= RUNS_MAX {
            self.stop(turn);
        }
        self.runs.push((number, 1));
    }

    /// Shares the time since the last reading among the commands that ran.
    pub(super) fn stop<C: Clock>(&mut self, turn: &mut Turn<'_, C>) {
        if self.runs.is_empty() {
            return;
        }
        let elapsed_us = self.lap_us();
        let all: u64 = self.runs.iter().map(|(_, count)| u64::from(*count)).sum();
        for (number, count) in self.runs.drain(..) {
            turn.took_together(number, count, elapsed_us * u64::from(count) / all);
        }
    }

    /// The time since the last reading.
    fn lap_us(&mut self) -> u64 {
        let Some(watch) = self.watch else { return 0 };
        let last_us = core::mem::replace(&mut self.read_us, watch());
        self.read_us.saturating_sub(last_us)
    }
}

/// Whether the request takes so little that it need not be measured alone.
fn is_quick(Request { argv, command }: &Request<'_>) -> bool {
    command.is_some_and(|(_, row)| row.has(flags::FAST) || row.name == "set") && argv.bytes_len() < LARGE_BYTES
}
