//! CLIENT PAUSE: commands of clients wait until it is lifted or its time has passed.

use alloc::boxed::Box;

use super::Engine;
use super::blocked_clients::BlockedCommand;
use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::commands::{BlockOn, Blocking, Row, flags, may_write};
use crate::keyspace::QueuePosition;
use crate::resp::encode::Writer;
use crate::server::clients::{ClientId, Queued};
use crate::server::scripts::suspended::Suspended;

impl Engine {
    /// Whether commands wait for a pause that was lifted.
    pub(super) fn may_resume_paused(&self) -> bool {
        self.server.pause.is_none() && self.blocked.has_paused()
    }

    /// End of CLIENT PAUSE, if the pause applies to the command.
    pub(super) fn paused_until(&self, client: ClientId, row: &Row, argv: ArgvRef<'_>) -> Option<Timestamp> {
        let pause = self.server.pause.filter(|pause| pause.until > self.now)?;
        let transaction = self.clients.get(client).and_then(|client| client.transaction.as_ref());
        let queued = transaction.into_iter().flat_map(|transaction| &transaction.queue);
        let writes = |row: &Row, argv| row.has(flags::WRITE) || may_write(&self.server, row, argv);
        let writes = writes(row, argv)
            || queued.into_iter().any(|queued| writes(self.table.row(queued.command), queued.argv.as_ref()));
        (writes || !pause.writes_only).then_some(pause.until)
    }

    /// Blocks a command until the end of the pause.
    pub(super) fn pause(&mut self, client: ClientId, command: u16, argv: ArgvRef<'_>, until: Timestamp) {
        let (argv, since, block_on) = (argv.to_owned(), self.now, BlockOn::timeout(Some(until)));
        self.enqueue(BlockedCommand { client, command, argv, block_on, since, paused: true });
    }

    /// Runs the commands that were blocked by the pause.
    pub(super) fn resume_paused(&mut self) {
        let mut next = self.blocked.paused_after(QueuePosition(0));
        while let Some(position) = next
            && !self.server.scripts.suspended.is_set()
        {
            self.run_blocked(position, Blocking::Allowed);
            self.wake();
            next = self.blocked.paused_after(position);
        }
    }
}

/// Suspends a script that was blocked by a pause. No feeding of a stream reports that, so a notice to the server does.
pub(super) fn suspend_paused(
    engine: &mut Engine,
    blocked: BlockedCommand,
    mut suspended: Box<Suspended>,
    reply: Writer,
    start: usize,
) {
    let BlockedCommand { client: id, command, argv, .. } = blocked;
    suspended.script.get_or_insert(Queued { command, argv });
    let before = engine.server.scripts.suspended.keep(command, suspended, reply, start);
    engine.server.configured = true;
    if let Some(client) = engine.clients.get_mut(id) {
        client.blocked = None;
        let pushed = core::mem::replace(&mut client.outbox, before);
        if client.append_bytes(pushed).is_err() {
            engine.clients.close(id);
        }
    }
}
