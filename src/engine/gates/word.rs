//! The word of gates: one bit for each.

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
    pub(super) fn when(self, condition: bool) -> Gates {
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
