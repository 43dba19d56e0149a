//! The lookup of a key, and what it counts as: a key whose time is over goes when it is met, and a key that is asked for
//! was used.

use super::{Txn, db_index};
use crate::keyspace::uses::{Counting, PastUse};
use crate::keyspace::{Entry, Error, Keyspace, Slot};
use crate::store::slab::Handle;
use crate::values::{Kind, ValueRef};

/// Why a key is looked up, which decides what the lookup counts as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::keyspace) enum Access {
    /// To answer its value: a hit or a miss, and a use.
    Read,
    /// To answer something about it: a hit or a miss, but no use.
    Probe,
    /// To change it: a use.
    Write,
    /// For nothing that counts.
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
    /// Looks a key up, removes it if its time is over, and counts that.
    #[inline(never)]
    pub(in crate::keyspace) fn entry(&mut self, key: &[u8], access: Access) -> Slot {
        self.entry_inlined(key, access)
    }

    /// Inlined variant of [`Txn::entry`], for GET, SET and INCR.
    #[inline(always)]
    pub(in crate::keyspace) fn entry_inlined(&mut self, key: &[u8], access: Access) -> Slot {
        let slot = match stamp(self, access) {
            Some(last_use) => self.db_mut().probe_in_use(key, last_use),
            None => entry_with_care(self, key, access),
        };
        if access.is_counted() {
            count_lookup(self, slot);
        }
        slot
    }

    /// Looks a key up to change its value. A key of another type is an error.
    #[inline(never)]
    pub(in crate::keyspace) fn find_for_write(&mut self, key: &[u8], kind: Kind) -> Result<Slot, Error> {
        let slot = self.entry(key, Access::Write);
        match self.value(slot) {
            Some(value) if value.kind() != kind => Err(Error::WrongType),
            _ => Ok(slot),
        }
    }

    /// What a lookup found.
    #[inline(always)]
    pub(crate) fn value(&self, slot: Slot) -> Option<ValueRef<'_>> {
        self.db().value(slot.found()?)
    }

    /// Looks a key up to answer its value.
    #[inline(always)]
    pub(crate) fn value_at(&mut self, key: &[u8]) -> Option<ValueRef<'_>> {
        let slot = self.entry(key, Access::Read);
        self.value(slot)
    }

    /// A key seen where it lies, which counts as nothing.
    pub(crate) fn peek(&mut self, key: &[u8]) -> Option<Entry<'_>> {
        let handle = self.entry(key, Access::Peek).found()?;
        self.db().entry(handle)
    }

    // --- Marks of use.

    /// Notes that a key is used now, where uses are what is counted.
    #[inline(always)]
    pub(in crate::keyspace) fn mark_use(&mut self, handle: Handle) {
        if let Some(word) = word_of_use(self, handle) {
            self.db_mut().set_last_use(handle, word);
        }
    }

    /// Notes that a key is changed now, where changes are what is counted.
    pub(super) fn mark_change(&mut self, handle: Handle) {
        if self.keyspace.uses.counting() == Counting::Changes
            && let Some(word) = self.keyspace.uses.present()
        {
            self.db_mut().set_last_use(handle, word);
        }
    }

    /// An entry keeps what its block says about its use when another value is put in its place.
    #[inline(always)]
    pub(in crate::keyspace) fn keeps_use(&self) -> bool {
        self.keyspace.uses.counting() != Counting::Changes
    }

    /// The last use of a key that is written anew, in place of what is there.
    #[inline(always)]
    pub(in crate::keyspace) fn use_to_be(&mut self, slot: Slot) -> u32 {
        match slot.found() {
            Some(handle) if self.keeps_use() => self.db().last_use(handle),
            _ => self.first_use(),
        }
    }

    /// What a key that comes now has as its last use.
    pub(in crate::keyspace) fn first_use(&mut self) -> u32 {
        let keys = self.db().len();
        self.keyspace.uses.first(keys)
    }

    /// How a key was used.
    pub(in crate::keyspace) fn past_use_of(&self, handle: Handle) -> PastUse {
        self.keyspace.past_use(self.db(), handle)
    }

    /// Notes how a key was used before it came here.
    pub(in crate::keyspace) fn set_past_use(&mut self, handle: Handle, past: PastUse) {
        let word = self.keyspace.uses.past(past);
        self.db_mut().set_last_use(handle, word);
    }
}

/// What a lookup leaves at whichever key as its last use; `None` when that depends on the key, or keys are due.
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
fn entry_with_care(txn: &mut Txn<'_>, key: &[u8], access: Access) -> Slot {
    let slot = txn.db().probe(key);
    let Some(handle) = slot.found() else { return slot };
    if !txn.expire_if_due(handle) {
        return slot.vacated();
    }
    if access.is_use() {
        txn.mark_use(handle);
    }
    slot
}

#[inline(always)]
fn count_lookup(txn: &mut Txn<'_>, slot: Slot) {
    match slot.is_vacant() {
        true => txn.keyspace.counts.misses += 1,
        false => txn.keyspace.counts.hits += 1,
    }
}

/// What a key that is used now has as its last use from here on; `None`: what it has.
#[inline(always)]
fn word_of_use(txn: &mut Txn<'_>, handle: Handle) -> Option<u32> {
    match txn.keyspace.uses.counting() {
        Counting::Uses if txn.marking => txn.keyspace.uses.present(),
        Counting::Frequency(_) if txn.marking => Some(word_of_frequency(txn, handle)),
        _ => None,
    }
}

#[cold]
fn word_of_frequency(txn: &mut Txn<'_>, handle: Handle) -> u32 {
    let Keyspace { databases, uses, random, .. } = &mut *txn.keyspace;
    uses.again(databases[db_index(txn.database)].last_use(handle), random)
}
