//! Blocked clients: their commands wait for a key, for a timeout, or for the end of a pause. One mechanism serves all.
//!
//! A blocked command runs again, from its arguments, when one of its keys is ready. If it blocks again, it keeps its
//! queue position. Its reply is appended to the client's outbox, followed by the replies of requests sent meanwhile.
//!
//! A key is ready when it was created, or changed in any way: a latch is free when it disappears. A round at a changed
//! key ends at the first client that blocks again, so that none behind it overtakes. A client that leaves the head of a line
//! for any other reason makes its keys ready.

use crate::keyspace::keys;
use alloc::vec::Vec;

use super::blocked_clients::{BlockedCommand, Left};
use super::handler::Run;
use super::pause::suspend_paused;
use super::{ERROR_BYTES, Engine};
use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::headroom::{ensure_reserve_unspent, try_reserve};
use crate::commands::{BlockOn, Blocking, Outcome, Resumed};
use crate::keyspace::{KeyName, Queue, QueuePosition, Want};
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::server::Unblock;
use crate::server::clients::{ClientId, ClientQueue};

impl Engine {
    /// Blocks a command at the end of the queue.
    pub(super) fn block(&mut self, client: ClientId, command: u16, argv: ArgvRef<'_>, block_on: BlockOn) {
        let (argv, since) = (argv.to_owned(), self.now);
        self.enqueue(BlockedCommand { client, command, argv, block_on, since, paused: false });
    }

    /// Blocks a client in a command, at the end of the queue or in the place that it takes over.
    pub(super) fn enqueue(&mut self, blocked: BlockedCommand) {
        let position = match blocked.block_on.takes_over {
            Some(position) => {
                self.run_blocked(position, Blocking::TimedOut);
                position
            }
            None => {
                self.blocked.last_position += 1;
                QueuePosition(self.blocked.last_position)
            }
        };
        if let Some(client) = self.clients.get_mut(blocked.client) {
            client.blocked = Some(position);
        }
        enter(self, position, blocked);
    }

    /// Serves blocked clients, key by key in the order in which keys became ready, until no key is ready. Then the
    /// queued requests of unblocked clients run, so blocked clients come first.
    pub(super) fn wake(&mut self) {
        while !self.server.scripts.suspended.is_set() {
            let ready = self.keyspace.interest.take_ready();
            for (want, name) in &ready {
                match want {
                    Want::Created => serve_created(self, name),
                    Want::Changed => serve_changed(self, name),
                }
            }
            if ready.is_empty() {
                let Some(client) = self.clients.first_queued(ClientQueue::Freed) else { return };
                if !run_queued(self, client) {
                    self.clients.dequeue(ClientQueue::Freed, client);
                }
            }
        }
    }

    /// Times out blocked clients with a passed deadline. Ready keys are served before the timeouts of this very instant:
    /// what comes at the end of a timeout comes in time.
    pub(super) fn time_out_due(&mut self) {
        if self.blocked.is_empty() {
            return;
        }
        time_out(self, |until, now| until < now);
        self.wake();
        time_out(self, |until, now| until <= now);
    }

    /// Ends a blocked command with a timeout reply or an error (CLIENT UNBLOCK). Commands blocked by the pause are not
    /// affected.
    pub(super) fn unblock(&mut self, unblock: Unblock) {
        if self.blocked.get(unblock.position).is_none_or(|blocked| blocked.paused) {
            return;
        }
        match unblock.with_error {
            true => end_blocked(self, unblock.position, |reply| reply.error(&CommandError::UNBLOCKED.into())),
            false => self.run_blocked(unblock.position, Blocking::TimedOut),
        }
    }

    /// Removes the blocked command of a disconnected client.
    pub(super) fn forget_blocked(&mut self, position: QueuePosition) {
        let interest = &mut self.keyspace.interest;
        if let Some(left) = self.blocked.leave(position, interest) {
            left.pass_on(interest);
        }
    }

    pub(super) fn run_blocked(&mut self, position: QueuePosition, blocking: Blocking) {
        let Some(left) = self.blocked.leave(position, &mut self.keyspace.interest) else { return };
        let was_first = left.was_first;
        let mut blocked = left.blocked;
        let was_paused = core::mem::take(&mut blocked.paused);
        let blocking = if was_paused { Blocking::Allowed } else { blocking };
        let resumed = Resumed { position, since: blocked.since, until: blocked.block_on.until };
        let Some(client) = self.clients.get_mut(blocked.client) else { return };
        if ensure_reserve_unspent().and_then(|()| try_reserve(&mut client.outbox, ERROR_BYTES)).is_err() {
            // There is no memory even for an error reply.
            client.blocked = None;
            self.clients.close(blocked.client);
            return Left { blocked, was_first }.pass_on(&mut self.keyspace.interest);
        }
        // A script that was blocked by a pause may be suspended like another one.
        let slice = self.slices.charges().filter(|_| was_paused && !client.address.is_empty());
        let mut reply = Writer::appending_to(core::mem::take(&mut client.outbox), client.protocol);
        let start = reply.len();
        self.keyspace.set_author(blocked.client);
        let run = Run { client: blocked.client, blocking, resumed: (!was_paused).then_some(resumed), slice };
        let block_on = match run.call(self, blocked.command, blocked.argv.as_ref(), &mut reply) {
            Outcome::Suspend(suspended) => return suspend_paused(self, blocked, suspended, reply, start),
            Outcome::Block(block_on) => Some(block_on),
            Outcome::Done => None,
        };
        self.keyspace.effects.end_unit();
        if let Some(client) = self.clients.get_mut(blocked.client) {
            client.blocked = block_on.is_some().then_some(position);
            let failed = reply.take_failure();
            // Pushes to this client while the command ran follow its reply.
            let pushed = core::mem::replace(&mut client.outbox, reply.into_bytes());
            if client.append_bytes(pushed).is_err() || failed {
                self.clients.close(blocked.client);
            }
        }
        self.end_tracking(blocked.client, Some(self.table.row(blocked.command)));
        self.server.announce(&mut self.keyspace, &mut self.clients);
        self.clients.note(blocked.client);
        match block_on {
            Some(block_on) if was_paused => {
                let since = self.now;
                enter(self, position, BlockedCommand { block_on, since, ..blocked });
            }
            // The timeout is kept from the first block.
            Some(block_on) => {
                let block_on = BlockOn { until: resumed.until, ..block_on };
                enter(self, position, BlockedCommand { block_on, ..blocked });
            }
            None => {
                self.clients.enqueue(ClientQueue::Freed, blocked.client);
                Left { blocked, was_first }.pass_on(&mut self.keyspace.interest);
            }
        }
    }
}

fn time_out(engine: &mut Engine, is_over: fn(Timestamp, Timestamp) -> bool) {
    while let Some((until, position)) = engine.blocked.first_timeout() {
        if !is_over(until, engine.now) || engine.server.scripts.suspended.is_set() {
            return;
        }
        engine.run_blocked(position, Blocking::TimedOut);
        engine.wake();
    }
}

/// Runs the commands that wait for a new key, in queue order, while the key holds a value of the wanted type.
fn serve_created(engine: &mut Engine, name: &KeyName) {
    let mut served = QueuePosition(0);
    while let Some(held) = keys::kind(&mut engine.keyspace.at(name.0, engine.now), &name.1)
        && let Some(position) = engine.keyspace.interest.waiters.next(name, Queue::Created, served)
    {
        served = position;
        let blocked = engine.blocked.get(position);
        let wanted = blocked.and_then(|blocked| blocked.block_on.wanted.as_ref());
        if wanted.is_some_and(|wanted| wanted.kind == Some(held)) {
            engine.run_blocked(position, Blocking::Allowed);
        }
    }
    // The lookup may have expired the key.
    engine.keyspace.effects.end_unit();
}

/// Runs the commands that wait for a change of a key, in the order of its line, until one is blocked again. One with a
/// passed timeout ends the round: its timeout is served in the same tick, and makes the key ready again.
fn serve_changed(engine: &mut Engine, name: &KeyName) {
    while let Some(first) = engine.keyspace.interest.waiters.first(name) {
        if !run_again(engine, first.1) || engine.keyspace.interest.waiters.first(name) == Some(first) {
            break;
        }
    }
    engine.keyspace.interest.forget_change(name);
    let next = |engine: &Engine| engine.keyspace.interest.waiters.next(name, Queue::Barrier, QueuePosition(0));
    while let Some(first) = next(engine) {
        if !run_again(engine, first) || next(engine) == Some(first) {
            break;
        }
    }
    // Consumers may be of different groups, so one that goes on waiting ends no round.
    let mut served = QueuePosition(0);
    while let Some(position) = engine.keyspace.interest.waiters.next(name, Queue::Consumer, served) {
        served = position;
        run_again(engine, position);
    }
}

/// Runs a command that waits for a change, unless its timeout has passed. A client that is about to be disconnected
/// leaves its queues instead: a grant to it would hold the latch in vain.
fn run_again(engine: &mut Engine, position: QueuePosition) -> bool {
    let blocked = engine.blocked.get(position);
    let client = blocked.and_then(|blocked| engine.clients.get_mut(blocked.client));
    if let Some(client) = client.filter(|client| client.closing) {
        client.blocked = None;
        engine.forget_blocked(position);
        return true;
    }
    let is_over = engine.blocked.is_over(position, engine.now);
    if !is_over {
        engine.run_blocked(position, Blocking::Allowed);
    }
    !is_over
}

/// Ends a blocked command with a reply, without running it again.
pub(super) fn end_blocked(engine: &mut Engine, position: QueuePosition, reply: impl FnOnce(&mut Writer)) {
    let interest = &mut engine.keyspace.interest;
    let Some(left) = engine.blocked.leave(position, interest) else { return };
    left.pass_on(interest);
    let blocked = left.blocked;
    if let Some(client) = engine.clients.get_mut(blocked.client) {
        client.blocked = None;
    }
    engine.end_tracking(blocked.client, Some(engine.table.row(blocked.command)));
    engine.clients.post(blocked.client, reply);
    engine.clients.enqueue(ClientQueue::Freed, blocked.client);
}

/// Runs the first queued request of an unblocked client. Returns false if none is left, or the client is blocked again.
fn run_queued(engine: &mut Engine, id: ClientId) -> bool {
    let Some(client) = engine.clients.get_mut(id).filter(|client| !client.is_blocked()) else { return false };
    let Some(argv) = client.waiting.pop_front() else { return false };
    if ensure_reserve_unspent().is_err() {
        engine.clients.close(id);
        return false;
    }
    let mut out = Vec::new();
    engine.mark_stale();
    let gates = engine.gates_for(id);
    engine.run(id, engine.request(argv.as_ref()), gates, &mut out);
    if let Some(client) = engine.clients.get_mut(id)
        && client.append_bytes(out).is_err()
    {
        engine.clients.close(id);
    }
    true
}

/// Adds a command to the queues of its keys. Without memory the client is disconnected.
fn enter(engine: &mut Engine, position: QueuePosition, mut blocked: BlockedCommand) {
    if engine.blocked.reserve().is_err() {
        if let Some(client) = engine.clients.get_mut(blocked.client) {
            client.blocked = None;
        }
        return engine.clients.close(blocked.client);
    }
    if let Some(request) = blocked.block_on.request.take() {
        blocked.argv = request;
    }
    if let Some(wanted) = &mut blocked.block_on.wanted {
        for key in &mut wanted.keys {
            let waiter = key.waiter.take();
            engine.keyspace.interest.waiters.add(position, key, waiter);
        }
    }
    engine.blocked.insert(position, blocked);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::argv::Argv;

    fn run_line(engine: &mut Engine, client: ClientId, line: &str) -> Vec<u8> {
        let words: Vec<&str> = line.split(' ').collect();
        let mut out = Vec::new();
        let argv = Argv::from_slices(&words);
        engine.execute_now(client, argv.as_ref(), &mut out);
        out
    }

    fn outbox(engine: &mut Engine, client: ClientId) -> Vec<u8> {
        core::mem::take(&mut engine.clients.get_mut(client).unwrap().outbox)
    }

    #[test]
    fn a_client_that_disconnects_while_blocked_consumes_nothing() {
        let mut engine = Engine::new(1);
        let (first, second, third) = (engine.connect(), engine.connect(), engine.connect());
        assert!(run_line(&mut engine, first, "BLPOP list other 5").is_empty());
        assert!(run_line(&mut engine, second, "BLPOP list 0").is_empty());
        assert!(run_line(&mut engine, second, "PING").is_empty());
        engine.disconnect(first);
        assert_eq!(engine.next_deadline(), None);
        run_line(&mut engine, third, "RPUSH list x");
        assert_eq!(outbox(&mut engine, second), b"*2\r\n$4\r\nlist\r\n$1\r\nx\r\n+PONG\r\n");
        assert!(
            engine.blocked.is_empty()
                && engine.clients.first_queued(ClientQueue::Freed).is_none()
                && engine.keyspace.interest.is_idle()
        );
    }

    #[test]
    fn a_blocked_command_is_counted_once() {
        let mut engine = Engine::new(1);
        let (waiting, other) = (engine.connect(), engine.connect());
        let (number, _) = crate::commands::resolve(&engine.table, Argv::from_slices(&["BLPOP"]).as_ref()).unwrap();
        run_line(&mut engine, waiting, "BLPOP a b 0");
        assert_eq!(engine.server.stats.command(number).calls, 0);
        run_line(&mut engine, other, "SET a v");
        run_line(&mut engine, other, "RPUSH b x");
        assert_eq!(engine.server.stats.command(number).calls, 1);
        assert!(outbox(&mut engine, waiting).starts_with(b"-WRONGTYPE"));
    }

    #[test]
    fn the_time_is_needed_while_a_client_is_blocked() {
        let mut engine = Engine::new(1);
        let (waiting, other) = (engine.connect(), engine.connect());
        let push = Argv::from_slices(&["RPUSH", "list", "x"]);
        let gates = engine.gates_for(other);
        assert!(!engine.needs_time(gates, &engine.request(push.as_ref())));
        run_line(&mut engine, waiting, "BLPOP list 0");
        // A request queued after the blocked command may need the time.
        run_line(&mut engine, waiting, "SET k v EX 10");
        let gates = engine.gates_for(other);
        assert!(engine.needs_time(gates, &engine.request(push.as_ref())));
    }
}
