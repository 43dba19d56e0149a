//! Notification of observers by the verbs: events, effects, and watched, waited-for and tracked keys.

use super::{Txn, db_index};
use crate::keyspace::observers::effect::EffectWriter;
use crate::keyspace::{EventKind, Keyspace};
use crate::store::slab::Handle;

impl Txn<'_> {
    /// Whether changes need no notification; see [`Keyspace::is_unobserved`].
    #[inline(always)]
    pub(in crate::keyspace) fn is_unobserved(&self) -> bool {
        self.is_unobserved
    }

    /// States the effect of the preceding verbs.
    #[inline(always)]
    pub(in crate::keyspace) fn effect(&mut self, write: impl FnOnce(&mut EffectWriter<'_>)) {
        if !self.is_unobserved
            && let Some(mut effect) = self.keyspace.effects.open(self.database)
        {
            write(&mut effect);
            effect.close();
        }
    }

    /// Whether effects are built. If so, data that an effect needs must be copied before it is removed.
    pub(in crate::keyspace) fn states_effects(&self) -> bool {
        self.keyspace.effects.are_built()
    }

    /// Notifies of a written key; if the key is new, also the clients blocked on it.
    #[inline(always)]
    pub(in crate::keyspace) fn notify_of_put(&mut self, event: EventKind, key: &[u8], is_new: bool) {
        if !self.is_unobserved {
            self.notify(event, key);
            self.verb_facts().put(event, key, is_new);
            if is_new {
                self.mark_ready(key);
            }
        }
    }

    /// Pushes the event of a changed key and notifies its observers.
    #[inline(never)]
    pub(in crate::keyspace) fn notify(&mut self, event: EventKind, key: &[u8]) {
        self.notify_inlined(event, key);
    }

    /// Pushes an event of an existing entry and notifies its observers. The key is not copied by the caller.
    #[inline(never)]
    pub(super) fn notify_of(&mut self, handle: Handle, event: EventKind) {
        if self.is_unobserved {
            return;
        }
        let Keyspace { databases, events, interest, effects, .. } = &mut *self.keyspace;
        let Some(entry) = databases[db_index(self.database)].entry(handle) else { return };
        events.push(event, entry.key, self.database);
        if event.is_of_groups() {
            interest.mark_changed(self.database, entry.key);
        } else {
            interest.changed(self.database, entry.key, event);
        }
        effects.changed();
    }

    /// Inlined variant of [`Txn::notify`], for the most frequent commands.
    #[inline(always)]
    pub(in crate::keyspace) fn notify_inlined(&mut self, event: EventKind, key: &[u8]) {
        if self.is_unobserved {
            return;
        }
        self.keyspace.events.push(event, key, self.database);
        self.keyspace.interest.changed(self.database, key, event);
        self.keyspace.effects.changed();
    }

    /// Marks a new key as ready for the clients blocked on it.
    pub(in crate::keyspace) fn mark_ready(&mut self, key: &[u8]) {
        if self.is_unobserved {
            return;
        }
        self.keyspace.interest.mark_ready(self.database, key);
    }

    /// Pushes a second event of a verb, such as that of a deadline set with a value.
    pub(in crate::keyspace) fn push_event(&mut self, event: EventKind, key: &[u8]) {
        self.keyspace.events.push(event, key, self.database);
        self.keyspace.facts.note_event(event);
    }
}
