//! [`Keylatch`]: an engine with a clock. This is the Rust API for whole commands; typed operations are on
//! [`Keyspace`](crate::Keyspace).

use alloc::string::String;
use alloc::vec::Vec;

use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::{Clock, Timestamp};
use crate::base::headroom;
use crate::commands::Request;
use crate::engine::persistence::{LoadError, Replayed, rdb};
use crate::engine::{Engine, Gates, Status, StringRun};
use crate::keyspace::{Error, Event, EventKind, Inspection, Keyspace};
use crate::resp::decode::{Limits, StringRequest};
use crate::resp::encode::Protocol;
use crate::server::clients::{Client, ClientId};

/// How an engine begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Decides the order of SCAN and what RANDOMKEY answers. Same seed, clock and input: same replies.
    pub seed: u64,
}

/// A keyspace, its clients and a clock. Cloning it forks everything, clients included.
#[derive(Clone, Debug)]
pub struct Keylatch<C> {
    engine: Engine,
    clock: C,
}

impl<C: Clock> Keylatch<C> {
    /// An empty engine without clients.
    pub fn new(options: Options, clock: C) -> Keylatch<C> {
        Keylatch { engine: Engine::new(options.seed), clock }
    }

    pub fn connect(&mut self) -> ClientId {
        self.engine.connect()
    }

    /// Whether there is memory for another client: for a host that must not run out of it. The client itself is small, what
    /// grows with their number is asked for.
    pub fn has_room_for_client(&self) -> bool {
        let bytes = self.engine.clients.len().saturating_add(1).saturating_mul(headroom::CLIENT_BYTES);
        headroom::ensure(bytes).and_then(|()| headroom::ensure_reserve()).is_ok()
    }

    /// Forgets a client: what it queued, watched and had not read yet.
    pub fn disconnect(&mut self, client: ClientId) {
        self.engine.disconnect(client);
    }

    pub fn client(&self, client: ClientId) -> Option<&Client> {
        self.engine.clients.get(client)
    }

    fn client_mut(&mut self, client: ClientId) -> Option<&mut Client> {
        self.engine.clients.get_mut(client)
    }

    pub fn set_protocol(&mut self, client: ClientId, protocol: Protocol) {
        if let Some(client) = self.client_mut(client) {
            client.protocol = protocol;
        }
    }

    /// Runs one request of a client and appends the reply to `out` in the client's protocol. An empty request and a
    /// client that is gone get no reply. The clock is asked only when the answer can matter.
    pub fn execute(&mut self, client: ClientId, argv: ArgvRef<'_>, out: &mut Vec<u8>) {
        self.turn().execute(client, argv, out);
    }

    /// The number of the command that the last request ran, unless it was refused or queued.
    pub(crate) fn ran(&self) -> Option<u16> {
        self.engine.ran()
    }

    /// From how many microseconds on a command is remembered as slow; negative: never.
    pub(crate) fn slow_from_us(&self) -> i64 {
        self.engine.server.settings.slowlog_slower_than_us
    }

    /// Whether SLOWLOG asks for commands so short that each has to be measured.
    pub(crate) fn measures_each(&self) -> bool {
        self.engine.server.settings.measures_each()
    }

    /// Begins a turn: requests that arrived together happen at one instant.
    pub fn turn(&mut self) -> Turn<'_, C> {
        Turn { keylatch: self, knows_time: false }
    }

    /// Whether [`Keylatch::execute`] would ask the clock for this request. A host whose clock may fail asks it first.
    pub fn needs_time(&mut self, client: ClientId, argv: ArgvRef<'_>) -> bool {
        let gates = self.engine.gates_for(client);
        self.engine.needs_time(gates, &self.engine.request(argv))
    }

    /// What stands between a client and its handlers now.
    #[cfg_attr(not(feature = "wasm"), allow(dead_code))] // As `execute_request`.
    #[inline(always)]
    pub(crate) fn gates_for(&mut self, client: ClientId) -> Gates {
        self.engine.gates_for(client)
    }

    /// As [`Keylatch::needs_time`].
    #[cfg_attr(not(feature = "wasm"), allow(dead_code))] // As `execute_request`.
    #[inline(always)]
    pub(crate) fn request_needs_time(&self, gates: Gates, request: &Request<'_>) -> bool {
        self.engine.needs_time(gates, request)
    }

    /// The request of a row by its number, or of its name where there is no such row.
    #[cfg_attr(not(feature = "wasm"), allow(dead_code))] // As `execute_request`.
    #[inline(always)]
    pub(crate) fn request_of<'a>(&self, row: u32, argv: ArgvRef<'a>) -> Request<'a> {
        self.engine.request_of(row, argv)
    }

    /// Moves to the instant that the clock shows.
    pub(crate) fn follow_clock(&mut self) {
        self.engine.set_now(self.clock.now());
    }

    /// Runs a request past its client's gates, at the instant the engine last heard of.
    #[cfg_attr(not(feature = "wasm"), allow(dead_code))] // Only that face asks for gates and runs apart.
    #[inline(always)]
    pub(crate) fn execute_request(&mut self, client: ClientId, request: Request<'_>, gates: Gates, out: &mut Vec<u8>) {
        self.engine.execute(client, request, gates, out);
    }

    /// What is left to do for a host after a call.
    pub fn status(&self) -> Status {
        self.engine.status()
    }

    /// As [`Keylatch::next_deadline`]; from now on [`Keylatch::status`] says when something is due earlier than this.
    pub fn report_deadline(&mut self) -> Option<Timestamp> {
        self.engine.report_deadline()
    }

    /// Tells how long the last command of a client took, for SLOWLOG, LATENCY and INFO: the engine measures nothing.
    pub fn took(&mut self, client: ClientId, argv: ArgvRef<'_>, elapsed_us: u64) {
        self.engine.took(client, argv, elapsed_us);
    }

    /// Spares a client the password.
    pub fn trust(&mut self, client: ClientId) {
        if let Some(client) = self.client_mut(client) {
            client.authenticated = true;
        }
    }

    /// A client comes over a stream, at this instant, with its addresses as CLIENT LIST shows them.
    pub fn accept(&mut self, address: &str, local_address: &str) -> ClientId {
        self.tick();
        let client = self.connect();
        self.set_addresses(client, address, local_address);
        client
    }

    /// Clients whose outbox was filled, whose waiting is over or whose connection should be closed since the last call,
    /// each once: a host feeds the stream of each an empty chunk.
    pub fn take_affected(&mut self) -> Vec<ClientId> {
        self.engine.clients.take_affected()
    }

    /// Whether the configuration changed since the last call.
    pub fn take_configured(&mut self) -> bool {
        core::mem::take(&mut self.engine.server.configured)
    }

    /// The value of a configuration parameter as text; empty for an unknown one.
    pub fn parameter(&self, name: &str) -> &str {
        self.engine.server.config.get(name)
    }

    /// Sets a parameter as a configuration file would, also those that are fixed while a server runs. The error is the
    /// reason in Redis' words.
    pub fn configure(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.engine.configure(name, value)
    }

    /// The limits for what clients send.
    pub fn limits(&self) -> Limits {
        self.engine.server.settings.limits
    }

    /// Where a client is connected from and to, as CLIENT LIST shows it.
    pub fn set_addresses(&mut self, client: ClientId, address: &str, local_address: &str) {
        if let Some(client) = self.client_mut(client) {
            client.address = address.into();
            client.local_address = local_address.into();
        }
    }

    /// Removes keys that are due now, a bounded number of them.
    pub fn tick(&mut self) {
        self.follow_clock();
        self.engine.tick();
    }

    /// The first instant at which something is due. A host that sleeps until then and calls [`Keylatch::tick`] finds
    /// it due.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.engine.next_deadline()
    }

    /// Starts or stops the queue of events.
    pub fn listen(&mut self, on: bool) {
        self.engine.keyspace.events.want(on);
    }

    /// As [`Keylatch::listen`], for these kinds only: others are not built. None of them ends it.
    pub fn listen_to(&mut self, kinds: impl Iterator<Item = EventKind>) {
        self.engine.keyspace.events.want_kinds(kinds);
    }

    /// The events since the last call, in commit order.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.engine.keyspace.events.take()
    }

    /// Starts or stops the log of effects.
    pub fn record(&mut self, on: bool) {
        self.engine.keyspace.effects.want(on);
    }

    /// The effects since the last call as a piece of append-only file, empty when nothing changed. Pieces joined in
    /// order are a log.
    pub fn take_effects(&mut self) -> Vec<u8> {
        self.engine.keyspace.effects.take(self.engine.now())
    }

    /// Applies a log, or a piece of one, to this keyspace, deadlines and all, without expiring anything on the way: that
    /// is left to the next command or tick. A torn unit at the end is dropped whole; cut `dropped_bytes` off before
    /// anything is written behind it. Nothing of this is an event or an effect again.
    ///
    /// [`Keylatch::now`] is the last instant of the log then, if that is later: the floor of a monotonic clock.
    pub fn replay(&mut self, log: &[u8]) -> Result<Replayed, LoadError> {
        self.engine.replay(log)
    }

    /// The whole keyspace as an RDB file (version 10) that Redis 7.0 and newer load; the only error is a shortage of
    /// memory. Clients and what waits to be taken are not in it.
    pub fn snapshot(&self) -> Result<Vec<u8>, Error> {
        Ok(rdb::save(&self.engine.keyspace, self.engine.now())?)
    }

    /// Replaces the keyspace and its seed by those of a snapshot; on an error it is as before. Clients stay connected,
    /// watched keys count as changed, nothing expires before the next command or tick. While effects are recorded, the
    /// load is one: FLUSHALL, and every key anew.
    pub fn load(&mut self, snapshot: &[u8]) -> Result<(), LoadError> {
        self.engine.load(snapshot)
    }

    /// What belongs to this engine beside its keys, for [`Keylatch::import_state`] of another: numbers and settings of its
    /// clients, and the configuration. The error says which client's state cannot go on elsewhere.
    pub fn export_state(&self) -> Result<Argv, &'static str> {
        self.engine.export_state()
    }

    /// Takes over what belonged to another engine, whose snapshot was loaded.
    pub fn import_state(&mut self, export_state: ArgvRef<'_>) {
        self.engine.mark_stale();
        self.engine.import_state(export_state);
    }

    /// Equal for equal keyspaces, whatever their histories.
    pub fn digest(&self) -> u64 {
        self.engine.keyspace.digest()
    }

    /// Pushes and late replies for a client, whole messages in order.
    pub fn take_outbox(&mut self, client: ClientId) -> Vec<u8> {
        self.client_mut(client).map(|client| core::mem::take(&mut client.outbox)).unwrap_or_default()
    }

    /// From now on, notes where among the events each message for a client belongs.
    pub fn note_positions(&mut self, client: ClientId) {
        if let Some(client) = self.client_mut(client) {
            client.positions.get_or_insert_default();
        }
    }

    /// For each message of what [`Keylatch::take_outbox`] answers next: how many of the events that
    /// [`Keylatch::take_events`] answers next came before it.
    pub fn take_positions(&mut self, client: ClientId) -> Vec<u32> {
        let positions = self.client_mut(client).and_then(|client| client.positions.as_mut());
        positions.map(core::mem::take).unwrap_or_default()
    }

    /// A page of a database for showing: at least `limit` keys from `cursor` on while there are as many. The only error
    /// is a shortage of memory.
    pub fn inspect(&self, database: u8, cursor: u64, limit: usize) -> Result<Inspection, Error> {
        self.engine.keyspace.inspect(database, cursor, limit)
    }

    /// The typed operations, at this instant.
    pub fn keyspace(&mut self) -> &mut Keyspace {
        self.engine.mark_stale();
        &mut self.engine.keyspace
    }

    pub fn clock_mut(&mut self) -> &mut C {
        &mut self.clock
    }

    /// The instant the engine last heard of.
    pub fn now(&self) -> Timestamp {
        self.engine.now()
    }
}

/// Requests that arrived together: the clock is asked at most once for all of them, and only when it can matter.
#[derive(Debug)]
pub struct Turn<'a, C> {
    keylatch: &'a mut Keylatch<C>,
    knows_time: bool,
}

impl<C: Clock> Turn<'_, C> {
    /// As [`Keylatch::execute`].
    pub fn execute(&mut self, client: ClientId, argv: ArgvRef<'_>, out: &mut Vec<u8>) {
        let request = self.request(argv);
        self.perform(client, request, out);
    }

    /// Looks up what a request means, for [`Turn::perform`].
    pub(crate) fn request<'r>(&self, argv: ArgvRef<'r>) -> Request<'r> {
        self.keylatch.engine.request(argv)
    }

    /// As [`Turn::execute`].
    pub(crate) fn perform(&mut self, client: ClientId, request: Request<'_>, out: &mut Vec<u8>) {
        let mut gates = self.keylatch.engine.gates_for(client);
        if !self.knows_time && self.keylatch.engine.needs_time(gates, &request) {
            self.learn_time();
            gates = self.keylatch.engine.gates_for(client);
        }
        self.keylatch.engine.execute(client, request, gates, out);
    }

    /// Runs GET and SET at the beginning of a stream, at most so many, until the output reaches a length.
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
        if !self.knows_time && self.keylatch.engine.is_timed() {
            self.learn_time();
        }
        self.keylatch.engine.run_strings(client, requests, most, stop_at, out)
    }

    fn learn_time(&mut self) {
        let now = self.keylatch.clock.now();
        self.keylatch.engine.set_now(now);
        self.knows_time = true;
    }

    pub fn client(&self, client: ClientId) -> Option<&Client> {
        self.keylatch.client(client)
    }

    pub(crate) fn client_mut(&mut self, client: ClientId) -> Option<&mut Client> {
        self.keylatch.client_mut(client)
    }

    /// The number of the command that the last request ran, unless it was refused or queued.
    pub(crate) fn ran(&self) -> Option<u16> {
        self.keylatch.engine.ran()
    }

    /// As [`Keylatch::slow_from_us`].
    pub(crate) fn slow_from_us(&self) -> i64 {
        self.keylatch.slow_from_us()
    }

    /// As [`Keylatch::measures_each`].
    pub(crate) fn measures_each(&self) -> bool {
        self.keylatch.measures_each()
    }

    /// As [`Keylatch::took`].
    pub(crate) fn took(&mut self, client: ClientId, argv: ArgvRef<'_>, elapsed_us: u64) {
        self.keylatch.took(client, argv, elapsed_us);
    }

    /// As [`Keylatch::took`], for quick commands that were measured together and are in no SLOWLOG.
    pub(crate) fn took_together(&mut self, number: u16, count: u32, elapsed_us: u64) {
        self.keylatch.engine.server.stats.took(number, count, elapsed_us);
    }
}
