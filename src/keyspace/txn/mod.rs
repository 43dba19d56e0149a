//! One database at one instant, and the verbs. Every change of a key is a verb, which updates deadlines, pushes its
//! event and notifies observers.

mod expiry;
mod facts;
mod key_uses;
mod lookup;
mod notify;
mod tokens;
mod visits;

pub(super) use lookup::Access;
pub(super) use tokens::{has_released, next_token, note_released, use_token};
pub use visits::count_visits;

use alloc::vec::Vec;

use super::{DATABASES, Db, Effects, Error, EventKind, Expiry, Extent, Keyspace, Lookup, NewValue};
use crate::base::clock::Timestamp;
use crate::base::headroom::{OutOfMemory, ensure};
use crate::base::random::Random;
use crate::store::slab::Handle;
use crate::values::{EncodingLimits, STRING_MAX, Value};

/// Bytes of a part in a message besides its own bytes.
const PART_BYTES: usize = 16;
/// Upper bound of memory per byte of copied data. A reply may double its buffer while the old one exists, and a moved
/// element is stored again.
const STORED_FACTOR: usize = 5;

/// Outcome of an edit: whether the value changed, and the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change<R> {
    /// The value is unchanged: no event, no effect.
    Unchanged(R),
    Changed(R),
}

impl<R> Change<R> {
    pub(super) fn is_change(&self) -> bool {
        matches!(self, Change::Changed(_))
    }

    pub(super) fn result(self) -> R {
        match self {
            Change::Unchanged(result) | Change::Changed(result) => result,
        }
    }
}

/// Index of a database in the array. `database` is valid in every `Txn`; the remainder replaces a bounds check.
#[inline(always)]
fn db_index(database: u8) -> usize {
    usize::from(database % DATABASES)
}

impl Keyspace {
    /// Returns one database at one instant. `database` must be below [`DATABASES`]; a larger one means the last.
    #[inline(always)]
    pub fn at(&mut self, database: u8, now: Timestamp) -> Txn<'_> {
        let database = database.min(DATABASES - 1);
        self.use_up_to(database);
        self.uses.set_now(now);
        Txn::new(self, database, now)
    }

    /// Empties every database.
    pub fn flush_all(&mut self) {
        for database in 0..DATABASES {
            self.at(database, Timestamp::MIN).flush_silently();
        }
        self.interest.tracking.flush();
        self.effects.changed();
        self.effects.state(0, |effect| {
            effect.bytes(b"FLUSHALL");
        });
    }
}

/// One database at one instant, borrowed for one command.
#[derive(Debug)]
pub struct Txn<'a> {
    keyspace: &'a mut Keyspace,
    database: u8,
    now: Timestamp,
    /// Whether lookups count as uses.
    marking: bool,
    /// Whether changes need no notification; see [`Keyspace::is_unobserved`].
    is_unobserved: bool,
}

impl<'a> Txn<'a> {
    #[inline(always)]
    pub(super) fn new(keyspace: &'a mut Keyspace, database: u8, now: Timestamp) -> Txn<'a> {
        let is_unobserved = keyspace.is_unobserved();
        Txn { keyspace, database, now, marking: true, is_unobserved }
    }

    /// Sets whether lookups count as uses (CLIENT NO-TOUCH).
    #[inline(always)]
    pub fn marking(self, marking: bool) -> Txn<'a> {
        Txn { marking, ..self }
    }

    /// Whether garbage of this database waits for lazy free, or counted bytes exceed `maxmemory`.
    #[inline(always)]
    pub(crate) fn leaves_work(&self) -> bool {
        self.db().has_garbage() || self.keyspace.is_over_limit()
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub fn database(&self) -> u8 {
        self.database
    }

    pub fn db(&self) -> &Db {
        &self.keyspace.databases[db_index(self.database)]
    }

    pub(super) fn db_mut(&mut self) -> &mut Db {
        &mut self.keyspace.databases[db_index(self.database)]
    }

    /// Borrows the database, with its number, and the effects at once.
    pub(super) fn db_and_effects(&mut self) -> (u8, &Db, &mut Effects) {
        let Keyspace { databases, effects, .. } = &mut *self.keyspace;
        (self.database, &databases[db_index(self.database)], effects)
    }

    /// Borrows the database and the random generator at once.
    pub(super) fn db_and_chance(&mut self) -> (&Db, &mut Random) {
        let Keyspace { databases, random, .. } = &mut *self.keyspace;
        (&databases[db_index(self.database)], random)
    }

    /// Seed of the hashes that decide the order of large collections.
    pub(super) fn seed(&self) -> u64 {
        self.keyspace.seed
    }

    /// Limits of values. A log is replayed whatever the longest string is now.
    pub(super) fn limits(&self) -> EncodingLimits {
        let limits = self.keyspace.limits;
        if self.keyspace.is_loading() { EncodingLimits { string_bytes: STRING_MAX, ..limits } } else { limits }
    }

    /// Returns another database at the same instant.
    pub(super) fn in_database(&mut self, database: u8) -> Txn<'_> {
        self.keyspace.at(database, self.now).marking(self.marking)
    }

    /// Checks that there is memory to reply with `bytes` bytes of stored data in `parts` parts, and to state them as
    /// effects.
    pub(super) fn reserve_headroom(&mut self, parts: usize, bytes: usize) -> Result<(), Error> {
        let bytes = bytes.saturating_add(parts.saturating_mul(PART_BYTES));
        // The keys were checked with the request.
        self.keyspace.reserve_headroom(Extent { arguments: 0, names_bytes: 0, bytes })?;
        Ok(ensure(bytes.saturating_mul(STORED_FACTOR))?)
    }

    // --- The verbs.

    /// Creates or replaces a key; returns its handle. The event of a deadline is pushed by the caller, as a second
    /// event.
    pub(super) fn put(
        &mut self,
        lookup: Lookup,
        key: &[u8],
        value: NewValue<'_>,
        deadline: Option<Timestamp>,
        event: EventKind,
    ) -> Result<Handle, Error> {
        let last_use = self.last_use_for(lookup);
        self.verb_facts().prepare_put(&value)?;
        let handle = self.db_mut().put(lookup, key, value, deadline, last_use)?;
        self.notify_of_put(event, key, lookup.is_vacant());
        Ok(handle)
    }

    /// Creates or replaces a string as SET stores it, in place if it fits in the key's block.
    #[inline(always)]
    pub(super) fn put_string(
        &mut self,
        lookup: Lookup,
        key: &[u8],
        bytes: &[u8],
        expiry: Expiry,
        event: EventKind,
    ) -> Result<(), Error> {
        let is_overwritten = match lookup.found() {
            Some(handle) if self.keeps_use() => self.db_mut().entries.overwrite(handle, bytes, expiry),
            _ => false,
        };
        if !is_overwritten {
            put_string_regular(self, lookup, key, bytes, expiry)?;
        }
        self.notify_of_put(event, key, lookup.is_vacant());
        Ok(())
    }

    /// Deadline of a string that is stored at `lookup`.
    #[inline(always)]
    pub(super) fn deadline_for(&self, lookup: Lookup, expiry: Expiry) -> Option<Timestamp> {
        match expiry {
            Expiry::Never => None,
            Expiry::Keep => self.db().deadline(lookup.found()?),
            Expiry::At(deadline) => Some(deadline),
        }
    }

    /// Edits a value in a value slot. An edit that fails must leave the value unchanged. If the value is emptied, the
    /// key is removed.
    pub(super) fn update<R>(
        &mut self,
        handle: Handle,
        event: EventKind,
        mut edit: impl FnMut(&mut Value) -> Result<Change<R>, Error>,
    ) -> Result<Change<R>, Error> {
        let mut edited = Err(Error::WrongType);
        self.verb_facts().prepare_edit(handle)?;
        let emptied = self.db_mut().entries.edit_in_place(handle, &mut |value| edited = edit(value));
        let change = edited?;
        if change.is_change() {
            updated(self, handle, event, emptied);
        }
        Ok(change)
    }

    /// Replaces a string by its edited version. The deadline stays.
    pub(super) fn put_edited(
        &mut self,
        lookup: Lookup,
        key: &[u8],
        edited: Vec<u8>,
        event: EventKind,
    ) -> Result<(), Error> {
        let deadline = self.deadline_for(lookup, Expiry::Keep);
        self.put(lookup, key, NewValue::Edited(edited), deadline, event).map(drop)
    }

    /// Sets or clears a deadline.
    pub(super) fn set_deadline(
        &mut self,
        lookup: Lookup,
        key: &[u8],
        deadline: Option<Timestamp>,
        event: EventKind,
    ) -> Result<(), Error> {
        debug_assert!(self.db().is_current(lookup, key), "a lookup that is out of date");
        if let Some(handle) = lookup.found() {
            self.uses().mark_change(handle);
        }
        self.db_mut().set_deadline(lookup, deadline)?;
        if !self.is_unobserved {
            self.notify(event, key);
            self.verb_facts().written(event, key, false);
        }
        Ok(())
    }

    /// Renames a key, with one event for each name.
    pub(super) fn rename_to(&mut self, lookup: Lookup, from: &[u8], target: Lookup, to: &[u8]) -> Result<(), Error> {
        self.db_mut().rename(lookup, target, to)?;
        self.notify(EventKind::RenameFrom, from);
        self.notify(EventKind::RenameTo, to);
        let database = self.database;
        self.verb_facts().renamed(from, !target.is_vacant(), (database, to));
        self.mark_ready(to);
        Ok(())
    }

    /// Moves a key to a database that does not contain it, with one event in each database.
    pub(super) fn move_to(&mut self, lookup: Lookup, key: &[u8], database: u8) -> Result<(), Error> {
        let indices = [self.database, database].map(db_index);
        let Ok([from, to]) = self.keyspace.databases.get_disjoint_mut(indices) else { return Err(Error::SameKey) };
        from.move_to(lookup, to)?;
        self.notify(EventKind::MoveFrom, key);
        self.verb_facts().renamed(key, false, (database, key));
        let mut target = self.in_database(database);
        target.notify(EventKind::MoveTo, key);
        target.mark_ready(key);
        Ok(())
    }

    /// Removes the key at `lookup`.
    #[inline(always)]
    pub(super) fn remove(&mut self, lookup: Lookup, key: &[u8], event: EventKind) {
        debug_assert!(self.db().is_current(lookup, key), "a lookup that is out of date");
        if !self.is_unobserved {
            self.verb_facts().removal(event, key);
        }
        self.db_mut().remove(lookup);
        if !self.is_unobserved {
            self.notify(event, key);
        }
    }

    /// Removes an expired or evicted key, and states the effect `DEL`. The key is not copied, because memory may be
    /// short.
    pub(super) fn remove_without_command(&mut self, handle: Handle, event: EventKind) {
        let Keyspace { databases, effects, .. } = &mut *self.keyspace;
        if !self.is_unobserved
            && let Some(entry) = databases[db_index(self.database)].entry(handle)
            && let Some(mut effect) = effects.open(self.database)
        {
            effect.bytes(b"DEL").bytes(entry.key);
            effect.close();
        }
        self.verb_facts().edit(event, handle, true);
        remove_entry(self, handle, event);
    }

    /// Empties this database.
    pub fn flush(&mut self) {
        self.flush_silently();
        self.keyspace.interest.tracking.flush();
        // The change has no event.
        if !self.is_unobserved {
            self.keyspace.effects.changed();
        }
        self.effect(|effect| {
            effect.bytes(b"FLUSHDB");
        });
    }

    /// Empties this database; the caller states the effect.
    pub(super) fn flush_silently(&mut self) {
        let Keyspace { databases, interest, .. } = &mut *self.keyspace;
        let db = &databases[db_index(self.database)];
        let is_held = |key: &[u8]| db.find(key).is_some();
        interest.mark_all_dirty(self.database, &is_held);
        if interest.waiters.want_changes() {
            interest.mark_all_ready(self.database, false, &is_held);
        }
        self.verb_facts().flushed();
        let empty = Db::new(self.keyspace.seed);
        let old = core::mem::replace(self.db_mut(), empty);
        self.db_mut().keep_garbage(old);
    }
}

#[inline(never)]
fn put_string_regular(
    txn: &mut Txn<'_>,
    lookup: Lookup,
    key: &[u8],
    bytes: &[u8],
    expiry: Expiry,
) -> Result<(), OutOfMemory> {
    let (deadline, last_use) = (txn.deadline_for(lookup, expiry), txn.last_use_for(lookup));
    txn.db_mut().put_string(lookup, key, bytes, deadline, last_use).map(drop)
}

/// Notifies of an update, and removes the key if its value was emptied.
#[inline(never)]
fn updated(txn: &mut Txn<'_>, handle: Handle, event: EventKind, emptied: bool) {
    txn.uses().mark_change(handle);
    txn.notify_of(handle, event);
    txn.verb_facts().edit(event, handle, emptied);
    if emptied {
        remove_entry(txn, handle, EventKind::Del);
    }
}

/// Removes an entry by its handle. The event is pushed first, while the block still holds the key.
fn remove_entry(txn: &mut Txn<'_>, handle: Handle, event: EventKind) {
    txn.notify_of(handle, event);
    let lookup = txn.db().slot_of(handle);
    txn.db_mut().remove(lookup);
}
