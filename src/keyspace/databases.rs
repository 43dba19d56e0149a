//! All databases of an engine with the observers of their changes, and what concerns all of them together.

use alloc::boxed::Box;
use core::array;

use super::db::{Db, Entry};
use super::error::Error;
use super::limits::Memory;
use super::observers::effect::Effects;
use super::observers::event::Events;
use super::observers::interest::Interest;
use super::uses::Uses;
use crate::base::argv::Span;
use crate::base::clock::Timestamp;
use crate::base::hash::hash_bytes;
use crate::base::headroom::{OutOfMemory, ensure};
use crate::base::random::Random;
use crate::store::slab::Handle;
use crate::values::Limits;

/// Databases 0 to 15, as in Redis' default configuration.
pub const DATABASES: u8 = 16;

/// Arguments of so many bytes are copied without asking whether there is room: see [`crate::base::headroom`].
const UNASKED_MAX_BYTES: usize = 1536;
/// What so few arguments are kept in is no more small pieces than the reserve has. A long one needs room for itself, and
/// asks for that itself.
const FEW_ARGUMENTS: usize = 8;
/// What a command makes of more arguments on its way, at most: lists of them, tables that grow, small pieces, names.
const ARGUMENTS_FACTOR: usize = 4;
/// A key is named in two events at most, and to those who wait for it in two tables.
const NAMES_FACTOR: usize = 4;
/// Events of a command beside those of its arguments.
const EVENTS_MAX: usize = 16;
/// A sweep leaves room for a command with so many bytes of arguments.
const LEFT_BYTES: usize = 256;

/// How many pieces of memory of what is deleted one call gives back: about a tenth of a millisecond.
pub(super) const FREED_MAX: usize = 256;

/// How large a request is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub arguments: usize,
    /// What a copy of its keys takes; none need be told while nobody wants to be told anything.
    pub names_bytes: usize,
    /// What a copy of all of it takes.
    pub bytes: usize,
}

impl Extent {
    /// Of a request whose arguments may all be keys, of so many bytes together.
    #[inline(always)]
    pub(crate) fn of_names(arguments: usize, bytes: usize) -> Extent {
        let bytes = bytes + arguments * size_of::<Span>();
        Extent { arguments, names_bytes: bytes, bytes }
    }
}

/// Hits and misses of reads, keys and fields that expired, and keys that were evicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub hits: u64,
    pub misses: u64,
    pub expired: u64,
    pub expired_fields: u64,
    pub evicted: u64,
}

#[derive(Clone, Debug)]
pub struct Keyspace {
    pub(super) seed: u64,
    pub(super) databases: Box<[Db; DATABASES as usize]>,
    /// Databases from this one on were never used.
    pub(super) unused_from: u8,
    pub(super) random: Random,
    pub(super) uses: Uses,
    pub(super) memory: Memory,
    /// While a log is replayed keys do not expire: a later entry may rescue them.
    pub(super) loading: bool,
    /// DEBUG SET-ACTIVE-EXPIRE 0: due keys go only when somebody meets them.
    pub(super) sweeping: bool,
    /// The last sweep found no memory to remove what was due: until then the host need not come for that.
    pub(super) put_off_until: Option<Timestamp>,
    pub interest: Interest,
    pub events: Events,
    pub effects: Effects,
    pub counts: Counts,
    /// Up to where collections are kept compact.
    pub limits: Limits,
}

impl Keyspace {
    /// `seed` decides the order of SCAN, KEYS and RANDOMKEY.
    pub fn new(seed: u64) -> Keyspace {
        Keyspace {
            seed,
            databases: Box::new(array::from_fn(|_| Db::new(seed))),
            unused_from: 0,
            random: Random::new(seed),
            uses: Uses::default(),
            memory: Memory::default(),
            loading: false,
            sweeping: true,
            put_off_until: None,
            interest: Interest::new(seed),
            events: Events::default(),
            effects: Effects::default(),
            counts: Counts::default(),
            limits: Limits::default(),
        }
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Nobody takes events or effects, and nobody is interested in a key: changes need not be told.
    #[inline(always)]
    pub(crate) fn is_unobserved(&self) -> bool {
        !self.events.are_built()
            && !self.effects.are_built()
            && self.interest.is_idle()
            && self.interest.tracking.is_idle()
    }

    /// Something may come to be in a database.
    #[inline(always)]
    pub(super) fn use_up_to(&mut self, database: u8) {
        self.unused_from = self.unused_from.max(database + 1);
    }

    pub fn database(&self, database: u8) -> &Db {
        &self.databases[usize::from(database.min(DATABASES - 1))]
    }

    pub fn databases(&self) -> impl Iterator<Item = (u8, &Db)> {
        (0..DATABASES).zip(self.databases.iter())
    }

    /// Begins or ends load mode: no key expires, and neither events nor effects are built.
    pub fn set_loading(&mut self, loading: bool) {
        self.loading = loading;
        self.events.mute(loading);
        self.effects.mute(loading);
        self.accept_memory();
        self.interest.tracking.mute(loading);
    }

    /// Forgets what clients read, a bounded number of keys, while that is more than may be remembered.
    pub fn limit_tracking(&mut self) {
        self.interest.tracking.forget_some(&mut self.random);
    }

    /// Makes sure that a command can keep what it was given and do what follows its changes: name its keys to those who
    /// want to know, and state its effects. What it makes anew is asked for where it is made, and one that passes more on
    /// than it was given asks again: [`Txn::ensure_room`].
    pub fn ensure_room(&mut self, request: Extent) -> Result<(), OutOfMemory> {
        let Extent { arguments, names_bytes, bytes } = request;
        self.interest.make_room()?;
        self.events.make_room(arguments + EVENTS_MAX)?;
        self.effects.make_room(bytes)?;
        // Last, because what was made above is kept.
        let told = self.interest.tracking.room(arguments, names_bytes);
        let made = match arguments {
            ..=FEW_ARGUMENTS => bytes.saturating_add(names_bytes.saturating_mul(NAMES_FACTOR)),
            _ => bytes.saturating_mul(ARGUMENTS_FACTOR),
        };
        if bytes > UNASKED_MAX_BYTES || told > 0 {
            ensure(made.saturating_add(told))?;
        }
        Ok(())
    }

    /// Whether somebody takes note of what dies, and a field has died that no sweep has removed yet.
    pub fn observes_dead_fields(&self, now: Timestamp) -> bool {
        let is_due =
            |db: &Db| db.field_deadline_count() > 0 && db.first_deadline().is_some_and(|first| first.deadline < now);
        !self.is_unobserved() && self.databases.iter().take(self.unused_from.into()).any(is_due)
    }

    /// As [`Keyspace::ensure_room`], for a key that goes without being asked for. It must not take the last room of the
    /// log: a command that changes nothing asks for room there as well.
    pub(super) fn ensure_room_for_removal(&mut self, database: u8, handle: Handle) -> Result<(), OutOfMemory> {
        let key_len = self.database(database).entry(handle).map_or(0, |entry| entry.key.len());
        self.ensure_room(Extent::of_names(1, key_len + LEFT_BYTES))
    }

    /// Stops or resumes the removal of due keys that nobody touches.
    pub fn set_sweeping(&mut self, sweeping: bool) {
        self.sweeping = sweeping;
    }

    /// The earliest deadline of all databases.
    pub fn first_deadline(&self) -> Option<Timestamp> {
        debug_assert!(self.databases[usize::from(self.unused_from)..].iter().all(Db::is_empty));
        let used = self.databases.iter().take(self.unused_from.into());
        used.filter(|db| db.is_timed()).map(Db::first_due).min()
    }

    /// Whether something deleted has not given its memory back yet.
    pub fn has_garbage(&self) -> bool {
        self.databases.iter().take(self.unused_from.into()).any(Db::has_garbage)
    }

    /// Gives memory of what was deleted back, a bounded number of pieces; false when there was none.
    pub fn free_garbage(&mut self) -> bool {
        let mut left = FREED_MAX;
        for db in self.databases.iter_mut().take(self.unused_from.into()).filter(|db| db.has_garbage()) {
            left -= db.free_garbage(left).min(left);
        }
        left < FREED_MAX
    }

    /// The first instant at which a sweep finds something to do: one past the earliest deadline, or later when the last
    /// one found no memory for that.
    pub fn next_sweep(&self) -> Option<Timestamp> {
        let due = self.first_deadline().filter(|_| self.sweeping)?.saturating_add_ms(1);
        Some(self.put_off_until.map_or(due, |until| due.max(until)))
    }

    /// Exchanges the contents of two databases. Whoever is interested in a key that is in one of them learns of it. The
    /// only error is a shortage of memory.
    pub fn swap(&mut self, first: u8, second: u8, now: Timestamp) -> Result<(), Error> {
        if first == second || first.max(second) >= DATABASES {
            return Ok(());
        }
        self.interest.ensure_room_to_wake_all()?;
        let Keyspace { databases, interest, loading, .. } = self;
        let lives = |database: u8, key: &[u8]| {
            let db = &databases[usize::from(database)];
            let handle = db.find(key);
            handle.is_some_and(|handle| *loading || db.deadline(handle).is_none_or(|deadline| now <= deadline))
        };
        let is_held = |key: &[u8]| lives(first, key) || lives(second, key);
        for database in [first, second] {
            interest.touch_all(database, &is_held);
            interest.appear_all(database, &is_held);
        }
        self.use_up_to(first.max(second));
        self.databases.swap(first.into(), second.into());
        self.effects.changed();
        self.effects.state(first, |effect| {
            effect.bytes(b"SWAPDB").integer(first.into()).integer(second.into());
        });
        Ok(())
    }

    /// An order-free sum over keys of database, type, canonical value and deadline: equal keyspaces have equal digests,
    /// whatever their seeds and histories.
    pub fn digest(&self) -> u64 {
        self.databases()
            .flat_map(|(database, db)| db.entries().map(move |entry| entry_digest(database, &entry)))
            .fold(0, u64::wrapping_add)
    }

    /// Bytes counted for all databases.
    pub fn counted_bytes(&self) -> u64 {
        self.databases.iter().take(self.unused_from.into()).map(Db::counted_bytes).sum()
    }
}

fn entry_digest(database: u8, entry: &Entry<'_>) -> u64 {
    let mut digest = hash_bytes(u64::from(database), entry.key);
    let mut add = |bytes: &[u8]| digest = hash_bytes(digest, bytes);
    add(entry.value.kind().name().as_bytes());
    add(&entry.deadline.map_or(-1, Timestamp::as_ms).to_le_bytes());
    add(&[u8::from(entry.deadline.is_some())]);
    entry.value.canonical(&mut add);
    digest
}
