//! All databases of an engine with their observers, and operations on all databases.

use alloc::boxed::Box;
use core::array;

use super::db::{Db, Entry};
use super::error::Error;
use super::limits::Memory;
use super::observers::client_id::ClientId;
use super::observers::effect::Effects;
use super::observers::event::Events;
use super::observers::facts::Facts;
use super::observers::interest::Interest;
use super::released::Released;
use super::uses::Uses;
use crate::base::argv::Span;
use crate::base::clock::Timestamp;
use crate::base::hash::hash_bytes;
use crate::base::headroom::{OutOfMemory, ensure};
use crate::base::random::{Random, STATE_BYTES};
use crate::store::slab::Handle;
use crate::values::EncodingLimits;

/// Databases 0 to 15, as in Redis' default configuration.
pub const DATABASES: u8 = 16;

/// Maximum size of a request, in bytes, that needs no headroom check: see [`crate::base::headroom`].
const UNCHECKED_MAX_BYTES: usize = 1536;
/// Maximum number of arguments that fit in the allocator's reserve as small pieces. A long argument is checked where it
/// is copied.
const FEW_ARGUMENTS: usize = 8;
/// Upper bound of the memory that a command takes per byte of more arguments: lists, growing tables, small pieces,
/// names.
const ARGUMENTS_FACTOR: usize = 4;
/// Maximum number of copies of a key: in two events, and in the two tables of blocked clients.
const NAMES_FACTOR: usize = 4;
/// Maximum number of events of a command besides one per argument.
const EVENTS_MAX: usize = 16;
/// Headroom in bytes that a removal without a command leaves for the arguments of the next command.
const LEFT_BYTES: usize = 256;

/// Maximum number of pieces of garbage that one call frees: about a tenth of a millisecond.
pub(super) const FREED_MAX: usize = 256;

/// Size of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub arguments: usize,
    /// Bytes of a copy of its keys; 0 while the keyspace is unobserved.
    pub names_bytes: usize,
    /// Bytes of a copy of all arguments.
    pub bytes: usize,
}

impl Extent {
    /// Size of a request of `bytes` bytes, with arguments that may all be keys.
    #[inline(always)]
    pub(crate) fn of_names(arguments: usize, bytes: usize) -> Extent {
        let bytes = bytes + arguments * size_of::<Span>();
        Extent { arguments, names_bytes: bytes, bytes }
    }
}

/// Counters of hits, misses, expirations and evictions, for INFO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub hits: u64,
    pub misses: u64,
    pub expired: u64,
    pub expired_fields: u64,
    pub evicted: u64,
}

impl Counts {
    /// Counts a lookup.
    #[inline(always)]
    pub(super) fn count_lookup(&mut self, is_hit: bool) {
        match is_hit {
            true => self.hits += 1,
            false => self.misses += 1,
        }
    }
}

/// All databases of an engine, with the observers of their changes.
#[derive(Clone, Debug)]
pub struct Keyspace {
    pub(super) seed: u64,
    pub(super) databases: Box<[Db; DATABASES as usize]>,
    /// Index of the first database after all that were used. Those from here on are empty.
    pub(super) unused_from: u8,
    pub(super) random: Random,
    pub(super) uses: Uses,
    pub(super) memory: Memory,
    /// Load mode: keys do not expire, because a later entry of the log may extend their deadline.
    pub(super) loading: bool,
    /// Whether the active expire cycle runs. DEBUG SET-ACTIVE-EXPIRE 0 leaves expiry on access only.
    pub(super) sweeping: bool,
    /// Instant of the next cycle after one that ran out of memory.
    pub(super) retry_at: Option<Timestamp>,
    pub interest: Interest,
    pub events: Events,
    pub effects: Effects,
    pub facts: Facts,
    pub counts: Counts,
    /// Limits of the compact encodings.
    pub limits: EncodingLimits,
    /// Largest token of a latch so far; 0 before the first one.
    pub(super) last_token: u64,
    pub(super) released: Released,
    /// Elements that commands visited: what the length of request and reply do not show. Scripts are charged for them.
    pub(super) visits: u64,
}

impl Keyspace {
    /// Creates an empty keyspace. `seed` decides the order of SCAN, KEYS and RANDOMKEY.
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
            retry_at: None,
            interest: Interest::new(seed),
            events: Events::default(),
            effects: Effects::default(),
            facts: Facts::default(),
            counts: Counts::default(),
            limits: EncodingLimits::default(),
            last_token: 0,
            released: Released::default(),
            visits: 0,
        }
    }

    /// Largest token of a latch so far; 0 before the first one. No key holds it, so it stays when keys are deleted.
    pub fn last_token(&self) -> u64 {
        self.last_token
    }

    /// Makes later tokens larger than `token`, which a log or a snapshot names.
    pub fn skip_tokens_to(&mut self, token: u64) {
        self.last_token = self.last_token.max(token);
    }

    /// Begins tokens anew, for a run that is to be like one on a fresh engine.
    pub fn forget_tokens(&mut self) {
        self.last_token = 0;
    }

    /// Whether a log is replayed.
    pub fn is_loading(&self) -> bool {
        self.loading
    }

    /// States an effect that changes no key: libraries of functions are part of the log.
    pub fn log_change(&mut self, database: u8, words: &[&[u8]]) {
        self.effects.changed();
        self.effects.state(database, |effect| {
            words.iter().for_each(|word| {
                effect.bytes(word);
            });
        });
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// State of the random generator, for snapshots.
    pub fn random_state(&self) -> [u8; STATE_BYTES] {
        self.random.state()
    }

    pub fn set_random_state(&mut self, state: &[u8; STATE_BYTES]) {
        self.random = Random::from_state(state);
    }

    /// Whether changes need no notification: no events, effects or facts are built, and no key is watched, waited for or
    /// tracked.
    #[inline(always)]
    pub(crate) fn is_unobserved(&self) -> bool {
        !self.events.are_built()
            && !self.effects.are_built()
            && !self.facts.are_built()
            && self.interest.is_idle()
            && self.interest.tracking.is_idle()
    }

    /// Marks a database as used.
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

    /// Begins or ends load mode, in which no key expires and neither events nor effects are built.
    pub fn set_loading(&mut self, loading: bool) {
        self.loading = loading;
        self.events.mute(loading);
        self.effects.mute(loading);
        self.facts.mute(loading);
        self.accept_memory();
        self.interest.tracking.mute(loading);
    }

    /// Forgets tracked keys while there are more than `tracking-table-max-keys`, a bounded number per call.
    pub fn limit_tracking(&mut self) {
        self.interest.tracking.forget_some(&mut self.random);
    }

    /// Checks that there is memory to store a request's arguments, to notify observers of its keys and to state its
    /// effects. New values are checked where they are allocated. A command that copies more than its arguments calls
    /// `Txn::reserve_headroom` as well.
    pub fn reserve_headroom(&mut self, request: Extent) -> Result<(), OutOfMemory> {
        let Extent { arguments, names_bytes, bytes } = request;
        self.interest.try_reserve()?;
        self.events.try_reserve(arguments + EVENTS_MAX)?;
        self.effects.try_reserve(bytes)?;
        self.facts.try_reserve(arguments + EVENTS_MAX, bytes)?;
        // Checked last, because the allocations above are kept.
        let tracking_bytes = self.interest.tracking.message_bytes(arguments, names_bytes);
        let copied_bytes = match arguments {
            ..=FEW_ARGUMENTS => bytes.saturating_add(names_bytes.saturating_mul(NAMES_FACTOR)),
            _ => bytes.saturating_mul(ARGUMENTS_FACTOR),
        };
        if bytes > UNCHECKED_MAX_BYTES || tracking_bytes > 0 {
            ensure(copied_bytes.saturating_add(tracking_bytes))?;
        }
        Ok(())
    }

    /// Whether changes are observed and a database with dated fields has a due deadline that no cycle has removed yet.
    pub fn observes_dead_fields(&self, now: Timestamp) -> bool {
        let is_due =
            |db: &Db| db.field_deadline_count() > 0 && db.first_deadline().is_some_and(|first| first.deadline < now);
        !self.is_unobserved() && self.databases.iter().take(self.unused_from.into()).any(is_due)
    }

    /// Checks that there is memory to remove a key without a command: expired or evicted. Headroom is left for the next
    /// command, because one that changes nothing reserves space in the log too.
    pub(super) fn reserve_headroom_for_removal(&mut self, database: u8, handle: Handle) -> Result<(), OutOfMemory> {
        let key_len = self.database(database).entry(handle).map_or(0, |entry| entry.key.len());
        self.reserve_headroom(Extent::of_names(1, key_len + LEFT_BYTES))
    }

    /// Records the client as the author of the changes that follow.
    #[inline(always)]
    pub fn set_author(&mut self, client: ClientId) {
        self.facts.set_author(client);
        if !self.interest.tracking.is_idle() {
            self.interest.tracking.set_author(Some(client));
        }
    }

    /// Stops or resumes the active expire cycle.
    pub fn set_sweeping(&mut self, sweeping: bool) {
        self.sweeping = sweeping;
    }

    /// Earliest deadline of all databases.
    pub fn first_deadline(&self) -> Option<Timestamp> {
        debug_assert!(self.databases[usize::from(self.unused_from)..].iter().all(Db::is_empty));
        let used = self.databases.iter().take(self.unused_from.into());
        used.filter(|db| db.is_timed()).map(Db::first_due).min()
    }

    /// Whether garbage waits for lazy free.
    pub fn has_garbage(&self) -> bool {
        self.databases.iter().take(self.unused_from.into()).any(Db::has_garbage)
    }

    /// Frees a slice of garbage, a bounded number of pieces. Returns false if there was none.
    pub fn free_garbage(&mut self) -> bool {
        let mut left = FREED_MAX;
        for db in self.databases.iter_mut().take(self.unused_from.into()).filter(|db| db.has_garbage()) {
            left -= db.free_garbage(left).min(left);
        }
        left < FREED_MAX
    }

    /// First instant at which the active expire cycle has work: one millisecond after the earliest deadline. After a
    /// cycle that ran out of memory the instant may be later.
    pub fn next_sweep(&self) -> Option<Timestamp> {
        let due = self.first_deadline().filter(|_| self.sweeping)?.saturating_add_ms(1);
        Some(self.retry_at.map_or(due, |until| due.max(until)))
    }

    /// Exchanges the contents of two databases. Watched and waited-for keys that exist in either are notified. The only
    /// error is `OutOfMemory`.
    pub fn swap(&mut self, first: u8, second: u8, now: Timestamp) -> Result<(), Error> {
        if first == second || first.max(second) >= DATABASES {
            return Ok(());
        }
        self.interest.reserve_headroom_to_mark_ready()?;
        let Keyspace { databases, interest, loading, .. } = self;
        let is_present = |database: u8, key: &[u8]| {
            let db = &databases[usize::from(database)];
            let handle = db.find(key);
            handle.is_some_and(|handle| *loading || db.deadline(handle).is_none_or(|deadline| now <= deadline))
        };
        let is_held = |key: &[u8]| is_present(first, key) || is_present(second, key);
        for database in [first, second] {
            interest.mark_all_dirty(database, &is_held);
            interest.mark_all_ready(database, true, &is_held);
        }
        self.use_up_to(first.max(second));
        self.databases.swap(first.into(), second.into());
        if self.facts.are_built() {
            self.facts.push_renamed((first, None), (second, None), None);
            self.facts.push_renamed((second, None), (first, None), None);
        }
        self.effects.changed();
        self.effects.state(first, |effect| {
            effect.bytes(b"SWAPDB").integer(first.into()).integer(second.into());
        });
        Ok(())
    }

    /// Digest of all keys with database, type, canonical value and deadline, independent of their order. Equal
    /// keyspaces have equal digests, with any seed and history.
    pub fn digest(&self) -> u64 {
        self.databases()
            .flat_map(|(database, db)| db.entries().map(move |entry| entry_digest(database, &entry)))
            .fold(0, u64::wrapping_add)
    }

    /// Counted bytes of all databases and of texts of scripts.
    pub fn counted_bytes(&self) -> u64 {
        self.dataset_bytes() + self.memory.script_bytes
    }

    /// Counted bytes of all databases.
    pub fn dataset_bytes(&self) -> u64 {
        self.databases.iter().take(self.unused_from.into()).map(Db::counted_bytes).sum()
    }
}

#[cfg(feature = "scripting")]
impl Keyspace {
    /// Takes the number of elements that commands visited since the last call.
    pub fn take_visits(&mut self) -> u64 {
        core::mem::take(&mut self.visits)
    }

    /// Draws 31 random bits for a script.
    pub fn draw_u31(&mut self) -> u32 {
        (self.random.next_u64() >> 33) as u32
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
