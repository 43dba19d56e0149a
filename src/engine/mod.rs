//! The engine: keyspace, clients and commands put together. One request goes in with the time, its reply comes out;
//! everything else that happened waits in queues for the host.

mod after_command;
mod blocked;
mod blocked_clients;
#[cfg(any(feature = "wasm", feature = "internals"))]
pub(crate) mod convention;
mod dispatch;
mod gates;
pub(crate) mod keylatch;
mod loading;
mod migrate;
pub(crate) mod persistence;
mod status;
mod string_run;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use self::blocked_clients::BlockedClients;
pub(crate) use self::gates::Gates;
pub use self::status::Status;
pub(crate) use self::string_run::StringRun;
use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::headroom::{ensure, ensure_reserve, make_room};
use crate::commands::{CommandTable, Request, flags};
use crate::keyspace::Keyspace;
use crate::resp::encode::Writer;
use crate::server::Server;
use crate::server::clients::{ClientId, Clients};
use crate::server::stats::Stats;

/// Room for an error is made before anything else.
pub const ERROR_BYTES: usize = 512;

/// Everything but the clock.
#[derive(Clone, Debug)]
pub struct Engine {
    pub keyspace: Keyspace,
    pub clients: Clients,
    pub server: Server,
    table: CommandTable,
    blocked: BlockedClients,
    /// The latest instant the host told.
    now: Timestamp,
    /// The gates of all clients as they were found last, and the first instant at which something is due.
    gates: Gates,
    due_at: Timestamp,
    /// The deadline that the host was told last, if it wants to learn of an earlier one.
    reported_deadline: Option<Timestamp>,
    /// The number of the command that ran last, unless that was refused or queued: its duration is told afterwards.
    ran: Option<u16>,
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
        }
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether this request has to know the time: its command says so, some key has a deadline, or something runs beside it.
    #[inline(always)]
    pub(crate) fn needs_time(&self, gates: Gates, request: &Request<'_>) -> bool {
        // A blocked command, once it is woken, may let go whatever its client sent behind it. Monitors are shown when each
        // command ran.
        gates.has(Gates::TIMED)
            || request.may_need_time()
            || self.is_timed()
            || !self.blocked.is_empty()
            || gates.has(Gates::OVER_LIMIT) && self.keyspace.has_evictions_due()
    }

    /// Whether any command has to know the time: something has a deadline, or uses of keys are told apart by it.
    #[inline(always)]
    pub fn is_timed(&self) -> bool {
        self.due_at != Timestamp::MAX || self.keyspace.ranks_uses()
    }

    /// Looks up what a request means.
    pub fn request<'a>(&self, argv: ArgvRef<'a>) -> Request<'a> {
        Request::new(&self.table, argv)
    }

    /// The request of a row whose number the caller knows; as [`Engine::request`] where there is no such row.
    #[inline(always)]
    pub fn request_of<'a>(&self, row: u32, argv: ArgvRef<'a>) -> Request<'a> {
        match self.table.numbered(row) {
            Some(command) if command.1.subcommands.is_empty() => Request { argv, command: Some(command) },
            _ => self.request(argv),
        }
    }

    /// See [`Engine::took`].
    pub fn ran(&self) -> Option<u16> {
        self.ran
    }

    /// See [`crate::Keylatch::configure`].
    pub fn configure(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.mark_stale();
        let change = self.server.config.check(name, value)?;
        self.server.configure(vec![change], &mut self.keyspace);
        Ok(())
    }

    /// Moves to another instant. Later ones follow the clock, earlier ones are reported and followed too.
    pub fn set_now(&mut self, now: Timestamp) {
        if self.server.started_at.is_none() {
            self.start(now);
        }
        if now < self.now {
            self.keyspace.events.clock_stepped_back();
            self.mark_stale();
        }
        self.now = now;
    }

    /// The first instant there is: whoever is here already has come now.
    fn start(&mut self, now: Timestamp) {
        self.server.started_at = Some(now);
        self.server.saved_at = now;
        for client in self.clients.iter_mut() {
            client.connected_at = now;
            client.last_command_at = now;
        }
    }

    /// Runs one request past the gates of its client, and appends its reply to `out`. A client that is gone gets none; a client
    /// whose command is blocked gets it later, through its outbox.
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
        // Past open gates, a command that only reads changes nothing that gates are about, but what tracking remembers.
        let only_reads = request.command.is_some_and(|(_, row)| row.has(flags::READONLY));
        if only_reads && gates.is_open() && self.keyspace.interest.tracking.is_idle() {
            return;
        }
        if self.is_pending() || self.is_pause_over() {
            self.after_command();
        }
        self.refresh_gates();
    }

    /// Runs one request at the instant there is.
    #[cfg(test)]
    pub(crate) fn execute_now(&mut self, id: ClientId, argv: ArgvRef<'_>, out: &mut Vec<u8>) {
        let gates = self.gates_for(id);
        self.execute(id, self.request(argv), gates, out);
    }

    /// Does what comes before any command, and tells the gates that are left; `None` for a client whose request does not run now.
    #[cold]
    fn before(&mut self, id: ClientId, request: &Request<'_>, gates: Gates) -> Option<Gates> {
        if request.argv.is_empty() || gates.has(Gates::CLOSING) {
            return None;
        }
        if gates.has(Gates::BLOCKED) {
            self.queue_behind(id, request.argv);
            return None;
        }
        if !gates.has(Gates::TICK) {
            return Some(gates);
        }
        self.tick();
        let left = self.gates_for(id);
        // A client that is gone by now has no reply; one that is only to be closed still gets it.
        self.clients.get(id).is_some().then_some(left)
    }

    /// Keeps a request of a blocked client for later.
    #[cold]
    fn queue_behind(&mut self, id: ClientId, argv: ArgvRef<'_>) {
        let Some(client) = self.clients.get_mut(id) else { return };
        // Its reply would come after others, so an error has no place.
        let room = ensure(argv.copy_len().saturating_mul(2)).and_then(|()| ensure_reserve());
        if room.is_err() || client.waiting.try_reserve(1).is_err() {
            return self.clients.close(id);
        }
        client.waiting.push_back(argv.to_owned());
    }

    /// Removes what is due, and ends the waiting of those whose time is over.
    pub fn tick(&mut self) {
        self.keyspace.sweep(self.now);
        self.keyspace.free_garbage();
        if self.keyspace.has_evictions_due() {
            self.keyspace.evict_to_limit(false, self.now);
        }
        self.give_up_due();
        self.after_command();
        self.refresh_gates();
    }

    /// Runs a request whose client may go on, past the gates that are left.
    fn run(&mut self, id: ClientId, request: Request<'_>, gates: Gates, out: &mut Vec<u8>) {
        let Some(protocol) = self.clients.get(id).map(|client| client.protocol) else { return };
        let start = out.len();
        if make_room(out, ERROR_BYTES).is_err() {
            // Not even an error can be answered.
            return self.clients.close(id);
        }
        let mut reply = Writer::appending_to(core::mem::take(out), protocol);
        let is_tracking = !self.keyspace.interest.tracking.is_idle();
        if is_tracking {
            self.keyspace.interest.tracking.set_author(Some(id));
        }
        self.dispatch(id, request, gates, &mut reply);
        let row = request.command.map(|(_, row)| row);
        if is_tracking {
            self.end_tracking(id, row);
        }
        self.keyspace.effects.end_unit();
        if reply.take_failure() {
            self.clients.close(id);
        }
        *out = reply.into_bytes();
        // A command about data changes no client.
        if gates.has(Gates::REPLY_MODE) || row.is_none_or(|row| row.flags & (flags::READONLY | flags::WRITE) == 0) {
            self.obey_reply_mode(id, start, out);
        }
    }

    /// The first instant at which something is due: one past the first deadline of a key, or the end of a waiting; now
    /// while more is due than one sweep takes, or memory is to be given back; a little later where there is no memory to
    /// remove what is due.
    pub fn next_deadline(&self) -> Option<Timestamp> {
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

    /// A client comes, at this instant; where a password is asked for, it has to give it.
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
        self.mark_stale();
        self.keyspace.interest.unwatch(client);
        self.keyspace.interest.tracking.stop(client);
        let mut gone = self.clients.disconnect(client);
        if let Some(gone) = &mut gone {
            self.server.pubsub.unsubscribe_all(gone);
        }
        if let Some(position) = gone.and_then(|client| client.blocked) {
            self.forget_blocked(position);
        }
    }
}
