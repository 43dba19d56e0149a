//! Deadlines of fields, as absolute instants. An expired field is removed by the next lookup of its hash, or by the
//! active expire cycle.

use alloc::vec::Vec;

use super::values_of;
use crate::base::clock::Timestamp;
use crate::keyspace::txn::{Change, Txn};
use crate::keyspace::{DeadlineCondition, Error, EventKind, Presence};
use crate::values::{Hash, Kind, NewDeadline};

/// Latest deadline of a field. Redis reserves two of the 48 bits of such a deadline.
pub const FIELD_DEADLINE_MS_MAX: i64 = (1 << 46) - 1;

/// Outcome of a change to the deadline of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldFate {
    NoField,
    /// The condition does not hold, or there is no deadline to remove.
    Untouched,
    Changed,
    /// The deadline is not after `now`, so the field was deleted.
    Deleted,
}

/// Time to live of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldTimeToLive {
    NoField,
    Forever,
    Until(Timestamp),
}

/// New deadline of fields that are set or read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldExpiry {
    /// No deadline.
    Never,
    /// The present deadline, if there is one.
    Keep,
    At(Timestamp),
}

/// Sets deadlines of fields if the condition holds. A deadline that is not after `now` deletes the field. Returns the
/// outcome of each field.
pub fn expire_at<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    names: impl Iterator<Item = &'n [u8]> + Clone,
    deadline: Timestamp,
    condition: DeadlineCondition,
) -> Result<Vec<FieldFate>, Error> {
    let existing = txn.find_for_write(key, Kind::Hash)?.found();
    let mut outcomes = no_fields(names.clone())?;
    let Some(handle) = existing else { return Ok(outcomes) };
    let outcome_of = |hash: &Hash, name: &[u8]| match hash.find(name) {
        None => FieldFate::NoField,
        Some(field) if !condition.holds(field.deadline, deadline) => FieldFate::Untouched,
        Some(_) => FieldFate::Changed,
    };
    let (mut changed, past) = (Vec::new(), txn.is_past(deadline));
    changed.try_reserve_exact(outcomes.len()).map_err(|_| Error::OutOfMemory)?;
    if !past {
        txn.db_mut().entries.reserve_deadline(handle)?;
    }
    let event = if past { EventKind::HDel } else { EventKind::HExpire };
    super::update(txn, handle, event, |hash| {
        if !past {
            reserve_deadlines(hash, names.clone(), |hash, name| outcome_of(hash, name) == FieldFate::Changed)?;
        }
        // In order: the second mention of a field sees the result of the first.
        for (name, outcome) in names.clone().zip(&mut outcomes) {
            *outcome = outcome_of(hash, name);
            let done = *outcome == FieldFate::Changed
                && if past { hash.remove(name) } else { hash.set_deadline(name, Some(deadline)) };
            if done {
                changed.push(name);
                *outcome = if past { FieldFate::Deleted } else { FieldFate::Changed };
            }
        }
        Ok(if changed.is_empty() { Change::Unchanged(()) } else { Change::Changed(()) })
    })?;
    match (changed.is_empty(), past) {
        (true, _) => {}
        (false, true) => super::state_removal(txn, key, changed.iter().copied()),
        (false, false) => super::state_deadline(txn, key, deadline, changed.iter().copied()),
    }
    Ok(outcomes)
}

/// Removes deadlines of fields. Returns the outcome of each field.
pub fn persist<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    names: impl Iterator<Item = &'n [u8]> + Clone,
) -> Result<Vec<FieldFate>, Error> {
    let existing = txn.find_for_write(key, Kind::Hash)?.found();
    let mut outcomes = no_fields(names.clone())?;
    let Some(handle) = existing else { return Ok(outcomes) };
    let change = super::update(txn, handle, EventKind::HPersist, |hash| {
        let mut change = Change::Unchanged(());
        for (name, outcome) in names.clone().zip(&mut outcomes) {
            *outcome = match hash.find(name).map(|field| field.deadline) {
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
    Ok(outcomes)
}

/// Returns the time to live of a field.
pub fn time_to_live(txn: &mut Txn<'_>, key: &[u8], name: &[u8]) -> Result<FieldTimeToLive, Error> {
    let field = super::find(txn, key)?.and_then(|hash| hash.find(name));
    Ok(match field.map(|field| field.deadline) {
        None => FieldTimeToLive::NoField,
        Some(None) => FieldTimeToLive::Forever,
        Some(Some(deadline)) => FieldTimeToLive::Until(deadline),
    })
}

/// Returns values of fields and changes their deadlines.
pub fn get_and_expire<'n>(
    txn: &mut Txn<'_>,
    key: &[u8],
    names: impl Iterator<Item = &'n [u8]> + Clone,
    expiry: FieldExpiry,
) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let existing = txn.find_for_write(key, Kind::Hash)?.found();
    let mut values = values_of(super::hash_of(txn, existing), names.clone())?;
    txn.reserve_headroom(values.len(), values.iter().flatten().map(Vec::len).sum())?;
    let outcomes = match expiry {
        FieldExpiry::Keep => return Ok(values),
        FieldExpiry::Never => persist(txn, key, names)?,
        FieldExpiry::At(deadline) => expire_at(txn, key, names, deadline, DeadlineCondition::default())?,
    };
    // The second mention of a field that was deleted by the first has no value.
    for (value, outcome) in values.iter_mut().zip(outcomes) {
        if outcome == FieldFate::NoField {
            *value = None;
        }
    }
    Ok(values)
}

/// Sets fields with a deadline if the condition holds: all fields exist, or none does. Returns whether they were set.
pub fn set_and_expire<'p>(
    txn: &mut Txn<'_>,
    key: &[u8],
    pairs: impl Iterator<Item = (&'p [u8], &'p [u8])> + Clone,
    presence: Option<Presence>,
    expiry: FieldExpiry,
) -> Result<bool, Error> {
    let lookup = txn.find_for_write(key, Kind::Hash)?;
    let hash = super::hash_of(txn, lookup.found());
    let exists = |name: &[u8]| hash.is_some_and(|hash| hash.contains(name));
    let mut names = pairs.clone().map(|(name, _)| name);
    let holds = match presence {
        None => true,
        Some(Presence::Existing) => names.all(exists),
        Some(Presence::Missing) => !names.any(exists),
    };
    if !holds {
        return Ok(false);
    }
    let deadline = match expiry {
        FieldExpiry::Never => NewDeadline::None,
        FieldExpiry::Keep => NewDeadline::Keep,
        FieldExpiry::At(deadline) if txn.is_past(deadline) => NewDeadline::None,
        FieldExpiry::At(deadline) => NewDeadline::At(deadline),
    };
    let facts = txn.facts().len();
    super::store(txn, lookup, key, &mut pairs.clone(), deadline, EventKind::HSet)?;
    if presence == Some(Presence::Missing) {
        txn.facts().note_missing(facts);
    }
    super::state_pairs(txn, key, pairs.clone());
    let names = pairs.map(|(name, _)| name);
    match (expiry, deadline) {
        (FieldExpiry::At(deadline), NewDeadline::At(_)) => {
            txn.push_event(EventKind::HExpire, key);
            super::state_deadline(txn, key, deadline, names);
        }
        (FieldExpiry::At(_), _) => drop(super::remove(txn, key, names)?),
        (FieldExpiry::Keep, _) => state_kept_deadlines(txn, key, names)?,
        (FieldExpiry::Never, _) => {}
    }
    Ok(true)
}

fn state_persist<'n>(txn: &mut Txn<'_>, key: &[u8], names: impl Iterator<Item = &'n [u8]> + Clone) {
    txn.verb_facts().fields(key, &mut names.clone());
    txn.effect(|effect| {
        effect.bytes(b"HPERSIST").bytes(key).bytes(b"FIELDS").integer(names.clone().count() as i64);
        names.for_each(|name| {
            effect.bytes(name);
        });
    });
}

/// States the deadlines that were kept, because the effect HSET removes them.
fn state_kept_deadlines<'n>(txn: &mut Txn<'_>, key: &[u8], names: impl Iterator<Item = &'n [u8]>) -> Result<(), Error> {
    for name in names {
        if let FieldTimeToLive::Until(deadline) = time_to_live(txn, key, name)? {
            super::state_deadline(txn, key, deadline, core::iter::once(name));
        }
    }
    Ok(())
}

/// Reserves memory for the deadlines of all selected fields, so that setting them cannot fail half-way.
fn reserve_deadlines<'n>(
    hash: &mut Hash,
    names: impl Iterator<Item = &'n [u8]> + Clone,
    is_selected: impl Fn(&Hash, &[u8]) -> bool,
) -> Result<(), Error> {
    let mut selected: Vec<&[u8]> = Vec::new();
    for name in names.filter(|name| is_selected(hash, name)) {
        selected.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        selected.push(name);
    }
    if selected.is_empty() {
        return Ok(());
    }
    Ok(hash.try_reserve(&mut selected.into_iter())?)
}

/// Outcomes of all fields, at first [`FieldFate::NoField`].
fn no_fields<'n>(names: impl Iterator<Item = &'n [u8]>) -> Result<Vec<FieldFate>, Error> {
    let mut outcomes = Vec::new();
    for _ in names {
        outcomes.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        outcomes.push(FieldFate::NoField);
    }
    Ok(outcomes)
}
