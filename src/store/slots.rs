//! Values of one Rust type behind 32-bit indices, for values too large for a key's block.

use alloc::vec::Vec;
use core::mem;

use crate::base::headroom::OutOfMemory;

/// Slots of a chunk. Growth adds chunks and never copies all slots.
const CHUNK_SLOTS: usize = 512;
/// End of the list of vacant slots.
const NO_SLOT: u32 = u32::MAX;

/// Index of a value in one [`Slots`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub u32);

#[derive(Clone, Debug)]
enum Cell<T> {
    Occupied(T),
    /// Vacant slot with the index of the next vacant one.
    Vacant(u32),
}

/// Slab of values of one type; removed slots are reused.
#[derive(Clone, Debug)]
pub struct Slots<T> {
    /// Chunks, all full but the last.
    chunks: Vec<Vec<Cell<T>>>,
    first_vacant: u32,
}

impl<T> Default for Slots<T> {
    fn default() -> Slots<T> {
        Slots { chunks: Vec::new(), first_vacant: NO_SLOT }
    }
}

impl<T> Slots<T> {
    /// Reserves memory for the next `insert`.
    pub fn reserve(&mut self) -> Result<(), OutOfMemory> {
        if self.first_vacant != NO_SLOT {
            return Ok(());
        }
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK_SLOTS) {
            if self.chunks.len() >= NO_SLOT as usize / CHUNK_SLOTS {
                return Err(OutOfMemory);
            }
            self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
            self.chunks.push(Vec::new());
        }
        self.chunks.last_mut().ok_or(OutOfMemory)?.try_reserve(1).map_err(|_| OutOfMemory)
    }

    /// Adds a value. `reserve` must have succeeded.
    pub fn insert(&mut self, value: T) -> Slot {
        let vacant = Slot(self.first_vacant);
        if let Some(cell) = self.cell_mut(vacant)
            && let Cell::Vacant(next) = *cell
        {
            *cell = Cell::Occupied(value);
            self.first_vacant = next;
            return vacant;
        }
        let full = self.chunks.len().saturating_sub(1) * CHUNK_SLOTS;
        let Some(chunk) = self.chunks.last_mut() else { return Slot(NO_SLOT) };
        chunk.push(Cell::Occupied(value));
        Slot((full + chunk.len() - 1) as u32)
    }

    pub fn get(&self, slot: Slot) -> Option<&T> {
        match self.chunks.get(slot.0 as usize / CHUNK_SLOTS)?.get(slot.0 as usize % CHUNK_SLOTS)? {
            Cell::Occupied(value) => Some(value),
            Cell::Vacant(_) => None,
        }
    }

    pub fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        match self.cell_mut(slot)? {
            Cell::Occupied(value) => Some(value),
            Cell::Vacant(_) => None,
        }
    }

    pub fn remove(&mut self, slot: Slot) -> Option<T> {
        let next = self.first_vacant;
        let cell = self.cell_mut(slot)?;
        if let Cell::Vacant(_) = cell {
            return None;
        }
        let Cell::Occupied(value) = mem::replace(cell, Cell::Vacant(next)) else { return None };
        self.first_vacant = slot.0;
        Some(value)
    }

    /// Removes the last slot and returns its value, `Some(None)` if it was vacant. For freeing only: other operations
    /// must not follow.
    pub fn pop(&mut self) -> Option<Option<T>> {
        loop {
            match self.chunks.last_mut()?.pop() {
                Some(Cell::Occupied(value)) => return Some(Some(value)),
                Some(Cell::Vacant(_)) => return Some(None),
                None => drop(self.chunks.pop()),
            }
        }
    }

    fn cell_mut(&mut self, slot: Slot) -> Option<&mut Cell<T>> {
        self.chunks.get_mut(slot.0 as usize / CHUNK_SLOTS)?.get_mut(slot.0 as usize % CHUNK_SLOTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn slots_are_reused_after_removal() {
        let mut slots = Slots::default();
        slots.reserve().unwrap();
        let first = slots.insert("a");
        slots.reserve().unwrap();
        let second = slots.insert("b");
        assert_eq!(slots.remove(first), Some("a"));
        assert_eq!(slots.remove(first), None);
        assert_eq!(slots.insert("c"), first);
        assert_eq!((slots.get(first), slots.get(second)), (Some(&"c"), Some(&"b")));
    }

    #[test]
    fn values_keep_their_slots_while_others_come_and_go() {
        let mut random = Random::new(3);
        let (mut slots, mut live) = (Slots::default(), Vec::new());
        for round in 0..20_000u64 {
            if random.below(3) == 0 && !live.is_empty() {
                let (slot, value) = live.swap_remove(random.below(live.len() as u64) as usize);
                assert_eq!((slots.remove(slot), slots.get(slot)), (Some(value), None));
            } else {
                slots.reserve().unwrap();
                live.push((slots.insert(round), round));
            }
        }
        assert!(slots.chunks.len() > 3);
        assert!(live.iter().all(|(slot, value)| slots.get(*slot) == Some(value)));
        let mut left = 0;
        while let Some(value) = slots.pop() {
            left += usize::from(value.is_some());
        }
        assert_eq!((left, slots.chunks.len()), (live.len(), 0));
    }
}
