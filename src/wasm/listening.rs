//! Events that the host listens for.

use alloc::string::String;

use super::clock::EngineClock;
use crate::Keylatch;
use crate::keyspace::EventKind;

/// Names of the events with listeners, separated by blanks.
#[derive(Debug, Default)]
pub(super) struct Listening(pub(super) String);

impl Listening {
    /// Passes the selection of events to the engine.
    pub(super) fn apply(&self, keylatch: &mut Keylatch<EngineClock>) {
        let is_selected = |kind: &EventKind| self.0.split(' ').any(|name| name == "*" || name == kind.name());
        keylatch.listen_to(EventKind::ALL.iter().copied().filter(is_selected));
    }
}
