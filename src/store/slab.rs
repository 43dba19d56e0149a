//! Size-class allocator of byte blocks behind 32-bit handles.
//!
//! Blocks are cut from 16 KiB pages of one size class each: multiples of 4 bytes, larger ones of 8. A block above the
//! largest class has a page of its own. Handles stay valid until freed, and blocks never move. All accesses are
//! bounds-checked: a stale handle can read wrong bytes but never break memory. Sizes are counted in granules, so they
//! are equal on every target.

use crate::base::headroom::OutOfMemory;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::ops::Range;

/// Unit of block sizes and offsets. Equal to the size of a heap position, so that a deadline adds no padding to a key's
/// block.
const GRANULE_BYTES: usize = 4;
const PAGE_BYTES: usize = 16 * 1024;
/// Size of a cache line of the processor.
const LINE_BYTES: usize = 64;
const GRANULES_PER_PAGE: usize = PAGE_BYTES / GRANULE_BYTES;
const GRANULE_BITS: u32 = GRANULES_PER_PAGE.trailing_zeros();
/// Largest class, in granules, of those that are one granule apart. Above it classes are two granules apart, since each
/// class in use holds at least one page.
const FINE_CLASS_MAX: usize = 64;
/// Largest class, in granules. A larger block has its own page.
const CLASS_MAX: usize = 512;
/// Largest number of pages: one less than a handle could distinguish, because a handle is never zero.
const PAGES_MAX: usize = (1 << (32 - GRANULE_BITS)) - 1;
/// End of a page's free list, which is chained by granule offsets.
const NO_BLOCK: u16 = u16::MAX;
/// First bytes of a freed block. The offset of the next free block follows.
pub const FREED: [u8; 2] = [0xff; 2];

/// Number of a block of one slab: its index plus one, so that `Option<Handle>` takes four bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Handle(NonZeroU32);

impl Handle {
    /// Smallest handle.
    pub const LEAST: Handle = Handle(NonZeroU32::MIN);

    /// Next handle in order, whether or not it refers to a block.
    pub fn next(self) -> Option<Handle> {
        self.0.checked_add(1).map(Handle)
    }

    fn new(page: usize, granule: usize) -> Handle {
        // Both are below their limits: `page` < PAGES_MAX, `granule` < GRANULES_PER_PAGE.
        Handle(NonZeroU32::MIN.saturating_add(((page as u32) << GRANULE_BITS) | granule as u32))
    }

    #[inline(always)]
    fn index(self) -> u32 {
        self.0.get() - 1
    }

    #[inline(always)]
    fn page(self) -> usize {
        (self.index() >> GRANULE_BITS) as usize
    }

    #[inline(always)]
    fn granule(self) -> usize {
        self.index() as usize & (GRANULES_PER_PAGE - 1)
    }

    /// Offset of the block in its page, in bytes.
    #[inline(always)]
    fn start(self) -> usize {
        self.granule() * GRANULE_BYTES
    }
}

#[derive(Clone, Debug)]
enum Page {
    Vacant,
    Classed(ClassedPage),
    /// Page of one block.
    Single,
}

/// Page divided into blocks of one class.
#[derive(Clone, Debug)]
struct ClassedPage {
    /// Block size in granules.
    class: u16,
    live: u16,
    /// Granule offset of the first freed block. Each freed block holds the offset of the next one after [`FREED`].
    first_free: u16,
    /// Granule from which on blocks were never used.
    fresh: u16,
    /// Index of the page in its class's list of pages with free blocks.
    list_position: u32,
}

/// Size-class allocator.
#[derive(Clone, Debug)]
pub struct Slab {
    pages: Vec<Page>,
    /// Bytes of each page, empty if the page is vacant. Separate from `pages`, because a lookup needs nothing else.
    data: Vec<Box<[u8]>>,
    vacant: Vec<u32>,
    /// Pages with free blocks, by class.
    with_room: Vec<Vec<u32>>,
    used_bytes: u64,
}

impl Default for Slab {
    fn default() -> Slab {
        Slab::new()
    }
}

impl Slab {
    pub fn new() -> Slab {
        Slab { pages: Vec::new(), data: Vec::new(), vacant: Vec::new(), with_room: Vec::new(), used_bytes: 0 }
    }

    /// Allocates a block of at least `len` bytes with unspecified contents.
    pub fn allocate(&mut self, len: usize) -> Result<Handle, OutOfMemory> {
        let class = class_of(len);
        let handle = if class > CLASS_MAX { self.allocate_single(class)? } else { self.allocate_classed(class)? };
        self.used_bytes += (class * GRANULE_BYTES) as u64;
        Ok(handle)
    }

    /// Frees a block. A page without live blocks is freed too, unless it is the only one with free blocks in its class.
    pub fn free(&mut self, handle: Handle) {
        let index = handle.page();
        let (Some(page), Some(data)) = (self.pages.get_mut(index), self.data.get_mut(index)) else { return };
        match page {
            Page::Vacant => {}
            Page::Single => {
                self.used_bytes -= data.len() as u64;
                (*page, *data) = (Page::Vacant, Box::default());
                self.vacant.push(index as u32);
            }
            Page::Classed(classed) => {
                let class = classed.class;
                let was_full = classed.is_full();
                classed.give_back(handle.granule(), data);
                let empty = classed.live == 0;
                self.used_bytes -= u64::from(class) * GRANULE_BYTES as u64;
                if was_full {
                    self.push_with_room(index);
                }
                // One page with free blocks is kept per class, so that setting and deleting a key repeatedly allocates
                // no page.
                if empty && self.with_room[usize::from(class)].len() > 1 {
                    self.release(index);
                }
            }
        }
    }

    /// Bytes of a block, rounded up to whole granules; empty for a handle without a block.
    pub fn block(&self, handle: Handle) -> &[u8] {
        let Some(range) = self.range(handle) else { return &[] };
        self.data.get(handle.page()).and_then(|data| data.get(range)).unwrap_or_default()
    }

    pub fn block_mut(&mut self, handle: Handle) -> &mut [u8] {
        let Some(range) = self.range(handle) else { return &mut [] };
        self.data.get_mut(handle.page()).and_then(|data| data.get_mut(range)).unwrap_or_default()
    }

    /// Bytes from the start of a block to the end of its page, for callers that have the block's length. Takes half the
    /// work of [`Slab::block`].
    #[inline(always)]
    pub fn block_and_more(&self, handle: Handle) -> Option<&[u8]> {
        self.data.get(handle.page())?.get(handle.start()..)
    }

    #[inline(always)]
    pub fn block_and_more_mut(&mut self, handle: Handle) -> Option<&mut [u8]> {
        self.data.get_mut(handle.page())?.get_mut(handle.start()..)
    }

    /// Touches the second cache line of a block that is about to be read. If the block crosses a line, the processor
    /// loads both lines at once and not one after the other.
    #[inline(always)]
    pub fn read_ahead(&self, handle: Handle) {
        core::hint::black_box(self.block_and_more(handle).and_then(|block| block.get(LINE_BYTES).copied()));
    }

    fn range(&self, handle: Handle) -> Option<Range<usize>> {
        let len = match self.pages.get(handle.page())? {
            Page::Classed(page) => usize::from(page.class) * GRANULE_BYTES,
            Page::Single => self.data.get(handle.page())?.len(),
            Page::Vacant => return None,
        };
        Some(handle.start()..handle.start() + len)
    }

    /// Frees up to `pages` pages, whatever they hold, and returns how many were freed. Afterwards only the used bytes
    /// may be read.
    pub fn free_step(&mut self, pages: usize) -> usize {
        let held = self.data.len();
        let kept = held.saturating_sub(pages);
        // All pages count alike while the slab is freed.
        self.used_bytes = self.used_bytes * kept as u64 / held.max(1) as u64;
        self.pages.truncate(kept);
        self.data.drain(kept..).count()
    }

    /// Size of a block for `len` bytes.
    pub fn rounded(len: usize) -> usize {
        class_of(len) * GRANULE_BYTES
    }

    /// Bytes of live blocks, in whole granules.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes
    }

    #[inline(always)]
    fn allocate_classed(&mut self, class: usize) -> Result<Handle, OutOfMemory> {
        let index = match self.with_room.get(class).and_then(|pages| pages.last()) {
            Some(&index) => index as usize,
            None => self.add_classed_page(class)?,
        };
        let Page::Classed(page) = &mut self.pages[index] else { return Err(OutOfMemory) };
        let granule = page.take(&self.data[index]);
        if page.is_full() {
            self.with_room[class].pop();
        }
        Ok(Handle::new(index, granule))
    }

    #[inline(never)]
    fn add_classed_page(&mut self, class: usize) -> Result<usize, OutOfMemory> {
        if self.with_room.is_empty() {
            self.with_room.try_reserve_exact(CLASS_MAX + 1).map_err(|_| OutOfMemory)?;
            self.with_room.resize(CLASS_MAX + 1, Vec::new());
        }
        self.with_room[class].try_reserve(1).map_err(|_| OutOfMemory)?;
        let data = zeroed(PAGE_BYTES)?;
        let page = ClassedPage {
            class: class as u16,
            live: 0,
            first_free: NO_BLOCK,
            fresh: 0,
            list_position: 0, // set by `push_with_room`
        };
        let index = self.add_page(Page::Classed(page), data)?;
        self.push_with_room(index);
        Ok(index)
    }

    #[inline(never)]
    fn allocate_single(&mut self, class: usize) -> Result<Handle, OutOfMemory> {
        let len = class * GRANULE_BYTES;
        let data = zeroed(len)?;
        let index = self.add_page(Page::Single, data)?;
        Ok(Handle::new(index, 0))
    }

    fn add_page(&mut self, page: Page, data: Box<[u8]>) -> Result<usize, OutOfMemory> {
        if let Some(index) = self.vacant.pop() {
            (self.pages[index as usize], self.data[index as usize]) = (page, data);
            return Ok(index as usize);
        }
        if self.pages.len() == PAGES_MAX {
            return Err(OutOfMemory);
        }
        self.pages.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.data.try_reserve(1).map_err(|_| OutOfMemory)?;
        // Freeing must not fail, so the list of vacant pages has capacity for every page.
        self.vacant.try_reserve(self.pages.len() + 1).map_err(|_| OutOfMemory)?;
        self.pages.push(page);
        self.data.push(data);
        Ok(self.pages.len() - 1)
    }

    /// Adds a page to its class's list of pages with free blocks.
    #[inline(never)]
    fn push_with_room(&mut self, index: usize) {
        let Page::Classed(page) = &mut self.pages[index] else { return };
        let pages = &mut self.with_room[usize::from(page.class)];
        page.list_position = pages.len() as u32;
        pages.push(index as u32);
    }

    /// Frees a page without live blocks.
    #[inline(never)]
    fn release(&mut self, index: usize) {
        let Page::Classed(page) = &self.pages[index] else { return };
        let (class, position) = (usize::from(page.class), page.list_position as usize);
        self.with_room[class].swap_remove(position);
        if let Some(&moved) = self.with_room[class].get(position)
            && let Page::Classed(page) = &mut self.pages[moved as usize]
        {
            page.list_position = position as u32;
        }
        (self.pages[index], self.data[index]) = (Page::Vacant, Box::default());
        self.vacant.push(index as u32);
    }
}

impl ClassedPage {
    fn is_full(&self) -> bool {
        self.first_free == NO_BLOCK && usize::from(self.fresh) + usize::from(self.class) > GRANULES_PER_PAGE
    }

    /// Takes a free block, of which the page must have one, and returns its granule offset.
    fn take(&mut self, data: &[u8]) -> usize {
        self.live += 1;
        if self.first_free == NO_BLOCK {
            let granule = self.fresh;
            self.fresh += self.class;
            return granule.into();
        }
        let granule = usize::from(self.first_free);
        let block = data.get(granule * GRANULE_BYTES..).and_then(<[u8]>::first_chunk);
        self.first_free = block.map_or(NO_BLOCK, |&[_, _, low, high]| u16::from_le_bytes([low, high]));
        granule
    }

    fn give_back(&mut self, granule: usize, data: &mut [u8]) {
        if let Some(block) = data.get_mut(granule * GRANULE_BYTES..).and_then(<[u8]>::first_chunk_mut) {
            let ([first, second], [low, high]) = (FREED, self.first_free.to_le_bytes());
            *block = [first, second, low, high];
        }
        self.first_free = granule as u16;
        self.live -= 1;
    }
}

fn class_of(len: usize) -> usize {
    let granules = len.div_ceil(GRANULE_BYTES).max(1);
    if granules <= FINE_CLASS_MAX { granules } else { granules.next_multiple_of(2) }
}

fn zeroed(len: usize) -> Result<Box<[u8]>, OutOfMemory> {
    let mut data = Vec::new();
    data.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
    data.resize(len, 0);
    Ok(data.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn blocks_keep_their_bytes_while_others_come_and_go() {
        let mut random = Random::new(7);
        let mut slab = Slab::new();
        let mut live: Vec<(Handle, usize, u8)> = Vec::new();
        for round in 0..20_000u32 {
            if live.len() > 500 || (!live.is_empty() && random.below(3) == 0) {
                let (handle, len, fill) = live.swap_remove(random.below(live.len() as u64) as usize);
                assert!(slab.block(handle)[..len].iter().all(|&byte| byte == fill));
                slab.free(handle);
            } else {
                let len = 1 + random.below(if round % 50 == 0 { 40_000 } else { 300 }) as usize;
                let handle = slab.allocate(len).unwrap();
                slab.block_mut(handle)[..len].fill(round as u8);
                live.push((handle, len, round as u8));
            }
        }
        let expected: usize = live.iter().map(|(_, len, _)| Slab::rounded(*len)).sum();
        assert_eq!(slab.used_bytes(), expected as u64);
        for (handle, len, _) in live.drain(..) {
            slab.free(handle);
            let classed = class_of(len) <= CLASS_MAX;
            assert!(
                slab.block_and_more(handle)
                    .is_none_or(|block| !classed || block.is_empty() || block.starts_with(&FREED))
            );
        }
        assert_eq!(slab.used_bytes(), 0);
        let held_bytes: usize = slab.data.iter().map(|data| data.len()).sum();
        assert!(held_bytes <= CLASS_MAX * PAGE_BYTES, "at most one page per class stays");
    }

    #[test]
    fn a_short_block_wastes_three_bytes_at_most_and_a_longer_one_seven() {
        for len in 1..=CLASS_MAX * GRANULE_BYTES {
            let fine = len <= FINE_CLASS_MAX * GRANULE_BYTES;
            let wasted = Slab::rounded(len) - len;
            assert!(wasted <= if fine { 3 } else { 7 }, "{wasted} of {len}");
        }
        assert_eq!((Slab::rounded(60), Slab::rounded(0), Slab::rounded(261)), (60, 4, 264));
    }

    #[test]
    fn a_handle_of_no_block_reads_as_empty() {
        let mut slab = Slab::new();
        assert!(slab.block(Handle::new(9, 3)).is_empty());
        let single = slab.allocate(100_000).unwrap();
        slab.free(single);
        slab.free(single);
        assert!(slab.block(single).is_empty());
    }
}
