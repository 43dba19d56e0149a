//! What a call leaves for its host to do, in one word: the host looks further only where a bit is set.

use super::Engine;
use crate::base::clock::Timestamp;
use crate::server::clients::ClientQueue;

/// A word of what is left to do after a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Status(u32);

impl Status {
    /// Events wait for the host.
    pub const EVENTS: Status = Status(1 << 0);
    /// Clients were affected (see [`crate::Keylatch::take_affected`]), or the configuration changed.
    pub const AFFECTED: Status = Status(1 << 1);
    /// Effects wait for the host.
    pub const EFFECTS: Status = Status(1 << 2);
    /// Something is due earlier than the host was told.
    pub const DEADLINE_EARLIER: Status = Status(1 << 3);
    /// The next command most likely has to know the time, whichever it is.
    pub const TIMED: Status = Status(1 << 4);

    /// The reply is ASCII, for a host whose texts are not UTF-8. Faces set it.
    pub const ASCII: Status = Status(1 << 5);

    /// The bits with their names, for hosts in other languages.
    pub const NAMES: &[(Status, &str)] = &[
        (Status::EVENTS, "Events"),
        (Status::AFFECTED, "Affected"),
        (Status::EFFECTS, "Effects"),
        (Status::DEADLINE_EARLIER, "DeadlineEarlier"),
        (Status::TIMED, "Timed"),
        (Status::ASCII, "Ascii"),
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
    /// What is left to do for a host after a call.
    #[inline(always)]
    pub fn status(&self) -> Status {
        let is_affected = self.clients.first_queued(ClientQueue::Affected).is_some() || self.server.configured;
        Status(
            Status::EVENTS.when(!self.keyspace.events.is_empty())
                | Status::AFFECTED.when(is_affected)
                | Status::EFFECTS.when(!self.keyspace.effects.is_empty())
                | Status::DEADLINE_EARLIER.when(self.is_due_earlier())
                | Status::TIMED.when(self.is_timed()),
        )
    }

    /// Whether something is due before the instant the host was told last.
    #[inline(always)]
    fn is_due_earlier(&self) -> bool {
        match self.reported_deadline {
            None => false,
            Some(told) => self.next_deadline().is_some_and(|due| due < told),
        }
    }

    /// As [`Engine::next_deadline`], for a host that wants to learn when it comes earlier; `Timestamp::MAX` stands for never.
    pub fn report_deadline(&mut self) -> Option<Timestamp> {
        let due = self.next_deadline();
        self.reported_deadline = Some(due.unwrap_or(Timestamp::MAX));
        due
    }
}
