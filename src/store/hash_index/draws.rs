//! Many random slots of one index: each segment is sorted once, when it is drawn from first.

use alloc::vec::Vec;

use super::HashIndex;
use super::slot::IndexSlot;
use crate::base::random::Random;

/// Length of an index, as a multiple of the number of draws, up to which sorting pays.
const LEN_PER_DRAW: usize = 16;

/// Random slots, the same that [`HashIndex::random`] would return.
#[derive(Debug)]
pub struct Draws<'a> {
    index: &'a HashIndex,
    /// Slots of each segment in hash order; empty until they are needed, or if they do not fit the memory.
    sorted: Vec<Vec<IndexSlot>>,
}

impl<'a> Draws<'a> {
    /// Prepares `count` draws. With few of them, or little memory, each searches its slot.
    pub(super) fn new(index: &'a HashIndex, count: usize) -> Draws<'a> {
        let mut sorted = Vec::new();
        let len = index.segments.len();
        if index.len() / LEN_PER_DRAW <= count && sorted.try_reserve_exact(len).is_ok() {
            sorted.resize_with(len, Vec::new);
        }
        Draws { index, sorted }
    }

    /// Returns a random slot, uniformly distributed; `None` if the index is empty.
    pub fn next(&mut self, random: &mut Random) -> Option<IndexSlot> {
        let (number, rank) = self.index.draw(random)?;
        let segment = &self.index.segments[number];
        let Some(sorted) = self.sorted.get_mut(number) else { return segment.at_rank(rank) };
        if sorted.is_empty() && sorted.try_reserve_exact(segment.slots.len()).is_ok() {
            sorted.extend(segment.sorted_from(0));
        }
        sorted.get(rank).copied().or_else(|| segment.at_rank(rank))
    }
}
