//! DeadlineHeap of fields, with absolute instants. A field whose deadline has passed is removed by whoever meets its hash
//! first, and by the sweep.

use alloc::vec::Vec;

use super::values_of;
use crate::base::clock::Timestamp;
use crate::base::headroom::copied;
use crate::keyspace::txn::{Change, ExpireOutcome, Txn};
use crate::keyspace::{DeadlineCondition, Error, EventKind, Presence};
use crate::store::slab::Handle;
use crate::values::{Hash, NewDeadline};

/// So many dead fields are removed in one edit, and stated as one effect.
const FIELDS_PER_EDIT: usize = 64;
/// The same, of so many bytes together, unless the first has more.
const EDIT_BYTES: usize = 4096;
/// What an argument counts as in the log beside its bytes.
const ARGUMENT_BYTES: usize = 8;

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

impl Txn<'_> {
    /// Sets deadlines of fields where the condition holds; one that is not after now deletes the field at once.
    pub fn fields_expire_at<'n>(
        &mut self,
        key: &[u8],
        names: impl Iterator<Item = &'n [u8]> + Clone,
        deadline: Timestamp,
        condition: DeadlineCondition,
    ) -> Result<Vec<FieldFate>, Error> {
        let existing = self.write_hash(key)?.found();
        let mut fates = fates_of(names.clone())?;
        let Some(handle) = existing else { return Ok(fates) };
        let holds = |hash: &Hash, name: &[u8]| match hash.find(name) {
            None => FieldFate::NoField,
            Some(field) if !condition.holds(field.deadline, deadline) => FieldFate::Untouched,
            Some(_) => FieldFate::Changed,
        };
        let (mut changed, past) = (Vec::new(), self.is_past(deadline));
        changed.try_reserve_exact(fates.len()).map_err(|_| Error::OutOfMemory)?;
        if !past {
            self.db_mut().reserve_deadline(handle)?;
        }
        let event = if past { EventKind::HDel } else { EventKind::HExpire };
        self.update_hash(handle, event, |hash| {
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
            (false, true) => self.state_removal(key, changed.iter().copied()),
            (false, false) => self.state_deadline(key, deadline, changed.iter().copied()),
        }
        Ok(fates)
    }

    /// Takes deadlines of fields away.
    pub fn fields_persist<'n>(
        &mut self,
        key: &[u8],
        names: impl Iterator<Item = &'n [u8]> + Clone,
    ) -> Result<Vec<FieldFate>, Error> {
        let existing = self.write_hash(key)?.found();
        let mut fates = fates_of(names.clone())?;
        let Some(handle) = existing else { return Ok(fates) };
        let change = self.update_hash(handle, EventKind::HPersist, |hash| {
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
            self.state_persist(key, names);
        }
        Ok(fates)
    }

    /// How long a field lives.
    pub fn field_time_to_live(&mut self, key: &[u8], name: &[u8]) -> Result<FieldTimeToLive, Error> {
        let field = self.hash_at(key)?.and_then(|hash| hash.find(name));
        Ok(match field.map(|field| field.deadline) {
            None => FieldTimeToLive::NoField,
            Some(None) => FieldTimeToLive::Forever,
            Some(Some(deadline)) => FieldTimeToLive::Until(deadline),
        })
    }

    /// Answers values of fields, and changes their deadlines.
    pub fn hash_get_and_expire<'n>(
        &mut self,
        key: &[u8],
        names: impl Iterator<Item = &'n [u8]> + Clone,
        expiry: FieldExpiry,
    ) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let existing = self.write_hash(key)?.found();
        let mut values = values_of(self.hash_behind(existing), names.clone())?;
        self.ensure_room_for(&values)?;
        let fates = match expiry {
            FieldExpiry::Keep => return Ok(values),
            FieldExpiry::Never => self.fields_persist(key, names)?,
            FieldExpiry::At(deadline) => self.fields_expire_at(key, names, deadline, DeadlineCondition::default())?,
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
    pub fn hash_set_and_expire<'p>(
        &mut self,
        key: &[u8],
        pairs: impl Iterator<Item = (&'p [u8], &'p [u8])> + Clone,
        presence: Option<Presence>,
        expiry: FieldExpiry,
    ) -> Result<bool, Error> {
        let slot = self.write_hash(key)?;
        let hash = self.hash_behind(slot.found());
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
            FieldExpiry::At(deadline) if self.is_past(deadline) => NewDeadline::None,
            FieldExpiry::At(deadline) => NewDeadline::At(deadline),
        };
        self.store(slot, key, &mut pairs.clone(), deadline, EventKind::HSet)?;
        self.state_pairs(key, pairs.clone());
        let names = pairs.map(|(name, _)| name);
        match (expiry, deadline) {
            (FieldExpiry::At(deadline), NewDeadline::At(_)) => {
                self.also(EventKind::HExpire, key);
                self.state_deadline(key, deadline, names);
            }
            (FieldExpiry::At(_), _) => drop(self.hash_remove(key, names)?),
            (FieldExpiry::Keep, _) => self.state_kept_deadlines(key, names)?,
            (FieldExpiry::Never, _) => {}
        }
        Ok(true)
    }

    /// Removes at most `most` fields whose deadline has passed, earliest first, as long as there is memory for what
    /// follows. The hash goes with its last field.
    pub(in crate::keyspace) fn expire_fields(&mut self, handle: Handle, most: usize) -> ExpireOutcome {
        let now = self.now();
        let mut burial = ExpireOutcome { removed: 0, lives: true };
        let Ok(key) = copied(self.db().entry(handle).map_or(&[], |entry| entry.key)) else { return burial };
        while burial.lives && burial.removed < most {
            let first = self.hash_behind(Some(handle)).and_then(Hash::first_to_die).map_or(0, |field| field.name.len());
            let bytes = first.max(EDIT_BYTES);
            if self.ensure_room_for_fields(key.len() + FIELDS_PER_EDIT * ARGUMENT_BYTES + bytes).is_err() {
                break;
            }
            let (mut dead, mut dead_bytes): (Vec<Vec<u8>>, usize) = (Vec::new(), 0);
            let room = FIELDS_PER_EDIT.min(most - burial.removed);
            let edit = self.update_hash(handle, EventKind::HExpired, |hash| {
                while dead.len() < room && hash.first_deadline().is_some_and(|deadline| deadline < now) {
                    let Some(name) = hash.first_to_die().map(|field| field.name) else { break };
                    dead_bytes += name.len();
                    if dead_bytes > bytes {
                        break;
                    }
                    let Ok(name) = copied(&name) else { break };
                    hash.remove(&name);
                    dead.push(name);
                }
                let emptied = hash.is_empty();
                Ok(if dead.is_empty() { Change::Unchanged(emptied) } else { Change::Changed(emptied) })
            });
            let Ok(Change::Changed(emptied)) = edit else { break };
            burial.removed += dead.len();
            burial.lives = !emptied;
            self.count_expired_fields(dead.len());
            self.state_removal(&key, dead.iter().map(Vec::as_slice));
        }
        burial
    }

    fn state_persist<'n>(&mut self, key: &[u8], names: impl Iterator<Item = &'n [u8]> + Clone) {
        self.effect(|effect| {
            effect.bytes(b"HPERSIST").bytes(key).bytes(b"FIELDS").integer(names.clone().count() as i64);
            names.for_each(|name| {
                effect.bytes(name);
            });
        });
    }

    /// HSET takes deadlines away, so those that were kept are stated again.
    fn state_kept_deadlines<'n>(&mut self, key: &[u8], names: impl Iterator<Item = &'n [u8]>) -> Result<(), Error> {
        for name in names {
            if let FieldTimeToLive::Until(deadline) = self.field_time_to_live(key, name)? {
                self.state_deadline(key, deadline, core::iter::once(name));
            }
        }
        Ok(())
    }
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
