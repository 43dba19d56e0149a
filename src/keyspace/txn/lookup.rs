//! Lookup of a key: expires the key if due, counts a hit or miss, and records its use.

use super::key_uses::KeyUses;
use super::{Txn, db_index};
use crate::keyspace::uses::Counting;
use crate::keyspace::{Entry, Error, Keyspace, Lookup};
use crate::values::{Kind, ValueRef};

/// Purpose of a lookup, which decides whether it counts as hit or miss and as a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::keyspace) enum Access {
    /// Reads the value: a hit or miss, and a use.
    Read,
    /// Reads metadata such as existence: a hit or miss, but no use.
    Probe,
    /// Changes the key: a use.
    Write,
    /// Counts as nothing.
    Peek,
}

impl Access {
    #[inline(always)]
    fn is_counted(self) -> bool {
        matches!(self, Access::Read | Access::Probe)
    }

    #[inline(always)]
    fn is_use(self) -> bool {
        matches!(self, Access::Read | Access::Write)
    }
}

impl Txn<'_> {
    /// Looks a key up. Expires it if due. Depending on `access`, counts a hit or miss and records the use.
    #[inline(never)]
    pub(in crate::keyspace) fn entry(&mut self, key: &[u8], access: Access) -> Lookup {
        self.entry_inlined(key, access)
    }

    /// Inlined variant of [`Txn::entry`], for GET, SET and INCR.
    #[inline(always)]
    pub(in crate::keyspace) fn entry_inlined(&mut self, key: &[u8], access: Access) -> Lookup {
        let lookup = match stamp(self, access) {
            Some(last_use) => self.db_mut().probe_in_use(key, last_use),
            None => entry_regular(self, key, access),
        };
        if access.is_counted() {
            self.keyspace.counts.count_lookup(!lookup.is_vacant());
        }
        lookup
    }

    /// Looks a key up to change its value. Fails with `WrongType` for a value of another type.
    #[inline(never)]
    pub(in crate::keyspace) fn find_for_write(&mut self, key: &[u8], kind: Kind) -> Result<Lookup, Error> {
        let lookup = self.entry(key, Access::Write);
        match self.value(lookup) {
            Some(value) if value.kind() != kind => Err(Error::WrongType),
            _ => Ok(lookup),
        }
    }

    /// Value at a lookup; `None` if the key does not exist.
    #[inline(always)]
    pub(crate) fn value(&self, lookup: Lookup) -> Option<ValueRef<'_>> {
        self.db().value(lookup.found()?)
    }

    /// Looks a key up and returns its value.
    #[inline(always)]
    pub(crate) fn value_at(&mut self, key: &[u8]) -> Option<ValueRef<'_>> {
        let lookup = self.entry(key, Access::Read);
        self.value(lookup)
    }

    /// Borrowed view of a key. The lookup counts as nothing.
    pub(crate) fn peek(&mut self, key: &[u8]) -> Option<Entry<'_>> {
        let handle = self.entry(key, Access::Peek).found()?;
        self.db().entry(handle)
    }

    // --- Last use.

    /// Returns what records the uses of keys of the database.
    #[inline(always)]
    pub(in crate::keyspace) fn uses(&mut self) -> KeyUses<'_> {
        let Keyspace { databases, uses, random, .. } = &mut *self.keyspace;
        KeyUses { db: &mut databases[db_index(self.database)], uses, random, marking: self.marking }
    }

    /// Whether an overwritten key keeps its last-use word. Not if the policy counts changes.
    #[inline(always)]
    pub(in crate::keyspace) fn keeps_use(&self) -> bool {
        self.keyspace.uses.counting() != Counting::Changes
    }

    /// Last-use word for a key that is created or replaced.
    #[inline(always)]
    pub(in crate::keyspace) fn last_use_for(&mut self, lookup: Lookup) -> u32 {
        match lookup.found() {
            Some(handle) if self.keeps_use() => self.db().entries.last_use(handle),
            _ => self.uses().first(),
        }
    }
}

/// Last-use word that a lookup stores in any key it finds; `Some(None)` stores nothing. `None` if the word depends on
/// the key, or if keys are due: the lookup takes the regular path.
#[inline(always)]
fn stamp(txn: &Txn<'_>, access: Access) -> Option<Option<u32>> {
    if txn.is_due() {
        return None;
    }
    match txn.keyspace.uses.counting() {
        _ if !access.is_use() || !txn.marking => Some(None),
        Counting::Uses => Some(txn.keyspace.uses.present()),
        Counting::Changes => Some(None),
        Counting::Frequency(_) => None,
    }
}

#[inline(never)]
fn entry_regular(txn: &mut Txn<'_>, key: &[u8], access: Access) -> Lookup {
    let lookup = txn.db().probe(key);
    let Some(handle) = lookup.found() else { return lookup };
    if !txn.keep_or_expire(handle) {
        return lookup.vacated();
    }
    if access.is_use() {
        txn.uses().mark(handle);
    }
    lookup
}
