//! Uses of the keys of a database: what lookups and changes record, and what RESTORE sets.

use crate::base::random::Random;
use crate::keyspace::Db;
use crate::keyspace::uses::{Counting, PastUse, Uses};
use crate::store::slab::Handle;

/// Records the uses of keys of one database.
pub(in crate::keyspace) struct KeyUses<'t> {
    pub(super) db: &'t mut Db,
    pub(super) uses: &'t mut Uses,
    pub(super) random: &'t mut Random,
    /// Whether lookups count as uses.
    pub(super) marking: bool,
}

impl KeyUses<'_> {
    /// Records a use, unless the policy counts changes only.
    #[inline(always)]
    pub(in crate::keyspace) fn mark(&mut self, handle: Handle) {
        let word = match self.uses.counting() {
            Counting::Uses if self.marking => self.uses.present(),
            Counting::Frequency(_) if self.marking => Some(self.word_of_frequency(handle)),
            _ => None,
        };
        if let Some(word) = word {
            self.db.entries.set_last_use(handle, word);
        }
    }

    #[cold]
    fn word_of_frequency(&mut self, handle: Handle) -> u32 {
        self.uses.again(self.db.entries.last_use(handle), self.random)
    }

    /// Records a change, if the policy counts changes.
    pub(super) fn mark_change(&mut self, handle: Handle) {
        if self.uses.counting() == Counting::Changes
            && let Some(word) = self.uses.present()
        {
            self.db.entries.set_last_use(handle, word);
        }
    }

    /// Last-use word for a new key.
    pub(in crate::keyspace) fn first(&mut self) -> u32 {
        self.uses.first(self.db.len())
    }

    /// Idle time or frequency of a key.
    pub(in crate::keyspace) fn past(&self, handle: Handle) -> PastUse {
        self.uses.read(self.db.entries.last_use(handle))
    }

    /// Sets idle time or frequency, as given by RESTORE.
    pub(in crate::keyspace) fn set_past(&mut self, handle: Handle, past: PastUse) {
        self.db.entries.set_last_use(handle, self.uses.past(past));
    }
}
