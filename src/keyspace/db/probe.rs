//! Lookups: from a key to what is known of it, with one hash and one search.

use super::Db;
use crate::base::hash::hash_key;
use crate::keyspace::db::entry::{self, set_last_use};
use crate::store::slab::Handle;

/// What a lookup of a key found: its hash, and its entry if there is one. A copy and not a borrow, so it is good only until
/// this key comes, goes or moves; debug builds check that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub(super) hash: u32,
    found: Option<Handle>,
}

impl Slot {
    /// The entry, if the key is there.
    #[inline(always)]
    pub fn found(self) -> Option<Handle> {
        self.found
    }

    #[inline(always)]
    pub fn is_vacant(self) -> bool {
        self.found.is_none()
    }

    /// The slot of the same key without its entry.
    #[inline(always)]
    pub(in crate::keyspace) fn vacated(self) -> Slot {
        Slot { found: None, ..self }
    }
}

impl Db {
    /// Looks a key up.
    pub fn probe(&self, key: &[u8]) -> Slot {
        let hash = hash(self, key);
        Slot { hash, found: self.find_any(hash, key) }
    }

    /// The entry of a key.
    pub fn find(&self, key: &[u8]) -> Option<Handle> {
        self.probe(key).found
    }

    /// Looks a key up and notes its use, if there is one to be noted.
    #[inline(always)]
    pub(in crate::keyspace) fn probe_in_use(&mut self, key: &[u8], last_use: Option<u32>) -> Slot {
        let hash = hash(self, key);
        let Some(handle) = self.table.cached(hash).or_else(|| search(self, hash)) else {
            return Slot { hash, found: None };
        };
        if let Some(block) = self.slab.block_and_more_mut(handle)
            && entry::is_of(block, key)
        {
            if let Some(last_use) = last_use {
                set_last_use(block, last_use);
            }
            return Slot { hash, found: Some(handle) };
        }
        probe_namesakes(self, hash, key, last_use)
    }

    /// The slot of an entry.
    pub fn slot_of(&self, handle: Handle) -> Slot {
        Slot { hash: self.hash_of(handle), found: Some(handle) }
    }

    /// Whether a slot is what a lookup of the key finds.
    pub(in crate::keyspace) fn is_current(&self, slot: Slot, key: &[u8]) -> bool {
        slot == self.probe(key)
    }

    #[inline(always)]
    pub(super) fn find_any(&self, hash: u32, key: &[u8]) -> Option<Handle> {
        let handle = self.table.any_of(hash)?;
        if is_of(self, handle, key) { Some(handle) } else { find_among(self, hash, key) }
    }
}

/// Memory is asked ahead for what will be looked at.
#[inline(never)]
fn search(db: &mut Db, hash: u32) -> Option<Handle> {
    let handle = db.table.search(hash)?;
    db.slab.read_ahead(handle);
    Some(handle)
}

/// Looks a key up where another has its hash.
#[cold]
#[inline(never)]
fn probe_namesakes(db: &mut Db, hash: u32, key: &[u8], last_use: Option<u32>) -> Slot {
    let found = find_among(db, hash, key);
    if let (Some(handle), Some(last_use)) = (found, last_use) {
        db.set_last_use(handle, last_use);
    }
    Slot { hash, found }
}

/// Compares the key with each that has this hash: nearly always there is one at most.
#[cold]
#[inline(never)]
fn find_among(db: &Db, hash: u32, key: &[u8]) -> Option<Handle> {
    db.table.find(hash, |handle| is_of(db, handle, key))
}

#[inline(always)]
fn is_of(db: &Db, handle: Handle, key: &[u8]) -> bool {
    db.slab.block_and_more(handle).is_some_and(|block| entry::is_of(block, key))
}

#[inline(always)]
fn hash(db: &Db, key: &[u8]) -> u32 {
    hash_key(db.seed, key)
}
