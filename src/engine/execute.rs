//! The road of a request: what comes before its command, the command, and what comes after it; and the work between requests.

use alloc::vec::Vec;

use super::Engine;
use super::gates::Gates;
use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::headroom::{ensure, ensure_reserve, try_reserve};
use crate::commands::{Request, flags};
use crate::resp::encode::Writer;
use crate::server::clients::ClientId;

/// Bytes reserved for an error reply before a command runs.
pub const ERROR_BYTES: usize = 512;

impl Engine {
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
        // that only reads is kept, and a client that waits to read may have a timeout.
        let changes_others = flags::RUNS_SCRIPT | flags::BLOCKING;
        let only_reads = request.command.is_some_and(|(_, row)| row.has(flags::READONLY) && !row.has(changes_others));
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
    pub(super) fn run(&mut self, id: ClientId, request: Request<'_>, gates: Gates, out: &mut Vec<u8>) {
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
        let may_change = row.is_none_or(|row| row.flags & (flags::READONLY | flags::WRITE) == 0);
        if (gates.has(Gates::REPLY_MODE) || may_change)
            && let Some(client) = self.clients.get_mut(id)
        {
            client.reply_mode.end_reply(start, out);
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
}

/// Forgets scripts that EVAL ran, then evicts keys, until memory is within the limit. Returns false if nothing is left to
/// evict.
pub(super) fn evict(engine: &mut Engine, grows: bool) -> bool {
    engine.server.scripts.evaluation.forget_evaluated(engine.keyspace.excess_bytes());
    engine.keyspace.count_scripts(engine.server.script_bytes());
    engine.keyspace.evict_to_limit(grows, engine.now)
}
