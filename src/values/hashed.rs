//! Pairs of byte strings in blocks of a slab behind a hash index: the form of large collections.

use super::packed::{first_pair, pair_len, value_range, write_pair};
use crate::base::hash::hash_bytes;
use crate::base::headroom::OutOfMemory;
use crate::store::hash_index::HashIndex;
use crate::store::slab::{Handle, Slab};

/// Slab of blocks, each a packed pair, and their hash index.
#[derive(Clone, Debug, Default)]
pub(super) struct Hashed {
    pub(super) slab: Slab,
    pub(super) index: HashIndex,
}

impl Hashed {
    pub(super) fn pair(&self, handle: Handle) -> (&[u8], &[u8]) {
        first_pair(self.slab.block(handle)).unwrap_or_default()
    }

    /// Overwrites the value of a pair by one of the same length.
    pub(super) fn overwrite(&mut self, handle: Handle, value: &[u8]) {
        let block = self.slab.block_mut(handle);
        if let Some(old) = value_range(block).and_then(|range| block.get_mut(range))
            && old.len() == value.len()
        {
            old.copy_from_slice(value);
        }
    }

    pub(super) fn find(&self, hash: u32, member: &[u8]) -> Option<Handle> {
        self.index.find(hash, |handle| self.pair(handle).0 == member)
    }

    /// Adds an absent member and returns the handle of its block. On an error nothing has changed.
    pub(super) fn add(&mut self, hash: u32, member: &[u8], value: &[u8]) -> Result<Handle, OutOfMemory> {
        self.index.reserve(hash)?;
        let handle = self.slab.allocate(pair_len(member, value.len()))?;
        write_pair(self.slab.block_mut(handle), member, &[value]);
        self.index.insert(hash, handle);
        Ok(handle)
    }

    pub(super) fn remove(&mut self, hash: u32, member: &[u8]) -> bool {
        let Some(handle) = self.find(hash, member) else { return false };
        self.index.remove(hash, handle);
        self.slab.free(handle);
        true
    }

    /// Frees up to `pieces` pages and segments and returns how many were freed. Afterwards only
    /// [`Hashed::counted_bytes`] may be called.
    pub(super) fn free_step(&mut self, pieces: usize) -> usize {
        let pages = self.slab.free_step(pieces);
        pages + self.index.free_step(pieces - pages)
    }

    pub(super) fn counted_bytes(&self) -> u64 {
        self.slab.used_bytes() + self.index.counted_bytes()
    }
}

pub(super) fn hash_of(seed: u64, member: &[u8]) -> u32 {
    (hash_bytes(seed, member) >> 32) as u32
}
