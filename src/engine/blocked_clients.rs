//! Blocked clients as data: the commands that wait, in order, and when they time out.

use alloc::boxed::Box;

use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::commands::BlockOn;
use crate::keyspace::QueuePosition;
use crate::server::clients::ClientId;
use crate::store::sorted_vec::SortedVecMap;

#[derive(Clone, Debug)]
pub(super) struct BlockedCommand {
    pub(super) client: ClientId,
    pub(super) command: u16,
    pub(super) argv: Argv,
    pub(super) block_on: BlockOn,
    /// It waits for the end of CLIENT PAUSE, and then runs as if it came in.
    pub(super) paused: bool,
}

/// The commands that wait, in order of their positions.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockedClients {
    pub(super) commands: SortedVecMap<QueuePosition, Box<BlockedCommand>>,
    pub(super) deadlines: SortedVecMap<(Timestamp, QueuePosition), ()>,
    pub(super) last_position: u64,
    /// How many wait for the end of CLIENT PAUSE.
    pub(super) paused: usize,
}

impl BlockedClients {
    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// The first instant at which a blocked command times out.
    pub(super) fn first_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|(until, _)| until)
    }

    /// The first command behind another one that waits for the end of CLIENT PAUSE.
    pub(super) fn paused_behind(&self, position: QueuePosition) -> Option<QueuePosition> {
        self.commands.iter_behind(position).find(|(_, blocked)| blocked.paused).map(|(position, _)| position)
    }
}
