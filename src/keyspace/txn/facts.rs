//! Facts of the verbs: which key or field changed, and how. Nothing is made while facts are not asked for.

use alloc::vec::Vec;

use super::{Txn, db_index};
use crate::base::headroom::{copied, try_reserve};
use crate::keyspace::observers::facts::{FactKind, Facts};
use crate::keyspace::{DATABASES, Db, Error, EventKind, Keyspace, NewValue};
use crate::store::slab::Handle;
use crate::values::{Hash, Value, ValueRef};

impl Txn<'_> {
    /// Facts that the verbs have stated.
    #[inline(always)]
    pub(in crate::keyspace) fn facts(&mut self) -> &mut Facts {
        &mut self.keyspace.facts
    }

    /// Returns what states the facts of verbs on the database.
    #[inline(always)]
    pub(in crate::keyspace) fn verb_facts(&mut self) -> VerbFacts<'_> {
        let Keyspace { databases, facts, .. } = &mut *self.keyspace;
        VerbFacts { databases, database: self.database, facts }
    }
}

/// States the facts of verbs on one of the databases.
pub(in crate::keyspace) struct VerbFacts<'t> {
    databases: &'t [Db; DATABASES as usize],
    database: u8,
    facts: &'t mut Facts,
}

impl<'t> VerbFacts<'t> {
    fn db(&self) -> &'t Db {
        &self.databases[db_index(self.database)]
    }

    /// Prepares the fact of a value that will be put: a hash has a fact for each field.
    pub(in crate::keyspace) fn prepare_put(&mut self, value: &NewValue<'_>) -> Result<(), Error> {
        match value {
            NewValue::Value(Value::Hash(hash)) if self.facts.are_built() => {
                let bytes = usize::try_from(hash.counted_bytes()).unwrap_or(usize::MAX);
                Ok(self.facts.try_reserve(hash.len(), bytes)?)
            }
            NewValue::Edited(text) => Ok(self.facts.try_reserve(1, text.len())?),
            _ => Ok(()),
        }
    }

    /// Prepares the fact of an edit: notes the fields that a hash has before it.
    pub(in crate::keyspace) fn prepare_edit(&mut self, handle: Handle) -> Result<(), Error> {
        if !self.facts.are_built() {
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
        self.facts.set_before(names);
        Ok(())
    }

    /// States that a value was put.
    pub(in crate::keyspace) fn put(&mut self, event: EventKind, key: &[u8], is_new: bool) {
        if !self.facts.are_built() {
            return;
        }
        let db = self.db();
        let Some(handle) = db.find(key) else { return };
        self.facts.push_put(event, (self.database, key), is_new, db.deadline(handle));
        match db.value(handle) {
            Some(ValueRef::Hash(hash)) => {
                hash.iter().for_each(|field| self.facts.add_field(self.database, key, &field.name, Some(field)));
            }
            // Memory for the text was checked with the request, or before it was put.
            Some(ValueRef::String(text)) if event == EventKind::Set => self.facts.set_text(copied(text).ok()),
            _ => {}
        }
    }

    /// States that the value of an entry was edited; one that is emptied will be removed.
    pub(in crate::keyspace) fn edit(&mut self, event: EventKind, handle: Handle, emptied: bool) {
        if !self.facts.are_built() {
            return;
        }
        let Some(entry) = self.db().entry(handle) else { return };
        let name = (self.database, entry.key);
        match emptied {
            true => self.facts.push(event, name, FactKind::of_removal(event), None),
            false => self.facts.push(event, name, FactKind::Changed, entry.deadline),
        }
    }

    /// States that a key is removed.
    pub(in crate::keyspace) fn removal(&mut self, event: EventKind, key: &[u8]) {
        if self.facts.are_built() {
            self.facts.push(event, (self.database, key), FactKind::of_removal(event), None);
        }
    }

    /// States that all keys of the database are removed, if there are any.
    pub(in crate::keyspace) fn flushed(&mut self) {
        if self.facts.are_built() && !self.db().is_empty() {
            self.facts.push_flushed(self.database);
        }
    }

    /// States that a key has another name or database, also in place of another key.
    pub(in crate::keyspace) fn renamed(&mut self, from: &[u8], replaces: bool, (database, to): (u8, &[u8])) {
        if !self.facts.are_built() {
            return;
        }
        if replaces {
            self.facts.push(EventKind::Del, (database, to), FactKind::Removed, None);
        }
        let db = &self.databases[db_index(database)];
        let deadline = db.find(to).and_then(|handle| db.deadline(handle));
        self.facts.push_renamed((self.database, Some(from)), (database, Some(to)), deadline);
    }

    /// States that a key was written, with this event of its own.
    pub(in crate::keyspace) fn written(&mut self, event: EventKind, key: &[u8], is_new: bool) {
        if !self.facts.are_built() {
            return;
        }
        let db = self.db();
        let deadline = db.find(key).and_then(|handle| db.deadline(handle));
        let kind = if is_new { FactKind::Created } else { FactKind::Changed };
        self.facts.push(event, (self.database, key), kind, deadline);
    }

    /// States how fields of a hash are after the preceding verb, in which a command named them.
    pub(in crate::keyspace) fn fields(&mut self, key: &[u8], names: &mut dyn Iterator<Item = &[u8]>) {
        if !self.facts.are_built() {
            return;
        }
        let db = self.db();
        let hash = db.find(key).and_then(|handle| hash_of(db.value(handle)?));
        names.for_each(|name| self.facts.add_field(self.database, key, name, hash.and_then(|hash| hash.find(name))));
    }

    /// States that an owner was granted again what it holds of a latch.
    pub(in crate::keyspace) fn held(&mut self, key: &[u8], owner: &[u8]) -> Result<(), Error> {
        if !self.facts.are_built() {
            return Ok(());
        }
        if let Some(handle) = self.db().find(key) {
            self.prepare_edit(handle)?;
            self.edit(EventKind::HExpire, handle, false);
            self.fields(key, &mut core::iter::once(owner));
        }
        Ok(())
    }
}

fn hash_of(value: ValueRef<'_>) -> Option<&Hash> {
    if let ValueRef::Hash(hash) = value { Some(hash) } else { None }
}
