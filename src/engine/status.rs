//! Work that a call leaves for its host, as bits of one word.

use super::Engine;
use crate::base::clock::Timestamp;
use crate::server::clients::ClientQueue;

/// Bits of the work that a call leaves for its host. A clear bit means an empty queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Status(u32);

impl Status {
    /// The queue of events is not empty.
    pub const EVENTS: Status = Status(1 << 0);
    /// Clients need attention ([`crate::Keylatch::take_affected`]), or the configuration changed.
    pub const AFFECTED: Status = Status(1 << 1);
    /// The log of effects is not empty.
    pub const EFFECTS: Status = Status(1 << 2);
    /// Something is due before the deadline that was reported to the host.
    pub const DEADLINE_EARLIER: Status = Status(1 << 3);
    /// Most commands need the time now: a key has a deadline, or the like.
    pub const TIMED: Status = Status(1 << 4);

    /// The reply is ASCII, for a host with strings of another encoding than UTF-8. Set by the boundary to JavaScript.
    pub const ASCII: Status = Status(1 << 5);

    /// A save or a sync of the log was requested.
    pub const SAVE: Status = Status(1 << 6);

    /// The log of effects is so long that it should be taken now.
    pub const EFFECTS_FULL: Status = Status(1 << 7);

    /// The bits with their names, for hosts in other languages.
    pub const NAMES: &[(Status, &str)] = &[
        (Status::EVENTS, "Events"),
        (Status::AFFECTED, "Affected"),
        (Status::EFFECTS, "Effects"),
        (Status::DEADLINE_EARLIER, "DeadlineEarlier"),
        (Status::TIMED, "Timed"),
        (Status::ASCII, "Ascii"),
        (Status::SAVE, "Save"),
        (Status::EFFECTS_FULL, "EffectsFull"),
    ];

    pub fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn when(self, condition: bool) -> u32 {
        if condition { self.0 } else { 0 }
    }
}

impl Engine {
    /// Work that the last call left for the host.
    #[inline(always)]
    pub fn status(&self) -> Status {
        let is_affected = self.clients.first_queued(ClientQueue::Affected).is_some()
            || self.server.configured
            || self.server.shutdown.has_request();
        Status(
            Status::EVENTS.when(!self.keyspace.events.is_empty() && !self.server.scripts.suspended.is_set())
                | Status::AFFECTED.when(is_affected)
                | Status::EFFECTS.when(!self.keyspace.effects.is_empty())
                | Status::DEADLINE_EARLIER.when(self.is_due_earlier())
                | Status::TIMED.when(self.is_timed())
                | Status::SAVE.when(self.server.saving.has_request())
                | Status::EFFECTS_FULL.when(self.keyspace.effects.is_full()),
        )
    }

    /// Whether something is due before the deadline that was reported to the host.
    #[inline(always)]
    fn is_due_earlier(&self) -> bool {
        match self.reported_deadline {
            None => false,
            Some(reported) => self.next_deadline().is_some_and(|due| due < reported),
        }
    }

    /// Returns [`Engine::next_deadline`] and remembers it, so that [`Status::DEADLINE_EARLIER`] can be set.
    pub fn report_deadline(&mut self) -> Option<Timestamp> {
        let due = self.next_deadline();
        self.reported_deadline = Some(due.unwrap_or(Timestamp::MAX));
        due
    }
}
