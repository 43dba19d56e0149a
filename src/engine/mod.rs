//! The engine: keyspace, clients and commands put together. One request goes in with the time, its reply comes out;
//! everything else that happened waits in queues for the host.

mod dispatch;
mod loading;
mod moving;
mod parked;
mod settle;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use self::parked::ParkedCommands;
use crate::argv::ArgvRef;
use crate::client::{ClientId, Clients};
use crate::clock::Timestamp;
use crate::command::{Request, Table};
use crate::keyspace::Keyspace;
use crate::memory::{ensure, ensure_reserve, make_room};
use crate::reply::writer::Writer;
use crate::server::Server;
use crate::stats::Stats;

/// Room for an error is made before anything else.
pub const ERROR_BYTES: usize = 512;

/// Everything but the clock.
#[derive(Clone, Debug)]
pub struct Engine {
    pub keyspace: Keyspace,
    pub clients: Clients,
    pub server: Server,
    table: Table,
    parked: ParkedCommands,
    /// The latest instant the host told.
    now: Timestamp,
    /// The number of the command that ran last, unless that was refused or queued: its duration is told afterwards.
    ran: Option<u16>,
}

impl Engine {
    pub fn new(seed: u64) -> Engine {
        let table = Table::new();
        let server = Server { stats: Stats::new(table.len()), ..Server::default() };
        Engine {
            keyspace: Keyspace::new(seed),
            clients: Clients::default(),
            server,
            table,
            parked: ParkedCommands::default(),
            now: Timestamp::MIN,
            ran: None,
        }
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether this request has to know the time: its command says so, or some key has a deadline.
    pub fn needs_time(&self, client: ClientId, request: &Request<'_>) -> bool {
        let queued = self.clients.get(client).is_some_and(|client| client.in_transaction());
        // A parked command, once it is woken, may let go whatever its client sent behind it.
        // Monitors are told when each command ran.
        request.may_tell_time()
            || queued
            || self.server.monitored
            || self.keyspace.ranks_uses()
            || !self.parked.is_empty()
            || self.is_timed()
    }

    /// Whether any key has a deadline, or something is due.
    pub fn is_timed(&self) -> bool {
        self.keyspace.first_deadline().is_some() || self.next_deadline().is_some()
    }

    /// Looks up what a request means.
    pub fn request<'a>(&self, argv: ArgvRef<'a>) -> Request<'a> {
        Request::new(&self.table, argv)
    }

    /// See [`Engine::took`].
    pub fn ran(&self) -> Option<u16> {
        self.ran
    }

    /// See [`crate::Keylatch::configure`].
    pub fn configure(&mut self, name: &str, value: &str) -> Result<(), String> {
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

    /// Runs one request and appends its reply to `out`. A client that is gone gets none; a client whose command is
    /// parked gets it later, through its outbox.
    pub fn execute(&mut self, client: ClientId, request: Request<'_>, out: &mut Vec<u8>) {
        self.ran = None;
        let Some(sender) = self.clients.get_mut(client) else { return };
        if request.argv.is_empty() || sender.closing {
            return;
        }
        if sender.is_parked() {
            // Its reply would come after others, so an error has no place.
            let room = ensure(request.argv.copy_len().saturating_mul(2)).and_then(|()| ensure_reserve());
            if room.is_err() || sender.waiting.try_reserve(1).is_err() {
                return self.clients.close(client);
            }
            sender.waiting.push_back(request.argv.to_owned());
            return;
        }
        if self.is_something_due() {
            self.tick();
        }
        self.run(client, request, out);
        if self.has_aftermath() {
            self.settle();
        }
    }

    /// Whether `tick` would find anything to do.
    fn is_something_due(&self) -> bool {
        self.keyspace.first_deadline().is_some_and(|deadline| deadline < self.now)
            || self.parked.first_deadline().is_some_and(|until| until <= self.now)
            || self.keyspace.has_remains()
            || self.has_aftermath()
    }

    /// Removes what is due, and ends the waiting of those whose time is over.
    pub fn tick(&mut self) {
        self.keyspace.sweep(self.now);
        self.keyspace.free_remains();
        if self.keyspace.has_evictions_due() {
            self.keyspace.make_room(false, self.now);
        }
        self.give_up_due();
        self.settle();
    }

    fn run(&mut self, client: ClientId, request: Request<'_>, out: &mut Vec<u8>) {
        let Some(protocol) = self.clients.get(client).map(|client| client.protocol) else { return };
        let start = out.len();
        if make_room(out, ERROR_BYTES).is_err() {
            // Not even an error can be answered.
            return self.clients.close(client);
        }
        let mut reply = Writer::appending_to(core::mem::take(out), protocol);
        self.keyspace.interest.tracking.set_author(Some(client));
        self.dispatch(client, request, &mut reply);
        self.end_tracking(client, request.command.map(|(_, row)| row));
        self.keyspace.effects.end_unit();
        if reply.take_failure() {
            self.clients.close(client);
        }
        *out = reply.into_bytes();
        self.obey_reply_mode(client, start, out);
    }

    /// The first instant at which something is due: one past the first deadline of a key, or the end of a waiting; now
    /// while more is due than one sweep takes, or memory is to be given back; a little later where there is no memory to
    /// remove what is due.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        if self.keyspace.interest.has_ready()
            || self.keyspace.interest.tracking.has_news()
            || self.keyspace.has_evictions_due()
            || self.keyspace.has_remains()
        {
            return Some(self.now);
        }
        let due = self.keyspace.next_sweep().into_iter().chain(self.parked.first_deadline()).min()?;
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
        self.keyspace.interest.unwatch(client);
        self.keyspace.interest.tracking.stop(client);
        let mut gone = self.clients.disconnect(client);
        if let Some(gone) = &mut gone {
            self.server.pubsub.unsubscribe_all(gone);
        }
        if let Some(ticket) = gone.and_then(|client| client.parked) {
            self.unpark(ticket);
        }
    }
}
