//! The slots of those hashes that share their top bits: a small table, and its order. It knows nothing of its neighbours.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use hashbrown::HashTable;

use super::slot::Slot;
use crate::base::headroom::OutOfMemory;
use crate::store::slab::Handle;

/// A segment of 512 buckets is full at seven eighths.
pub(super) const SEGMENT_SLOTS_MAX: usize = 448;
pub(super) const HASH_BITS: u32 = u32::BITS;
/// A rank is found among so many groups of a segment's hashes.
const GROUP_BITS: u32 = 6;
/// A group of so many is sorted.
const GROUP_SORTED_MAX: usize = 32;

#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) slots: HashTable<Slot>,
    /// How many top bits of the hash all slots here share.
    pub(super) depth: u32,
    /// Those bits, in place; the other bits are zero.
    pub(super) prefix: u32,
}

impl Segment {
    /// Whether a slot can be added as things are.
    #[inline(always)]
    pub(super) fn has_room(&self) -> bool {
        self.slots.len() < self.slots.capacity().min(SEGMENT_SLOTS_MAX)
    }

    /// Reads the slot where the search for a hash begins, which lies beside the one it ends at: memory is asked for it
    /// together with the tags, and not when those have come.
    #[inline(always)]
    pub(super) fn read_ahead(&self, hash: u32) {
        let first = spread(hash) as usize & self.slots.num_buckets().wrapping_sub(1);
        core::hint::black_box(self.slots.get_bucket(first).map(|slot| slot.hash));
    }

    /// Slots with a hash from `first` on, smallest first.
    pub(super) fn sorted_from(&self, first: u32) -> Walk<'_> {
        self.walk(first, u32::MAX)
    }

    /// The same for a page: when the segment is overlong, at least the `count` smallest of them and the one behind,
    /// those of an equal hash together.
    pub(super) fn page_from(&self, first: u32, count: usize) -> Walk<'_> {
        let wanted = count.saturating_add(1);
        if self.slots.len() <= SEGMENT_SLOTS_MAX || wanted >= self.slots.len() {
            return self.sorted_from(first);
        }
        // The largest of the smallest hashes: what lies beyond it is not sorted.
        let mut smallest = BinaryHeap::new();
        if smallest.try_reserve(wanted + 1).is_ok() {
            for slot in self.slots.iter().filter(|slot| slot.hash >= first) {
                if smallest.len() < wanted || smallest.peek().is_some_and(|largest| slot < largest) {
                    smallest.push(*slot);
                }
                if smallest.len() > wanted {
                    smallest.pop();
                }
            }
        }
        self.walk(first, smallest.peek().map_or(u32::MAX, |largest| largest.hash))
    }

    /// Slots with a hash of a range, its ends included.
    fn walk(&self, first: u32, last: u32) -> Walk<'_> {
        let in_range = || self.slots.iter().filter(|slot| (first..=last).contains(&slot.hash));
        let mut chosen = Vec::new();
        if chosen.try_reserve_exact(in_range().count()).is_err() {
            return Walk {
                sorted: None,
                segment: self,
                least: Some(Slot { hash: first, handle: Handle::LEAST }),
                last,
            };
        }
        chosen.extend(in_range());
        // A heap sorts with a tenth of the code of the library's quicksort.
        let sorted = BinaryHeap::from(chosen).into_sorted_vec().into_iter();
        Walk { sorted: Some(sorted), segment: self, least: None, last }
    }

    /// The slot of a rank in hash order, which must be below the length. Hashes are counted by their next bits until few
    /// are left to be sorted.
    pub(super) fn at_rank(&self, mut rank: usize) -> Option<Slot> {
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

    /// Copies the slots into two tables by one bit of their hashes.
    pub(super) fn divide(&self, bit: u32) -> Result<(HashTable<Slot>, HashTable<Slot>), OutOfMemory> {
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

/// Slots in hash order. Where there is no memory to sort them in, each is searched for.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    sorted: Option<alloc::vec::IntoIter<Slot>>,
    segment: &'a Segment,
    /// Where the search goes on; nowhere at the end.
    least: Option<Slot>,
    /// The largest hash it comes to.
    pub(super) last: u32,
}

impl Iterator for Walk<'_> {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        if let Some(sorted) = &mut self.sorted {
            return sorted.next();
        }
        let least = self.least.take()?;
        let rest = self.segment.slots.iter().filter(|slot| **slot >= least && slot.hash <= self.last);
        let next = *rest.min()?;
        self.least = next.handle.next().map(|handle| Slot { hash: next.hash, handle });
        if self.least.is_none() {
            self.least = next.hash.checked_add(1).map(|hash| Slot { hash, handle: Handle::LEAST });
        }
        Some(next)
    }
}

/// One function for every place that hands it on, because each closure would be compiled into a table of its own.
pub(super) fn rehash(slot: &Slot) -> u64 {
    spread(slot.hash)
}

/// All slots of a segment share the top bits of their hash, and hashbrown takes its tag from the top of a word: an odd
/// multiplication lets every bit decide there, in a 32-bit word as in a 64-bit one.
pub(super) fn spread(hash: u32) -> u64 {
    let mixed = u64::from(hash.wrapping_mul(0x9E37_79B1));
    mixed << 32 | mixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::store::hash_index::tests::{alike, filled, handles};

    #[test]
    fn slots_come_in_order_also_without_the_memory_to_sort_them() {
        let handles = handles(400);
        // Some hashes are equal, some are at the ends.
        let hashes = [0, 0, u32::MAX, u32::MAX].into_iter().chain(alike(8));
        let table = filled(hashes, &handles);
        let [segment] = &*table.segments else { panic!("one segment") };
        for (first, last) in [(0, u32::MAX), (0xabcd_0010, 0xabcd_0050), (1, 0xabcd_00ff), (u32::MAX, u32::MAX)] {
            let least = Some(Slot { hash: first, handle: Handle::LEAST });
            let searched = Walk { sorted: None, segment, least, last };
            assert!(searched.eq(segment.walk(first, last)), "{first:x} to {last:x}");
        }
    }

    #[test]
    fn ranks_are_ranks_in_hash_order() {
        let handles = handles(3_000);
        let mut random = Random::new(2);
        for bits in [4, 12, 32] {
            let table = filled(core::iter::repeat_with(|| random.below(1 << bits) as u32), &handles);
            for segment in &table.segments {
                let order: Vec<Slot> = segment.sorted_from(0).collect();
                let ranked: Vec<Slot> = (0..order.len()).filter_map(|rank| segment.at_rank(rank)).collect();
                assert_eq!(ranked, order);
                assert_eq!(segment.at_rank(order.len()), None);
            }
        }
    }
}
