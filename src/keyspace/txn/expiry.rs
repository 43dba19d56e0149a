//! Expiry: whether a key or a field of a hash is due, and its removal.
//!
//! A key is due while it is looked up (expiry on access, Redis' `expireIfNeeded`) or found by the active expire cycle.

use alloc::vec::Vec;

use super::{Change, Txn};
use crate::base::clock::Timestamp;
use crate::base::headroom::{OutOfMemory, copied};
use crate::keyspace::{Db, Error, EventKind, Extent};
use crate::store::slab::Handle;
use crate::values::{Hash, Value, ValueRef};

/// Maximum number of expired fields removed in one edit and stated as one effect.
const FIELDS_PER_EDIT: usize = 64;
/// Maximum bytes of field names in one edit, unless the first name is longer.
const EDIT_BYTES: usize = 4096;
/// Bytes of an argument in the log besides its text.
const ARGUMENT_BYTES: usize = 8;

/// Number of keys or fields that expired, and whether the key still exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::keyspace) struct ExpireOutcome {
    pub(in crate::keyspace) removed: usize,
    pub(in crate::keyspace) is_present: bool,
}

impl Txn<'_> {
    /// Looks up a key that is not an argument of the request, or that may have many expired fields. Fails with
    /// `OutOfMemory` if expired keys or fields cannot be removed.
    pub fn find_unexpired(&mut self, key: &[u8]) -> Result<Option<Handle>, Error> {
        match self.db().find(key) {
            Some(handle) if self.try_keep_or_expire(handle)? => Ok(Some(handle)),
            _ => Ok(None),
        }
    }

    /// Whether any key or field of the database is due.
    #[inline(always)]
    pub(super) fn is_due(&self) -> bool {
        self.db().is_due(self.now)
    }

    /// Removes the key, or its fields, if due (Redis' `expireIfNeeded`). Returns whether the key still exists.
    pub(super) fn keep_or_expire(&mut self, handle: Handle) -> bool {
        if !self.is_due() || self.keyspace.loading || self.db().due(handle).is_none_or(|deadline| self.now <= deadline)
        {
            return true;
        }
        self.expire_entry(handle, usize::MAX).is_present
    }

    /// Fallible variant of [`Txn::keep_or_expire`]: fails if there is no memory for the events and effects of the
    /// removal.
    pub(in crate::keyspace) fn try_keep_or_expire(&mut self, handle: Handle) -> Result<bool, OutOfMemory> {
        let is_due = |db: &Db, now| db.due(handle).is_some_and(|deadline| deadline < now);
        if self.keyspace.loading || !is_due(self.db(), self.now) {
            return Ok(true);
        }
        self.keyspace.reserve_headroom_for_removal(self.database, handle)?;
        let outcome = self.expire_entry(handle, usize::MAX);
        match outcome.is_present && is_due(self.db(), self.now) {
            true => Err(OutOfMemory),
            false => Ok(outcome.is_present),
        }
    }

    /// Whether a new deadline deletes the key immediately: it is not after `now`. Never in load mode.
    pub(in crate::keyspace) fn is_past(&self, deadline: Timestamp) -> bool {
        deadline <= self.now && !self.keyspace.loading
    }

    /// Removes the key if its deadline has passed; otherwise at most `max_count` expired fields.
    pub(in crate::keyspace) fn expire_entry(&mut self, handle: Handle, max_count: usize) -> ExpireOutcome {
        if self.db().deadline(handle).is_some_and(|deadline| deadline < self.now) {
            self.expire(handle);
            return ExpireOutcome { removed: 1, is_present: false };
        }
        let before = self.keyspace.effects.counts();
        let outcome = expire_fields(self, handle, max_count);
        self.keyspace.effects.expired_since(before);
        outcome
    }

    /// Removes an expired key and counts it.
    pub(in crate::keyspace) fn expire(&mut self, handle: Handle) {
        self.keyspace.counts.expired += 1;
        let before = self.keyspace.effects.counts();
        self.remove_without_command(handle, EventKind::Expired);
        self.keyspace.effects.expired_since(before);
    }
}

fn hash(db: &Db, handle: Handle) -> Option<&Hash> {
    match db.value(handle)? {
        ValueRef::Hash(hash) => Some(hash),
        _ => None,
    }
}

/// Removes at most `max_count` expired fields, earliest deadline first. Stops early if there is no memory for events
/// and effects. A hash without fields is removed.
fn expire_fields(txn: &mut Txn<'_>, handle: Handle, max_count: usize) -> ExpireOutcome {
    let now = txn.now();
    let mut outcome = ExpireOutcome { removed: 0, is_present: true };
    let Ok(key) = copied(txn.db().entry(handle).map_or(&[], |entry| entry.key)) else { return outcome };
    while outcome.is_present && outcome.removed < max_count {
        let first_len = hash(txn.db(), handle).and_then(Hash::first_expiring).map_or(0, |field| field.name.len());
        let edit_bytes = first_len.max(EDIT_BYTES);
        let needed_bytes = key.len() + FIELDS_PER_EDIT * ARGUMENT_BYTES + edit_bytes;
        if txn.keyspace.reserve_headroom(Extent::of_names(1, needed_bytes)).is_err() {
            break;
        }
        let (mut names, mut names_bytes): (Vec<Vec<u8>>, usize) = (Vec::new(), 0);
        let edit_max = FIELDS_PER_EDIT.min(max_count - outcome.removed);
        let edit = txn.update(handle, EventKind::HExpired, |value| {
            let Value::Hash(hash) = value else { return Err(Error::WrongType) };
            while names.len() < edit_max && hash.first_deadline().is_some_and(|deadline| deadline < now) {
                let Some(name) = hash.first_expiring().map(|field| field.name) else { break };
                names_bytes += name.len();
                if names_bytes > edit_bytes {
                    break;
                }
                let Ok(name) = copied(&name) else { break };
                hash.remove(&name);
                names.push(name);
            }
            let emptied = hash.is_empty();
            Ok(if names.is_empty() { Change::Unchanged(emptied) } else { Change::Changed(emptied) })
        });
        let Ok(Change::Changed(emptied)) = edit else { break };
        outcome.removed += names.len();
        outcome.is_present = !emptied;
        txn.keyspace.counts.expired_fields += names.len() as u64;
        txn.verb_facts().fields(&key, &mut names.iter().map(Vec::as_slice));
        txn.effect(|effect| {
            effect.bytes(b"HDEL").bytes(&key);
            names.iter().for_each(|name| {
                effect.bytes(name);
            });
        });
    }
    outcome
}
