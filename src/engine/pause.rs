//! The end of CLIENT PAUSE: commands that waited run when it is lifted or its time has passed.

use alloc::boxed::Box;

use super::Engine;
use super::blocked_clients::BlockedCommand;
use crate::commands::Blocking;
use crate::keyspace::QueuePosition;
use crate::resp::encode::Writer;
use crate::server::clients::Queued;
use crate::server::scripts::suspended::Suspended;

impl Engine {
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
