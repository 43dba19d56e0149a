//! Hash index over handles: extendible hashing over small hashbrown tables.
//!
//! A directory maps the top bits of a 32-bit hash to a segment. A full segment splits in two, so growth never moves
//! more than one segment's slots. Callers supply hashes and comparisons, since the index holds no keys. Hash order
//! (equal hashes by handle) is the only order visible outside, and is equal on every target.

mod cache;
mod draws;
mod segment;
mod slot;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use hashbrown::HashTable;

pub use self::draws::Draws;
pub use self::slot::IndexSlot;

use self::cache::Cache;
use self::segment::{HASH_BITS, SEGMENT_SLOTS_MAX, Segment, Walk, rehash, spread};
use crate::base::headroom::OutOfMemory;
use crate::base::random::Random;
use crate::store::slab::Handle;

/// Number of slots up to which two neighbouring segments are merged: a quarter of a segment.
const MERGE_SLOTS_MAX: usize = SEGMENT_SLOTS_MAX / 4;
/// Largest ratio of the directory's length to the number of segments. Random hashes stay far below it. Keys chosen to
/// share a prefix then lengthen one segment instead of the directory.
const DIRECTORY_FACTOR_MAX: usize = 16;
/// Bytes one slot is counted as: 8 bytes, a control byte, and the usual share of empty buckets.
pub const SLOT_BYTES: u64 = 12;

/// Index from 32-bit hashes to handles; several handles may have equal hashes.
#[derive(Clone, Debug, Default)]
pub struct HashIndex {
    segments: Vec<Segment>,
    /// Segment indices by the top `depth` bits of the hash.
    directory: Vec<u32>,
    depth: u32,
    /// Number of segments that use all bits of the directory, which is halved when there is none.
    deepest: usize,
    /// Number of segments of more than [`SEGMENT_SLOTS_MAX`] slots: zero, unless hashes were chosen to share a prefix.
    overlong: usize,
    len: usize,
    cache: Cache,
}

impl HashIndex {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes this index is counted as in used memory, equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        self.len as u64 * SLOT_BYTES
    }

    /// Returns the handle of this hash for which `matches` holds.
    pub fn find(&self, hash: u32, mut matches: impl FnMut(Handle) -> bool) -> Option<Handle> {
        let slots = &self.segments.get(self.segment_of(hash)?)?.slots;
        slots.find(spread(hash), |slot| slot.hash == hash && matches(slot.handle)).map(|slot| slot.handle)
    }

    /// Returns any handle of this hash; there is rarely more than one.
    pub fn any_of(&self, hash: u32) -> Option<Handle> {
        self.find(hash, |_| true)
    }

    /// Returns a cached handle of this hash. `None` does not mean that the hash is absent.
    #[inline(always)]
    pub fn cached(&self, hash: u32) -> Option<Handle> {
        self.cache.get(hash)
    }

    /// Returns any handle of this hash and caches it.
    #[inline(always)]
    pub fn search(&mut self, hash: u32) -> Option<Handle> {
        let segment = self.segments.get(self.segment_of(hash)?)?;
        segment.read_ahead(hash);
        let handle = segment.slots.find(spread(hash), |slot| slot.hash == hash)?.handle;
        self.cache.fill(IndexSlot { hash, handle });
        Some(handle)
    }

    /// Reserves memory for the next `insert` of this hash.
    #[inline(always)]
    pub fn reserve(&mut self, hash: u32) -> Result<(), OutOfMemory> {
        match self.segment_of(hash) {
            Some(index) if self.segments[index].has_room() => Ok(()),
            _ => self.grow(hash),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, hash: u32) -> Result<(), OutOfMemory> {
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

    /// Adds a slot. `reserve` of this hash must have succeeded, and the key must be absent.
    pub fn insert(&mut self, hash: u32, handle: Handle) {
        let Some(index) = self.segment_of(hash) else { return };
        let slots = &mut self.segments[index].slots;
        slots.insert_unique(spread(hash), IndexSlot { hash, handle }, rehash);
        self.cache.insert(IndexSlot { hash, handle });
        self.overlong += usize::from(slots.len() == SEGMENT_SLOTS_MAX + 1);
        self.len += 1;
    }

    /// Replaces the handle of a key that moved to another block.
    pub fn replace(&mut self, hash: u32, old: Handle, new: Handle) {
        let Some(index) = self.segment_of(hash) else { return };
        if let Some(slot) = self.segments[index].slots.find_mut(spread(hash), |slot| slot.handle == old) {
            slot.handle = new;
            self.cache.forget(IndexSlot { hash, handle: old });
        }
    }

    /// Removes a slot, if present, and merges its segment with a neighbour when both are nearly empty.
    pub fn remove(&mut self, hash: u32, handle: Handle) {
        let Some(index) = self.segment_of(hash) else { return };
        let slots = &mut self.segments[index].slots;
        let Ok(entry) = slots.find_entry(spread(hash), |slot| slot.handle == handle) else { return };
        entry.remove();
        self.cache.forget(IndexSlot { hash, handle });
        self.overlong -= usize::from(slots.len() == SEGMENT_SLOTS_MAX);
        self.len -= 1;
        if slots.len() <= MERGE_SLOTS_MAX {
            self.merge(index);
        }
    }

    /// Frees up to `segments` segments, whatever they hold, and returns how many were freed. Afterwards only the
    /// counted bytes may be read.
    pub fn free_step(&mut self, segments: usize) -> usize {
        self.cache.clear();
        let kept = self.segments.len().saturating_sub(segments);
        let len = &mut self.len;
        self.segments.drain(kept..).inspect(|segment| *len -= segment.slots.len()).count()
    }

    /// Visits the `count` smallest hashes from `cursor` on and returns the cursor of the next page, 0 at the end. All
    /// slots of an equal hash are on one page. A slot present from the first page to the last is visited, whatever else
    /// changes.
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(IndexSlot)) -> u64 {
        let Ok(first) = u32::try_from(cursor) else { return 0 };
        let mut visited = 0;
        let mut last_hash = None;
        for segment in self.segments_from(first) {
            let slots = segment.page_from(first, count - visited.min(count));
            let last = slots.last;
            for slot in slots {
                if visited >= count && last_hash != Some(slot.hash) {
                    return slot.hash.into();
                }
                visit(slot);
                visited += 1;
                last_hash = Some(slot.hash);
            }
            // A full page may end before the segment does.
            let rest = segment.slots.iter().map(|slot| slot.hash).filter(|&hash| hash > last);
            if let Some(next) = rest.min() {
                return next.into();
            }
        }
        0
    }

    /// All slots in hash order.
    pub fn iter(&self) -> Slots<'_> {
        Slots { index: self, at: 0, walk: None }
    }

    /// Returns a random slot, uniformly distributed. Draws a segment and a rank below the longest segment's length; a
    /// rank beyond the segment's end is drawn again.
    pub fn random(&self, random: &mut Random) -> Option<IndexSlot> {
        let (segment, rank) = self.draw(random)?;
        self.segments[segment].at_rank(rank)
    }

    /// Prepares `count` draws of slots, each like [`HashIndex::random`].
    pub fn draws(&self, count: usize) -> Draws<'_> {
        Draws::new(self, count)
    }

    /// Draws a slot: the number of its segment, and its rank there.
    fn draw(&self, random: &mut Random) -> Option<(usize, usize)> {
        if self.is_empty() {
            return None;
        }
        let longest = match (&*self.segments, self.overlong) {
            ([only], _) => only.slots.len(),
            (_, 0) => SEGMENT_SLOTS_MAX,
            (segments, _) => segments.iter().map(|segment| segment.slots.len()).max()?,
        };
        loop {
            let segment = random.below(self.segments.len() as u64) as usize;
            let rank = random.below(longest as u64) as usize;
            if rank < self.segments[segment].slots.len() {
                return Some((segment, rank));
            }
        }
    }

    /// Visits up to `count` slots of one random segment, all with about the same probability. An exact draw would need
    /// every segment's length. Slots are chosen by the smallest hashes after mixing with random numbers. The draw thus
    /// does not depend on the order of buckets, which differs between targets.
    pub fn sample(&self, count: usize, random: &mut Random, mut visit: impl FnMut(IndexSlot)) {
        let (first, mask, factor) = (random.next_u64() as u32, random.next_u64() as u32, random.next_u64() as u32 | 1);
        let mut segments = self.segments_from(first).chain(self.segments_from(0));
        let Some(segment) = segments.find(|segment| !segment.slots.is_empty()) else { return };
        let mut drawn: Vec<(u32, IndexSlot)> = Vec::with_capacity(count + 1);
        let mut largest = u32::MAX;
        for slot in &segment.slots {
            let weighted = ((slot.hash ^ mask).wrapping_mul(factor), *slot);
            if weighted.0 > largest {
                continue;
            }
            drawn.insert(drawn.partition_point(|other| *other < weighted), weighted);
            drawn.truncate(count);
            if let Some((weight, _)) = drawn.get(count.wrapping_sub(1)) {
                largest = *weight;
            }
        }
        drawn.into_iter().for_each(|(_, slot)| visit(slot));
    }

    #[inline(always)]
    fn segment_of(&self, hash: u32) -> Option<usize> {
        self.directory.get(self.directory_index(hash)).map(|&index| index as usize)
    }

    #[inline(always)]
    fn directory_index(&self, hash: u32) -> usize {
        top_bits(hash, self.depth)
    }

    /// Segments in hash order, beginning with that of `hash`.
    fn segments_from(&self, hash: u32) -> impl Iterator<Item = &Segment> {
        let mut at = self.directory_index(hash);
        core::iter::from_fn(move || self.next_segment(&mut at))
    }

    /// Returns the segment of a directory entry and advances the entry to the next segment.
    fn next_segment(&self, at: &mut usize) -> Option<&Segment> {
        let segment = &self.segments[*self.directory.get(*at)? as usize];
        *at = top_bits(segment.prefix, self.depth) + (1 << (self.depth - segment.depth));
        Some(segment)
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
        let Segment { slots, prefix, .. } = &self.segments[index];
        let prefix = *prefix;
        let is_overlong = |slots: &HashTable<IndexSlot>| usize::from(slots.len() > SEGMENT_SLOTS_MAX);
        self.overlong = self.overlong + is_overlong(&low) + is_overlong(&high) - is_overlong(slots);
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

    /// Points every directory entry of a segment's range to it.
    fn point_directory(&mut self, index: usize) {
        let segment = &self.segments[index];
        let start = top_bits(segment.prefix, self.depth);
        let len = 1 << (self.depth - segment.depth);
        self.directory[start..start + len].fill(index as u32);
    }

    /// Merges a nearly empty segment with its neighbour; does nothing when memory is exhausted.
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
        // The merged segment and its own neighbour may now be small enough too.
        if let Some(joined) = self.segment_of(prefix) {
            self.merge(joined);
        }
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

/// Iterator over all slots of an index in hash order.
#[derive(Debug)]
pub struct Slots<'a> {
    index: &'a HashIndex,
    /// Directory entry of the next segment.
    at: usize,
    walk: Option<Walk<'a>>,
}

impl Iterator for Slots<'_> {
    type Item = IndexSlot;

    #[inline(never)]
    fn next(&mut self) -> Option<IndexSlot> {
        loop {
            if let Some(slot) = self.walk.as_mut().and_then(Walk::next) {
                return Some(slot);
            }
            self.walk = Some(self.index.next_segment(&mut self.at)?.sorted_from(0));
        }
    }
}

/// Returns the top `bits` bits of a hash as a number.
fn top_bits(hash: u32, bits: u32) -> usize {
    (u64::from(hash) >> (HASH_BITS - bits)) as usize
}
