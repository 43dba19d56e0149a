//! Blocks of length-prefixed byte strings: reading and writing lengths, resizing a part, and searching for a string.
//!
//! A length has seven bits a byte, lowest first. The top bit of a byte means that another follows.

use alloc::vec::Vec;
use core::ops::Range;

use crate::base::bytes::{copy, equal, word_at};
use crate::base::headroom::OutOfMemory;

/// Largest number of bytes of a length.
const LENGTH_BYTES_MAX: usize = 5;
const WORD_BYTES: usize = 8;

/// Byte string that is searched for. Its last bytes are compared first: members of a collection often share a prefix.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchKey<'a> {
    bytes: &'a [u8],
    /// Last eight bytes, the last one in the highest bits. A shorter string is padded with zeros in the low bits.
    tail: u64,
    /// Bits of `tail` that belong to the string.
    mask: u64,
}

impl<'a> SearchKey<'a> {
    #[inline(always)]
    pub(super) fn of(bytes: &'a [u8]) -> SearchKey<'a> {
        let missing = WORD_BYTES.saturating_sub(bytes.len()) as u32;
        let mask = u64::MAX.checked_shl(8 * missing).unwrap_or(0);
        SearchKey { bytes, tail: word_before(bytes, bytes.len()) & mask, mask }
    }

    /// Whether the string of equal length that ends at `end` of a block is equal.
    #[inline(always)]
    pub(super) fn ends_at(&self, block: &[u8], end: usize) -> bool {
        (word_before(block, end) ^ self.tail) & self.mask == 0 && self.is_suffix_at(block, end)
    }

    fn is_suffix_at(&self, block: &[u8], end: usize) -> bool {
        let start = end.saturating_sub(self.bytes.len());
        block.get(start..end).is_some_and(|bytes| equal(bytes, self.bytes))
    }
}

/// The eight bytes before `end`, with zeros in place of bytes before the block.
#[inline(always)]
fn word_before(block: &[u8], end: usize) -> u64 {
    match end.checked_sub(WORD_BYTES) {
        Some(start) => word_at(block, start),
        None => first_word(block, end),
    }
}

/// Variant of [`word_before`] for an `end` within the first eight bytes.
#[cold]
fn first_word(block: &[u8], end: usize) -> u64 {
    let first = block.get(..end).unwrap_or_default();
    first.iter().fold(0, |word, &byte| word >> 8 | u64::from(byte) << 56)
}

/// Returns the length at `at` of a block, and the offset after it.
#[inline(always)]
pub(super) fn length_at(block: &[u8], at: usize) -> Option<(usize, usize)> {
    match *block.get(at)? {
        len @ 0..0x80 => Some((len.into(), at + 1)),
        _ => {
            let (len, used) = long_length(block.get(at..)?.iter())?;
            Some((len, at + used))
        }
    }
}

/// Returns the length written backwards before `end` of a block, and its offset.
#[inline(always)]
pub(super) fn length_before(block: &[u8], end: usize) -> Option<(usize, usize)> {
    let last = end.checked_sub(1)?;
    match *block.get(last)? {
        len @ 0..0x80 => Some((len.into(), last)),
        _ => {
            let (len, used) = long_length(block.get(..end)?.iter().rev())?;
            Some((len, end - used))
        }
    }
}

/// Reads a length of several bytes; returns it with the number of its bytes.
#[inline(never)]
fn long_length<'b>(bytes: impl Iterator<Item = &'b u8>) -> Option<(usize, usize)> {
    let mut len = 0;
    for (index, byte) in bytes.take(LENGTH_BYTES_MAX).enumerate() {
        len |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((len, index + 1));
        }
    }
    None
}

/// Number of bytes of an encoded length.
#[inline(always)]
pub(super) fn length_bytes(len: usize) -> usize {
    if len < 0x80 { 1 } else { (usize::BITS - len.leading_zeros()).div_ceil(7) as usize }
}

/// Writes a length to the start of `target` and returns the rest of `target`.
#[inline(always)]
pub(super) fn write_length(target: &mut [u8], len: usize) -> &mut [u8] {
    if len >= 0x80 {
        return write_long_length(target, len);
    }
    let Some((first, rest)) = target.split_first_mut() else { return &mut [] };
    *first = len as u8;
    rest
}

#[inline(never)]
fn write_long_length(target: &mut [u8], mut len: usize) -> &mut [u8] {
    let used = length_bytes(len);
    for byte in target.iter_mut().take(used) {
        *byte = len as u8 | 0x80;
        len >>= 7;
    }
    let (length, rest) = target.split_at_mut_checked(used).unwrap_or_default();
    if let Some(last) = length.last_mut() {
        *last &= 0x7f;
    }
    rest
}

/// Writes bytes to the start of `target` and returns the rest of `target`.
#[inline(always)]
pub(super) fn write_bytes<'p>(target: &'p mut [u8], bytes: &[u8]) -> &'p mut [u8] {
    copy(target, bytes);
    target.get_mut(bytes.len()..).unwrap_or_default()
}

/// Reserves `more` bytes. There are many small blocks, so a block grows by an eighth instead of doubling.
#[inline(always)]
pub(super) fn reserve(block: &mut Vec<u8>, more: usize) -> Result<(), OutOfMemory> {
    if block.capacity() - block.len() >= more {
        return Ok(());
    }
    block.try_reserve_exact(more.max(block.len() / 8)).map_err(|_| OutOfMemory)
}

/// Resizes a part of a block to `len` bytes, moves the bytes after it, and returns the part with unspecified content.
/// The capacity must have been reserved.
pub(super) fn resize_part(block: &mut Vec<u8>, part: Range<usize>, len: usize) -> &mut [u8] {
    let (old_end, end) = (block.len(), part.start + len);
    if len > part.len() {
        block.resize(old_end + len - part.len(), 0);
        block.copy_within(part.end..old_end, end);
    } else if len < part.len() {
        block.copy_within(part.end.., end);
        block.truncate(old_end - (part.len() - len));
    }
    block.get_mut(part.start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const LENS: [usize; 13] = [0, 1, 2, 7, 8, 9, 16, 17, 63, 64, 127, 128, 300];

    #[test]
    fn a_string_is_found_by_its_bytes_alone_wherever_it_ends() {
        for len in LENS {
            let bytes: Vec<u8> = (0..len).map(|index| index as u8 ^ 0x5a).collect();
            let key = SearchKey::of(&bytes);
            for before in [0, 1, 7, 8, 9] {
                let mut block = vec![0xa5; before];
                block.extend_from_slice(&bytes);
                let end = block.len();
                block.push(0xff);
                assert!(key.ends_at(&block, end), "{len} after {before}");
                for index in before..end {
                    block[index] ^= 0x10;
                    assert!(!key.ends_at(&block, end), "{len} after {before}, another byte at {index}");
                    block[index] ^= 0x10;
                }
            }
            assert_eq!(key.ends_at(b"", 0), len == 0);
        }
    }

    #[test]
    fn lengths_are_read_from_both_sides() {
        for len in LENS.into_iter().chain([16_383, 16_384, 2_097_151, 2_097_152, 1 << 28]) {
            let used = length_bytes(len);
            let mut block = vec![0xee; used + 2];
            assert_eq!(write_length(&mut block[1..], len), [0xee]);
            assert_eq!(length_at(&block, 1), Some((len, used + 1)));
            block[1..=used].reverse();
            assert_eq!(length_before(&block, used + 1), Some((len, 1)));
        }
        assert_eq!((length_at(b"", 0), length_before(b"", 0)), (None, None));
        assert_eq!((length_at(&[0x80; 9], 0), length_before(&[0x80; 9], 9)), (None, None));
        assert_eq!(write_length(&mut [], 5), []);
    }

    #[test]
    fn a_part_changes_its_size_between_its_neighbours() {
        for (old, new) in [(0, 3), (3, 0), (2, 2), (1, 40), (40, 1)] {
            let mut block = vec![7; 5 + old];
            block.extend_from_slice(b"behind");
            reserve(&mut block, new).unwrap();
            resize_part(&mut block, 5..5 + old, new).fill(9);
            assert!(block.starts_with(&[7; 5]) && block.ends_with(b"behind"));
            assert_eq!(block[5..block.len() - 6], vec![9; new]);
        }
    }
}
