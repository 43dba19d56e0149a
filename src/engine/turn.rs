//! [`Turn`]: requests that happen at one instant.

use alloc::vec::Vec;

use crate::base::argv::ArgvRef;
use crate::base::clock::Clock;
use crate::commands::Request;
use crate::engine::{Engine, StringRun};
use crate::resp::decode::StringRequest;
use crate::server::clients::{Client, ClientId};

/// Requests that arrived together. The clock is read at most once for all of them, and only when a reply can depend on it.
///
/// # Examples
/// ```
/// use keylatch::{Argv, Keylatch, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// let (client, mut out) = (db.connect(), Vec::new());
/// let mut turn = db.turn();
/// for words in [["SET", "k", "v"].as_slice(), &["GET", "k"]] {
///     turn.execute(client, Argv::from_slices(words).as_ref(), &mut out);
/// }
/// assert_eq!(out, b"+OK\r\n$1\r\nv\r\n");
/// ```
#[derive(Debug)]
pub struct Turn<'a, C> {
    engine: &'a mut Engine,
    clock: &'a mut C,
    has_time: bool,
}

impl<'a, C: Clock> Turn<'a, C> {
    pub(super) fn new(engine: &'a mut Engine, clock: &'a mut C) -> Turn<'a, C> {
        Turn { engine, clock, has_time: false }
    }

    /// Whether a script is suspended.
    pub(crate) fn is_suspended(&self) -> bool {
        self.engine.server.scripts.suspended.is_set()
    }

    /// Whether requests of a stream wait for a suspended script.
    pub(crate) fn must_wait(&mut self, client: ClientId) -> bool {
        self.engine.server.scripts.suspended.holds_back(client, &mut self.engine.clients)
    }

    /// Instructions of scripts so far.
    pub(crate) fn script_instructions(&self) -> u64 {
        self.engine.server.scripts.evaluation.instructions_run()
    }

    /// Number of effects of requests so far.
    pub(crate) fn effects(&self) -> u64 {
        self.engine.keyspace.effects.counts().requested
    }

    /// Runs one request of a client, like [`Keylatch::execute`](crate::Keylatch::execute).
    pub fn execute(&mut self, client: ClientId, argv: ArgvRef<'_>, out: &mut Vec<u8>) {
        let request = self.request(argv);
        self.perform(client, request, out);
    }

    /// Resolves the command of a request, for [`Turn::perform`].
    pub(crate) fn request<'r>(&self, argv: ArgvRef<'r>) -> Request<'r> {
        self.engine.request(argv)
    }

    /// Runs a request after its command was resolved.
    pub(crate) fn perform(&mut self, client: ClientId, request: Request<'_>, out: &mut Vec<u8>) {
        let mut gates = self.engine.gates_for(client);
        if !self.has_time && self.engine.needs_time(gates, &request) {
            self.read_clock();
            gates = self.engine.gates_for(client);
        }
        self.engine.execute(client, request, gates, out);
    }

    /// Runs GET and SET at the beginning of a stream, at most `most` of them, until the output has `stop_at` bytes.
    #[inline(always)]
    pub(crate) fn run_strings(
        &mut self,
        client: ClientId,
        requests: &[u8],
        most: u32,
        stop_at: usize,
        out: &mut Vec<u8>,
    ) -> StringRun {
        if StringRequest::read(requests).is_none() {
            return StringRun::default();
        }
        if !self.has_time && self.engine.is_timed() {
            self.read_clock();
        }
        self.engine.run_strings(client, requests, most, stop_at, out)
    }

    fn read_clock(&mut self) {
        let now = self.clock.now();
        self.engine.set_now(now);
        self.has_time = true;
    }

    pub(crate) fn client(&self, client: ClientId) -> Option<&Client> {
        self.engine.clients.get(client)
    }

    pub(crate) fn client_mut(&mut self, client: ClientId) -> Option<&mut Client> {
        self.engine.clients.get_mut(client)
    }

    /// Number of the command that the last request ran; `None` if it was refused or queued.
    pub(crate) fn ran(&self) -> Option<u16> {
        self.engine.ran()
    }

    /// Smallest duration of a command in SLOWLOG, in microseconds; negative: SLOWLOG is off.
    pub(crate) fn slow_from_us(&self) -> i64 {
        self.engine.server.settings.slowlog_slower_than_us
    }

    /// Whether the threshold of SLOWLOG is so low that each command is measured alone.
    pub(crate) fn measures_each(&self) -> bool {
        self.engine.server.settings.measures_each()
    }

    /// Records the duration of the last command.
    pub(crate) fn took(&mut self, client: ClientId, argv: ArgvRef<'_>, elapsed_us: u64) {
        self.engine.took(client, argv, elapsed_us);
    }

    /// Records the duration of quick commands that were measured together; none of them is in SLOWLOG.
    pub(crate) fn took_together(&mut self, number: u16, count: u32, elapsed_us: u64) {
        self.engine.server.stats.took(number, count, elapsed_us);
    }
}
