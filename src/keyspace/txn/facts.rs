//! Facts of the verbs: which key or field changed, and how. Nothing is made while facts are not asked for.

use alloc::vec::Vec;

use super::{Txn, db_index};
use crate::base::headroom::{copied, try_reserve};
use crate::keyspace::observers::facts::{FactKind, Facts};
use crate::keyspace::{Error, EventKind, Keyspace, NewValue};
use crate::store::slab::Handle;
use crate::values::{Hash, Value, ValueRef};

impl Txn<'_> {
    /// Whether facts are made.
    pub(in crate::keyspace) fn states_facts(&self) -> bool {
        self.keyspace.facts.are_built()
    }

    /// Facts that the verbs have stated.
    #[inline(always)]
    pub(in crate::keyspace) fn facts(&mut self) -> &mut Facts {
        &mut self.keyspace.facts
    }

    /// Prepares the fact of a value that will be put: a hash has a fact for each field.
    pub(super) fn prepare_put(&mut self, value: &NewValue<'_>) -> Result<(), Error> {
        match value {
            NewValue::Value(Value::Hash(hash)) if self.keyspace.facts.are_built() => {
                let bytes = usize::try_from(hash.counted_bytes()).unwrap_or(usize::MAX);
                Ok(self.keyspace.facts.try_reserve(hash.len(), bytes)?)
            }
            NewValue::Edited(text) => Ok(self.keyspace.facts.try_reserve(1, text.len())?),
            _ => Ok(()),
        }
    }

    /// Prepares the fact of an edit: notes the fields that a hash has before it.
    pub(in crate::keyspace) fn prepare_edit(&mut self, handle: Handle) -> Result<(), Error> {
        if !self.keyspace.facts.are_built() {
            return Ok(());
        }
        let mut names = Vec::new();
        if let Some(ValueRef::Hash(hash)) = self.db().value(handle) {
            try_reserve(&mut names, hash.len())?;
            for field in hash.iter() {
                names.push(copied(&field.name)?);
            }
            names.sort_unstable();
        }
        self.keyspace.facts.set_before(names);
        Ok(())
    }

    /// States that a value was put.
    pub(super) fn state_put(&mut self, event: EventKind, key: &[u8], is_new: bool) {
        let Keyspace { databases, facts, .. } = &mut *self.keyspace;
        if !facts.are_built() {
            return;
        }
        let db = &databases[db_index(self.database)];
        let Some(handle) = db.find(key) else { return };
        facts.push_put(event, (self.database, key), is_new, db.deadline(handle));
        match db.value(handle) {
            Some(ValueRef::Hash(hash)) => {
                hash.iter().for_each(|field| facts.add_field(self.database, key, &field.name, Some(field)));
            }
            // Memory for the text was checked with the request, or before it was put.
            Some(ValueRef::String(text)) if event == EventKind::Set => facts.set_text(copied(text).ok()),
            _ => {}
        }
    }

    /// States that the value of an entry was edited; one that is emptied will be removed.
    pub(super) fn state_edit(&mut self, event: EventKind, handle: Handle, emptied: bool) {
        let Keyspace { databases, facts, .. } = &mut *self.keyspace;
        if !facts.are_built() {
            return;
        }
        let Some(entry) = databases[db_index(self.database)].entry(handle) else { return };
        let name = (self.database, entry.key);
        match emptied {
            true => facts.push(event, name, FactKind::of_removal(event), None),
            false => facts.push(event, name, FactKind::Changed, entry.deadline),
        }
    }

    /// States that a key is removed.
    pub(super) fn state_removal(&mut self, event: EventKind, key: &[u8]) {
        if self.keyspace.facts.are_built() {
            self.keyspace.facts.push(event, (self.database, key), FactKind::of_removal(event), None);
        }
    }

    /// States that all keys of the database are removed, if there are any.
    pub(super) fn state_flushed(&mut self) {
        if self.keyspace.facts.are_built() && !self.db().is_empty() {
            self.keyspace.facts.push_flushed(self.database);
        }
    }

    /// States that a key has another name or database, also in place of another key.
    pub(super) fn state_renamed(&mut self, from: &[u8], replaces: bool, (database, to): (u8, &[u8])) {
        let Keyspace { databases, facts, .. } = &mut *self.keyspace;
        if !facts.are_built() {
            return;
        }
        if replaces {
            facts.push(EventKind::Del, (database, to), FactKind::Removed, None);
        }
        let db = &databases[db_index(database)];
        let deadline = db.find(to).and_then(|handle| db.deadline(handle));
        facts.push_renamed((self.database, Some(from)), (database, Some(to)), deadline);
    }

    /// States that a key was written, with this event of its own.
    pub(in crate::keyspace) fn state_written(&mut self, event: EventKind, key: &[u8], is_new: bool) {
        if !self.keyspace.facts.are_built() {
            return;
        }
        let Keyspace { databases, facts, .. } = &mut *self.keyspace;
        let db = &databases[db_index(self.database)];
        let deadline = db.find(key).and_then(|handle| db.deadline(handle));
        let kind = if is_new { FactKind::Created } else { FactKind::Changed };
        facts.push(event, (self.database, key), kind, deadline);
    }

    /// States how fields of a hash are after the preceding verb, in which a command named them.
    pub(in crate::keyspace) fn state_fields(&mut self, key: &[u8], names: &mut dyn Iterator<Item = &[u8]>) {
        if !self.keyspace.facts.are_built() {
            return;
        }
        let Keyspace { databases, facts, .. } = &mut *self.keyspace;
        let db = &databases[db_index(self.database)];
        let hash = db.find(key).and_then(|handle| hash_of(db.value(handle)?));
        names.for_each(|name| facts.add_field(self.database, key, name, hash.and_then(|hash| hash.find(name))));
    }

    /// States that an owner was granted again what it holds of a latch.
    pub(in crate::keyspace) fn state_held(&mut self, key: &[u8], owner: &[u8]) -> Result<(), Error> {
        if !self.keyspace.facts.are_built() {
            return Ok(());
        }
        if let Some(handle) = self.db().find(key) {
            self.prepare_edit(handle)?;
            self.state_edit(EventKind::HExpire, handle, false);
            self.state_fields(key, &mut core::iter::once(owner));
        }
        Ok(())
    }
}

fn hash_of(value: ValueRef<'_>) -> Option<&Hash> {
    if let ValueRef::Hash(hash) = value { Some(hash) } else { None }
}
