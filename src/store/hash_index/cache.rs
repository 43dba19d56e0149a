//! Direct-mapped cache of recent hash lookups: most programs ask for few of their keys again and again, and a cached one is
//! found with one load. It only ever repeats what the table answered, so no order and no reply depends on it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::slot::Slot;
use crate::store::slab::Handle;

/// 32 KiB, taken by a table at its first search that finds something.
const LINES: usize = 4096;

#[derive(Clone, Debug, Default)]
pub(super) struct Cache(Option<Box<[Slot; LINES]>>);

impl Cache {
    #[inline(always)]
    pub(super) fn get(&self, hash: u32) -> Option<Handle> {
        let slot = self.0.as_ref()?[line_of(hash)];
        (slot.hash == hash).then_some(slot.handle)
    }

    /// Caches what a table answered.
    #[inline(always)]
    pub(super) fn fill(&mut self, slot: Slot) {
        match &mut self.0 {
            Some(lines) => lines[line_of(slot.hash)] = slot,
            None => self.0 = empty(),
        }
    }

    /// Caches what is inserted: a key that is new is asked for next.
    #[inline(always)]
    pub(super) fn insert(&mut self, slot: Slot) {
        if let Some(lines) = &mut self.0 {
            lines[line_of(slot.hash)] = slot;
        }
    }

    /// Forgets a slot that is replaced or removed.
    #[inline(always)]
    pub(super) fn forget(&mut self, slot: Slot) {
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

/// The line of a hash, by its last bits: the table has used the first ones.
#[inline(always)]
fn line_of(hash: u32) -> usize {
    hash as usize % LINES
}

/// An empty line: the hash is one of another line.
fn vacant(line: usize) -> Slot {
    Slot { hash: !(line as u32), handle: Handle::LEAST }
}

/// A cache of nothing; none when there is no memory for it.
#[cold]
fn empty() -> Option<Box<[Slot; LINES]>> {
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

    /// Whether a lookup of a hash comes to what the table holds.
    fn is_right(table: &mut HashIndex, hash: u32) -> bool {
        let mut held = Vec::new();
        table.find(hash, |handle| {
            held.push(handle);
            false
        });
        match table.cached(hash).or_else(|| table.search(hash)) {
            Some(handle) => held.contains(&handle),
            None => held.is_empty(),
        }
    }

    #[test]
    fn what_is_cached_is_what_the_table_holds() {
        let mut slab = Slab::new();
        let mut random = Random::new(11);
        let mut table = HashIndex::default();
        // Some hashes are equal, and many share a line.
        let hashes: Vec<u32> =
            (0..400).map(|_| random.below(1 << 3) as u32 | (random.below(40) as u32) << 27).collect();
        let mut held: Vec<(u32, Handle)> = Vec::new();
        for round in 0..60_000 {
            let hash = hashes[random.below(400) as usize];
            match random.below(8) {
                0..4 if held.len() < 300 => {
                    let handle = slab.allocate(8).unwrap();
                    table.reserve(hash).unwrap();
                    table.insert(hash, handle);
                    held.push((hash, handle));
                }
                4 | 5 if !held.is_empty() => {
                    let (hash, handle) = held.swap_remove(random.below(held.len() as u64) as usize);
                    table.remove(hash, handle);
                    assert!(is_right(&mut table, hash), "{round}");
                }
                6 if !held.is_empty() => {
                    let index = random.below(held.len() as u64) as usize;
                    let new = slab.allocate(8).unwrap();
                    table.replace(held[index].0, held[index].1, new);
                    held[index].1 = new;
                    assert!(is_right(&mut table, held[index].0), "{round}");
                }
                _ => {}
            }
            assert!(is_right(&mut table, hash), "{round}");
            if round % 5_000 == 0 {
                table = table.clone();
            }
        }
        assert!(table.cache.0.is_some());
        table.free_step(1);
        assert!(table.cache.0.is_none());
    }
}
