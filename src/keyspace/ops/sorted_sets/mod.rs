//! Sorted sets: the typed operations of ZADD, ZPOPMIN and others. Union, intersection and difference are in `combine`,
//! random members in `sample`.

mod combine;
mod sample;

use alloc::vec::Vec;

pub use combine::{Aggregate, Sources, Weighting, combine, combine_into, common, sources};
pub use sample::sample;

use super::strings::Presence;
use crate::base::headroom::{OutOfMemory, try_reserve};
use crate::keyspace::observers::effect::EffectWriter;
use crate::keyspace::ops::keys;
use crate::keyspace::txn::{Access, Change, Txn};
use crate::keyspace::{Error, EventKind, Lookup, NewValue};
use crate::store::slab::Handle;
use crate::values::{End, Interval, Kind, PackedLimit, Selection, Value, ValueRef, ZSet, owned};

/// Condition on a new score, compared with the present one (GT, LT).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreCondition {
    Greater,
    Less,
}

/// Options of ZADD.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreOptions {
    pub presence: Option<Presence>,
    pub condition: Option<ScoreCondition>,
}

/// Numbers of members that ZADD changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Added {
    /// Number of new members.
    pub added: usize,
    /// Number of members with a changed score.
    pub updated: usize,
}

impl ScoreOptions {
    /// Whether the options allow this score for a member.
    fn allows(self, old: Option<f64>, new: f64) -> bool {
        match old {
            None => self.presence != Some(Presence::Existing),
            Some(old) => {
                self.presence != Some(Presence::Missing)
                    && match self.condition {
                        None => true,
                        Some(ScoreCondition::Greater) => new > old,
                        Some(ScoreCondition::Less) => new < old,
                    }
            }
        }
    }

    /// Score of a member after an increment; `None` if the options forbid it.
    fn sum(self, old: Option<f64>, increment: f64) -> Result<Option<f64>, Error> {
        let is_forbidden = match old {
            None => self.presence == Some(Presence::Existing),
            Some(_) => self.presence == Some(Presence::Missing),
        };
        if is_forbidden {
            return Ok(None);
        }
        let score = old.map_or(increment, |old| old + increment);
        if score.is_nan() {
            return Err(Error::NotANumber);
        }
        Ok(self.allows(old, score).then_some(score))
    }
}

/// Consumer of popped pairs.
type Take<'t> = &'t mut dyn FnMut(&mut dyn ExactSizeIterator<Item = (&[u8], f64)>) -> Result<(), OutOfMemory>;

/// Returns the sorted set at a key; `None` if the key does not exist.
pub fn find<'t>(txn: &'t mut Txn<'_>, key: &[u8]) -> Result<Option<&'t ZSet>, Error> {
    match txn.value_at(key) {
        None => Ok(None),
        Some(ValueRef::ZSet(zset)) => Ok(Some(zset)),
        Some(_) => Err(Error::WrongType),
    }
}

/// Sets scores of members, which must not be NaN, and creates the set if missing.
pub fn add(txn: &mut Txn<'_>, key: &[u8], options: ScoreOptions, pairs: &[(f64, &[u8])]) -> Result<Added, Error> {
    let added = add_silently(txn, key, options, pairs, EventKind::ZAdd)?;
    if added != Added::default() {
        txn.effect(|effect| {
            effect.bytes(b"ZADD").bytes(key);
            if let Some(presence) = options.presence {
                effect.bytes(if presence == Presence::Missing { b"NX" } else { b"XX" });
            }
            if let Some(condition) = options.condition {
                effect.bytes(if condition == ScoreCondition::Greater { b"GT" } else { b"LT" });
            }
            pairs.iter().for_each(|&(score, member)| {
                effect.double(score).bytes(member);
            });
        });
    }
    Ok(added)
}

/// Adds to the score of a member; a new member counts as 0. Returns the sum; `None` if the options forbid the change.
pub fn increment(
    txn: &mut Txn<'_>,
    key: &[u8],
    options: ScoreOptions,
    increment: f64,
    member: &[u8],
) -> Result<Option<f64>, Error> {
    let limit = txn.limits().zset;
    let lookup = txn.entry(key, Access::Write);
    let (score, is_change) = match lookup.found() {
        Some(handle) => {
            let mut score = Ok(None);
            let change = update(txn, handle, EventKind::ZIncr, |zset| {
                zset.expect(1, 0, limit)?;
                let updated = zset.update(member, limit, &mut |old| {
                    score = options.sum(old, increment);
                    score.ok().flatten()
                })?;
                Ok(if updated.is_change { Change::Changed(()) } else { Change::Unchanged(()) })
            })?;
            (score?, change.is_change())
        }
        None => {
            let score = options.sum(None, increment)?;
            if let Some(score) = score {
                create(txn, lookup, key, ScoreOptions::default(), &[(score, member)], EventKind::ZIncr)?;
            }
            (score, score.is_some())
        }
    };
    if let (Some(score), true) = (score, is_change) {
        txn.effect(|effect| {
            effect.bytes(b"ZADD").bytes(key).double(score).bytes(member);
        });
    }
    Ok(score)
}

/// Sets scores of members; the caller states the effect.
fn add_silently(
    txn: &mut Txn<'_>,
    key: &[u8],
    options: ScoreOptions,
    pairs: &[(f64, &[u8])],
    event: EventKind,
) -> Result<Added, Error> {
    let limit = txn.limits().zset;
    let lookup = txn.entry(key, Access::Write);
    let Some(handle) = lookup.found() else { return create(txn, lookup, key, options, pairs, event) };
    let change = update(txn, handle, event, |zset| {
        zset.expect(pairs.len(), 0, limit)?;
        let added = add_all(zset, options, pairs, limit)?;
        Ok(if added == Added::default() { Change::Unchanged(added) } else { Change::Changed(added) })
    });
    Ok(change?.result())
}

/// Creates a sorted set at a vacant lookup; the caller states the effect.
fn create(
    txn: &mut Txn<'_>,
    lookup: Lookup,
    key: &[u8],
    options: ScoreOptions,
    pairs: &[(f64, &[u8])],
    event: EventKind,
) -> Result<Added, Error> {
    if options.presence == Some(Presence::Existing) {
        return Ok(Added::default());
    }
    let limit = txn.limits().zset;
    let mut zset = ZSet::new(txn.seed());
    // The number of pairs and the first member's length decide the initial encoding, as in Redis.
    zset.expect(pairs.len(), pairs.first().map_or(0, |(_, member)| member.len()), limit)?;
    let added = add_all(&mut zset, options, pairs, limit)?;
    if !zset.is_empty() {
        txn.put(lookup, key, NewValue::Value(Value::ZSet(zset)), None, event)?;
    }
    Ok(added)
}

/// Removes members; returns the number removed.
pub fn remove<'m>(
    txn: &mut Txn<'_>,
    key: &[u8],
    members: impl Iterator<Item = &'m [u8]> + Clone,
) -> Result<usize, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::ZSet)?.found() else { return Ok(0) };
    let removed = update(txn, handle, EventKind::ZRem, |zset| {
        let removed = members.clone().filter(|member| zset.remove(member).is_some()).count();
        Ok(if removed == 0 { Change::Unchanged(0) } else { Change::Changed(removed) })
    })?;
    if removed.is_change() {
        state_removed(txn, key, members);
    }
    Ok(removed.result())
}

/// Removes the members of an interval; returns the number removed.
pub fn remove_interval(txn: &mut Txn<'_>, key: &[u8], interval: Interval<'_>) -> Result<usize, Error> {
    let event = match interval {
        Interval::Ranks(..) => EventKind::ZRemRangeByRank,
        Interval::Scores(_) => EventKind::ZRemRangeByScore,
        Interval::Members(_) => EventKind::ZRemRangeByLex,
    };
    let Some(handle) = txn.find_for_write(key, Kind::ZSet)?.found() else { return Ok(0) };
    let ranks = zset_of(txn, handle).map_or(0..0, |zset| zset.select(&interval.into()));
    if ranks.is_empty() {
        return Ok(0);
    }
    update(txn, handle, event, |zset| {
        zset.remove_ranks(ranks.clone());
        Ok(Change::Changed(()))
    })?;
    txn.effect(|effect| {
        let last = ranks.end as i64 - 1;
        effect.bytes(b"ZREMRANGEBYRANK").bytes(key).integer(ranks.start as i64).integer(last);
    });
    Ok(ranks.len())
}

/// Passes up to `count` pairs from an end to `take`, in pop order, and removes them. The head has the lowest scores.
/// Returns false if the set does not exist. A `count` of 0 or an error of `take` changes nothing.
pub fn pop(txn: &mut Txn<'_>, key: &[u8], end: End, count: usize, take: Take<'_>) -> Result<bool, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::ZSet)?.found() else { return Ok(false) };
    let event = if end == End::Head { EventKind::ZPopMin } else { EventKind::ZPopMax };
    let len = zset_of(txn, handle).map_or(0, ZSet::len);
    let count = count.min(len);
    let ranks = if end == End::Head { 0..count } else { len - count..len };
    let mut popped: Vec<Vec<u8>> = Vec::new();
    if txn.states_effects()
        && let Some(zset) = zset_of(txn, handle)
    {
        popped = owned(zset.range(ranks.clone()).map(|(member, _)| member))?;
        txn.reserve_headroom(popped.len(), popped.iter().map(Vec::len).sum())?;
    }
    let change = update(txn, handle, event, |zset| {
        match end {
            End::Head => take(&mut zset.range(ranks.clone())),
            End::Tail => take(&mut zset.range(ranks.clone()).rev()),
        }?;
        zset.remove_ranks(ranks.clone());
        Ok(if count == 0 { Change::Unchanged(()) } else { Change::Changed(()) })
    })?;
    if change.is_change() {
        state_removed(txn, key, popped.iter().map(Vec::as_slice));
    }
    Ok(true)
}

/// Stores a selection of one set as another; returns its size. An empty result deletes the key.
pub fn store_selection(txn: &mut Txn<'_>, to: &[u8], from: &[u8], selection: &Selection<'_>) -> Result<usize, Error> {
    let (seed, limit) = (txn.seed(), txn.limits().zset);
    let mut result = ZSet::new(seed);
    let mut ranks = 0..0;
    if let Some(zset) = find(txn, from)? {
        ranks = zset.select(selection);
        result.expect(ranks.len(), 0, limit)?;
        for (member, score) in zset.range(ranks.clone()) {
            result.insert(member, score, limit)?;
        }
    }
    store(txn, to, result, EventKind::ZRangeStore, |effect| {
        let (start, last) = (ranks.start as i64, ranks.end as i64 - 1);
        effect.bytes(b"ZRANGESTORE").bytes(to).bytes(from).integer(start).integer(last);
    })
}

/// Stores a sorted set and replaces an existing key; returns its size. An empty set deletes the key.
fn store(
    txn: &mut Txn<'_>,
    to: &[u8],
    zset: ZSet,
    event: EventKind,
    write: impl FnOnce(&mut EffectWriter<'_>),
) -> Result<usize, Error> {
    let lookup = txn.entry(to, Access::Write);
    let len = zset.len();
    if len > 0 {
        txn.put(lookup, to, NewValue::Value(Value::ZSet(zset)), None, event)?;
        txn.effect(write);
    } else {
        keys::delete(txn, lookup, to);
    }
    Ok(len)
}

fn zset_of<'t>(txn: &'t Txn<'_>, handle: Handle) -> Option<&'t ZSet> {
    match txn.db().value(handle)? {
        ValueRef::ZSet(zset) => Some(zset),
        _ => None,
    }
}

fn update<R>(
    txn: &mut Txn<'_>,
    handle: Handle,
    event: EventKind,
    mut edit: impl FnMut(&mut ZSet) -> Result<Change<R>, Error>,
) -> Result<Change<R>, Error> {
    txn.update(handle, event, |value| match value {
        Value::ZSet(zset) => edit(zset),
        _ => Err(Error::WrongType),
    })
}

fn state_removed<'m>(txn: &mut Txn<'_>, key: &[u8], members: impl Iterator<Item = &'m [u8]>) {
    txn.effect(|effect| {
        effect.bytes(b"ZREM").bytes(key);
        members.for_each(|member| {
            effect.bytes(member);
        });
    });
}

/// Sets the scores that the options allow. On an error the set is unchanged.
fn add_all(
    zset: &mut ZSet,
    options: ScoreOptions,
    pairs: &[(f64, &[u8])],
    limit: PackedLimit,
) -> Result<Added, OutOfMemory> {
    let (mut added, mut done) = (Added::default(), Vec::new());
    for (index, &(score, member)) in pairs.iter().enumerate() {
        // After the last pair nothing can fail, so it needs no undo entry.
        let reserved = if index + 1 < pairs.len() { try_reserve(&mut done, 1) } else { Ok(()) };
        let mut choose = |old| options.allows(old, score).then_some(score);
        let Ok(updated) = reserved.and_then(|()| zset.update(member, limit, &mut choose)) else {
            undo(zset, &done, limit);
            return Err(OutOfMemory);
        };
        if updated.is_change {
            added.added += usize::from(updated.old.is_none());
            added.updated += usize::from(updated.old.is_some());
            if index + 1 < pairs.len() {
                done.push((member, updated.old));
            }
        }
    }
    Ok(added)
}

/// Restores old scores in reverse order. Each insertion reuses the memory that the preceding removal freed, so it
/// cannot fail.
fn undo(zset: &mut ZSet, done: &[(&[u8], Option<f64>)], limit: PackedLimit) {
    for (member, old) in done.iter().rev() {
        zset.remove(member);
        if let Some(score) = old {
            let restored = zset.insert(member, *score, limit);
            debug_assert!(restored.is_ok(), "the removal freed the memory");
        }
    }
}
