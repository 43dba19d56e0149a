//! Sets.

use alloc::vec::Vec;

use crate::base::argv::ArgvRef;
use crate::base::headroom::copied;
use crate::base::headroom::{OutOfMemory, make_room};
use crate::keyspace::txn::{Access, Change, Txn};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::store::slab::Handle;
use crate::values::{Set, SetLimit, Value, ValueRef, owned};

/// Up to this share of all members, drawing again is cheaper than copying all of them.
const DRAWN_SHARE: usize = 4;

/// How sets are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combination {
    Intersection,
    Union,
    /// The first without the others.
    Difference,
}

impl Combination {
    /// The command that stores the result, which is also the effect.
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

impl Txn<'_> {
    /// The set at a key; `None` when there is no key.
    pub fn set_at(&mut self, key: &[u8]) -> Result<Option<&Set>, Error> {
        match self.value_at(key) {
            None => Ok(None),
            Some(ValueRef::Set(set)) => Ok(Some(set)),
            Some(_) => Err(Error::WrongType),
        }
    }

    /// Adds members, creating the set; answers how many are new.
    pub fn set_add<'m>(&mut self, key: &[u8], members: impl Iterator<Item = &'m [u8]> + Clone) -> Result<usize, Error> {
        let limit = self.limits().set;
        let slot = self.entry(key, Access::Write);
        let added = match slot.found() {
            Some(handle) => self.update_set(handle, EventKind::SAdd, |set| {
                let added = add_all(set, members.clone(), limit)?;
                Ok(if added == 0 { Change::Unchanged(0) } else { Change::Changed(added) })
            })?,
            None => {
                let mut set = Set::new(self.seed());
                let added = add_all(&mut set, members.clone(), limit)?;
                self.put(slot, key, NewValue::Value(Value::Set(set)), None, EventKind::SAdd)?;
                Change::Changed(added)
            }
        };
        if added.is_change() {
            self.state_members(b"SADD", key, members);
        }
        Ok(added.answer())
    }

    /// Takes members away; answers how many there were.
    pub fn set_remove<'m>(
        &mut self,
        key: &[u8],
        members: impl Iterator<Item = &'m [u8]> + Clone,
    ) -> Result<usize, Error> {
        let Some(handle) = self.write_set(key)? else { return Ok(0) };
        let removed = self.update_set(handle, EventKind::SRem, |set| {
            let removed = members.clone().filter(|member| set.remove(member)).count();
            Ok(if removed == 0 { Change::Unchanged(0) } else { Change::Changed(removed) })
        })?;
        if removed.is_change() {
            self.state_members(b"SREM", key, members);
        }
        Ok(removed.answer())
    }

    /// Takes a member from one set to another; false when it was not in the first.
    pub fn set_move(&mut self, from: &[u8], to: &[u8], member: &[u8]) -> Result<bool, Error> {
        let Some(source) = self.write_set(from)? else { return Ok(false) };
        self.write_set(to)?;
        if !self.set_behind(source).is_some_and(|set| set.contains(member)) {
            return Ok(false);
        }
        if from == to {
            return Ok(true);
        }
        // First what may fail, then what tells of it.
        let is_made = self.db().find(to).is_none();
        let is_new = self.put_member(to, member)?;
        self.set_remove(from, core::iter::once(member))?;
        if is_new {
            self.notify(EventKind::SAdd, to);
            if is_made {
                self.appear(to);
            }
            self.state_members(b"SADD", to, core::iter::once(member));
        }
        Ok(true)
    }

    /// Adds a member to a set, or makes one of it; true when it was not there. The caller tells of it.
    fn put_member(&mut self, key: &[u8], member: &[u8]) -> Result<bool, Error> {
        let (limit, seed) = (self.limits().set, self.seed());
        let Some(handle) = self.write_set(key)? else {
            let mut set = Set::new(seed);
            set.insert(member, limit)?;
            let (slot, last_use) = (self.db().vacant(key), self.first_use());
            self.db_mut().put(slot, key, NewValue::Value(Value::Set(set)), None, last_use)?;
            return Ok(true);
        };
        let inserted = self.db_mut().edit(handle, |value| match value {
            Value::Set(set) => set.insert(member, limit),
            _ => Ok(false),
        });
        Ok(inserted.unwrap_or(Ok(false))?)
    }

    /// Takes up to `count` random members away and answers them; `None` when there is no set.
    pub fn set_pop(&mut self, key: &[u8], count: usize) -> Result<Option<Vec<Vec<u8>>>, Error> {
        let Some(handle) = self.write_set(key)? else { return Ok(None) };
        let members = self.distinct_random_members(handle, count)?;
        self.ensure_room(members.len(), members.iter().map(Vec::len).sum())?;
        if !members.is_empty() {
            self.update_set(handle, EventKind::SPop, |set| {
                for member in &members {
                    set.remove(member);
                }
                Ok(Change::Changed(()))
            })?;
            self.state_members(b"SREM", key, members.iter().map(Vec::as_slice));
        }
        Ok(Some(members))
    }

    /// Random members: up to `count` different ones, or exactly `count` with repetitions. `None` when there is no set.
    pub fn set_sample(&mut self, key: &[u8], count: usize, repeating: bool) -> Result<Option<Vec<Vec<u8>>>, Error> {
        if self.set_at(key)?.is_none() {
            return Ok(None);
        }
        let Some(handle) = self.entry(key, Access::Peek).found() else { return Ok(None) };
        if !repeating {
            return self.distinct_random_members(handle, count).map(Some);
        }
        let mut members = Vec::new();
        for _ in 0..count {
            let member = self.random_member(handle)?;
            members.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
            members.push(member);
        }
        Ok(Some(members))
    }

    /// Different members in random order: few are drawn one by one, many are the first places of a shuffle of all.
    fn distinct_random_members(&mut self, handle: Handle, count: usize) -> Result<Vec<Vec<u8>>, Error> {
        let (seed, limit) = (self.seed(), self.limits().set);
        let (db, random) = self.db_and_chance();
        let Some(ValueRef::Set(set)) = db.entry(handle).map(|entry| entry.value) else { return Ok(Vec::new()) };
        if count > set.len() / DRAWN_SHARE {
            let mut members = owned(set.iter())?;
            let wanted = count.min(members.len());
            for place in 0..wanted {
                let drawn = place + random.below((members.len() - place) as u64) as usize;
                members.swap(place, drawn);
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

    fn random_member(&mut self, handle: Handle) -> Result<Vec<u8>, Error> {
        let (db, random) = self.db_and_chance();
        let member = match db.entry(handle).map(|entry| entry.value) {
            Some(ValueRef::Set(set)) => set.random(random).unwrap_or_default(),
            _ => &[],
        };
        Ok(copied(member)?)
    }

    /// Puts sets together; a missing key is an empty set. `most` ends an intersection early, 0 means never.
    pub fn set_combine(&mut self, combination: Combination, keys: ArgvRef<'_>, most: usize) -> Result<Set, Error> {
        let mut handles = Vec::new();
        for key in keys.iter() {
            // Every key is looked at, so that a wrong type is an error wherever it stands.
            self.set_at(key)?;
            handles.push(self.entry(key, Access::Peek).found());
        }
        let limit = self.limits().set;
        let mut result = Set::new(self.seed());
        let mut sets: Vec<Option<&Set>> = handles.iter().map(|handle| self.set_behind((*handle)?)).collect();
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
                let Some(mut sets) = sets.into_iter().collect::<Option<Vec<&Set>>>() else { return Ok(result) };
                // The smallest set is walked through, the others are asked.
                let smallest = (0..sets.len()).min_by_key(|&index| sets[index].len()).unwrap_or(0);
                if sets.is_empty() {
                    return Ok(result);
                }
                let walked = sets.swap_remove(smallest);
                for member in walked.iter().filter(|member| sets.iter().all(|other| other.contains(member))) {
                    result.insert(member, limit)?;
                    if most > 0 && result.len() == most {
                        break;
                    }
                }
            }
        }
        Ok(result)
    }

    /// Puts sets together and stores the result; an empty one deletes the key. Answers how many members it has.
    pub fn set_combine_into(&mut self, combination: Combination, to: &[u8], keys: ArgvRef<'_>) -> Result<usize, Error> {
        let result = self.set_combine(combination, keys, 0)?;
        let slot = self.entry(to, Access::Write);
        let len = result.len();
        if len > 0 {
            self.put(slot, to, NewValue::Value(Value::Set(result)), None, combination.store_event())?;
            self.effect(|effect| {
                effect.bytes(combination.store_command()).bytes(to);
                keys.iter().for_each(|key| {
                    effect.bytes(key);
                });
            });
        } else {
            self.delete(slot, to);
        }
        Ok(len)
    }

    fn write_set(&mut self, key: &[u8]) -> Result<Option<Handle>, Error> {
        let Some(handle) = self.entry(key, Access::Write).found() else { return Ok(None) };
        if self.set_behind(handle).is_some() { Ok(Some(handle)) } else { Err(Error::WrongType) }
    }

    fn set_behind(&self, handle: Handle) -> Option<&Set> {
        match self.db().value(handle)? {
            ValueRef::Set(set) => Some(set),
            _ => None,
        }
    }

    fn update_set<R>(
        &mut self,
        handle: Handle,
        event: EventKind,
        mut edit: impl FnMut(&mut Set) -> Result<Change<R>, Error>,
    ) -> Result<Change<R>, Error> {
        self.update(handle, event, |value| match value {
            Value::Set(set) => edit(set),
            _ => Err(Error::WrongType),
        })
    }

    fn state_members<'m>(&mut self, command: &[u8], key: &[u8], members: impl Iterator<Item = &'m [u8]>) {
        self.effect(|effect| {
            effect.bytes(command).bytes(key);
            members.for_each(|member| {
                effect.bytes(member);
            });
        });
    }
}

/// Adds members, all or on an error none; answers how many were new.
fn add_all<'m>(
    set: &mut Set,
    mut members: impl Iterator<Item = &'m [u8]>,
    limit: SetLimit,
) -> Result<usize, OutOfMemory> {
    let (mut next, mut count, mut added) = (members.next(), 0, Vec::new());
    while let Some(member) = next {
        next = members.next();
        // Behind the last member nothing can fail: a single one needs no notes.
        let noted = if next.is_some() { make_room(&mut added, 1) } else { Ok(()) };
        match noted.and_then(|()| set.insert(member, limit)) {
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
