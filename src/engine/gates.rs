//! The gates between a request and its handler, in one word: a bit says that something has to be done before the handler
//! runs, or in its place. Nothing is a gate because it is configured: a memory limit is one while memory is over it, a
//! pause while it lasts. Every gate is listed here and nowhere else; [`Engine::execute`] asks once for a command.

use super::Engine;
use crate::base::clock::Timestamp;
use crate::base::headroom::is_reserve_whole;
use crate::resp::encode::Protocol;
use crate::server::clients::{Client, ClientId, ReplyMode};

/// A word of gates; zero lets a command pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Gates(u32);

impl Gates {
    // Of the engine.
    /// A deadline has passed: of a key, of a field or of a blocked client.
    pub(crate) const DUE: Gates = Gates(1 << 0);
    /// Memory of deleted values is to be given back.
    pub(crate) const GARBAGE: Gates = Gates(1 << 1);
    /// Something follows what happened before: blocked clients to serve, messages to hand out.
    pub(crate) const PENDING: Gates = Gates(1 << 2);
    /// CLIENT PAUSE.
    pub(crate) const PAUSED: Gates = Gates(1 << 3);
    /// MONITOR shows every command.
    pub(crate) const MONITORED: Gates = Gates(1 << 4);
    /// Memory is over `maxmemory`.
    pub(crate) const OVER_LIMIT: Gates = Gates(1 << 5);
    /// The allocator's reserve is not whole.
    pub(crate) const RESERVE: Gates = Gates(1 << 6);
    /// The other gates of the engine are to be looked at anew.
    pub(crate) const STALE: Gates = Gates(1 << 7);
    // Of the client.
    /// Its connection is to be closed.
    pub(crate) const CLOSING: Gates = Gates(1 << 16);
    /// It is blocked: what it sends waits.
    pub(crate) const BLOCKED: Gates = Gates(1 << 17);
    /// Between MULTI and EXEC.
    pub(crate) const MULTI: Gates = Gates(1 << 18);
    /// It has not given the password.
    pub(crate) const UNAUTHENTICATED: Gates = Gates(1 << 19);
    /// A subscriber over RESP2 may send little else.
    pub(crate) const SUBSCRIBED: Gates = Gates(1 << 20);
    /// CLIENT REPLY leaves replies out.
    pub(crate) const REPLY_MODE: Gates = Gates(1 << 21);

    /// What is worked off before any command of any client.
    pub(crate) const TICK: Gates = Gates(Self::DUE.0 | Self::GARBAGE.0 | Self::PENDING.0);

    /// What has to know the time, whatever the command.
    pub(crate) const TIMED: Gates = Gates(Self::TICK.0 | Self::MONITORED.0 | Self::MULTI.0);

    #[inline(always)]
    pub(crate) fn is_open(self) -> bool {
        self.0 == 0
    }

    /// Whether any of these is set.
    #[inline(always)]
    pub(crate) fn has(self, gates: Gates) -> bool {
        self.0 & gates.0 != 0
    }

    #[inline(always)]
    fn when(self, condition: bool) -> Gates {
        Gates(if condition { self.0 } else { 0 })
    }
}

impl core::ops::BitOr for Gates {
    type Output = Gates;

    #[inline(always)]
    fn bitor(self, other: Gates) -> Gates {
        Gates(self.0 | other.0)
    }
}

impl Client {
    /// The gates of this client.
    #[inline(always)]
    pub(crate) fn gates(&self) -> Gates {
        Gates::CLOSING.when(self.closing)
            | Gates::BLOCKED.when(self.blocked.is_some())
            | Gates::MULTI.when(self.transaction.is_some())
            | Gates::UNAUTHENTICATED.when(!self.authenticated)
            | Gates::SUBSCRIBED.when(self.protocol == Protocol::Resp2 && self.is_subscribed())
            | Gates::REPLY_MODE.when(self.reply_mode != ReplyMode::On)
    }
}

impl Engine {
    /// Looks at the gates anew: at the end of whatever may have changed what they are about.
    pub(super) fn refresh_gates(&mut self) {
        self.gates = found_gates(self);
        self.due_at = found_due_at(self);
    }

    /// Something else than a command changes what gates are about.
    pub(crate) fn mark_stale(&mut self) {
        self.gates = Gates::STALE;
    }

    /// What stands between a client and its handlers now; [`Gates::CLOSING`] for one that is gone.
    #[inline(never)]
    pub(crate) fn gates_for(&mut self, id: ClientId) -> Gates {
        if self.gates == Gates::STALE {
            self.refresh_gates();
        }
        debug_assert_eq!(
            (self.gates, self.due_at),
            (found_gates(self), found_due_at(self)),
            "a gate was left as it was"
        );
        let Some(client) = self.clients.get(id) else { return Gates::CLOSING };
        let timely = Gates::DUE.when(self.due_at <= self.now) | Gates::RESERVE.when(!is_reserve_whole());
        let resumed = Gates::PENDING.when(self.gates.has(Gates::PAUSED) && self.is_pause_over());
        self.gates | timely | resumed | client.gates()
    }
}

/// The gates that hold for every client, found from the state that each is about. DeadlineHeap and the reserve are left to
/// [`Engine::gates_for`]: they change without a command.
fn found_gates(engine: &Engine) -> Gates {
    Gates::GARBAGE.when(engine.keyspace.has_garbage())
        | Gates::PENDING.when(engine.is_pending())
        | Gates::PAUSED.when(engine.server.pause.is_some())
        | Gates::MONITORED.when(engine.clients.has_monitors())
        | Gates::OVER_LIMIT.when(engine.keyspace.is_over_limit())
}

/// The first instant at which [`Gates::DUE`] holds; `Timestamp::MAX` for never.
fn found_due_at(engine: &Engine) -> Timestamp {
    let key = engine.keyspace.first_deadline().map(|deadline| deadline.saturating_add_ms(1));
    key.into_iter().chain(engine.blocked.first_deadline()).min().unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
