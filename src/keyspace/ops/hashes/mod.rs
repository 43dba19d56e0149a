//! Hashes: the typed operations on fields and values. Deadlines of fields are in `expiry`.

mod expiry;

#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub use expiry::{
    FIELD_DEADLINE_MS_MAX, FieldExpiry, FieldFate, FieldTimeToLive, expire_at, get_and_expire, persist, set_and_expire,
    time_to_live,
};

use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::base::number::{IntegerText, LongDouble, parse_integer};
use crate::base::random::Random;
use crate::keyspace::txn::{Access, Change, Txn, count_visits};
use crate::keyspace::{Error, EventKind, Lookup, NewValue};
use crate::store::slab::Handle;
use crate::values::{Field, Hash, Kind, NewDeadline, Set, SetLimit, Value, ValueRef};

/// Number of fields that can be iterated over in the time of one random draw.
const FIELDS_PER_DRAW: usize = 64;
/// Visits that a random draw counts as.
const DRAW_VISITS: usize = 32;

/// Fields with their values.
type Pairs<'i, 'p> = &'i mut dyn Iterator<Item = (&'p [u8], &'p [u8])>;

/// Returns the hash at a key; `None` if the key does not exist.
pub fn find<'t>(txn: &'t mut Txn<'_>, key: &[u8]) -> Result<Option<&'t Hash>, Error> {
    match txn.value_at(key) {
        None => Ok(None),
        Some(ValueRef::Hash(hash)) => Ok(Some(hash)),
        Some(_) => Err(Error::WrongType),
    }
}

/// Sets fields, removes their deadlines and creates the hash if missing. Returns the number of new fields.
pub fn set<'p>(
    txn: &mut Txn<'_>,
    key: &[u8],
    pairs: impl Iterator<Item = (&'p [u8], &'p [u8])> + Clone,
) -> Result<usize, Error> {
    let lookup = txn.entry(key, Access::Write);
    let added = store(txn, lookup, key, &mut pairs.clone(), NewDeadline::None, EventKind::HSet)?;
    state_pairs(txn, key, pairs);
    Ok(added)
}

/// Sets a field if it does not exist. Returns whether it was set.
pub fn set_new(txn: &mut Txn<'_>, key: &[u8], name: &[u8], value: &[u8]) -> Result<bool, Error> {
    let lookup = txn.find_for_write(key, Kind::Hash)?;
    if hash_of(txn, lookup.found()).is_some_and(|hash| hash.contains(name)) {
        return Ok(false);
    }
    let (facts, pair) = (txn.facts().len(), core::iter::once((name, value)));
    store(txn, lookup, key, &mut pair.clone(), NewDeadline::None, EventKind::HSet)?;
    txn.facts().note_missing(facts);
    state_pairs(txn, key, pair);
    Ok(true)
}

/// Removes fields; returns the number removed.
pub fn remove<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    names: impl Iterator<Item = &'n [u8]> + Clone,
) -> Result<usize, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::Hash)?.found() else { return Ok(0) };
    let removed = update(txn, handle, EventKind::HDel, |hash| {
        let removed = names.clone().filter(|name| hash.remove(name)).count();
        Ok(if removed == 0 { Change::Unchanged(0) } else { Change::Changed(removed) })
    })?;
    if removed.is_change() {
        state_removal(txn, key, names);
    }
    Ok(removed.result())
}

/// Removes fields and returns their values; `None` for a missing field.
pub fn take<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    names: impl Iterator<Item = &'n [u8]> + Clone,
) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let existing = txn.find_for_write(key, Kind::Hash)?.found();
    let mut values = values_of(hash_of(txn, existing), names.clone())?;
    let Some(handle) = existing else { return Ok(values) };
    txn.reserve_headroom(values.len(), values.iter().flatten().map(Vec::len).sum())?;
    let taken = update(txn, handle, EventKind::HDel, |hash| {
        let mut change = Change::Unchanged(());
        for (name, value) in names.clone().zip(&mut values) {
            // A field given twice is removed once.
            if hash.remove(name) {
                change = Change::Changed(());
            } else {
                *value = None;
            }
        }
        Ok(change)
    })?;
    if taken.is_change() {
        state_removal(txn, key, names);
    }
    Ok(values)
}

/// Adds to the integer in a field; returns the sum. A missing field counts as 0. The deadline stays.
pub fn increment(txn: &mut Txn<'_>, key: &[u8], name: &[u8], increment: i64) -> Result<i64, Error> {
    let lookup = txn.find_for_write(key, Kind::Hash)?;
    let current = match hash_of(txn, lookup.found()).and_then(|hash| hash.get(name)) {
        Some(text) => parse_integer(&text).ok_or(Error::FieldNotAnInteger)?,
        None => 0,
    };
    let sum = current.checked_add(increment).ok_or(Error::Overflow)?;
    let text = IntegerText::of(sum);
    let pair = &mut core::iter::once((name, text.as_bytes()));
    store(txn, lookup, key, pair, NewDeadline::Keep, EventKind::HIncrBy)?;
    txn.verb_facts().fields(key, &mut core::iter::once(name));
    txn.effect(|effect| {
        effect.bytes(b"HINCRBY").bytes(key).bytes(name).integer(increment);
    });
    Ok(sum)
}

/// Adds to the float in a field in 80-bit precision; returns the stored text. The deadline stays.
pub fn increment_float(txn: &mut Txn<'_>, key: &[u8], name: &[u8], increment: LongDouble) -> Result<Vec<u8>, Error> {
    let lookup = txn.find_for_write(key, Kind::Hash)?;
    let field = hash_of(txn, lookup.found()).and_then(|hash| hash.find(name));
    let deadline = field.and_then(|field| field.deadline);
    let sum = match field {
        Some(field) => LongDouble::parse(&field.value).ok_or(Error::FieldNotAFloat)?.add(increment),
        None => increment,
    };
    if !sum.is_finite() {
        return Err(Error::NotFinite);
    }
    let mut text = Vec::new();
    sum.write(&mut text);
    let pair = core::iter::once((name, text.as_slice()));
    store(txn, lookup, key, &mut pair.clone(), NewDeadline::Keep, EventKind::HIncrByFloat)?;
    state_pairs(txn, key, pair);
    if let Some(deadline) = deadline {
        state_deadline(txn, key, deadline, core::iter::once(name));
    }
    Ok(text)
}

/// Visits random fields: up to `count` distinct ones, or exactly `count` with repetitions.
pub fn sample(txn: &mut Txn<'_>, key: &[u8], count: usize, repeating: bool, visit: &mut dyn FnMut(Field<'_>)) {
    let Some(handle) = txn.entry(key, Access::Peek).found() else { return };
    let len = hash_of(txn, Some(handle)).map_or(0, Hash::len);
    // A part of the fields is selected from all.
    count_visits(
        txn,
        if repeating || count <= len / FIELDS_PER_DRAW { count.saturating_mul(DRAW_VISITS) } else { len },
    );
    let (db, random) = txn.db_and_chance();
    let Some(ValueRef::Hash(hash)) = db.entry(handle).map(|entry| entry.value) else { return };
    if repeating {
        hash.random_ones(count, random, visit);
        return;
    }
    if count >= hash.len() {
        hash.iter().for_each(visit);
        return;
    }
    if count <= hash.len() / FIELDS_PER_DRAW
        && let Ok(fields) = distinct_fields(hash, count, random)
    {
        return fields.into_iter().for_each(visit);
    }
    // Selection sampling: keeps the order and allocates nothing.
    let mut wanted = count as u64;
    for (field, left) in hash.iter().zip((1..=hash.len() as u64).rev()) {
        if random.below(left) < wanted {
            visit(field);
            wanted -= 1;
        }
    }
}

fn hash_of<'t>(txn: &'t Txn<'_>, handle: Option<Handle>) -> Option<&'t Hash> {
    match txn.db().value(handle?)? {
        ValueRef::Hash(hash) => Some(hash),
        _ => None,
    }
}

fn update<R>(
    txn: &mut Txn<'_>,
    handle: Handle,
    event: EventKind,
    mut edit: impl FnMut(&mut Hash) -> Result<Change<R>, Error>,
) -> Result<Change<R>, Error> {
    txn.update(handle, event, |value| match value {
        Value::Hash(hash) => edit(hash),
        _ => Err(Error::WrongType),
    })
}

/// Sets fields of the hash at `lookup`, or creates it. The caller states the effect.
fn store(
    txn: &mut Txn<'_>,
    lookup: Lookup,
    key: &[u8],
    pairs: Pairs<'_, '_>,
    deadline: NewDeadline,
    event: EventKind,
) -> Result<usize, Error> {
    let limit = txn.limits().hash;
    match lookup.found() {
        Some(handle) => {
            if matches!(deadline, NewDeadline::At(_)) {
                txn.db_mut().entries.reserve_deadline(handle)?;
            }
            let set = |hash: &mut Hash| Ok(Change::Changed(hash.set_all(pairs, deadline, limit)?));
            update(txn, handle, event, set).map(Change::result)
        }
        None => {
            let mut hash = Hash::new(txn.seed());
            let added = hash.set_all(pairs, deadline, limit)?;
            txn.put(lookup, key, NewValue::Value(Value::Hash(hash)), None, event)?;
            Ok(added)
        }
    }
}

fn state_pairs<'p>(txn: &mut Txn<'_>, key: &[u8], pairs: impl Iterator<Item = (&'p [u8], &'p [u8])> + Clone) {
    txn.verb_facts().fields(key, &mut pairs.clone().map(|(name, _)| name));
    txn.effect(|effect| {
        effect.bytes(b"HSET").bytes(key);
        pairs.for_each(|(name, value)| {
            effect.bytes(name).bytes(value);
        });
    });
}

fn state_removal<'n>(txn: &mut Txn<'_>, key: &[u8], names: impl Iterator<Item = &'n [u8]> + Clone) {
    txn.verb_facts().fields(key, &mut names.clone());
    txn.effect(|effect| {
        effect.bytes(b"HDEL").bytes(key);
        names.for_each(|name| {
            effect.bytes(name);
        });
    });
}

fn state_deadline<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    deadline: Timestamp,
    names: impl Iterator<Item = &'n [u8]> + Clone,
) {
    txn.verb_facts().fields(key, &mut names.clone());
    txn.effect(|effect| {
        effect.bytes(b"HPEXPIREAT").bytes(key).integer(deadline.as_ms());
        effect.bytes(b"FIELDS").integer(names.clone().count() as i64);
        names.for_each(|name| {
            effect.bytes(name);
        });
    });
}

/// Returns `count` distinct fields in random order; `count` must be less than the number of fields.
fn distinct_fields<'h>(hash: &'h Hash, count: usize, random: &mut Random) -> Result<Vec<Field<'h>>, OutOfMemory> {
    let (mut fields, mut drawn) = (Vec::new(), Set::new(0));
    fields.try_reserve_exact(count).map_err(|_| OutOfMemory)?;
    while fields.len() < count {
        let Some(field) = hash.random(random) else { break };
        if drawn.insert(&field.name, SetLimit::default())? {
            fields.push(field);
        }
    }
    Ok(fields)
}

/// Copies the values of fields, in the order of `names`.
fn values_of<'n>(hash: Option<&Hash>, names: impl Iterator<Item = &'n [u8]>) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let mut values = Vec::new();
    for name in names {
        values.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        values.push(hash.and_then(|hash| hash.get(name)).map(|value| copied(&value)).transpose()?);
    }
    Ok(values)
}
