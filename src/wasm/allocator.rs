//! Growth of an instance's memory in few, larger steps. The allocator of the standard library requests 64 KiB at a time
//! from its host. Every growth detaches the host's views and makes V8 account for the whole memory anew. Beyond 64 MiB
//! that can start a garbage collection, at a cost independent of the step.

use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::alloc::System;

use super::reserve::WithReserve;

const STEP_MIN_BYTES: usize = 64 * 1024;
/// Largest step of an eighth of the memory in use; larger steps are a sixty-fourth.
const STEP_OF_EIGHTH_MAX_BYTES: usize = 1024 * 1024;
/// Bytes that the allocator adds to an allocation.
const HEADER_BYTES: usize = 8;
/// Bytes that the allocator keeps when it requests memory. A step less these bytes takes whole pages.
const OVERHEAD_BYTES: usize = 128;
const ALIGNMENT: usize = 8;

#[global_allocator]
static ALLOCATOR: WithReserve<StepAllocator> =
    WithReserve::new(StepAllocator { live_bytes: AtomicUsize::new(0), ahead_bytes: AtomicUsize::new(0) });

/// Fills the reserve as far as memory allows.
pub(super) fn keep_reserve() {
    ALLOCATOR.refill();
}

/// Allocator of the standard library that requests memory ahead of need.
struct StepAllocator {
    live_bytes: AtomicUsize,
    /// Bytes that can be allocated before the next step is requested from the host.
    ahead_bytes: AtomicUsize,
}

impl StepAllocator {
    fn count_allocated(&self, bytes: usize) {
        let bytes = bytes.saturating_add(HEADER_BYTES);
        let live_bytes = self.live_bytes.load(Relaxed).saturating_add(bytes);
        self.live_bytes.store(live_bytes, Relaxed);
        match self.ahead_bytes.load(Relaxed).checked_sub(bytes) {
            Some(left) => self.ahead_bytes.store(left, Relaxed),
            None => self.reserve(step(live_bytes), bytes),
        }
    }

    fn count_freed(&self, bytes: usize) {
        let bytes = bytes.saturating_add(HEADER_BYTES);
        let live_bytes = self.live_bytes.load(Relaxed).saturating_sub(bytes);
        self.live_bytes.store(live_bytes, Relaxed);
        let ahead_bytes = self.ahead_bytes.load(Relaxed).saturating_add(bytes);
        self.ahead_bytes.store(ahead_bytes.min(step(live_bytes)), Relaxed);
    }

    /// Reverts the count of an allocation that failed.
    fn uncount_if_null(&self, piece: *mut u8, bytes: usize) -> *mut u8 {
        if piece.is_null() {
            self.count_freed(bytes);
        }
        piece
    }

    /// Allocates a step in one piece and frees it, so that the following allocations come out of it. A larger
    /// allocation is its own step.
    #[cold]
    fn reserve(&self, step: usize, needed: usize) {
        let step = step - OVERHEAD_BYTES;
        let Some(left) = step.checked_sub(needed) else { return };
        let Ok(layout) = Layout::from_size_align(step, ALIGNMENT) else { return };
        // SAFETY: the size is not zero; the piece is freed with the layout it was allocated with, and was never handed
        // out.
        unsafe {
            let piece = System.alloc(layout);
            if !piece.is_null() {
                System.dealloc(piece, layout);
            }
        }
        // If a step cannot be allocated, no other is tried for as long.
        self.ahead_bytes.store(left, Relaxed);
    }
}

/// Size of a step while `live_bytes` are in use.
fn step(live_bytes: usize) -> usize {
    (live_bytes / 8).clamp(STEP_MIN_BYTES, STEP_OF_EIGHTH_MAX_BYTES).max(live_bytes / 64)
}

// SAFETY: every call is passed on unchanged to an allocator that keeps the contract; the counters hold no memory.
unsafe impl GlobalAlloc for StepAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count_allocated(layout.size());
        // SAFETY: the caller's promises are those of the callee.
        self.uncount_if_null(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count_allocated(layout.size());
        // SAFETY: the caller's promises are those of the callee.
        self.uncount_if_null(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        self.count_freed(layout.size());
        self.count_allocated(new_size);
        // SAFETY: the caller's promises are those of the callee.
        let moved = self.uncount_if_null(unsafe { System.realloc(piece, layout, new_size) }, new_size);
        if moved.is_null() {
            self.count_allocated(layout.size());
        }
        moved
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        self.count_freed(layout.size());
        // SAFETY: the caller's promises are those of the callee.
        unsafe { System.dealloc(piece, layout) }
    }
}
