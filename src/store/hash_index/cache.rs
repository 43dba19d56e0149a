//! Direct-mapped cache of recent hash lookups. Most programs read few of their keys again and again, and a hit costs
//! one load. It repeats only what the index returned, so no order and no reply depends on it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::slot::IndexSlot;
use crate::store::slab::Handle;

/// Number of cache lines: 32 KiB, allocated at the first successful search of an index.
const LINES: usize = 4096;

/// Cache lines by the last bits of the hash; `None` before the first use and without memory.
#[derive(Debug, Default)]
pub(super) struct Cache(Option<Box<[IndexSlot; LINES]>>);

impl Clone for Cache {
    /// A fork begins with an empty cache: copying it would be most of the cost of a fork.
    fn clone(&self) -> Cache {
        Cache::default()
    }
}

impl Cache {
    #[inline(always)]
    pub(super) fn get(&self, hash: u32) -> Option<Handle> {
        let slot = self.0.as_ref()?[line_of(hash)];
        (slot.hash == hash).then_some(slot.handle)
    }

    /// Caches a slot that was found; the first call allocates the cache instead.
    #[inline(always)]
    pub(super) fn fill(&mut self, slot: IndexSlot) {
        match &mut self.0 {
            Some(lines) => lines[line_of(slot.hash)] = slot,
            None => self.0 = empty(),
        }
    }

    /// Caches an inserted slot, since a new key is likely to be read next.
    #[inline(always)]
    pub(super) fn insert(&mut self, slot: IndexSlot) {
        if let Some(lines) = &mut self.0 {
            lines[line_of(slot.hash)] = slot;
        }
    }

    /// Invalidates the line of a slot that is replaced or removed.
    #[inline(always)]
    pub(super) fn forget(&mut self, slot: IndexSlot) {
        if let Some(lines) = &mut self.0
            && lines[line_of(slot.hash)] == slot
        {
            lines[line_of(slot.hash)] = vacant(line_of(slot.hash));
        }
    }

    pub(super) fn clear(&mut self) {
        self.0 = None;
    }
}

/// Returns the line of a hash: its last bits, since the directory uses the first ones.
#[inline(always)]
fn line_of(hash: u32) -> usize {
    hash as usize % LINES
}

/// Returns the content of an empty line: a hash that belongs to another line.
fn vacant(line: usize) -> IndexSlot {
    IndexSlot { hash: !(line as u32), handle: Handle::LEAST }
}

/// Allocates an empty cache; `None` without memory for it.
#[cold]
fn empty() -> Option<Box<[IndexSlot; LINES]>> {
    let mut lines = Vec::new();
    lines.try_reserve_exact(LINES).ok()?;
    lines.extend((0..LINES).map(vacant));
    lines.into_boxed_slice().try_into().ok()
}

#[cfg(test)]
mod tests {
    use crate::base::random::Random;
    use crate::store::hash_index::HashIndex;
    use crate::store::slab::{Handle, Slab};
    use alloc::vec::Vec;

    /// Whether a lookup through the cache finds a handle that the index holds.
    fn is_right(index: &mut HashIndex, hash: u32) -> bool {
        let mut held = Vec::new();
        index.find(hash, |handle| {
            held.push(handle);
            false
        });
        match index.cached(hash).or_else(|| index.search(hash)) {
            Some(handle) => held.contains(&handle),
            None => held.is_empty(),
        }
    }

    #[test]
    fn cached_slots_are_those_of_the_index() {
        let mut slab = Slab::new();
        let mut random = Random::new(11);
        let mut index = HashIndex::default();
        // Some hashes are equal, and many share a line.
        let hashes: Vec<u32> =
            (0..400).map(|_| random.below(1 << 3) as u32 | (random.below(40) as u32) << 27).collect();
        let mut held: Vec<(u32, Handle)> = Vec::new();
        for round in 0..60_000 {
            let hash = hashes[random.below(400) as usize];
            match random.below(8) {
                0..4 if held.len() < 300 => {
                    let handle = slab.allocate(8).unwrap();
                    index.reserve(hash).unwrap();
                    index.insert(hash, handle);
                    held.push((hash, handle));
                }
                4 | 5 if !held.is_empty() => {
                    let (hash, handle) = held.swap_remove(random.below(held.len() as u64) as usize);
                    index.remove(hash, handle);
                    assert!(is_right(&mut index, hash), "{round}");
                }
                6 if !held.is_empty() => {
                    let chosen = random.below(held.len() as u64) as usize;
                    let new = slab.allocate(8).unwrap();
                    index.replace(held[chosen].0, held[chosen].1, new);
                    held[chosen].1 = new;
                    assert!(is_right(&mut index, held[chosen].0), "{round}");
                }
                _ => {}
            }
            assert!(is_right(&mut index, hash), "{round}");
            if round % 5_000 == 0 {
                index = index.clone();
            }
        }
        assert!(index.cache.0.is_some());
        index.free_step(1);
        assert!(index.cache.0.is_none());
    }
}
