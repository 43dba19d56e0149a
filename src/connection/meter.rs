//! Durations of commands. Reading a clock costs a quarter of a quick command, so quick commands are measured together and
//! share their time.
//!
//! A command is quick if it takes constant time and its request and reply are small. All others are measured alone, so that
//! SLOWLOG shows each with its own time. So are all commands while the threshold of SLOWLOG is low, and for a while after
//! quick commands took as long as the threshold.

use alloc::vec::Vec;

use crate::base::argv::ArgvRef;
use crate::base::clock::Clock;
use crate::commands::{Request, flags};
use crate::engine::Turn;
use crate::engine::keylatch::Keylatch;
use crate::server::clients::ClientId;

/// Bytes of a request from which on its command is not quick.
const LARGE_REQUEST_BYTES: usize = 4 * 1024;
/// Bytes of a reply from which on its command was not quick.
const LARGE_REPLY_BYTES: usize = 16 * 1024;
/// The most quick commands measured together: few enough that together they stay far below the thresholds of SLOWLOG for
/// which commands are not measured alone.
const TOGETHER_MAX: u32 = 128;
/// Number of commands measured alone after quick ones were slow.
const SUSPECTED: u32 = 4096;

/// Stopwatch for the commands of streams, which reports their durations to the engine.
///
/// # Examples
/// ```
/// use keylatch::{Connection, Keylatch, ManualClock, Meter, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// let mut connection = Connection::new(db.connect(), db.limits());
/// let (mut meter, mut out) = (Meter::new(|| 0), Vec::new());
/// connection.feed_measured(&mut db, b"PING\r\n", &mut meter, &mut out);
/// assert_eq!(out, b"+PONG\r\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Microseconds since some fixed instant; without it nothing is measured.
    watch: Option<fn() -> u64>,
    /// Instant at which the watch was last read.
    read_us: u64,
    /// Commands run since then: number in the table, and how often.
    runs: Vec<(u16, u32)>,
    /// Number of these commands.
    together: u32,
    all_alone: bool,
    /// Commands still to be measured alone because quick ones were slow.
    suspected: u32,
}

impl Meter {
    /// Makes a stopwatch from a function that returns microseconds since a fixed instant and never steps back.
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

    /// Starts to measure a command that came alone; false for a quick one, which is not measured.
    #[inline(always)]
    pub(crate) fn start_alone<C: Clock>(&mut self, keylatch: &Keylatch<C>, request: &Request<'_>) -> bool {
        let is_measured = !is_quick(request) || keylatch.measures_each();
        if is_measured {
            self.lap_us();
        }
        is_measured
    }

    /// Reports the duration of a command that came alone, if it ran.
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
        && command.is_some_and(|(_, row)| {
            row.flags & (flags::FAST | flags::LONG) == flags::FAST || row.has(flags::SHORT_WITHOUT_OPTIONS)
        })
}
