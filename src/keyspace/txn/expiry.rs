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

/// The most expired fields removed in one edit, and recorded as one effect.
const FIELDS_PER_EDIT: usize = 64;
/// The most bytes of field names in one edit, unless the first name is longer.
const EDIT_BYTES: usize = 4096;
/// Bytes of an argument in the log beside its text.
const ARGUMENT_BYTES: usize = 8;

/// How many keys or fields were dead, and whether the key is still there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::keyspace) struct ExpireOutcome {
    pub(in crate::keyspace) removed: usize,
    pub(in crate::keyspace) lives: bool,
}

impl Txn<'_> {
    /// Looks a key up that the request does not name, or that may have many dead fields: without the memory to remove
    /// what is dead nothing is answered.
    pub fn find_unexpired(&mut self, key: &[u8]) -> Result<Option<Handle>, Error> {
        match self.db().find(key) {
            Some(handle) if self.try_expire_if_due(handle)? => Ok(Some(handle)),
            _ => Ok(None),
        }
    }

    /// Whether a key or a field is due. Otherwise no entry needs to be looked at.
    #[inline(always)]
    pub(super) fn is_due(&self) -> bool {
        self.db().is_due(self.now)
    }

    /// Removes a key whose time is over, or its fields; whether the key is still there.
    pub(super) fn expire_if_due(&mut self, handle: Handle) -> bool {
        if !self.is_due() || self.keyspace.loading || self.db().due(handle).is_none_or(|deadline| self.now <= deadline)
        {
            return true;
        }
        self.expire_entry(handle, usize::MAX).lives
    }

    /// As [`Txn::expire_if_due`], once there is room for what follows.
    pub(in crate::keyspace) fn try_expire_if_due(&mut self, handle: Handle) -> Result<bool, OutOfMemory> {
        let is_due = |db: &Db, now| db.due(handle).is_some_and(|deadline| deadline < now);
        if self.keyspace.loading || !is_due(self.db(), self.now) {
            return Ok(true);
        }
        self.keyspace.ensure_room_for_removal(self.database, handle)?;
        let outcome = self.expire_entry(handle, usize::MAX);
        match outcome.lives && is_due(self.db(), self.now) {
            true => Err(OutOfMemory),
            false => Ok(outcome.lives),
        }
    }

    /// A deadline that is not after now kills at once; while a log is loaded none does.
    pub(in crate::keyspace) fn is_past(&self, deadline: Timestamp) -> bool {
        deadline <= self.now && !self.keyspace.loading
    }

    /// Removes a key whose deadline has passed, or at most `most` of its fields.
    pub(in crate::keyspace) fn expire_entry(&mut self, handle: Handle, most: usize) -> ExpireOutcome {
        if self.db().deadline(handle).is_some_and(|deadline| deadline < self.now) {
            self.expire(handle);
            return ExpireOutcome { removed: 1, lives: false };
        }
        expire_fields(self, handle, most)
    }

    /// Removes a key whose deadline has passed.
    pub(in crate::keyspace) fn expire(&mut self, handle: Handle) {
        self.keyspace.counts.expired += 1;
        self.remove_unasked(handle, EventKind::Expired);
    }
}

fn hash<'t>(txn: &'t Txn<'_>, handle: Handle) -> Option<&'t Hash> {
    match txn.db().value(handle)? {
        ValueRef::Hash(hash) => Some(hash),
        _ => None,
    }
}

/// Removes at most `most` fields whose deadline has passed, earliest first, as long as there is memory for what
/// follows. The hash goes with its last field.
fn expire_fields(txn: &mut Txn<'_>, handle: Handle, most: usize) -> ExpireOutcome {
    let now = txn.now();
    let mut outcome = ExpireOutcome { removed: 0, lives: true };
    let Ok(key) = copied(txn.db().entry(handle).map_or(&[], |entry| entry.key)) else { return outcome };
    while outcome.lives && outcome.removed < most {
        let first = hash(txn, handle).and_then(Hash::first_expiring).map_or(0, |field| field.name.len());
        let bytes = first.max(EDIT_BYTES);
        let room_bytes = key.len() + FIELDS_PER_EDIT * ARGUMENT_BYTES + bytes;
        if txn.keyspace.ensure_room(Extent::of_names(1, room_bytes)).is_err() {
            break;
        }
        let (mut names, mut names_bytes): (Vec<Vec<u8>>, usize) = (Vec::new(), 0);
        let room = FIELDS_PER_EDIT.min(most - outcome.removed);
        let edit = txn.update(handle, EventKind::HExpired, |value| {
            let Value::Hash(hash) = value else { return Err(Error::WrongType) };
            while names.len() < room && hash.first_deadline().is_some_and(|deadline| deadline < now) {
                let Some(name) = hash.first_expiring().map(|field| field.name) else { break };
                names_bytes += name.len();
                if names_bytes > bytes {
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
        outcome.lives = !emptied;
        txn.keyspace.counts.expired_fields += names.len() as u64;
        txn.effect(|effect| {
            effect.bytes(b"HDEL").bytes(&key);
            names.iter().for_each(|name| {
                effect.bytes(name);
            });
        });
    }
    outcome
}
