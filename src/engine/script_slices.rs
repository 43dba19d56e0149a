//! Slices of scripts: how long a script of the present request runs before it is suspended.

use crate::server::scripts::suspended::SuspendedSlot;

/// Slices of scripts that come by the streams of accepted clients.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScriptSlices {
    /// Charges after which a script is suspended; 0: never.
    pub charges: u64,
    /// Whether the present requests come by such a stream.
    pub is_streaming: bool,
}

impl ScriptSlices {
    /// Charges after which a script is suspended; `None`: it runs through.
    pub fn charges(self) -> Option<u64> {
        Some(self.charges).filter(|charges| *charges > 0)
    }

    /// Charges after which a script of the present request is suspended. At most one script is.
    pub fn of_request(self, suspended: &SuspendedSlot) -> Option<u64> {
        self.charges().filter(|_| self.is_streaming && !suspended.is_set())
    }
}
