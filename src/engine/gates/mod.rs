//! Gates between a request and its handler, as bits of one word. A bit is set while something must be done before the
//! handler, or instead of it. Configuration alone sets no bit: `maxmemory` does while memory is over it, a pause while
//! it lasts. `word` lists all gates; [`Engine::execute`] tests the word once per command.

mod word;

pub(crate) use word::Gates;

use super::Engine;
use crate::base::clock::Timestamp;
use crate::base::headroom::is_reserve_whole;
use crate::resp::encode::Protocol;
use crate::server::clients::{Client, ClientId, ReplyMode};

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
        | Gates::STORE_FAILED.when(engine.server.has_store_error())
}

/// First instant at which [`Gates::DUE`] is set; `Timestamp::MAX` means never.
fn found_due_at(engine: &Engine) -> Timestamp {
    let key = engine.keyspace.first_deadline().map(|deadline| deadline.saturating_add_ms(1));
    key.into_iter().chain(engine.blocked.first_deadline()).min().unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
