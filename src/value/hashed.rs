//! Pairs of byte strings in blocks of a slab behind a hash index: the form of large collections.

use alloc::vec::Vec;

use super::packed::{first_pair, write_pair};
use crate::hash::hash_bytes;
use crate::slab::{Handle, OutOfMemory, Slab};
use crate::table::Table;

/// Blocks of a slab, each a packed pair, behind a hash index.
#[derive(Clone, Debug, Default)]
pub(super) struct Hashed {
    pub(super) slab: Slab,
    pub(super) table: Table,
}

impl Hashed {
    pub(super) fn pair(&self, handle: Handle) -> (&[u8], &[u8]) {
        first_pair(self.slab.block(handle)).unwrap_or_default()
    }

    pub(super) fn find(&self, hash: u32, member: &[u8]) -> Option<Handle> {
        self.table.find(hash, |handle| self.pair(handle).0 == member)
    }

    pub(super) fn get(&self, hash: u32, member: &[u8]) -> Option<&[u8]> {
        self.find(hash, member).map(|handle| self.pair(handle).1)
    }

    /// Adds a member or replaces its value; answers where it lies from now on.
    pub(super) fn insert(&mut self, hash: u32, member: &[u8], value: &[u8]) -> Result<Handle, OutOfMemory> {
        let existing = self.find(hash, member);
        if existing.is_none() {
            self.table.reserve(hash)?;
        }
        let mut pair = Vec::new();
        write_pair(member, &[value], &mut pair)?;
        let handle = match existing {
            Some(handle) if self.slab.block(handle).len() == Slab::rounded(pair.len()) => handle,
            _ => self.slab.allocate(pair.len())?,
        };
        self.slab.block_mut(handle)[..pair.len()].copy_from_slice(&pair);
        match existing {
            None => self.table.insert(hash, handle),
            Some(old) if old != handle => {
                self.table.replace(hash, old, handle);
                self.slab.free(old);
            }
            Some(_) => {}
        }
        Ok(handle)
    }

    pub(super) fn remove(&mut self, hash: u32, member: &[u8]) -> bool {
        let Some(handle) = self.find(hash, member) else { return false };
        self.table.remove(hash, handle);
        self.slab.free(handle);
        true
    }

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
    pub(super) fn shed(&mut self, pieces: usize) -> usize {
        let pages = self.slab.shed(pieces);
        pages + self.table.shed(pieces - pages)
    }

    pub(super) fn counted_bytes(&self) -> u64 {
        self.slab.used_bytes() + self.table.counted_bytes()
    }
}

pub(super) fn hash_of(seed: u64, member: &[u8]) -> u32 {
    (hash_bytes(seed, member) >> 32) as u32
}
