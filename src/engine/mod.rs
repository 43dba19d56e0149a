//! The engine: keyspace, clients and commands. A request with the time returns its reply; events, effects and messages
//! are queued for the host.

mod after_command;
mod blocked;
mod blocked_clients;
#[cfg(any(feature = "wasm", feature = "internals"))]
pub(crate) mod convention;
mod dispatch;
pub(crate) mod fact_queue;
mod gates;
mod handler;
mod host;
mod host_store;
mod inspect;
pub(crate) mod keylatch;
mod loading;
mod migrate;
mod pause;
pub(crate) mod persistence;
mod saves;
pub(crate) mod script_control;
mod status;
mod string_run;
pub(crate) mod suspended;
mod turn;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use self::blocked_clients::BlockedClients;
pub(crate) use self::gates::Gates;
pub use self::inspect::InspectedPart;
pub use self::status::Status;
pub(crate) use self::string_run::StringRun;
pub use self::turn::Turn;
use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::headroom::{ensure, ensure_reserve, try_reserve};
use crate::commands::{CommandTable, Request, flags};
use crate::keyspace::Keyspace;
use crate::resp::encode::Writer;
use crate::server::Server;
use crate::server::clients::{ClientId, Clients};
use crate::server::stats::Stats;

/// Bytes reserved for an error reply before a command runs.
pub const ERROR_BYTES: usize = 512;

/// State of an engine: everything but the clock.
#[derive(Clone, Debug)]
pub struct Engine {
    pub keyspace: Keyspace,
    pub clients: Clients,
    pub server: Server,
    table: CommandTable,
    blocked: BlockedClients,
    /// Latest instant given by the host.
    now: Timestamp,
    /// Gates of the engine, as computed last.
    gates: Gates,
    /// First instant at which something is due, as computed last.
    due_at: Timestamp,
    /// Deadline that was last reported to the host, if it is to be notified of an earlier one.
    reported_deadline: Option<Timestamp>,
    /// Row number of the last command, unless it was refused or queued. Its duration is recorded by [`Engine::took`].
    ran: Option<u16>,
    /// Charges after which scripts of streams are suspended; 0: never.
    slice: u64,
    /// Whether the present requests come from a stream.
    is_streaming: bool,
}

impl Engine {
    pub fn new(seed: u64) -> Engine {
        let table = CommandTable::default();
        let server = Server { stats: Stats::new(table.len()), ..Server::default() };
        Engine {
            keyspace: Keyspace::new(seed),
            clients: Clients::default(),
            server,
            table,
            blocked: BlockedClients::default(),
            now: Timestamp::MIN,
            gates: Gates::STALE,
            due_at: Timestamp::MAX,
            reported_deadline: None,
            ran: None,
            slice: 0,
            is_streaming: false,
        }
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether a request needs the time: its command does, a key has a deadline, or other clients' commands may run
    /// with it.
    #[inline(always)]
    pub(crate) fn needs_time(&self, gates: Gates, request: &Request<'_>) -> bool {
        // An unblocked client may have sent any command after its blocked one. Monitors receive the time of each
        // command.
        gates.has(Gates::TIMED)
            || request.may_need_time()
            || self.is_timed()
            || !self.blocked.is_empty()
            || gates.has(Gates::OVER_LIMIT) && self.keyspace.has_evictions_due()
    }

    /// Whether every command needs the time: something has a deadline, or the policy ranks keys by their uses.
    #[inline(always)]
    pub fn is_timed(&self) -> bool {
        self.due_at != Timestamp::MAX || self.keyspace.ranks_uses()
    }

    /// Looks up the row of a request.
    pub fn request<'a>(&self, argv: ArgvRef<'a>) -> Request<'a> {
        Request::new(&self.table, argv)
    }

    /// Builds the request of a row number. If there is no such row, the row is looked up by name.
    #[cfg(feature = "wasm")]
    #[inline(always)]
    pub fn request_of<'a>(&self, row: u32, argv: ArgvRef<'a>) -> Request<'a> {
        match self.table.numbered(row) {
            Some(command) if command.1.subcommands.is_empty() => Request { argv, command: Some(command) },
            _ => self.request(argv),
        }
    }

    /// Row number of the last command, for [`Engine::took`].
    pub fn ran(&self) -> Option<u16> {
        self.ran
    }

    /// Sets a parameter; see [`crate::Keylatch::configure`].
    pub fn configure(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.mark_stale();
        let change = self.server.config.check(name, value)?;
        self.server.configure(vec![change], &mut self.keyspace);
        Ok(())
    }

    /// Sets the present instant. A step back is accepted, and reported by the event `clock`.
    pub fn set_now(&mut self, now: Timestamp) {
        if self.server.started_at.is_none() {
            self.start(now);
        }
        // Time stands still for a suspended script.
        if self.server.scripts.suspended.is_set() {
            return;
        }
        if now < self.now {
            self.keyspace.events.clock_stepped_back();
            self.mark_stale();
        }
        self.now = now;
    }

    /// Records the first known instant, also for clients that are connected already.
    fn start(&mut self, now: Timestamp) {
        self.server.started_at = Some(now);
        self.server.saving.saved_at = now;
        for client in self.clients.iter_mut() {
            client.connected_at = now;
            client.last_command_at = now;
        }
    }

    /// Runs one request through the gates of its client and appends the reply to `out`. A disconnected client has no
    /// reply; a blocked one receives it later, in its outbox.
    #[inline(never)]
    pub(crate) fn execute(&mut self, id: ClientId, request: Request<'_>, mut gates: Gates, out: &mut Vec<u8>) {
        self.ran = None;
        if !gates.is_open() {
            match self.before(id, &request, gates) {
                Some(left) => gates = left,
                None => return,
            }
        }
        self.run(id, request, gates, out);
        // A suspended script has not reached the end of its command.
        if self.server.scripts.suspended.is_set() {
            return;
        }
        // With open gates, a command that only reads changes no state of gates except the table of tracked keys. A script
        // that only reads is kept.
        let only_reads =
            request.command.is_some_and(|(_, row)| row.has(flags::READONLY) && !row.has(flags::RUNS_SCRIPT));
        if only_reads && gates.is_open() && self.keyspace.interest.tracking.is_idle() {
            return;
        }
        if self.is_pending() || self.server.is_pause_over(self.now) {
            self.after_command();
        }
        self.refresh_gates();
    }

    /// Runs one request at the present instant.
    #[cfg(test)]
    pub(crate) fn execute_now(&mut self, id: ClientId, argv: ArgvRef<'_>, out: &mut Vec<u8>) {
        let gates = self.gates_for(id);
        self.execute(id, self.request(argv), gates, out);
    }

    /// Does the work that precedes any command; returns the gates that are still closed. `None`: the request does not
    /// run now.
    #[cold]
    fn before(&mut self, id: ClientId, request: &Request<'_>, gates: Gates) -> Option<Gates> {
        if request.argv.is_empty() || gates.has(Gates::CLOSING) {
            return None;
        }
        if gates.has(Gates::BLOCKED) {
            self.queue_behind(id, request.argv);
            return None;
        }
        if !gates.has(Gates::TICK) || gates.has(Gates::BUSY) {
            return Some(gates);
        }
        self.tick();
        let left = self.gates_for(id);
        // A client disconnected meanwhile has no reply; one that is to be closed still receives it.
        self.clients.get(id).is_some().then_some(left)
    }

    /// Queues a request of a blocked client.
    #[cold]
    fn queue_behind(&mut self, id: ClientId, argv: ArgvRef<'_>) {
        let Some(client) = self.clients.get_mut(id) else { return };
        // An error reply would precede the reply of the blocked command, so the client is disconnected instead.
        let room = ensure(argv.copy_len().saturating_mul(2)).and_then(|()| ensure_reserve());
        if room.is_err() || client.waiting.try_reserve(1).is_err() {
            return self.clients.close(id);
        }
        client.waiting.push_back(argv.to_owned());
    }

    /// Removes due keys, frees garbage, evicts, and times out blocked clients: a bounded amount of work.
    pub fn tick(&mut self) {
        if self.server.scripts.suspended.is_set() {
            return;
        }
        self.keyspace.sweep(self.now);
        self.keyspace.free_garbage();
        if self.keyspace.has_evictions_due() {
            evict(self, false);
        }
        self.time_out_due();
        self.after_command();
        self.refresh_gates();
    }

    /// Dispatches a request and ends its unit of effects. `gates` are those that are still closed.
    fn run(&mut self, id: ClientId, request: Request<'_>, gates: Gates, out: &mut Vec<u8>) {
        let Some(protocol) = self.clients.get(id).map(|client| client.protocol) else { return };
        let start = out.len();
        if try_reserve(out, ERROR_BYTES).is_err() {
            // There is no memory even for an error reply.
            return self.clients.close(id);
        }
        let mut reply = Writer::appending_to(core::mem::take(out), protocol);
        self.keyspace.set_author(id);
        if let Some((number, suspended)) = self.dispatch(id, request, gates, &mut reply) {
            *out = self.server.scripts.suspended.keep(number, suspended, reply, start);
            self.refresh_gates();
            return;
        }
        let row = request.command.map(|(_, row)| row);
        // A transaction may have started tracking.
        if !self.keyspace.interest.tracking.is_idle() {
            self.end_tracking(id, row);
        }
        if !gates.has(Gates::BUSY) {
            self.keyspace.effects.end_unit();
        }
        if reply.take_failure() {
            self.clients.close(id);
        }
        *out = reply.into_bytes();
        // A command on keys changes no reply mode.
        if gates.has(Gates::REPLY_MODE) || row.is_none_or(|row| row.flags & (flags::READONLY | flags::WRITE) == 0) {
            self.apply_reply_mode(id, start, out);
        }
    }

    /// First instant at which the host must call [`Engine::tick`]: one millisecond after the first deadline of a key,
    /// or the timeout of a blocked client. The present instant if work is left over: ready keys, invalidations,
    /// evictions or garbage. Due keys that could not be removed for lack of memory are retried a little later. Nothing is due
    /// while a script is suspended.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        if self.server.scripts.suspended.is_set() {
            return None;
        }
        if self.keyspace.interest.has_ready()
            || self.keyspace.interest.tracking.has_pending()
            || self.keyspace.has_evictions_due()
            || self.keyspace.has_garbage()
        {
            return Some(self.now);
        }
        let due = self.keyspace.next_sweep().into_iter().chain(self.blocked.first_deadline()).min()?;
        Some(due.max(self.now))
    }

    /// Connects a client at the present instant. If a password is set, the client must authenticate.
    pub fn connect(&mut self) -> ClientId {
        let id = self.clients.connect();
        self.server.stats.connections_received += 1;
        if let Some(client) = self.clients.get_mut(id) {
            client.connected_at = self.now;
            client.last_command_at = self.now;
            client.authenticated = !self.server.settings.password_required;
        }
        id
    }

    pub fn disconnect(&mut self, client: ClientId) {
        if self.server.scripts.suspended.note_disconnected(client) {
            return;
        }
        self.mark_stale();
        self.keyspace.interest.unwatch(client);
        self.keyspace.interest.tracking.stop(client);
        let mut removed = self.clients.disconnect(client);
        if let Some(client) = &mut removed {
            self.server.pubsub.unsubscribe_all(client);
        }
        if let Some(position) = removed.and_then(|client| client.blocked) {
            self.forget_blocked(position);
        }
    }
}

/// Forgets scripts that EVAL ran, then evicts keys, until memory is within the limit. Returns false if nothing is left to
/// evict.
fn evict(engine: &mut Engine, grows: bool) -> bool {
    engine.server.scripts.evaluation.forget_evaluated(engine.keyspace.excess_bytes());
    engine.keyspace.count_scripts(engine.server.script_bytes());
    engine.keyspace.evict_to_limit(grows, engine.now)
}
