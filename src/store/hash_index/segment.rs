//! Segment of a hash index: a small table of the slots that share the top bits of their hashes, and its order. Contains
//! nothing about other segments.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use hashbrown::HashTable;

use super::slot::IndexSlot;
use crate::base::headroom::OutOfMemory;
use crate::store::slab::Handle;

/// Slots of a full segment: seven eighths of 512 buckets.
pub(super) const SEGMENT_SLOTS_MAX: usize = 448;
pub(super) const HASH_BITS: u32 = u32::BITS;
/// Bits of a hash that one step of the search for a rank distinguishes.
const GROUP_BITS: u32 = 6;
/// Size of a group up to which the search for a rank sorts it.
const GROUP_SORTED_MAX: usize = 32;

#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) slots: HashTable<IndexSlot>,
    /// Number of top bits of the hash that all slots share.
    pub(super) depth: u32,
    /// The shared bits at their positions in the hash; other bits are zero.
    pub(super) prefix: u32,
}

impl Segment {
    /// Whether a slot can be added without growing.
    #[inline(always)]
    pub(super) fn has_room(&self) -> bool {
        self.slots.len() < self.slots.capacity().min(SEGMENT_SLOTS_MAX)
    }

    /// Reads the bucket where the probe for a hash begins, close to the bucket it ends at. The processor thus loads the
    /// slot together with the tags, not after them.
    #[inline(always)]
    pub(super) fn read_ahead(&self, hash: u32) {
        let first = spread(hash) as usize & self.slots.num_buckets().wrapping_sub(1);
        core::hint::black_box(self.slots.get_bucket(first).map(|slot| slot.hash));
    }

    /// Slots with hashes from `first` on, in hash order.
    pub(super) fn sorted_from(&self, first: u32) -> Walk<'_> {
        self.walk(first, u32::MAX)
    }

    /// Slots with hashes from `first` on, in hash order, for a page of `count` slots. In an overlong segment only the
    /// `count` smallest slots and the next one are sorted, with all slots of equal hashes.
    pub(super) fn page_from(&self, first: u32, count: usize) -> Walk<'_> {
        let needed = count.saturating_add(1);
        if self.slots.len() <= SEGMENT_SLOTS_MAX || needed >= self.slots.len() {
            return self.sorted_from(first);
        }
        // The heap ends up with the smallest slots; slots after its largest hash are not sorted.
        let mut smallest = BinaryHeap::new();
        if smallest.try_reserve(needed + 1).is_ok() {
            for slot in self.slots.iter().filter(|slot| slot.hash >= first) {
                if smallest.len() < needed || smallest.peek().is_some_and(|largest| slot < largest) {
                    smallest.push(*slot);
                }
                if smallest.len() > needed {
                    smallest.pop();
                }
            }
        }
        self.walk(first, smallest.peek().map_or(u32::MAX, |largest| largest.hash))
    }

    /// Slots with hashes of a range, both ends included, in hash order.
    fn walk(&self, first: u32, last: u32) -> Walk<'_> {
        let in_range = || self.slots.iter().filter(|slot| (first..=last).contains(&slot.hash));
        let mut chosen = Vec::new();
        if chosen.try_reserve_exact(in_range().count()).is_err() {
            return Walk {
                sorted: None,
                segment: self,
                lower_bound: Some(IndexSlot { hash: first, handle: Handle::LEAST }),
                last,
            };
        }
        chosen.extend(in_range());
        // Heap sort takes a tenth of the code of the library's quicksort.
        let sorted = BinaryHeap::from(chosen).into_sorted_vec().into_iter();
        Walk { sorted: Some(sorted), segment: self, lower_bound: None, last }
    }

    /// Returns the slot of a rank in hash order; `None` for a rank not below the length. Hashes are counted by groups
    /// of their next bits until few are left to sort.
    pub(super) fn at_rank(&self, mut rank: usize) -> Option<IndexSlot> {
        let (mut first, mut known_bits) = (self.prefix, self.depth);
        loop {
            let last = first | u32::MAX.unbounded_shr(known_bits);
            let mut counts = [0; 1 << GROUP_BITS];
            for slot in self.slots.iter().filter(|slot| (first..=last).contains(&slot.hash)) {
                counts[(slot.hash.unbounded_shl(known_bits) >> (HASH_BITS - GROUP_BITS)) as usize] += 1;
            }
            let group = counts.iter().position(|&count: &usize| {
                let is_within = rank < count;
                rank -= if is_within { 0 } else { count };
                is_within
            })?;
            first |= ((group as u32) << (HASH_BITS - GROUP_BITS)).unbounded_shr(known_bits);
            known_bits += GROUP_BITS;
            if counts[group] <= GROUP_SORTED_MAX || known_bits >= HASH_BITS {
                return self.walk(first, first | u32::MAX.unbounded_shr(known_bits)).nth(rank);
            }
        }
    }

    /// Copies the slots into two tables by one bit of their hashes, clear ones first.
    pub(super) fn divide(&self, bit: u32) -> Result<(HashTable<IndexSlot>, HashTable<IndexSlot>), OutOfMemory> {
        let high_len = self.slots.iter().filter(|slot| slot.hash & bit != 0).count();
        let (mut low, mut high) = (HashTable::new(), HashTable::new());
        low.try_reserve(self.slots.len() - high_len, rehash).map_err(|_| OutOfMemory)?;
        high.try_reserve(high_len, rehash).map_err(|_| OutOfMemory)?;
        for slot in &self.slots {
            let side = if slot.hash & bit == 0 { &mut low } else { &mut high };
            side.insert_unique(spread(slot.hash), *slot, rehash);
        }
        Ok((low, high))
    }
}

/// Iterator over slots in hash order. Without memory to sort them, each slot is found by a search.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    sorted: Option<alloc::vec::IntoIter<IndexSlot>>,
    segment: &'a Segment,
    /// Lower bound of the next search; `None` at the end, and while `sorted` is used.
    lower_bound: Option<IndexSlot>,
    /// Largest hash of the iteration.
    pub(super) last: u32,
}

impl Iterator for Walk<'_> {
    type Item = IndexSlot;

    fn next(&mut self) -> Option<IndexSlot> {
        if let Some(sorted) = &mut self.sorted {
            return sorted.next();
        }
        let lower_bound = self.lower_bound.take()?;
        let rest = self.segment.slots.iter().filter(|slot| **slot >= lower_bound && slot.hash <= self.last);
        let next = *rest.min()?;
        self.lower_bound = next.handle.next().map(|handle| IndexSlot { hash: next.hash, handle });
        if self.lower_bound.is_none() {
            self.lower_bound = next.hash.checked_add(1).map(|hash| IndexSlot { hash, handle: Handle::LEAST });
        }
        Some(next)
    }
}

/// Hashes a slot for hashbrown. A named function, because each closure would instantiate the table again.
pub(super) fn rehash(slot: &IndexSlot) -> u64 {
    spread(slot.hash)
}

/// Spreads a hash for hashbrown, which takes its tag from the top of a word. The top bits are equal within a segment.
/// An odd multiplication lets every bit decide, in a 32-bit word as in a 64-bit one.
pub(super) fn spread(hash: u32) -> u64 {
    let mixed = u64::from(hash.wrapping_mul(0x9E37_79B1));
    mixed << 32 | mixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::store::hash_index::tests::{filled, handles, hashes_with_prefix};

    #[test]
    fn slots_are_in_hash_order_even_without_memory_to_sort() {
        let handles = handles(400);
        // Some hashes are equal, some are at the ends.
        let hashes = [0, 0, u32::MAX, u32::MAX].into_iter().chain(hashes_with_prefix(8));
        let index = filled(hashes, &handles);
        let [segment] = &*index.segments else { panic!("one segment") };
        for (first, last) in [(0, u32::MAX), (0xabcd_0010, 0xabcd_0050), (1, 0xabcd_00ff), (u32::MAX, u32::MAX)] {
            let lower_bound = Some(IndexSlot { hash: first, handle: Handle::LEAST });
            let searched = Walk { sorted: None, segment, lower_bound, last };
            assert!(searched.eq(segment.walk(first, last)), "{first:x} to {last:x}");
        }
    }

    #[test]
    fn ranks_are_ranks_in_hash_order() {
        let handles = handles(3_000);
        let mut random = Random::new(2);
        for bits in [4, 12, 32] {
            let index = filled(core::iter::repeat_with(|| random.below(1 << bits) as u32), &handles);
            for segment in &index.segments {
                let order: Vec<IndexSlot> = segment.sorted_from(0).collect();
                let ranked: Vec<IndexSlot> = (0..order.len()).filter_map(|rank| segment.at_rank(rank)).collect();
                assert_eq!(ranked, order);
                assert_eq!(segment.at_rank(order.len()), None);
            }
        }
    }
}
