//! Operations on keys of any type: DEL, RENAME, COPY and others.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::headroom::copied;
use crate::keyspace::txn::{Access, Txn, count_visits};
use crate::keyspace::{Error, EventKind, Lookup, NewValue, PastUse, SWEEP_MAX};
use crate::store::slab::Handle;
use crate::values::{Kind, Value, ValueRef};

/// Options of COPY.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyOptions {
    /// Target database; `None` means the database of the source.
    pub database: Option<u8>,
    pub replace: bool,
}

/// Outcome of RENAMENX.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RenameOutcome {
    Renamed,
    /// The new name exists already; nothing was changed.
    Taken,
}

/// Deletes keys; returns the number that existed.
pub fn delete_all<'k>(txn: &mut Txn<'_>, keys: impl Iterator<Item = &'k [u8]>) -> usize {
    let mut deleted: Vec<&[u8]> = Vec::new();
    for key in keys {
        let lookup = txn.entry(key, Access::Peek);
        if !lookup.is_vacant() {
            txn.remove(lookup, key, EventKind::Del);
            deleted.push(key);
        }
    }
    if !deleted.is_empty() {
        txn.effect(|effect| {
            effect.bytes(b"DEL");
            deleted.iter().for_each(|key| {
                effect.bytes(key);
            });
        });
    }
    deleted.len()
}

/// Deletes the key at `lookup`, if it exists.
#[inline(always)]
pub(in crate::keyspace) fn delete(txn: &mut Txn<'_>, lookup: Lookup, key: &[u8]) {
    if lookup.is_vacant() {
        return;
    }
    txn.remove(lookup, key, EventKind::Del);
    txn.effect(|effect| {
        effect.bytes(b"DEL").bytes(key);
    });
}

/// Whether a key exists. Counts a hit or a miss.
pub fn exists(txn: &mut Txn<'_>, key: &[u8]) -> bool {
    !txn.entry(key, Access::Probe).is_vacant()
}

/// Records a use of the key. Returns false if the key does not exist.
pub fn touch(txn: &mut Txn<'_>, key: &[u8]) -> bool {
    !txn.entry(key, Access::Read).is_vacant()
}

/// Whether a key that is about to be written exists. Counts as a use.
pub fn is_taken(txn: &mut Txn<'_>, key: &[u8]) -> bool {
    !txn.entry(key, Access::Write).is_vacant()
}

pub fn kind(txn: &mut Txn<'_>, key: &[u8]) -> Option<Kind> {
    Some(txn.peek(key)?.value.kind())
}

/// Renames a key; the deadline stays. With `keep_target` an existing target is not replaced.
pub fn rename(txn: &mut Txn<'_>, from: &[u8], to: &[u8], keep_target: bool) -> Result<RenameOutcome, Error> {
    let lookup = txn.entry(from, Access::Write);
    if lookup.is_vacant() {
        return Err(Error::NoSuchKey);
    }
    let target = txn.entry(to, Access::Write);
    if keep_target && !target.is_vacant() {
        return Ok(RenameOutcome::Taken);
    }
    if from != to {
        txn.rename_to(lookup, from, target, to)?;
        txn.effect(|effect| {
            effect.bytes(b"RENAME").bytes(from).bytes(to);
        });
    }
    Ok(RenameOutcome::Renamed)
}

/// Copies a key with its deadline. Returns false if the source does not exist, or the target exists and is not
/// replaced.
pub fn copy(txn: &mut Txn<'_>, from: &[u8], to: &[u8], options: CopyOptions) -> Result<bool, Error> {
    let target_database = options.database.unwrap_or(txn.database());
    if target_database == txn.database() && from == to {
        return Err(Error::SameKey);
    }
    let Some(handle) = txn.entry(from, Access::Read).found() else { return Ok(false) };
    let lookup = txn.in_database(target_database).entry(to, Access::Write);
    if !lookup.is_vacant() && !options.replace {
        return Ok(false);
    }
    let elements = txn.db().value(handle).map_or(0, elements_of);
    count_visits(txn, elements);
    let (copy, deadline) = cloned(txn, handle)?;
    let mut target = txn.in_database(target_database);
    target.put(lookup, to, copy, deadline, EventKind::CopyTo)?;
    target.mark_ready(to);
    let is_other_database = target_database != txn.database();
    txn.effect(|effect| {
        effect.bytes(b"COPY").bytes(from).bytes(to);
        if is_other_database {
            effect.bytes(b"DB").integer(target_database.into());
        }
        if options.replace {
            effect.bytes(b"REPLACE");
        }
    });
    Ok(true)
}

/// Moves a key with its deadline to another database. Returns false if the key does not exist, or exists in the target.
pub fn move_key(txn: &mut Txn<'_>, key: &[u8], database: u8) -> Result<bool, Error> {
    if database == txn.database() {
        return Err(Error::SameKey);
    }
    let lookup = txn.entry(key, Access::Write);
    if lookup.is_vacant() || !txn.in_database(database).entry(key, Access::Write).is_vacant() {
        return Ok(false);
    }
    txn.move_to(lookup, key, database)?;
    txn.effect(|effect| {
        effect.bytes(b"MOVE").bytes(key).integer(database.into());
    });
    Ok(true)
}

/// Idle time or frequency of a key, as the policy counts. `None` if the key does not exist.
pub fn past_use(txn: &mut Txn<'_>, key: &[u8]) -> Option<PastUse> {
    let handle = txn.entry(key, Access::Peek).found()?;
    Some(txn.uses().past(handle))
}

/// Counted bytes of a key and its value. The number is equal on every target.
pub fn memory_usage(txn: &mut Txn<'_>, key: &[u8]) -> Option<u64> {
    let handle = txn.entry(key, Access::Peek).found()?;
    Some(txn.db().entry_bytes(handle))
}

/// Returns a random key that is not expired, with uniform probability. The only error is `OutOfMemory`.
pub fn random_key(txn: &mut Txn<'_>) -> Result<Option<Vec<u8>>, Error> {
    loop {
        let (db, random) = txn.db_and_chance();
        let Some(handle) = db.random(random) else { return Ok(None) };
        if txn.try_keep_or_expire(handle)? {
            return Ok(Some(txn.db().key_of(handle)));
        }
        // After one expired key many others may follow. Removing them in deadline order is much faster than drawing
        // each.
        remove_expired(txn)?;
    }
}

/// Removes at most [`SWEEP_MAX`] expired keys, earliest deadline first.
fn remove_expired(txn: &mut Txn<'_>) -> Result<(), Error> {
    for _ in 0..SWEEP_MAX {
        let first = txn.db().first_deadline().filter(|first| first.deadline < txn.now());
        let Some(first) = first else { break };
        txn.try_keep_or_expire(first.owner)?;
    }
    Ok(())
}

/// Bytes of a text that are copied in the time that a visit takes.
const COPIED_BYTES: usize = 128;

/// Visits that a copy of a value counts as.
pub(super) fn elements_of(value: ValueRef<'_>) -> usize {
    if let ValueRef::String(bytes) = value { bytes.len() / COPIED_BYTES } else { value.size() }
}

fn cloned(txn: &Txn<'_>, handle: Handle) -> Result<(NewValue<'static>, Option<crate::base::clock::Timestamp>), Error> {
    let entry = txn.db().entry(handle).ok_or(Error::NoSuchKey)?;
    let copy = match entry.value {
        ValueRef::String(bytes) if entry.is_raw => NewValue::Edited(copied(bytes)?),
        ValueRef::String(bytes) => NewValue::Value(Value::String(copied(bytes)?)),
        ValueRef::List(list) => NewValue::Value(Value::List(list.try_clone()?)),
        ValueRef::Set(set) => NewValue::Value(Value::Set(set.try_clone()?)),
        ValueRef::ZSet(zset) => NewValue::Value(Value::ZSet(zset.try_clone()?)),
        ValueRef::Hash(hash) => NewValue::Value(Value::Hash(hash.try_clone()?)),
        ValueRef::Stream(stream) => NewValue::Value(Value::Stream(Box::new(stream.try_clone()?))),
    };
    Ok((copy, entry.deadline))
}
