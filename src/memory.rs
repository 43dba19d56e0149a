//! Whether there is memory for what cannot be undone.
//!
//! What a command keeps is allocated before its first change, piece by piece, and an error takes all of it back. What it
//! only needs on the way to its end (its effect, its event, its reply) is made afterwards, and then nothing may fail any
//! more. So the room for that is asked for first: nobody else runs before it is used. Pieces below [`SMALL_MAX_BYTES`] need
//! no asking, for they come out of the reserve a host keeps.

use alloc::vec::Vec;

use crate::slab::OutOfMemory;

/// Pieces up to so long are always there: a host without memory has them in reserve, and says so before it has none.
pub const SMALL_MAX_BYTES: usize = 4096;

/// Makes sure that so many bytes can be had, in one piece or in several.
pub fn ensure(bytes: usize) -> Result<(), OutOfMemory> {
    if bytes <= SMALL_MAX_BYTES {
        return Ok(());
    }
    make_room(&mut Vec::<u8>::new(), bytes)
}

/// Makes room for more elements: for some more than these where there is memory, because others will follow.
pub fn make_room<T>(elements: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    if elements.capacity() - elements.len() >= more {
        return Ok(());
    }
    elements.try_reserve(more).or_else(|_| elements.try_reserve_exact(more)).map_err(|_| OutOfMemory)
}
