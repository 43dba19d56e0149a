//! How long commands take. Reading a clock costs a quarter of a quick command, so a few quick commands are measured
//! together and share their time. Quick is what is bound to be: small in request and reply, and constant in time. All
//! others are measured alone, so that SLOWLOG shows each as itself; and so is everything while SLOWLOG asks for short
//! ones, and for a while after quick commands took as long as SLOWLOG asks for.

use alloc::vec::Vec;

use crate::base::argv::ArgvRef;
use crate::base::clock::Clock;
use crate::commands::{Request, flags};
use crate::engine::keylatch::{Keylatch, Turn};
use crate::server::clients::ClientId;

/// A request of so many bytes takes its time, whatever the command.
const LARGE_REQUEST_BYTES: usize = 4 * 1024;
/// So does one with a reply of so many, which is known afterwards only.
const LARGE_REPLY_BYTES: usize = 16 * 1024;
/// So many quick commands are measured together: few enough that they stay far below what SLOWLOG may ask for without
/// each being measured.
const TOGETHER_MAX: u32 = 128;
/// So many commands are measured alone once quick ones were slow.
const SUSPECTED: u32 = 4096;

/// Measures the commands of streams and tells the engine.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Microseconds since some fixed instant; without it nothing is measured.
    watch: Option<fn() -> u64>,
    /// When the watch was last read.
    read_us: u64,
    /// What ran since then: numbers of commands, and how often each ran.
    runs: Vec<(u16, u32)>,
    /// How many commands these are.
    together: u32,
    all_alone: bool,
    /// How many more commands are measured alone because quick ones were slow.
    suspected: u32,
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
        let request = keylatch.turn().request(argv);
        let is_measured = self.start_alone(keylatch, &request);
        keylatch.turn().perform(client, request, out);
        if is_measured {
            self.stop_alone(keylatch, client, request);
        }
    }

    /// Begins to measure a command that came alone; false for a quick one, which is not measured.
    #[inline(always)]
    pub(crate) fn start_alone<C: Clock>(&mut self, keylatch: &Keylatch<C>, request: &Request<'_>) -> bool {
        let is_measured = !is_quick(request) || keylatch.measures_each();
        if is_measured {
            self.lap_us();
        }
        is_measured
    }

    /// Tells how long the command took that came alone, if it ran.
    pub(crate) fn stop_alone<C: Clock>(&mut self, keylatch: &mut Keylatch<C>, client: ClientId, request: Request<'_>) {
        if keylatch.ran().is_some() {
            let elapsed_us = self.lap_us();
            keylatch.took(client, request.argv, elapsed_us);
        }
    }

    pub(super) fn start<C: Clock>(&mut self, turn: &Turn<'_, C>) {
        self.obey(turn);
        self.lap_us();
    }

    /// Looks at the settings, which any command that is measured alone may have changed.
    fn obey<C: Clock>(&mut self, turn: &Turn<'_, C>) {
        self.all_alone = self.suspected > 0 || turn.measures_each();
    }

    /// Runs GET and SET at the beginning of a stream and measures them together; the length of what ran.
    pub(super) fn run_strings<C: Clock>(
        &mut self,
        turn: &mut Turn<'_, C>,
        client: ClientId,
        requests: &[u8],
        stop_at: usize,
        out: &mut Vec<u8>,
    ) -> usize {
        if self.all_alone {
            return 0;
        }
        let run = turn.run_strings(client, requests, TOGETHER_MAX - self.together, stop_at, out);
        if self.watch.is_some() {
            for (number, times) in run.counts.into_iter().filter(|(_, times)| *times > 0) {
                self.count(turn, number, times);
            }
        }
        run.bytes
    }

    /// Runs a command and measures it, alone or with its neighbours.
    pub(super) fn execute<C: Clock>(
        &mut self,
        turn: &mut Turn<'_, C>,
        client: ClientId,
        argv: ArgvRef<'_>,
        out: &mut Vec<u8>,
    ) {
        let request = turn.request(argv);
        if self.watch.is_none() {
            return turn.perform(client, request, out);
        }
        let before = out.len();
        let alone = self.all_alone || !is_quick(&request);
        if alone {
            self.stop(turn);
        }
        turn.perform(client, request, out);
        if let Some(number) = turn.ran() {
            match alone || out.len().saturating_sub(before) >= LARGE_REPLY_BYTES {
                true => self.report(turn, client, argv),
                false => self.count(turn, number, 1),
            }
        }
    }

    /// Tells the time of a command that does not share it. Quick ones before a large reply took nothing beside it.
    fn report<C: Clock>(&mut self, turn: &mut Turn<'_, C>, client: ClientId, argv: ArgvRef<'_>) {
        let elapsed_us = self.lap_us();
        turn.took(client, argv, elapsed_us);
        self.share(turn, 0);
        self.suspected = self.suspected.saturating_sub(1);
        self.obey(turn);
    }

    /// Counts a command that ran so many times and shares the time with its neighbours.
    fn count<C: Clock>(&mut self, turn: &mut Turn<'_, C>, number: u16, times: u32) {
        self.together += times;
        match self.runs.iter_mut().find(|(counted, _)| *counted == number) {
            Some((_, count)) => *count += times,
            None => self.runs.push((number, times)),
        }
        if self.together >= TOGETHER_MAX {
            self.stop(turn);
        }
    }

    /// Ends what is measured together.
    pub(super) fn stop<C: Clock>(&mut self, turn: &mut Turn<'_, C>) {
        if self.runs.is_empty() {
            return;
        }
        let elapsed_us = self.lap_us();
        self.share(turn, elapsed_us);
        if u64::try_from(turn.slow_from_us()).is_ok_and(|slow_us| elapsed_us >= slow_us) {
            self.suspected = SUSPECTED;
            self.obey(turn);
        }
    }

    /// Shares a time among the commands that were measured together.
    fn share<C: Clock>(&mut self, turn: &mut Turn<'_, C>, elapsed_us: u64) {
        let all = core::mem::take(&mut self.together);
        for (number, count) in self.runs.drain(..) {
            turn.took_together(number, count, elapsed_us * u64::from(count) / u64::from(all));
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
#[inline(always)]
fn is_quick(Request { argv, command }: &Request<'_>) -> bool {
    argv.bytes_len() < LARGE_REQUEST_BYTES
        && command.is_some_and(|(_, row)| row.flags & (flags::FAST | flags::LONG) == flags::FAST || row.name == "set")
}
