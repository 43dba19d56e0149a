//! Lookups from a key to its entry: one hash computation and one probe of the index.

use super::Db;
use crate::base::hash::hash_key;
use crate::keyspace::db::entry::{self, set_last_use};
use crate::store::slab::Handle;

/// Result of a lookup: the key's hash, and the handle of its entry if the key exists. The value is a copy, valid until its
/// key is created, moved or deleted. Debug builds check that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lookup {
    pub(super) hash: u32,
    found: Option<Handle>,
}

impl Lookup {
    /// Handle of the entry; `None` if the key does not exist.
    #[inline(always)]
    pub fn found(self) -> Option<Handle> {
        self.found
    }

    #[inline(always)]
    pub fn is_vacant(self) -> bool {
        self.found.is_none()
    }

    /// Returns the lookup of the key without its entry.
    #[inline(always)]
    pub(in crate::keyspace) fn vacated(self) -> Lookup {
        Lookup { found: None, ..self }
    }
}

impl Db {
    /// Looks a key up.
    pub fn probe(&self, key: &[u8]) -> Lookup {
        let hash = hash(self, key);
        Lookup { hash, found: self.find_any(hash, key) }
    }

    /// Handle of a key's entry.
    pub fn find(&self, key: &[u8]) -> Option<Handle> {
        self.probe(key).found
    }

    /// Looks a key up and stores its last use, if one is given.
    #[inline(always)]
    pub(in crate::keyspace) fn probe_in_use(&mut self, key: &[u8], last_use: Option<u32>) -> Lookup {
        let hash = hash(self, key);
        let Some(handle) = self.table.cached(hash).or_else(|| search(self, hash)) else {
            return Lookup { hash, found: None };
        };
        if let Some(block) = self.entries.slab.block_and_more_mut(handle)
            && entry::is_of(block, key)
        {
            if let Some(last_use) = last_use {
                set_last_use(block, last_use);
            }
            return Lookup { hash, found: Some(handle) };
        }
        probe_collisions(self, hash, key, last_use)
    }

    /// Lookup of an entry that exists.
    pub fn slot_of(&self, handle: Handle) -> Lookup {
        Lookup { hash: self.hash_of(handle), found: Some(handle) }
    }

    /// Whether another lookup of the key would return the same.
    pub(in crate::keyspace) fn is_current(&self, lookup: Lookup, key: &[u8]) -> bool {
        lookup == self.probe(key)
    }

    #[inline(always)]
    pub(super) fn find_any(&self, hash: u32, key: &[u8]) -> Option<Handle> {
        let handle = self.table.any_of(hash)?;
        if self.entries.is_of(handle, key) { Some(handle) } else { find_among(self, hash, key) }
    }
}

/// Searches the index and prefetches the block of the handle.
#[inline(never)]
fn search(db: &mut Db, hash: u32) -> Option<Handle> {
    let handle = db.table.search(hash)?;
    db.entries.slab.read_ahead(handle);
    Some(handle)
}

/// Looks a key up among keys of equal hash, and stores its last use.
#[cold]
#[inline(never)]
fn probe_collisions(db: &mut Db, hash: u32, key: &[u8], last_use: Option<u32>) -> Lookup {
    let found = find_among(db, hash, key);
    if let (Some(handle), Some(last_use)) = (found, last_use) {
        db.entries.set_last_use(handle, last_use);
    }
    Lookup { hash, found }
}

/// Compares the key with every key of this hash. There is rarely more than one.
#[cold]
#[inline(never)]
fn find_among(db: &Db, hash: u32, key: &[u8]) -> Option<Handle> {
    db.table.find(hash, |handle| db.entries.is_of(handle, key))
}

#[inline(always)]
fn hash(db: &Db, key: &[u8]) -> u32 {
    hash_key(db.seed, key)
}
