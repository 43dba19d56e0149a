//! Lookups, and what they mark: whoever meets a dead key removes it first, and a key that is asked for was used.

use super::{Space, place_of};
use crate::keyspace::uses::{Counting, PastUse};
use crate::keyspace::{Db, Entry, Error, Keyspace};
use crate::slab::{Handle, OutOfMemory};
use crate::value::ValueRef;

impl Space<'_> {
    /// Looks a key up to answer its value: counts as hit or miss, and as a use.
    #[inline(never)]
    pub fn read(&mut self, key: &[u8]) -> Option<Handle> {
        let found = self.find_and_count(key);
        if let Some(handle) = found {
            self.mark_use(handle);
        }
        found
    }

    /// Looks a key up to answer something about it: counts as hit or miss, but not as a use.
    #[inline(never)]
    pub fn probe(&mut self, key: &[u8]) -> Option<Handle> {
        self.find_and_count(key)
    }

    #[inline(always)]
    fn find_and_count(&mut self, key: &[u8]) -> Option<Handle> {
        let found = self.find_alive(key);
        self.count_lookup(found.is_some());
        found
    }

    #[inline(always)]
    fn count_lookup(&mut self, found: bool) {
        match found {
            true => self.keyspace.counts.hits += 1,
            false => self.keyspace.counts.misses += 1,
        }
    }

    /// Looks a key up without counting at all.
    #[inline(never)]
    pub fn peek(&mut self, key: &[u8]) -> Option<Handle> {
        self.find_alive(key)
    }

    /// What all lookups begin with: counts nothing and marks nothing.
    #[inline(always)]
    pub(super) fn find_alive(&mut self, key: &[u8]) -> Option<Handle> {
        let handle = self.db_mut().look_up(key)?;
        self.outlives(handle).then_some(handle)
    }

    /// Looks a key up to change it: counts as a use.
    pub fn write(&mut self, key: &[u8]) -> Option<Handle> {
        let found = self.find_alive(key);
        if let Some(handle) = found {
            self.mark_use(handle);
        }
        found
    }

    /// The entry behind a handle of this instant.
    pub fn entry(&self, handle: Handle) -> Option<Entry<'_>> {
        self.db().entry(handle)
    }

    /// The value of a key for reading.
    #[inline(never)]
    pub fn value(&mut self, key: &[u8]) -> Option<ValueRef<'_>> {
        let handle = self.find_and_count(key)?;
        self.value_in_use(handle)
    }

    /// As [`Space::value`], with most of it as a part of its caller: for what most requests do.
    #[inline(always)]
    pub(in crate::keyspace) fn value_at_once(&mut self, key: &[u8]) -> Option<ValueRef<'_>> {
        let Some(last_use) = self.word_of_any_use() else { return self.value(key) };
        let (db, counts) = self.db_and_counts();
        let value = db.value_of(key, last_use);
        match value {
            Some(_) => counts.hits += 1,
            None => counts.misses += 1,
        }
        value
    }

    fn value_in_use(&mut self, handle: Handle) -> Option<ValueRef<'_>> {
        let last_use = self.word_of_use(handle);
        self.db_mut().value_in_use(handle, last_use)
    }

    /// Looks a key up that the request does not name, or that may have many dead fields: without the memory to remove
    /// what is dead nothing is answered.
    pub fn meet(&mut self, key: &[u8]) -> Result<Option<Handle>, Error> {
        match self.db().find(key) {
            Some(handle) if self.survives(handle)? => Ok(Some(handle)),
            _ => Ok(None),
        }
    }

    // --- The dead.

    /// Removes a key that is dead, or its dead fields, if somebody is: whoever is found then is alive.
    #[inline(always)]
    pub(super) fn bury_dead(&mut self, key: &[u8]) {
        if self.may_meet_dead() {
            self.find_alive(key);
        }
    }

    /// Removes a key that is dead, or its dead fields; whether the key is still there.
    #[inline(always)]
    fn outlives(&mut self, handle: Handle) -> bool {
        !self.may_meet_dead() || self.outlives_another(handle)
    }

    /// While the first deadline is not past, nobody is dead and no entry needs to be looked at.
    #[inline(always)]
    fn may_meet_dead(&self) -> bool {
        self.db().first_deadline().is_some_and(|node| node.deadline < self.now)
    }

    /// The same, when there are dead ones.
    fn outlives_another(&mut self, handle: Handle) -> bool {
        if self.keyspace.loading || self.db().due(handle).is_none_or(|deadline| self.now <= deadline) {
            return true;
        }
        self.bury(handle, usize::MAX).lives
    }

    /// As [`Space::meet`]: removes a key that is dead, or its dead fields; whether the key is still there.
    pub(in crate::keyspace) fn survives(&mut self, handle: Handle) -> Result<bool, OutOfMemory> {
        let is_due = |db: &Db, now| db.due(handle).is_some_and(|deadline| deadline < now);
        if self.keyspace.loading || !is_due(self.db(), self.now) {
            return Ok(true);
        }
        self.keyspace.ensure_room_for_removal(self.database, handle)?;
        let burial = self.bury(handle, usize::MAX);
        match burial.lives && is_due(self.db(), self.now) {
            true => Err(OutOfMemory),
            false => Ok(burial.lives),
        }
    }

    // --- Marks of use.

    /// A key is used now: its last use tells so, where uses are what is counted.
    #[inline(always)]
    pub(in crate::keyspace) fn mark_use(&mut self, handle: Handle) {
        if let Some(word) = self.word_of_use(handle) {
            self.db_mut().set_last_use(handle, word);
        }
    }

    /// What a key that is used now has as its last use from here on; `None`: what it has.
    #[inline(always)]
    fn word_of_use(&mut self, handle: Handle) -> Option<u32> {
        match self.keyspace.uses.counting() {
            Counting::Uses if self.marking => self.keyspace.uses.present(),
            Counting::Frequency(_) if self.marking => Some(self.word_of_frequency(handle)),
            _ => None,
        }
    }

    /// As [`Space::word_of_use`] for whichever key; `None` when it depends on that, or somebody may be dead.
    #[inline(always)]
    pub(in crate::keyspace) fn word_of_any_use(&self) -> Option<Option<u32>> {
        if self.may_meet_dead() {
            return None;
        }
        match self.keyspace.uses.counting() {
            Counting::Uses if self.marking => Some(self.keyspace.uses.present()),
            Counting::Frequency(_) if self.marking => None,
            _ => Some(None),
        }
    }

    #[cold]
    fn word_of_frequency(&mut self, handle: Handle) -> u32 {
        let Keyspace { databases, uses, random, .. } = &mut *self.keyspace;
        uses.again(databases[place_of(self.database)].last_use(handle), random)
    }

    /// A key is changed now: its last use tells so, where changes are what is counted.
    pub(super) fn mark_change(&mut self, handle: Handle) {
        if self.keyspace.uses.counting() == Counting::Changes
            && let Some(word) = self.keyspace.uses.present()
        {
            self.db_mut().set_last_use(handle, word);
        }
    }

    /// The word about its use that an entry begins with, put in place of what is there.
    #[inline(always)]
    pub(in crate::keyspace) fn use_to_be(&mut self, existing: Option<Handle>) -> u32 {
        match existing {
            Some(handle) if self.keeps_use() => self.db().last_use(handle),
            _ => self.first_use(),
        }
    }

    /// An entry keeps what its block says about its use when another value is put in its place.
    pub(in crate::keyspace) fn keeps_use(&self) -> bool {
        self.keyspace.uses.counting() != Counting::Changes
    }

    /// What a key that comes now has as its last use.
    pub(in crate::keyspace) fn first_use(&mut self) -> u32 {
        let keys = self.db().len();
        self.keyspace.uses.first(keys)
    }

    /// How a key was used, to be told where it goes.
    pub(in crate::keyspace) fn past_use_of(&self, handle: Handle) -> PastUse {
        self.keyspace.past_use(self.db(), handle)
    }

    /// Tells how a key was used before it came here.
    pub(in crate::keyspace) fn set_past_use(&mut self, handle: Handle, past: PastUse) {
        let word = self.keyspace.uses.past(past);
        self.db_mut().set_last_use(handle, word);
    }
}
