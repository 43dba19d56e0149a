//! DeadlineHeap of fields, with absolute instants. A field whose deadline has passed is removed by whoever meets its hash
//! first, and by the sweep.

use alloc::vec::Vec;

use super::values_of;
use crate::base::clock::Timestamp;
use crate::keyspace::txn::{Change, Txn};
use crate::keyspace::{DeadlineCondition, Error, EventKind, Presence};
use crate::values::{Hash, Kind, NewDeadline};

/// What became of the deadline of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldFate {
    NoField,
    /// The condition was not met, or there was no deadline to take away.
    Untouched,
    Changed,
    /// The deadline was not after now: the field is gone.
    Deleted,
}

/// How long a field lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldTimeToLive {
    NoField,
    Forever,
    Until(Timestamp),
}

/// What becomes of deadlines of fields that are set or read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldExpiry {
    /// There is none.
    Never,
    /// It stays as it is.
    Keep,
    At(Timestamp),
}

/// Sets deadlines of fields where the condition holds; one that is not after now deletes the field at once.
pub fn expire_at<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    names: impl Iterator<Item = &'n [u8]> + Clone,
    deadline: Timestamp,
    condition: DeadlineCondition,
) -> Result<Vec<FieldFate>, Error> {
    let existing = txn.find_for_write(key, Kind::Hash)?.found();
    let mut fates = fates_of(names.clone())?;
    let Some(handle) = existing else { return Ok(fates) };
    let holds = |hash: &Hash, name: &[u8]| match hash.find(name) {
        None => FieldFate::NoField,
        Some(field) if !condition.holds(field.deadline, deadline) => FieldFate::Untouched,
        Some(_) => FieldFate::Changed,
    };
    let (mut changed, past) = (Vec::new(), txn.is_past(deadline));
    changed.try_reserve_exact(fates.len()).map_err(|_| Error::OutOfMemory)?;
    if !past {
        txn.db_mut().reserve_deadline(handle)?;
    }
    let event = if past { EventKind::HDel } else { EventKind::HExpire };
    super::update(txn, handle, event, |hash| {
        if !past {
            make_room(hash, names.clone(), |hash, name| holds(hash, name) == FieldFate::Changed)?;
        }
        // One after the other: a field named twice meets what became of it.
        for (name, fate) in names.clone().zip(&mut fates) {
            *fate = holds(hash, name);
            let done = *fate == FieldFate::Changed
                && if past { hash.remove(name) } else { hash.set_deadline(name, Some(deadline)) };
            if done {
                changed.push(name);
                *fate = if past { FieldFate::Deleted } else { FieldFate::Changed };
            }
        }
        Ok(if changed.is_empty() { Change::Unchanged(()) } else { Change::Changed(()) })
    })?;
    match (changed.is_empty(), past) {
        (true, _) => {}
        (false, true) => super::state_removal(txn, key, changed.iter().copied()),
        (false, false) => super::state_deadline(txn, key, deadline, changed.iter().copied()),
    }
    Ok(fates)
}

/// Takes deadlines of fields away.
pub fn persist<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    names: impl Iterator<Item = &'n [u8]> + Clone,
) -> Result<Vec<FieldFate>, Error> {
    let existing = txn.find_for_write(key, Kind::Hash)?.found();
    let mut fates = fates_of(names.clone())?;
    let Some(handle) = existing else { return Ok(fates) };
    let change = super::update(txn, handle, EventKind::HPersist, |hash| {
        let mut change = Change::Unchanged(());
        for (name, fate) in names.clone().zip(&mut fates) {
            *fate = match hash.find(name).map(|field| field.deadline) {
                None => FieldFate::NoField,
                Some(None) => FieldFate::Untouched,
                Some(Some(_)) => {
                    hash.set_deadline(name, None);
                    change = Change::Changed(());
                    FieldFate::Changed
                }
            };
        }
        Ok(change)
    })?;
    if change.is_change() {
        state_persist(txn, key, names);
    }
    Ok(fates)
}

/// How long a field lives.
pub fn time_to_live(txn: &mut Txn<'_>, key: &[u8], name: &[u8]) -> Result<FieldTimeToLive, Error> {
    let field = super::find(txn, key)?.and_then(|hash| hash.find(name));
    Ok(match field.map(|field| field.deadline) {
        None => FieldTimeToLive::NoField,
        Some(None) => FieldTimeToLive::Forever,
        Some(Some(deadline)) => FieldTimeToLive::Until(deadline),
    })
}

/// Answers values of fields, and changes their deadlines.
pub fn get_and_expire<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    names: impl Iterator<Item = &'n [u8]> + Clone,
    expiry: FieldExpiry,
) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let existing = txn.find_for_write(key, Kind::Hash)?.found();
    let mut values = values_of(super::hash_of(txn, existing), names.clone())?;
    txn.ensure_room_for(&values)?;
    let fates = match expiry {
        FieldExpiry::Keep => return Ok(values),
        FieldExpiry::Never => persist(txn, key, names)?,
        FieldExpiry::At(deadline) => expire_at(txn, key, names, deadline, DeadlineCondition::default())?,
    };
    // A field that its first mention deleted is not there for the second.
    for (value, fate) in values.iter_mut().zip(fates) {
        if fate == FieldFate::NoField {
            *value = None;
        }
    }
    Ok(values)
}

/// Sets fields with a deadline, if all of them are there or none is, as the condition says; false if not.
pub fn set_and_expire<'p>(
    txn: &mut Txn<'_>,
    key: &[u8],
    pairs: impl Iterator<Item = (&'p [u8], &'p [u8])> + Clone,
    presence: Option<Presence>,
    expiry: FieldExpiry,
) -> Result<bool, Error> {
    let slot = txn.find_for_write(key, Kind::Hash)?;
    let hash = super::hash_of(txn, slot.found());
    let is_there = |name: &[u8]| hash.is_some_and(|hash| hash.contains(name));
    let mut names = pairs.clone().map(|(name, _)| name);
    let met = match presence {
        None => true,
        Some(Presence::Existing) => names.all(is_there),
        Some(Presence::Missing) => !names.any(is_there),
    };
    if !met {
        return Ok(false);
    }
    let deadline = match expiry {
        FieldExpiry::Never => NewDeadline::None,
        FieldExpiry::Keep => NewDeadline::Keep,
        FieldExpiry::At(deadline) if txn.is_past(deadline) => NewDeadline::None,
        FieldExpiry::At(deadline) => NewDeadline::At(deadline),
    };
    super::store(txn, slot, key, &mut pairs.clone(), deadline, EventKind::HSet)?;
    super::state_pairs(txn, key, pairs.clone());
    let names = pairs.map(|(name, _)| name);
    match (expiry, deadline) {
        (FieldExpiry::At(deadline), NewDeadline::At(_)) => {
            txn.also(EventKind::HExpire, key);
            super::state_deadline(txn, key, deadline, names);
        }
        (FieldExpiry::At(_), _) => drop(super::remove(txn, key, names)?),
        (FieldExpiry::Keep, _) => state_kept_deadlines(txn, key, names)?,
        (FieldExpiry::Never, _) => {}
    }
    Ok(true)
}

fn state_persist<'n>(txn: &mut Txn<'_>, key: &[u8], names: impl Iterator<Item = &'n [u8]> + Clone) {
    txn.effect(|effect| {
        effect.bytes(b"HPERSIST").bytes(key).bytes(b"FIELDS").integer(names.clone().count() as i64);
        names.for_each(|name| {
            effect.bytes(name);
        });
    });
}

/// HSET takes deadlines away, so those that were kept are stated again.
fn state_kept_deadlines<'n>(txn: &mut Txn<'_>, key: &[u8], names: impl Iterator<Item = &'n [u8]>) -> Result<(), Error> {
    for name in names {
        if let FieldTimeToLive::Until(deadline) = time_to_live(txn, key, name)? {
            super::state_deadline(txn, key, deadline, core::iter::once(name));
        }
    }
    Ok(())
}

/// Room for a deadline in every field that will get one, so that setting them cannot fail half-way.
fn make_room<'n>(
    hash: &mut Hash,
    names: impl Iterator<Item = &'n [u8]> + Clone,
    gets_one: impl Fn(&Hash, &[u8]) -> bool,
) -> Result<(), Error> {
    let mut chosen: Vec<&[u8]> = Vec::new();
    for name in names.filter(|name| gets_one(hash, name)) {
        chosen.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        chosen.push(name);
    }
    if chosen.is_empty() {
        return Ok(());
    }
    Ok(hash.make_room(&mut chosen.into_iter())?)
}

fn fates_of<'n>(names: impl Iterator<Item = &'n [u8]>) -> Result<Vec<FieldFate>, Error> {
    let mut fates = Vec::new();
    for _ in names {
        fates.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        fates.push(FieldFate::NoField);
    }
    Ok(fates)
}
