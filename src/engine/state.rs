//! [`Engine`]: the state of an engine, its clients, its configuration and its present instant.

use alloc::string::String;
use alloc::vec;

use super::blocked_clients::BlockedClients;
use super::gates::Gates;
use super::script_slices::ScriptSlices;
use crate::base::clock::Timestamp;
use crate::commands::CommandTable;
use crate::keyspace::Keyspace;
use crate::server::Server;
use crate::server::clients::{ClientId, Clients};
use crate::server::stats::Stats;

/// State of an engine: everything but the clock.
#[derive(Clone, Debug)]
pub struct Engine {
    pub keyspace: Keyspace,
    pub clients: Clients,
    pub server: Server,
    pub(super) table: CommandTable,
    pub(super) blocked: BlockedClients,
    /// Latest instant given by the host.
    pub(super) now: Timestamp,
    /// Gates of the engine, as computed last.
    pub(super) gates: Gates,
    /// First instant at which something is due, as computed last.
    pub(super) due_at: Timestamp,
    /// Deadline that was last reported to the host, if it is to be notified of an earlier one.
    pub(super) reported_deadline: Option<Timestamp>,
    /// Row number of the last command, unless it was refused or queued. Its duration is recorded by [`Engine::took`].
    pub(super) ran: Option<u16>,
    pub(super) slices: ScriptSlices,
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
            slices: ScriptSlices::default(),
        }
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether every command needs the time: something has a deadline, or the policy ranks keys by their uses.
    #[inline(always)]
    pub fn is_timed(&self) -> bool {
        self.due_at != Timestamp::MAX || self.keyspace.ranks_uses()
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
