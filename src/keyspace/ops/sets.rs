//! Sets: the typed operations of SADD, SPOP, SINTER and others.

use alloc::vec::Vec;

use crate::base::argv::ArgvRef;
use crate::base::headroom::copied;
use crate::base::headroom::{OutOfMemory, try_reserve};
use crate::keyspace::ops::keys;
use crate::keyspace::txn::{Access, Change, Txn, count_visits};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::store::slab::Handle;
use crate::values::{Kind, Set, SetLimit, Value, ValueRef, owned};

/// Divisor of the set's size up to which random draws with rejection are cheaper than a copy of all members.
const REJECTION_DIVISOR: usize = 4;
/// Visits that a random draw counts as.
const DRAW_VISITS: usize = 32;

/// Operation that combines sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combination {
    Intersection,
    Union,
    /// Members of the first set that are in no other.
    Difference,
}

impl Combination {
    /// Name of the command that stores the result, for its effect.
    fn store_command(self) -> &'static [u8] {
        match self {
            Combination::Intersection => b"SINTERSTORE",
            Combination::Union => b"SUNIONSTORE",
            Combination::Difference => b"SDIFFSTORE",
        }
    }

    fn store_event(self) -> EventKind {
        match self {
            Combination::Intersection => EventKind::SInterStore,
            Combination::Union => EventKind::SUnionStore,
            Combination::Difference => EventKind::SDiffStore,
        }
    }
}

/// Returns the set at a key; `None` if the key does not exist.
pub fn find<'t>(txn: &'t mut Txn<'_>, key: &[u8]) -> Result<Option<&'t Set>, Error> {
    match txn.value_at(key) {
        None => Ok(None),
        Some(ValueRef::Set(set)) => Ok(Some(set)),
        Some(_) => Err(Error::WrongType),
    }
}

/// Adds members and creates the set if missing. Returns the number of new members.
pub fn add<'m>(txn: &mut Txn<'_>, key: &[u8], members: impl Iterator<Item = &'m [u8]> + Clone) -> Result<usize, Error> {
    let limit = txn.limits().set;
    let lookup = txn.entry(key, Access::Write);
    let added = match lookup.found() {
        Some(handle) => update(txn, handle, EventKind::SAdd, |set| {
            let added = add_all(set, members.clone(), limit)?;
            Ok(if added == 0 { Change::Unchanged(0) } else { Change::Changed(added) })
        })?,
        None => {
            let mut set = Set::new(txn.seed());
            let added = add_all(&mut set, members.clone(), limit)?;
            txn.put(lookup, key, NewValue::Value(Value::Set(set)), None, EventKind::SAdd)?;
            Change::Changed(added)
        }
    };
    if added.is_change() {
        state_members(txn, b"SADD", key, members);
    }
    Ok(added.result())
}

/// Removes members; returns the number removed.
pub fn remove<'m>(
    txn: &mut Txn<'_>,
    key: &[u8],
    members: impl Iterator<Item = &'m [u8]> + Clone,
) -> Result<usize, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::Set)?.found() else { return Ok(0) };
    let removed = update(txn, handle, EventKind::SRem, |set| {
        let removed = members.clone().filter(|member| set.remove(member)).count();
        Ok(if removed == 0 { Change::Unchanged(0) } else { Change::Changed(removed) })
    })?;
    if removed.is_change() {
        state_members(txn, b"SREM", key, members);
    }
    Ok(removed.result())
}

/// Moves a member from one set to another. Returns false if the first set does not contain it.
pub fn move_member(txn: &mut Txn<'_>, from: &[u8], to: &[u8], member: &[u8]) -> Result<bool, Error> {
    let Some(source) = txn.find_for_write(from, Kind::Set)?.found() else { return Ok(false) };
    txn.find_for_write(to, Kind::Set)?;
    if !set_of(txn, source).is_some_and(|set| set.contains(member)) {
        return Ok(false);
    }
    if from == to {
        return Ok(true);
    }
    // Fallible steps come first, notifications after them.
    let is_created = txn.db().find(to).is_none();
    let is_new = put_member(txn, to, member)?;
    remove(txn, from, core::iter::once(member))?;
    if is_new {
        txn.notify(EventKind::SAdd, to);
        txn.verb_facts().written(EventKind::SAdd, to, is_created);
        if is_created {
            txn.mark_ready(to);
        }
        state_members(txn, b"SADD", to, core::iter::once(member));
    }
    Ok(true)
}

/// Adds a member and creates the set if missing. Returns whether the member is new. The caller notifies observers.
fn put_member(txn: &mut Txn<'_>, key: &[u8], member: &[u8]) -> Result<bool, Error> {
    let (limit, seed) = (txn.limits().set, txn.seed());
    let lookup = txn.find_for_write(key, Kind::Set)?;
    let Some(handle) = lookup.found() else {
        let mut set = Set::new(seed);
        set.insert(member, limit)?;
        let last_use = txn.uses().first();
        txn.db_mut().put(lookup, key, NewValue::Value(Value::Set(set)), None, last_use)?;
        return Ok(true);
    };
    let inserted = txn.db_mut().entries.edit(handle, |value| match value {
        Value::Set(set) => set.insert(member, limit),
        _ => Ok(false),
    });
    Ok(inserted.unwrap_or(Ok(false))?)
}

/// Removes and returns up to `count` random members; `None` if the set does not exist.
pub fn pop(txn: &mut Txn<'_>, key: &[u8], count: usize) -> Result<Option<Vec<Vec<u8>>>, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::Set)?.found() else { return Ok(None) };
    let members = distinct_random_members(txn, handle, count)?;
    txn.reserve_headroom(members.len(), members.iter().map(Vec::len).sum())?;
    if !members.is_empty() {
        update(txn, handle, EventKind::SPop, |set| {
            for member in &members {
                set.remove(member);
            }
            Ok(Change::Changed(()))
        })?;
        state_members(txn, b"SREM", key, members.iter().map(Vec::as_slice));
    }
    Ok(Some(members))
}

/// Returns random members: up to `count` distinct ones, or exactly `count` with repetitions. `None` if the set does not
/// exist.
pub fn sample(txn: &mut Txn<'_>, key: &[u8], count: usize, repeating: bool) -> Result<Option<Vec<Vec<u8>>>, Error> {
    if find(txn, key)?.is_none() {
        return Ok(None);
    }
    let Some(handle) = txn.entry(key, Access::Peek).found() else { return Ok(None) };
    let len = set_of(txn, handle).map_or(0, Set::len);
    // Few members are drawn; for many, all are copied.
    let is_drawn = repeating || count <= len / REJECTION_DIVISOR;
    count_visits(txn, if is_drawn { count.saturating_mul(DRAW_VISITS) } else { len.saturating_mul(2) });
    if !repeating {
        return distinct_random_members(txn, handle, count).map(Some);
    }
    let (db, random) = txn.db_and_chance();
    let Some(ValueRef::Set(set)) = db.entry(handle).map(|entry| entry.value) else { return Ok(None) };
    let mut members = Vec::new();
    members.try_reserve_exact(count).map_err(|_| Error::OutOfMemory)?;
    let mut result = Ok(());
    set.random_ones(count, random, &mut |member| {
        if result.is_ok() {
            result = copied(member).map(|member| members.push(member));
        }
    });
    result?;
    Ok(Some(members))
}

/// Returns distinct members in random order. A few are drawn one by one; many are the head of a partial shuffle.
fn distinct_random_members(txn: &mut Txn<'_>, handle: Handle, count: usize) -> Result<Vec<Vec<u8>>, Error> {
    let (seed, limit) = (txn.seed(), txn.limits().set);
    let (db, random) = txn.db_and_chance();
    let Some(ValueRef::Set(set)) = db.entry(handle).map(|entry| entry.value) else { return Ok(Vec::new()) };
    if count > set.len() / REJECTION_DIVISOR {
        let mut members = owned(set.iter())?;
        let wanted = count.min(members.len());
        for index in 0..wanted {
            let drawn = index + random.below((members.len() - index) as u64) as usize;
            members.swap(index, drawn);
        }
        members.truncate(wanted);
        return Ok(members);
    }
    let (mut members, mut drawn) = (Vec::new(), Set::new(seed));
    members.try_reserve_exact(count).map_err(|_| Error::OutOfMemory)?;
    while members.len() < count {
        let Some(member) = set.random(random) else { break };
        if drawn.insert(member, limit)? {
            members.push(copied(member)?);
        }
    }
    Ok(members)
}

/// Combines sets; a missing key is an empty set. An intersection ends at `max_count` members; 0 means no limit.
pub fn combine(txn: &mut Txn<'_>, combination: Combination, keys: ArgvRef<'_>, max_count: usize) -> Result<Set, Error> {
    let handles = find_all(txn, keys)?;
    let limit = txn.limits().set;
    let mut result = Set::new(txn.seed());
    let mut sets: Vec<Option<&Set>> = handles.iter().map(|handle| set_of(txn, (*handle)?)).collect();
    match combination {
        Combination::Union => {
            for set in sets.into_iter().flatten() {
                add_all(&mut result, set.iter(), limit)?;
            }
        }
        Combination::Difference => {
            let others: Vec<&Set> = sets.split_off(1.min(sets.len())).into_iter().flatten().collect();
            for member in sets.into_iter().flatten().flat_map(Set::iter) {
                if !others.iter().any(|other| other.contains(member)) {
                    result.insert(member, limit)?;
                }
            }
        }
        Combination::Intersection => {
            for member in common(sets) {
                result.insert(member, limit)?;
                if max_count > 0 && result.len() == max_count {
                    break;
                }
            }
        }
    }
    Ok(result)
}

/// Counts the members that are in all sets, up to `max_count`; 0 means no limit. A missing key is an empty set.
pub fn count_common(txn: &mut Txn<'_>, keys: ArgvRef<'_>, max_count: usize) -> Result<usize, Error> {
    let handles = find_all(txn, keys)?;
    let sets = handles.iter().map(|handle| set_of(txn, (*handle)?)).collect();
    Ok(common(sets).take(if max_count == 0 { usize::MAX } else { max_count }).count())
}

/// Looks up all keys first, so that a wrong type is an error at any position.
fn find_all(txn: &mut Txn<'_>, keys: ArgvRef<'_>) -> Result<Vec<Option<Handle>>, Error> {
    let mut handles = Vec::new();
    for key in keys.iter() {
        find(txn, key)?;
        let handle = txn.entry(key, Access::Peek).found();
        let len = handle.and_then(|handle| set_of(txn, handle)).map_or(0, Set::len);
        count_visits(txn, len.saturating_mul(2));
        handles.push(handle);
    }
    Ok(handles)
}

/// Members of the smallest set that are in all others; none if a set is missing.
fn common<'s>(sets: Vec<Option<&'s Set>>) -> impl Iterator<Item = &'s [u8]> {
    let mut others = sets.into_iter().collect::<Option<Vec<&Set>>>().unwrap_or_default();
    let smallest = (0..others.len()).min_by_key(|&index| others[index].len());
    let smallest: Option<&'s Set> = smallest.map(|index| others.swap_remove(index));
    smallest.into_iter().flat_map(Set::iter).filter(move |member| others.iter().all(|other| other.contains(member)))
}

/// Combines sets and stores the result; returns its size. An empty result deletes the key.
pub fn combine_into(txn: &mut Txn<'_>, combination: Combination, to: &[u8], keys: ArgvRef<'_>) -> Result<usize, Error> {
    let result = combine(txn, combination, keys, 0)?;
    let lookup = txn.entry(to, Access::Write);
    let len = result.len();
    if len > 0 {
        txn.put(lookup, to, NewValue::Value(Value::Set(result)), None, combination.store_event())?;
        txn.effect(|effect| {
            effect.bytes(combination.store_command()).bytes(to);
            keys.iter().for_each(|key| {
                effect.bytes(key);
            });
        });
    } else {
        keys::delete(txn, lookup, to);
    }
    Ok(len)
}

fn set_of<'t>(txn: &'t Txn<'_>, handle: Handle) -> Option<&'t Set> {
    match txn.db().value(handle)? {
        ValueRef::Set(set) => Some(set),
        _ => None,
    }
}

fn update<R>(
    txn: &mut Txn<'_>,
    handle: Handle,
    event: EventKind,
    mut edit: impl FnMut(&mut Set) -> Result<Change<R>, Error>,
) -> Result<Change<R>, Error> {
    txn.update(handle, event, |value| match value {
        Value::Set(set) => edit(set),
        _ => Err(Error::WrongType),
    })
}

fn state_members<'m>(txn: &mut Txn<'_>, command: &[u8], key: &[u8], members: impl Iterator<Item = &'m [u8]>) {
    txn.effect(|effect| {
        effect.bytes(command).bytes(key);
        members.for_each(|member| {
            effect.bytes(member);
        });
    });
}

/// Adds members; returns the number of new ones. On an error the set is unchanged.
fn add_all<'m>(
    set: &mut Set,
    mut members: impl Iterator<Item = &'m [u8]>,
    limit: SetLimit,
) -> Result<usize, OutOfMemory> {
    let (mut next, mut count, mut added) = (members.next(), 0, Vec::new());
    while let Some(member) = next {
        next = members.next();
        // After the last member nothing can fail, so it needs no undo entry.
        let reserved = if next.is_some() { try_reserve(&mut added, 1) } else { Ok(()) };
        match reserved.and_then(|()| set.insert(member, limit)) {
            Ok(false) => {}
            Ok(true) => {
                count += 1;
                if next.is_some() {
                    added.push(member);
                }
            }
            Err(OutOfMemory) => {
                for member in added {
                    set.remove(member);
                }
                return Err(OutOfMemory);
            }
        }
    }
    Ok(count)
}
