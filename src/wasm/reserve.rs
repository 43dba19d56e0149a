//! An allocator with a reserve behind it. A small piece that nobody asked for beforehand (`memory.rs` of the engine) comes
//! out of the reserve when there is no memory for it; otherwise it would end the instance with a trap.
//!
//! The reserve is a list of blocks, each more than a small piece takes, given out one by one. So pieces that stay for
//! longer cost it one block each at most, and it is filled again once so much memory is free anywhere.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr::null_mut;

use crate::base::headroom::{Reserve, SMALL_MAX_BYTES, is_reserve_whole, set_reserve};

const BLOCKS: usize = 16;
/// With so many blocks it counts as whole: a full memory need not give back first what a few small pieces took.
const WHOLE_MIN: usize = 12;
/// With fewer blocks than these, only the command that is under way may go on taking them.
const UNSPENT_MIN: usize = 6;
const BLOCK: Layout = match Layout::from_size_align(2 * SMALL_MAX_BYTES, align_of::<*mut u8>()) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two is an alignment"),
};

pub(super) struct Reserved<A> {
    allocator: A,
    /// The first block; each begins with the place of the next.
    first: Cell<*mut u8>,
    held: Cell<usize>,
}

// SAFETY: the module has one thread, and nothing here calls anything that comes back here.
unsafe impl<A> Sync for Reserved<A> {}

// SAFETY: every call is handed on to the allocator as it is, once more after it answered null and a block of the reserve,
// which nobody uses, was given back to it; or it is answered with null, which means that there is no memory.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Reserved<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for this function.
        self.allocate(layout.size(), || unsafe { self.allocator.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for this function.
        self.allocate(layout.size(), || unsafe { self.allocator.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as for this function: it is the allocator's in any case.
        unsafe { self.allocator.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for this function; where there was no memory, the block is as it was.
        self.allocate(size, || unsafe { self.allocator.realloc(block, layout, size) })
    }
}

impl<A: GlobalAlloc> Reserved<A> {
    /// Nothing is in reserve before `refill`.
    pub(super) const fn new(allocator: A) -> Reserved<A> {
        Reserved { allocator, first: Cell::new(null_mut()), held: Cell::new(0) }
    }

    #[inline(always)]
    fn allocate(&self, size: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
        let is_small = size <= SMALL_MAX_BYTES;
        // What was asked for must not come out of the reserve.
        if !is_small && !is_reserve_whole() && !self.refill() {
            return null_mut();
        }
        let mut block = ask();
        while block.is_null() && is_small && self.give_out() {
            block = ask();
        }
        block
    }

    /// Fills the reserve; false when there is no memory to make it whole.
    #[cold]
    pub(super) fn refill(&self) -> bool {
        while self.held.get() < BLOCKS {
            // SAFETY: the layout is not empty.
            let block = unsafe { self.allocator.alloc(BLOCK) };
            if block.is_null() {
                break;
            }
            // SAFETY: the block is ours, and long and aligned enough for a place.
            unsafe { block.cast::<*mut u8>().write(self.first.get()) };
            self.first.set(block);
            self.count(self.held.get() + 1);
        }
        self.held.get() >= WHOLE_MIN
    }

    /// Gives a block back to the allocator; false when there is none left.
    #[cold]
    fn give_out(&self) -> bool {
        let block = self.first.get();
        if block.is_null() {
            return false;
        }
        // SAFETY: `refill` wrote the place of the next block there, and allocated the block with this layout.
        unsafe {
            self.first.set(block.cast::<*mut u8>().read());
            self.allocator.dealloc(block, BLOCK);
        }
        self.count(self.held.get() - 1);
        true
    }

    fn count(&self, held: usize) {
        self.held.set(held);
        set_reserve(match held {
            WHOLE_MIN.. => Reserve::Whole,
            UNSPENT_MIN.. => Reserve::Begun,
            _ => Reserve::Spent,
        });
    }
}
