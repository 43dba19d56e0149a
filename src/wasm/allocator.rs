//! How the memory of an instance grows: in few, larger steps. The allocator of the standard library asks its host for
//! 64 KiB at a time. But every growth detaches the host's views and counts the whole memory anew there, which lets V8
//! collect garbage once it is beyond 64 MiB: what it costs does not depend on the step.

use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::alloc::System;

use super::reserve::Reserved;

const STEP_MIN_BYTES: usize = 64 * 1024;
/// Up to here a step is an eighth of what is in use, above a sixty-fourth.
const STEP_OF_EIGHTH_MAX_BYTES: usize = 1024 * 1024;
/// What the allocator adds to a piece.
const ADDED_BYTES: usize = 8;
/// What it keeps for itself when it asks its host: a step less so much is of whole pages then.
const KEPT_BYTES: usize = 128;
const ALIGNMENT: usize = 8;

#[global_allocator]
static ALLOCATOR: Reserved<Ahead> =
    Reserved::new(Ahead { live_bytes: AtomicUsize::new(0), ahead_bytes: AtomicUsize::new(0) });

/// Makes the reserve, as far as there is memory for it.
pub(super) fn keep_reserve() {
    ALLOCATOR.refill();
}

/// The allocator of the standard library, with memory asked for ahead of need.
struct Ahead {
    live_bytes: AtomicUsize,
    /// So much can be taken before the host is asked again.
    ahead_bytes: AtomicUsize,
}

impl Ahead {
    fn take(&self, bytes: usize) {
        let bytes = bytes.saturating_add(ADDED_BYTES);
        let live_bytes = self.live_bytes.load(Relaxed).saturating_add(bytes);
        self.live_bytes.store(live_bytes, Relaxed);
        match self.ahead_bytes.load(Relaxed).checked_sub(bytes) {
            Some(left) => self.ahead_bytes.store(left, Relaxed),
            None => self.reserve(step(live_bytes), bytes),
        }
    }

    fn give(&self, bytes: usize) {
        let bytes = bytes.saturating_add(ADDED_BYTES);
        let live_bytes = self.live_bytes.load(Relaxed).saturating_sub(bytes);
        self.live_bytes.store(live_bytes, Relaxed);
        let ahead_bytes = self.ahead_bytes.load(Relaxed).saturating_add(bytes);
        self.ahead_bytes.store(ahead_bytes.min(step(live_bytes)), Relaxed);
    }

    /// What was counted is not in use when there was no memory for it.
    fn taken(&self, piece: *mut u8, bytes: usize) -> *mut u8 {
        if piece.is_null() {
            self.give(bytes);
        }
        piece
    }

    /// Takes a step in one piece and gives it back, so that the following pieces come out of it. A larger one is its own
    /// step.
    #[cold]
    fn reserve(&self, step: usize, needed: usize) {
        let step = step - KEPT_BYTES;
        let Some(left) = step.checked_sub(needed) else { return };
        let Ok(layout) = Layout::from_size_align(step, ALIGNMENT) else { return };
        // SAFETY: the size is not zero; the piece is given back as it was taken, and nobody else has seen it.
        unsafe {
            let piece = System.alloc(layout);
            if !piece.is_null() {
                System.dealloc(piece, layout);
            }
        }
        // Without memory for a step the allocator is left alone for as long.
        self.ahead_bytes.store(left, Relaxed);
    }
}

/// How much to ask for at once while so much is in use.
fn step(live_bytes: usize) -> usize {
    (live_bytes / 8).clamp(STEP_MIN_BYTES, STEP_OF_EIGHTH_MAX_BYTES).max(live_bytes / 64)
}

// SAFETY: every call goes on as it is to an allocator that keeps the contract; what is counted beside is no memory.
unsafe impl GlobalAlloc for Ahead {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.take(layout.size());
        // SAFETY: the caller's promises are those of the callee.
        self.taken(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.take(layout.size());
        // SAFETY: as above.
        self.taken(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        self.give(layout.size());
        self.take(new_size);
        // SAFETY: as above.
        let moved = self.taken(unsafe { System.realloc(piece, layout, new_size) }, new_size);
        if moved.is_null() {
            self.take(layout.size());
        }
        moved
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        self.give(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(piece, layout) }
    }
}
