//! Blocked clients as data: their commands in queue order, and their timeouts.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::commands::BlockOn;
use crate::keyspace::QueuePosition;
use crate::server::clients::ClientId;

/// Command of a blocked client.
#[derive(Clone, Debug)]
pub(super) struct BlockedCommand {
    pub(super) client: ClientId,
    pub(super) command: u16,
    pub(super) argv: Argv,
    pub(super) block_on: BlockOn,
    /// Instant at which the command was blocked.
    pub(super) since: Timestamp,
    /// Whether the command waits for the end of CLIENT PAUSE and then runs as a new request.
    pub(super) paused: bool,
}

/// Blocked commands in order of their queue positions. Trees, because a thousand waiting clients and a hundred thousand
/// are to cost nearly the same.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockedClients {
    pub(super) commands: BTreeMap<QueuePosition, Box<BlockedCommand>>,
    pub(super) deadlines: BTreeMap<(Timestamp, QueuePosition), ()>,
    pub(super) last_position: u64,
    /// Number of commands that wait for the end of CLIENT PAUSE.
    pub(super) paused: usize,
}

impl BlockedClients {
    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// First timeout with the position of its command.
    pub(super) fn first_timeout(&self) -> Option<(Timestamp, QueuePosition)> {
        self.deadlines.keys().next().copied()
    }

    /// First instant at which a blocked command times out.
    pub(super) fn first_deadline(&self) -> Option<Timestamp> {
        self.first_timeout().map(|(until, _)| until)
    }

    /// Returns the first command after a position that waits for the end of CLIENT PAUSE.
    pub(super) fn paused_after(&self, position: QueuePosition) -> Option<QueuePosition> {
        let mut behind = self.commands.range(QueuePosition(position.0 + 1)..);
        behind.find(|(_, blocked)| blocked.paused).map(|(position, _)| *position)
    }

    /// Whether the timeout of a command has passed before `now`.
    pub(super) fn is_over(&self, position: QueuePosition, now: Timestamp) -> bool {
        let blocked = self.commands.get(&position);
        blocked.and_then(|blocked| blocked.block_on.until).is_some_and(|until| until < now)
    }
}
