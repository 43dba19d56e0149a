//! [`FactQueue`]: facts for the program.

use alloc::vec::Vec;

use super::Engine;
use crate::keyspace::Fact;

/// Queue of facts, of [`Keylatch::facts`](crate::Keylatch::facts).
#[derive(Debug)]
pub struct FactQueue<'a>(&'a mut Engine);

impl<'a> FactQueue<'a> {
    pub(super) fn new(engine: &'a mut Engine) -> FactQueue<'a> {
        FactQueue(engine)
    }

    /// Starts or stops the queue. Loading a snapshot or a log states no facts.
    pub fn collect(&mut self, on: bool) {
        self.0.keyspace.facts.want(on);
    }

    /// Whether facts are collected.
    pub(crate) fn is_on(&self) -> bool {
        self.0.keyspace.facts.are_wanted()
    }

    /// Takes the facts since the last call, in the order of the changes.
    pub fn take(&mut self) -> Vec<Fact> {
        // Those of a suspended script come out at its end.
        if self.0.server.scripts.suspended.is_set() {
            return Vec::new();
        }
        self.0.keyspace.facts.take()
    }
}
