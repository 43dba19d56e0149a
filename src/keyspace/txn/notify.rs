//! What the verbs report to: effects, events, and whoever is interested in a key.

use super::{Txn, db_index};
use crate::keyspace::observers::effect::EffectWriter;
use crate::keyspace::{EventKind, Keyspace};
use crate::store::slab::Handle;

impl Txn<'_> {
    /// Nobody wants to be told of changes.
    #[inline(always)]
    pub(in crate::keyspace) fn is_unobserved(&self) -> bool {
        self.is_unobserved
    }

    /// States the effect of what was just done with the verbs.
    #[inline(always)]
    pub(in crate::keyspace) fn effect(&mut self, write: impl FnOnce(&mut EffectWriter<'_>)) {
        if !self.is_unobserved
            && let Some(mut effect) = self.keyspace.effects.open(self.database)
        {
            write(&mut effect);
            effect.close();
        }
    }

    /// Whether effects are built: what they need may have to be kept before it is gone.
    pub(in crate::keyspace) fn states_effects(&self) -> bool {
        self.keyspace.effects.are_built()
    }

    /// A change of the whole database: it has no key to notify about.
    pub(super) fn changed(&mut self, write: impl FnOnce(&mut EffectWriter<'_>)) {
        if !self.is_unobserved {
            self.keyspace.effects.changed();
        }
        self.effect(write);
    }

    /// The event of a key that was written, and that it is there now if it is new.
    #[inline(always)]
    pub(in crate::keyspace) fn notify_of_put(&mut self, event: EventKind, key: &[u8], is_new: bool) {
        if !self.is_unobserved {
            self.notify(event, key);
            if is_new {
                self.appear(key);
            }
        }
    }

    /// An event of a change that was made before its place in the order of events.
    #[inline(never)]
    pub(in crate::keyspace) fn notify(&mut self, event: EventKind, key: &[u8]) {
        self.notify_at_once(event, key);
    }

    /// An event of a key that is still there.
    #[inline(never)]
    pub(super) fn notify_of(&mut self, handle: Handle, event: EventKind) {
        if self.is_unobserved {
            return;
        }
        let Keyspace { databases, events, interest, effects, .. } = &mut *self.keyspace;
        let Some(entry) = databases[db_index(self.database)].entry(handle) else { return };
        events.push(event, entry.key, self.database);
        interest.changed(self.database, entry.key, event);
        effects.changed();
    }

    /// As [`Txn::notify`], as a part of its caller: for what most requests do.
    #[inline(always)]
    pub(in crate::keyspace) fn notify_at_once(&mut self, event: EventKind, key: &[u8]) {
        if self.is_unobserved {
            return;
        }
        self.keyspace.events.push(event, key, self.database);
        self.keyspace.interest.changed(self.database, key, event);
        self.keyspace.effects.changed();
    }

    /// A key is there that was not, or was deleted to make place for it.
    pub(in crate::keyspace) fn appear(&mut self, key: &[u8]) {
        if self.is_unobserved {
            return;
        }
        self.keyspace.interest.appear(self.database, key);
    }

    /// An event beside a verb's own: the deadline that came with a value.
    pub(in crate::keyspace) fn also(&mut self, event: EventKind, key: &[u8]) {
        self.keyspace.events.push(event, key, self.database);
    }
}
