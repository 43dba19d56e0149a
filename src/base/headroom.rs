//! Checks that memory is available before a command changes anything.
//!
//! Everything a command keeps is allocated piece by piece before its first change, and an error frees it again. Its
//! effect, event and reply are built after the change, where nothing may fail. Memory for them is therefore checked
//! first; nothing else runs before it is used. Pieces of up to [`SMALL_MAX_BYTES`] need no check, because they come out
//! of the reserve that the host's allocator keeps.
//!
//! The reserve belongs to the allocator, and thus to the whole process; this file only records how much is left. The
//! allocator refills a used reserve once memory is available, at the latest on the next request for a larger piece.
//! Until then no command may keep memory that it has not checked.

use alloc::vec::Vec;
use core::fmt;
use core::hint::black_box;
use core::sync::atomic::{AtomicU8, Ordering};

/// Memory is exhausted, or a structure has reached its limit. Nothing was changed.
///
/// # Examples
/// ```
/// assert_eq!(keylatch::OutOfMemory.to_string(), "out of memory");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory;

impl fmt::Display for OutOfMemory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("out of memory")
    }
}

impl core::error::Error for OutOfMemory {}

/// Largest piece, in bytes, that the allocator's reserve guarantees. A used reserve is reported through
/// `set_reserve`.
pub const SMALL_MAX_BYTES: usize = 4096;

/// Upper bound of the bytes a client occupies in tables, without the client itself.
pub const CLIENT_BYTES: usize = 64;

/// State of the allocator's reserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(any(feature = "wasm", feature = "internals")), allow(dead_code))]
pub enum Reserve {
    Whole,
    /// Partly used and not yet refilled: commands that would grow memory are refused.
    Begun,
    /// The rest is kept for the running command: messages to be taken by others are no longer built.
    Spent,
}

static RESERVE: AtomicU8 = AtomicU8::new(Reserve::Whole as u8);

/// Records the state of the allocator's reserve. Without an allocator that keeps one, it is always whole.
#[cfg(any(feature = "wasm", feature = "internals"))]
pub fn set_reserve(left: Reserve) {
    RESERVE.store(left as u8, Ordering::Relaxed);
}

/// Whether the allocator's reserve is whole.
#[inline(always)]
pub fn is_reserve_whole() -> bool {
    RESERVE.load(Ordering::Relaxed) == Reserve::Whole as u8
}

/// Checks that small pieces may be kept. An incomplete reserve is refilled first, if memory is available.
pub fn ensure_reserve() -> Result<(), OutOfMemory> {
    if is_reserve_whole() {
        return Ok(());
    }
    // The allocator refills its reserve before it serves any larger piece.
    ensure(SMALL_MAX_BYTES + 1)?;
    if is_reserve_whole() { Ok(()) } else { Err(OutOfMemory) }
}

/// Checks that small pieces may be queued for another client, which frees them later.
pub fn ensure_reserve_unspent() -> Result<(), OutOfMemory> {
    let is_spent = RESERVE.load(Ordering::Relaxed) == Reserve::Spent as u8;
    if is_spent { ensure_reserve() } else { Ok(()) }
}

/// Checks that `bytes` bytes are available, in one piece or in several.
pub fn ensure(bytes: usize) -> Result<(), OutOfMemory> {
    hold(bytes).map(drop)
}

/// Memory that is kept free while others allocate.
#[derive(Debug)]
pub struct Held {
    _buffer: Vec<u8>,
}

/// Keeps `bytes` bytes free until the result is dropped.
pub fn hold(bytes: usize) -> Result<Held, OutOfMemory> {
    let mut buffer = Vec::<u8>::new();
    if bytes > SMALL_MAX_BYTES {
        try_reserve(&mut buffer, bytes)?;
        // Keeps the compiler from removing an unused allocation.
        black_box(&mut buffer);
    }
    Ok(Held { _buffer: buffer })
}

/// Copies `bytes`; an error replaces the abort when memory is exhausted.
pub fn copied(bytes: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| OutOfMemory)?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// Reserves capacity for `more` elements: amortized growth if memory allows, otherwise exactly these.
#[inline(always)]
pub fn try_reserve<T>(elements: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    if elements.capacity() - elements.len() >= more {
        return Ok(());
    }
    grow(elements, more)
}

#[inline(never)]
fn grow<T>(elements: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    elements.try_reserve(more).or_else(|_| elements.try_reserve_exact(more)).map_err(|_| OutOfMemory)
}
