//! Allocator with a reserve. A small piece that was not checked beforehand (`base/headroom`) comes out of the reserve
//! when memory is exhausted. Without the reserve the instance would end with a trap.
//!
//! The reserve is a list of blocks, each larger than a small piece, which are released one by one. A long-lived piece
//! thus costs at most one block. The reserve is refilled once enough memory is free.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr::null_mut;

use crate::base::headroom::{Reserve, SMALL_MAX_BYTES, is_reserve_whole, set_reserve};

const BLOCKS: usize = 16;
/// Number of blocks from which on the reserve counts as whole, so that a few small pieces need not be freed first.
const WHOLE_MIN: usize = 12;
/// Number of blocks below which only the running command may use the reserve.
const UNSPENT_MIN: usize = 6;
const BLOCK: Layout = match Layout::from_size_align(2 * SMALL_MAX_BYTES, align_of::<*mut u8>()) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two is an alignment"),
};

/// Allocator `A` with a reserve of blocks.
pub(super) struct WithReserve<A> {
    allocator: A,
    /// First block; each block begins with a pointer to the next.
    first: Cell<*mut u8>,
    block_count: Cell<usize>,
}

// SAFETY: the module has one thread, and nothing here calls anything that calls back.
unsafe impl<A> Sync for WithReserve<A> {}

// SAFETY: every call is passed on unchanged to the allocator. If it returns null, an unused block of the reserve is
// freed and the call repeated. Null is returned if there is no memory.
//
// None of the methods is inlined. The allocator reads the word in front of a block, which says how large the block is.
// In the function that allocated the block, the optimizer knows the block as memory that nothing else reaches, with
// nothing readable in front: the check of that word would become a panic without a condition.
unsafe impl<A: GlobalAlloc> GlobalAlloc for WithReserve<A> {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of the callee.
        self.allocate(layout.size(), || unsafe { self.allocator.alloc(layout) })
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of the callee.
        self.allocate(layout.size(), || unsafe { self.allocator.alloc_zeroed(layout) })
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block belongs to the allocator in any case.
        unsafe { self.allocator.dealloc(block, layout) }
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are those of the callee; a failed call leaves the block unchanged.
        self.allocate(size, || unsafe { self.allocator.realloc(block, layout, size) })
    }
}

impl<A: GlobalAlloc> WithReserve<A> {
    /// Creates an allocator with a reserve that is empty until `refill`.
    pub(super) const fn new(allocator: A) -> WithReserve<A> {
        WithReserve { allocator, first: Cell::new(null_mut()), block_count: Cell::new(0) }
    }

    #[inline(always)]
    fn allocate(&self, size: usize, request: impl Fn() -> *mut u8) -> *mut u8 {
        let is_small = size <= SMALL_MAX_BYTES;
        // Larger pieces must not use the reserve, so it is refilled first.
        if !is_small && !is_reserve_whole() && !self.refill() {
            return null_mut();
        }
        let mut block = request();
        while block.is_null() && is_small && self.release_block() {
            block = request();
        }
        block
    }

    /// Refills the reserve. Returns false if memory does not suffice to make it whole.
    #[cold]
    pub(super) fn refill(&self) -> bool {
        while self.block_count.get() < BLOCKS {
            // SAFETY: the layout is not empty.
            let block = unsafe { self.allocator.alloc(BLOCK) };
            if block.is_null() {
                break;
            }
            // SAFETY: the block was just allocated, and is large and aligned enough for a pointer.
            unsafe { block.cast::<*mut u8>().write(self.first.get()) };
            self.first.set(block);
            self.set_block_count(self.block_count.get() + 1);
        }
        self.block_count.get() >= WHOLE_MIN
    }

    /// Frees a block of the reserve. Returns false if none is left.
    #[cold]
    fn release_block(&self) -> bool {
        let block = self.first.get();
        if block.is_null() {
            return false;
        }
        // SAFETY: `refill` wrote the pointer to the next block there, and allocated the block with this layout.
        unsafe {
            self.first.set(block.cast::<*mut u8>().read());
            self.allocator.dealloc(block, BLOCK);
        }
        self.set_block_count(self.block_count.get() - 1);
        true
    }

    fn set_block_count(&self, block_count: usize) {
        self.block_count.set(block_count);
        set_reserve(match block_count {
            WHOLE_MIN.. => Reserve::Whole,
            UNSPENT_MIN.. => Reserve::Begun,
            _ => Reserve::Spent,
        });
    }
}
