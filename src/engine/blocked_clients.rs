//! Blocked clients as data: their commands in queue order, and their timeouts.

use alloc::boxed::Box;

use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::commands::BlockOn;
use crate::keyspace::QueuePosition;
use crate::server::clients::ClientId;
use crate::store::sorted_vec::SortedVecMap;

/// Command of a blocked client.
#[derive(Clone, Debug)]
pub(super) struct BlockedCommand {
    pub(super) client: ClientId,
    pub(super) command: u16,
    pub(super) argv: Argv,
    pub(super) block_on: BlockOn,
    /// Whether the command waits for the end of CLIENT PAUSE and then runs as a new request.
    pub(super) paused: bool,
}

/// Blocked commands in order of their queue positions.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockedClients {
    pub(super) commands: SortedVecMap<QueuePosition, Box<BlockedCommand>>,
    pub(super) deadlines: SortedVecMap<(Timestamp, QueuePosition), ()>,
    pub(super) last_position: u64,
    /// Number of commands that wait for the end of CLIENT PAUSE.
    pub(super) paused: usize,
}

impl BlockedClients {
    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// First instant at which a blocked command times out.
    pub(super) fn first_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|(until, _)| until)
    }

    /// Returns the first command after a position that waits for the end of CLIENT PAUSE.
    pub(super) fn paused_after(&self, position: QueuePosition) -> Option<QueuePosition> {
        self.commands.iter_behind(position).find(|(_, blocked)| blocked.paused).map(|(position, _)| position)
    }
}
