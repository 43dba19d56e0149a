//! Blocked clients as data: their commands in queue order, and their timeouts.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::commands::{BlockOn, HostReport};
use crate::keyspace::{Interest, QueuePosition};
use crate::server::clients::ClientId;
use crate::store::ordered::{Key, Ordered};
use crate::store::slots::{Slot, Slots};

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

/// Command that left its queues.
pub(super) struct Left {
    pub(super) blocked: BlockedCommand,
    /// Whether it was the first in the line of one of its keys.
    pub(super) was_first: bool,
}

impl Left {
    /// Makes the keys ready if the command was the head of a line: those behind it may be granted now.
    pub(super) fn pass_on(&self, interest: &mut Interest) {
        if self.was_first {
            for key in self.blocked.block_on.keys() {
                interest.mark_changed(key.name.0, &key.name.1);
            }
        }
    }
}

/// Blocked commands by their queue positions, and their timeouts. A hundred thousand cost nearly the same as a thousand.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockedClients {
    /// Slots of commands by queue position.
    positions: Ordered,
    commands: Slots<Box<BlockedCommand>>,
    /// Timeouts with the positions of their commands.
    timeouts: Ordered,
    pub(super) last_position: u64,
    /// Number of commands that wait for the end of CLIENT PAUSE.
    paused: usize,
}

impl BlockedClients {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Whether any command waits for the end of CLIENT PAUSE.
    pub(super) fn has_paused(&self) -> bool {
        self.paused > 0
    }

    pub(super) fn get(&self, position: QueuePosition) -> Option<&BlockedCommand> {
        let slot = self.positions.get((0, position.0))?;
        self.commands.get(Slot(slot)).map(|blocked| &**blocked)
    }

    /// Reserves memory for the next `insert`.
    pub(super) fn reserve(&mut self) -> Result<(), OutOfMemory> {
        self.commands.reserve()
    }

    /// Adds a command. `reserve` must have succeeded.
    pub(super) fn insert(&mut self, position: QueuePosition, blocked: BlockedCommand) {
        if let Some(until) = blocked.block_on.until {
            self.timeouts.insert(timeout(until, position), 0);
        }
        self.paused += usize::from(blocked.paused);
        let slot = self.commands.insert(Box::new(blocked));
        self.positions.insert((0, position.0), slot.0);
    }

    fn remove(&mut self, position: QueuePosition) -> Option<BlockedCommand> {
        let slot = self.positions.remove((0, position.0))?;
        let blocked = *self.commands.remove(Slot(slot))?;
        if let Some(until) = blocked.block_on.until {
            self.timeouts.remove(timeout(until, position));
        }
        self.paused -= usize::from(blocked.paused);
        Some(blocked)
    }

    /// Removes a command from the queues of its keys, too.
    pub(super) fn leave(&mut self, position: QueuePosition, interest: &mut Interest) -> Option<Left> {
        let blocked = self.remove(position)?;
        let mut was_first = false;
        for key in blocked.block_on.keys() {
            was_first |= interest.waiters.remove(position, key);
        }
        Some(Left { blocked, was_first })
    }

    /// First timeout with the position of its command.
    pub(super) fn first_timeout(&self) -> Option<(Timestamp, QueuePosition)> {
        let ((until, position), _) = self.timeouts.next((0, 0))?;
        Some((Timestamp::from_ms((until ^ SIGN) as i64), QueuePosition(position)))
    }

    /// First instant at which a blocked command times out. Asked by every command, mostly while no client is blocked.
    #[inline(always)]
    pub(super) fn first_deadline(&self) -> Option<Timestamp> {
        if self.is_empty() { None } else { self.first_timeout().map(|(until, _)| until) }
    }

    /// Positions of the commands that wait for a report of the host, in queue order.
    pub(super) fn awaiting(&self, report: HostReport) -> Vec<QueuePosition> {
        let positions = self.positions.entries((0, 0)).map(|((_, position), _)| QueuePosition(position));
        let is_waiting = |position: &QueuePosition| {
            self.get(*position).is_some_and(|blocked| blocked.block_on.report == Some(report))
        };
        positions.filter(is_waiting).collect()
    }

    /// Returns the first command after a position that waits for the end of CLIENT PAUSE.
    pub(super) fn paused_after(&self, position: QueuePosition) -> Option<QueuePosition> {
        if !self.has_paused() {
            return None;
        }
        let mut behind = self.positions.entries((0, position.0 + 1));
        let is_paused = |slot: u32| self.commands.get(Slot(slot)).is_some_and(|blocked| blocked.paused);
        behind.find(|(_, slot)| is_paused(*slot)).map(|((_, position), _)| QueuePosition(position))
    }

    /// Whether the timeout of a command has passed before `now`.
    pub(super) fn is_over(&self, position: QueuePosition, now: Timestamp) -> bool {
        self.get(position).and_then(|blocked| blocked.block_on.until).is_some_and(|until| until < now)
    }
}

/// Sign bit, flipped so that instants before 1970 precede the others.
const SIGN: u64 = 1 << 63;

fn timeout(until: Timestamp, position: QueuePosition) -> Key {
    (until.as_ms() as u64 ^ SIGN, position.0)
}
