//! A hash index over handles: extendible hashing over small hashbrown tables.
//!
//! The top bits of a 32-bit hash choose a segment through a directory; a full segment splits in two, so growing never
//! moves more than one segment's slots. The owner of the keys supplies hashes and comparisons. The only order that
//! leaves this module is hash order (equal hashes by handle), which is the same on every target.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use hashbrown::HashTable;

use crate::random::Random;
use crate::slab::{Handle, OutOfMemory};

/// A segment of 512 buckets is full at seven eighths.
const SEGMENT_SLOTS_MAX: usize = 448;
/// Two neighbours that together fill a quarter of a segment become one.
const MERGE_SLOTS_MAX: usize = SEGMENT_SLOTS_MAX / 4;
const HASH_BITS: u32 = u32::BITS;
/// The directory may be this many times longer than the list of segments. Honest hashes stay far below; keys chosen to
/// share a prefix make one segment longer instead of the directory.
const DIRECTORY_FACTOR_MAX: usize = 16;
/// What one slot is counted as: 8 bytes, a control byte, and the usual share of empty buckets.
pub const SLOT_BYTES: u64 = 12;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot {
    pub hash: u32,
    pub handle: Handle,
}

#[derive(Clone, Debug)]
struct Segment {
    slots: HashTable<Slot>,
    /// How many top bits of the hash all slots here share.
    depth: u32,
    /// Those bits, in place; the other bits are zero.
    prefix: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Table {
    segments: Vec<Segment>,
    /// Segment numbers by the top `depth` bits of the hash.
    directory: Vec<u32>,
    depth: u32,
    /// How many segments use all bits of the directory; without any it is halved.
    deepest: usize,
    len: usize,
}

impl Table {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes this index is counted as, the same on every target.
    pub fn counted_bytes(&self) -> u64 {
        self.len as u64 * SLOT_BYTES
    }

    pub fn find(&self, hash: u32, mut is_it: impl FnMut(Handle) -> bool) -> Option<Handle> {
        let segment = self.segments.get(self.segment_of(hash)?)?;
        segment.slots.find(spread(hash), |slot| slot.hash == hash && is_it(slot.handle)).map(|slot| slot.handle)
    }

    /// Makes sure that the next `insert` of this hash cannot fail.
    pub fn reserve(&mut self, hash: u32) -> Result<(), OutOfMemory> {
        if self.segments.is_empty() {
            self.segments.try_reserve(1).map_err(|_| OutOfMemory)?;
            self.directory.try_reserve(1).map_err(|_| OutOfMemory)?;
            self.segments.push(Segment { slots: HashTable::new(), depth: 0, prefix: 0 });
            self.directory.push(0);
            self.deepest = 1;
        }
        loop {
            let index = self.directory[self.directory_index(hash)] as usize;
            let segment = &self.segments[index];
            if segment.slots.len() < SEGMENT_SLOTS_MAX || !self.may_split(segment.depth) {
                return self.segments[index].slots.try_reserve(1, rehash).map_err(|_| OutOfMemory);
            }
            self.split(index)?;
        }
    }

    /// Adds a slot; `reserve` of the same hash must have succeeded and the key must be absent.
    pub fn insert(&mut self, hash: u32, handle: Handle) {
        let Some(index) = self.segment_of(hash) else { return };
        self.segments[index].slots.insert_unique(spread(hash), Slot { hash, handle }, rehash);
        self.len += 1;
    }

    /// The key moved to another block.
    pub fn replace(&mut self, hash: u32, old: Handle, new: Handle) {
        let Some(index) = self.segment_of(hash) else { return };
        if let Some(slot) = self.segments[index].slots.find_mut(spread(hash), |slot| slot.handle == old) {
            slot.handle = new;
        }
    }

    pub fn remove(&mut self, hash: u32, handle: Handle) {
        let Some(index) = self.segment_of(hash) else { return };
        let Ok(entry) = self.segments[index].slots.find_entry(spread(hash), |slot| slot.handle == handle) else {
            return;
        };
        entry.remove();
        self.len -= 1;
        self.merge(index);
    }

    /// Visits the `count` smallest hashes from `cursor` on, all of an equal hash together, and answers the cursor of
    /// the next page, 0 at the end. What is present from the first page to the last is visited, whatever else changes.
    pub fn page(&self, cursor: u64, count: usize, mut visit: impl FnMut(Slot)) -> u64 {
        let Ok(first) = u32::try_from(cursor) else { return 0 };
        let mut visited = 0;
        let mut last_hash = None;
        for segment in self.segments_from(first) {
            for slot in segment.sorted_from(first) {
                if visited >= count && last_hash != Some(slot.hash) {
                    return slot.hash.into();
                }
                visit(slot);
                visited += 1;
                last_hash = Some(slot.hash);
            }
        }
        0
    }

    /// All slots in hash order.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        self.segments_from(0).flat_map(|segment| segment.sorted_from(0))
    }

    /// Any slot, each with the same probability: a segment, then a rank below the longest segment's length; past the
    /// end of the segment the draw is repeated.
    pub fn random(&self, random: &mut Random) -> Option<Slot> {
        let longest = self.segments.iter().map(|segment| segment.slots.len()).max().filter(|&longest| longest > 0)?;
        loop {
            let segment = &self.segments[random.below(self.segments.len() as u64) as usize];
            let rank = random.below(longest as u64) as usize;
            if rank < segment.slots.len() {
                return segment.sorted_from(0).nth(rank);
            }
        }
    }

    fn segment_of(&self, hash: u32) -> Option<usize> {
        self.directory.get(self.directory_index(hash)).map(|&index| index as usize)
    }

    fn directory_index(&self, hash: u32) -> usize {
        top_bits(hash, self.depth)
    }

    /// Segments in hash order, beginning with the one `hash` belongs to.
    fn segments_from(&self, hash: u32) -> impl Iterator<Item = &Segment> {
        let mut at = self.directory_index(hash);
        core::iter::from_fn(move || {
            let segment = &self.segments[*self.directory.get(at)? as usize];
            // The first directory entry behind this segment's range.
            at = (top_bits(segment.prefix, self.depth)) + (1 << (self.depth - segment.depth));
            Some(segment)
        })
    }

    fn may_split(&self, depth: u32) -> bool {
        depth < self.depth
            || (self.depth < HASH_BITS && self.directory.len() <= self.segments.len() * DIRECTORY_FACTOR_MAX)
    }

    fn split(&mut self, index: usize) -> Result<(), OutOfMemory> {
        self.segments.try_reserve(1).map_err(|_| OutOfMemory)?;
        let depth = self.segments[index].depth + 1;
        let bit = 1u32 << (HASH_BITS - depth);
        let (low, high) = self.segments[index].divide(bit)?;
        if depth > self.depth {
            self.double_directory()?;
        }
        let prefix = self.segments[index].prefix;
        let high_index = self.segments.len();
        self.segments[index] = Segment { slots: low, depth, prefix };
        self.segments.push(Segment { slots: high, depth, prefix: prefix | bit });
        self.point_directory(high_index);
        if depth == self.depth {
            self.deepest += 2;
        }
        Ok(())
    }

    fn double_directory(&mut self) -> Result<(), OutOfMemory> {
        let mut directory = Vec::new();
        directory.try_reserve_exact(self.directory.len() * 2).map_err(|_| OutOfMemory)?;
        directory.extend(self.directory.iter().flat_map(|&index| [index, index]));
        self.directory = directory;
        self.depth += 1;
        self.deepest = 0;
        Ok(())
    }

    /// Lets every directory entry of the segment's range name it.
    fn point_directory(&mut self, index: usize) {
        let segment = &self.segments[index];
        let start = top_bits(segment.prefix, self.depth);
        let len = 1 << (self.depth - segment.depth);
        self.directory[start..start + len].fill(index as u32);
    }

    /// Joins a nearly empty segment with its neighbour; left alone when memory is short.
    fn merge(&mut self, index: usize) {
        let Segment { depth, prefix, slots } = &self.segments[index];
        let (depth, prefix, len) = (*depth, *prefix, slots.len());
        if depth == 0 || len > MERGE_SLOTS_MAX {
            return;
        }
        let bit = 1u32 << (HASH_BITS - depth);
        let Some(neighbour) = self.segment_of(prefix ^ bit) else { return };
        if self.segments[neighbour].depth != depth || self.segments[neighbour].slots.len() + len > MERGE_SLOTS_MAX {
            return;
        }
        let mut slots = HashTable::new();
        if slots.try_reserve(MERGE_SLOTS_MAX, rehash).is_err() {
            return;
        }
        for slot in self.segments[index].slots.iter().chain(self.segments[neighbour].slots.iter()) {
            slots.insert_unique(spread(slot.hash), *slot, rehash);
        }
        if depth == self.depth {
            self.deepest -= 2;
        }
        self.segments[index] = Segment { slots, depth: depth - 1, prefix: prefix & !bit };
        self.point_directory(index);
        self.segments.swap_remove(neighbour);
        if neighbour < self.segments.len() {
            self.point_directory(neighbour);
        }
        self.halve_directory();
    }

    fn halve_directory(&mut self) {
        while self.depth > 0 && self.deepest == 0 {
            let mut position = 0;
            self.directory.retain(|_| {
                position += 1;
                position % 2 == 1
            });
            self.depth -= 1;
            self.deepest = self.segments.iter().filter(|segment| segment.depth == self.depth).count();
        }
    }
}

impl Segment {
    /// Slots with a hash from `first` on, smallest first.
    fn sorted_from(&self, first: u32) -> alloc::vec::IntoIter<Slot> {
        // A heap sorts with a tenth of the code of the library's quicksort.
        let heap: BinaryHeap<Slot> = self.slots.iter().filter(|slot| slot.hash >= first).copied().collect();
        heap.into_sorted_vec().into_iter()
    }

    /// Copies the slots into two tables by one bit of their hashes.
    fn divide(&self, bit: u32) -> Result<(HashTable<Slot>, HashTable<Slot>), OutOfMemory> {
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

/// The first `bits` bits of a hash, as a number.
fn top_bits(hash: u32, bits: u32) -> usize {
    (u64::from(hash) >> (HASH_BITS - bits)) as usize
}

/// One function for every place that hands it on, because each closure would be compiled into a table of its own.
fn rehash(slot: &Slot) -> u64 {
    spread(slot.hash)
}

/// All slots of a segment share the top bits of their hash, and hashbrown takes its tag from the top of a word: an odd
/// multiplication lets every bit decide there, in a 32-bit word as in a 64-bit one.
fn spread(hash: u32) -> u64 {
    let mixed = u64::from(hash.wrapping_mul(0x9E37_79B1));
    mixed << 32 | mixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slab::Slab;
    use alloc::collections::BTreeMap;

    /// Handles that mean nothing, made by a real slab because nobody else can.
    fn handles(count: usize) -> Vec<Handle> {
        let mut slab = Slab::new();
        (0..count).map(|_| slab.allocate(8).unwrap()).collect()
    }

    fn filled(hashes: impl Iterator<Item = u32>, handles: &[Handle]) -> Table {
        let mut table = Table::default();
        for (hash, &handle) in hashes.zip(handles) {
            table.reserve(hash).unwrap();
            table.insert(hash, handle);
        }
        table
    }

    #[test]
    fn finds_what_was_inserted_through_growth_and_shrinking() {
        let handles = handles(50_000);
        let mut random = Random::new(3);
        let hashes: Vec<u32> = handles.iter().map(|_| random.next_u64() as u32).collect();
        let mut table = filled(hashes.iter().copied(), &handles);
        assert_eq!(table.len(), handles.len());
        let grown = table.segments.len();
        assert!(grown > 64);
        for (&hash, &handle) in hashes.iter().zip(&handles) {
            assert_eq!(table.find(hash, |found| found == handle), Some(handle));
        }
        for (&hash, &handle) in hashes.iter().zip(&handles).skip(100) {
            table.remove(hash, handle);
            assert_eq!(table.find(hash, |found| found == handle), None);
        }
        assert_eq!(table.len(), 100);
        assert!(table.segments.len() < 8 && table.directory.len() <= 16, "{} segments stay", table.segments.len());
        let left: Vec<Handle> = table.iter().map(|slot| slot.handle).collect();
        assert!(handles[..100].iter().all(|handle| left.contains(handle)));
    }

    #[test]
    fn order_is_hash_order_and_pages_cover_it() {
        let handles = handles(5_000);
        let mut random = Random::new(5);
        let table = filled(core::iter::repeat_with(|| random.next_u64() as u32), &handles);
        let order: Vec<Slot> = table.iter().collect();
        assert!(order.is_sorted());
        let (mut paged, mut cursor) = (Vec::new(), 0);
        loop {
            cursor = table.page(cursor, 7, |slot| paged.push(slot));
            if cursor == 0 {
                break;
            }
        }
        assert_eq!(paged, order);
    }

    #[test]
    fn a_scan_returns_whatever_stays_while_the_table_grows_and_shrinks() {
        let handles = handles(40_000);
        let mut random = Random::new(9);
        let hashes: Vec<u32> = handles.iter().map(|_| random.next_u64() as u32).collect();
        let stable = 1_000;
        for growing in [true, false] {
            let present = if growing { stable } else { handles.len() };
            let mut table = filled(hashes[..present].iter().copied(), &handles);
            let (mut seen, mut cursor, mut next) = (BTreeMap::new(), 0, stable);
            loop {
                cursor = table.page(cursor, 10, |slot| {
                    seen.insert(slot.handle, ());
                });
                if cursor == 0 {
                    break;
                }
                for _ in 0..300.min(handles.len() - next) {
                    if growing {
                        table.reserve(hashes[next]).unwrap();
                        table.insert(hashes[next], handles[next]);
                    } else {
                        table.remove(hashes[next], handles[next]);
                    }
                    next += 1;
                }
            }
            assert!(handles[..stable].iter().all(|handle| seen.contains_key(handle)));
        }
    }

    #[test]
    fn equal_hashes_share_a_segment_and_a_page() {
        let handles = handles(3_000);
        let mut table = filled(core::iter::repeat(0xdead_beef), &handles);
        assert!(table.directory.len() <= DIRECTORY_FACTOR_MAX * 64);
        let mut visited = 0;
        assert_eq!(table.page(0, 1, |_| visited += 1), 0);
        assert_eq!(visited, 3_000);
        table.replace(0xdead_beef, handles[7], handles[7]);
        handles.iter().for_each(|&handle| table.remove(0xdead_beef, handle));
        assert!(table.is_empty());
        assert_eq!(table.random(&mut Random::new(1)), None);
    }

    #[test]
    fn random_slots_are_uniform() {
        let handles = handles(600);
        let mut random = Random::new(13);
        let table = filled(core::iter::repeat_with(|| random.next_u64() as u32), &handles);
        assert!(table.segments.len() > 1);
        let mut random = Random::new(17);
        let mut counts: BTreeMap<Handle, f64> = BTreeMap::new();
        let draws = 60_000;
        for _ in 0..draws {
            *counts.entry(table.random(&mut random).unwrap().handle).or_default() += 1.0;
        }
        let expected = f64::from(draws) / handles.len() as f64;
        let chi_square: f64 =
            handles.iter().map(|handle| (counts.get(handle).unwrap_or(&0.0) - expected).powi(2) / expected).sum();
        // 599 degrees of freedom: mean 599, standard deviation 34.6; five deviations either way.
        assert!((426.0..772.0).contains(&chi_square), "{chi_square}");
    }
}
