//! Values of one Rust type behind 32-bit indices: what a block cannot hold inline lives here.

use alloc::vec::Vec;

use crate::slab::OutOfMemory;

/// Names a value of one [`Slots`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub u32);

#[derive(Clone, Debug)]
pub struct Slots<T> {
    values: Vec<Option<T>>,
    vacant: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Slots<T> {
        Slots { values: Vec::new(), vacant: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// Makes sure that the next `insert` cannot fail.
    pub fn reserve(&mut self) -> Result<(), OutOfMemory> {
        if !self.vacant.is_empty() {
            return Ok(());
        }
        if self.values.len() >= u32::MAX as usize {
            return Err(OutOfMemory);
        }
        self.values.try_reserve(1).map_err(|_| OutOfMemory)?;
        // Removal must not fail, so there is always room to note every slot as vacant.
        self.vacant.try_reserve(self.values.len() + 1).map_err(|_| OutOfMemory)
    }

    pub fn insert(&mut self, value: T) -> Slot {
        match self.vacant.pop() {
            Some(index) => {
                self.values[index as usize] = Some(value);
                Slot(index)
            }
            None => {
                self.values.push(Some(value));
                Slot((self.values.len() - 1) as u32)
            }
        }
    }

    pub fn get(&self, slot: Slot) -> Option<&T> {
        self.values.get(slot.0 as usize)?.as_ref()
    }

    pub fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.values.get_mut(slot.0 as usize)?.as_mut()
    }

    /// Takes the last slot away, whatever it holds, from values that nobody asks for any more.
    pub fn pop(&mut self) -> Option<Option<T>> {
        self.values.pop()
    }

    pub fn remove(&mut self, slot: Slot) -> Option<T> {
        let value = self.values.get_mut(slot.0 as usize)?.take()?;
        self.vacant.push(slot.0);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_reused_after_removal() {
        let mut slots = Slots::default();
        slots.reserve().unwrap();
        let first = slots.insert("a");
        let second = slots.insert("b");
        assert_eq!(slots.remove(first), Some("a"));
        assert_eq!(slots.remove(first), None);
        assert_eq!(slots.insert("c"), first);
        assert_eq!((slots.get(first), slots.get(second)), (Some(&"c"), Some(&"b")));
    }
}
