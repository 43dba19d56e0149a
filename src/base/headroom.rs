//! Whether there is memory for what cannot be undone.
//!
//! What a command keeps is allocated before its first change, piece by piece, and an error takes all of it back. What it
//! only needs on the way to its end (its effect, its event, its reply) is made afterwards, and then nothing may fail any
//! more. So the room for that is asked for first: nobody else runs before it is used. Pieces below [`SMALL_MAX_BYTES`] need
//! no asking, for they come out of the reserve a host keeps.
//!
//! That reserve belongs to the allocator, and so to the whole process; this file knows only how much of it is left. What is
//! begun is made whole by the allocator as soon as there is memory again, at the latest when a larger piece is asked for.
//! Until then no command may keep anything that it did not ask for.

use alloc::vec::Vec;
use core::fmt;
use core::hint::black_box;
use core::sync::atomic::{AtomicU8, Ordering};

/// Memory ran out, or a structure reached its limit. Nothing was changed.
///
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

/// Pieces up to so long are always there: a host without memory has them in reserve, and says so before it has none.
pub const SMALL_MAX_BYTES: usize = 4096;

/// What a client takes at most in tables beside the client itself.
pub const CLIENT_BYTES: usize = 64;

/// How much an allocator still has in reserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(any(feature = "wasm", feature = "internals")), allow(dead_code))]
pub enum Reserve {
    Whole,
    /// Some of it was given out and cannot be had back: what would grow memory is refused.
    Begun,
    /// What is left is for a command that is under way: what waits for others to take it is not made any more.
    Spent,
}

static RESERVE: AtomicU8 = AtomicU8::new(Reserve::Whole as u8);

/// Sets how much an allocator that keeps a reserve has left of it. Without such an allocator it is always whole.
#[cfg(any(feature = "wasm", feature = "internals"))]
pub fn set_reserve(left: Reserve) {
    RESERVE.store(left as u8, Ordering::Relaxed);
}

/// Whether there is nothing to look after.
#[inline(always)]
pub fn is_reserve_whole() -> bool {
    RESERVE.load(Ordering::Relaxed) == Reserve::Whole as u8
}

/// Whether small pieces may be kept.
pub fn ensure_reserve() -> Result<(), OutOfMemory> {
    if is_reserve_whole() {
        return Ok(());
    }
    // The allocator sees to its reserve before it gives anything larger away.
    ensure(SMALL_MAX_BYTES + 1)?;
    if is_reserve_whole() { Ok(()) } else { Err(OutOfMemory) }
}

/// Whether small pieces may be handed to others, who will give them back.
pub fn ensure_reserve_unspent() -> Result<(), OutOfMemory> {
    let is_spent = RESERVE.load(Ordering::Relaxed) == Reserve::Spent as u8;
    if is_spent { ensure_reserve() } else { Ok(()) }
}

/// Makes sure that so many bytes can be had, in one piece or in several.
pub fn ensure(bytes: usize) -> Result<(), OutOfMemory> {
    if bytes <= SMALL_MAX_BYTES {
        return Ok(());
    }
    let mut room = Vec::<u8>::new();
    make_room(&mut room, bytes)?;
    // What nobody looks at need not be allocated, as far as a compiler is concerned.
    black_box(&mut room);
    Ok(())
}

/// A copy of `bytes`, or an error instead of an abort when memory is short.
pub fn copied(bytes: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| OutOfMemory)?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// Makes room for more elements: for some more than these where there is memory, because others will follow.
#[inline(always)]
pub fn make_room<T>(elements: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    if elements.capacity() - elements.len() >= more {
        return Ok(());
    }
    grow(elements, more)
}

#[inline(never)]
fn grow<T>(elements: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    elements.try_reserve(more).or_else(|_| elements.try_reserve_exact(more)).map_err(|_| OutOfMemory)
}
