//! Gates between a request and its handler, as bits of one word. A bit is set while something must be done before the
//! handler, or instead of it. Configuration alone sets no bit: `maxmemory` does while memory is over it, a pause while
//! it lasts. All gates are listed here; [`Engine::execute`] tests the word once per command.

use super::Engine;
use super::saves::has_store_error;
use crate::base::clock::Timestamp;
use crate::base::headroom::is_reserve_whole;
use crate::resp::encode::Protocol;
use crate::server::clients::{Client, ClientId, ReplyMode};

/// Word of gates. With zero the handler runs immediately.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Gates(u32);

impl Gates {
    // Gates of the engine.
    /// A deadline of a key, a field or a blocked client has passed.
    pub(crate) const DUE: Gates = Gates(1 << 0);
    /// Garbage is to be freed.
    pub(crate) const GARBAGE: Gates = Gates(1 << 1);
    /// After-command hooks have work: blocked clients to serve, messages to deliver.
    pub(crate) const PENDING: Gates = Gates(1 << 2);
    /// CLIENT PAUSE is in effect.
    pub(crate) const PAUSED: Gates = Gates(1 << 3);
    /// Some client is a monitor.
    pub(crate) const MONITORED: Gates = Gates(1 << 4);
    /// Memory is over `maxmemory`.
    pub(crate) const OVER_LIMIT: Gates = Gates(1 << 5);
    /// The allocator's reserve is not whole.
    pub(crate) const RESERVE: Gates = Gates(1 << 6);
    /// The gates of the engine are to be recomputed.
    pub(crate) const STALE: Gates = Gates(1 << 7);
    /// The store fails or is read-only, so writes are refused.
    pub(crate) const STORE_FAILED: Gates = Gates(1 << 8);
    /// A script is suspended: few commands run before it ends.
    pub(crate) const BUSY: Gates = Gates(1 << 9);
    // Gates of the client.
    /// The connection is to be closed.
    pub(crate) const CLOSING: Gates = Gates(1 << 16);
    /// The client is blocked, so its requests wait.
    pub(crate) const BLOCKED: Gates = Gates(1 << 17);
    /// The client is between MULTI and EXEC.
    pub(crate) const MULTI: Gates = Gates(1 << 18);
    /// The client is not authenticated.
    pub(crate) const UNAUTHENTICATED: Gates = Gates(1 << 19);
    /// The client is a RESP2 subscriber, which may send few commands.
    pub(crate) const SUBSCRIBED: Gates = Gates(1 << 20);
    /// CLIENT REPLY suppresses replies.
    pub(crate) const REPLY_MODE: Gates = Gates(1 << 21);

    /// Gates with work to do before any command of any client.
    pub(crate) const TICK: Gates = Gates(Self::DUE.0 | Self::GARBAGE.0 | Self::PENDING.0);

    /// Gates with work that needs the time, for any command.
    pub(crate) const TIMED: Gates = Gates(Self::TICK.0 | Self::MONITORED.0 | Self::MULTI.0);

    #[inline(always)]
    pub(crate) fn is_open(self) -> bool {
        self.0 == 0
    }

    /// Whether any of `gates` is set.
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
    /// Gates of this client.
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
    /// Recomputes the engine's gates, after any change of the state they depend on.
    pub(super) fn refresh_gates(&mut self) {
        self.keyspace.count_scripts(self.server.script_bytes());
        self.gates = found_gates(self);
        self.due_at = found_due_at(self);
    }

    /// Marks the engine's gates as stale: their state changes by other means than a command.
    pub(crate) fn mark_stale(&mut self) {
        self.gates = Gates::STALE;
    }

    /// Returns the present gates of a client; [`Gates::CLOSING`] for a disconnected one.
    #[inline(never)]
    pub(crate) fn gates_for(&mut self, id: ClientId) -> Gates {
        if self.gates == Gates::STALE {
            self.refresh_gates();
        }
        debug_assert_eq!(
            (self.gates, self.due_at),
            (found_gates(self), found_due_at(self)),
            "the kept gates are out of date"
        );
        let Some(client) = self.clients.get(id) else { return Gates::CLOSING };
        let timed = Gates::DUE.when(self.due_at <= self.now) | Gates::RESERVE.when(!is_reserve_whole());
        let resumed = Gates::PENDING.when(self.gates.has(Gates::PAUSED) && self.server.is_pause_over(self.now));
        let busy = Gates::BUSY.when(self.server.scripts.suspended.is_set());
        self.gates | timed | resumed | busy | client.gates()
    }
}

/// Computes the gates that hold for every client. Deadlines, the reserve and a suspended script change without a command and
/// are added by [`Engine::gates_for`].
fn found_gates(engine: &Engine) -> Gates {
    Gates::GARBAGE.when(engine.keyspace.has_garbage())
        | Gates::PENDING.when(engine.is_pending())
        | Gates::PAUSED.when(engine.server.pause.is_some())
        | Gates::MONITORED.when(engine.clients.has_monitors())
        | Gates::OVER_LIMIT.when(engine.keyspace.is_over_limit())
        | Gates::STORE_FAILED.when(has_store_error(&engine.server))
}

/// First instant at which [`Gates::DUE`] is set; `Timestamp::MAX` means never.
fn found_due_at(engine: &Engine) -> Timestamp {
    let key = engine.keyspace.first_deadline().map(|deadline| deadline.saturating_add_ms(1));
    key.into_iter().chain(engine.blocked.first_deadline()).min().unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
