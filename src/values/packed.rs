//! Members in one block, in the order of insertion: the form of small sets. Lookup is a linear search. A block of a
//! larger collection holds one pair of member and value in the same format.

use alloc::vec::Vec;

use super::search::{SearchKey, length_at, length_bytes, reserve, resize_part, write_bytes, write_length};
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;

/// Consecutive pairs; each part is its length (seven bits a byte) and its bytes. Values are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    len: usize,
}

/// Location of a member's pair in the block.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairLoc {
    start: usize,
    end: usize,
}

impl Packed {
    /// Copies the block; an error replaces the abort when memory is exhausted.
    pub(super) fn try_clone(&self) -> Result<Packed, OutOfMemory> {
        Ok(Packed { bytes: copied(&self.bytes)?, len: self.len })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Number of bytes of all pairs.
    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Finds the pair of a member by a linear search.
    pub(super) fn find(&self, member: &[u8]) -> Option<PairLoc> {
        let (bytes, key, own_len) = (self.bytes.as_slice(), SearchKey::of(member), pair_len(member, 0));
        let mut start = 0;
        loop {
            let (len, from) = length_at(bytes, start)?;
            // Values of a set are empty, so the length of a value is a single zero.
            if len == member.len() {
                if key.ends_at(bytes, start + own_len - 1) {
                    return Some(PairLoc { start, end: start + own_len });
                }
                // The start of the next pair follows from the member's length alone, without waiting for the load of
                // the length.
                start += own_len;
            } else {
                start = from + len + 1;
            }
        }
    }

    /// Adds an absent member with an empty value. On an error nothing has changed.
    pub(super) fn add(&mut self, member: &[u8]) -> Result<(), OutOfMemory> {
        let (start, len) = (self.bytes.len(), pair_len(member, 0));
        reserve(&mut self.bytes, len)?;
        write_pair(resize_part(&mut self.bytes, start..start, len), member, &[]);
        self.len += 1;
        Ok(())
    }

    pub(super) fn remove(&mut self, member: &[u8]) -> bool {
        let Some(pair) = self.find(member) else { return false };
        resize_part(&mut self.bytes, pair.start..pair.end, 0);
        self.len -= 1;
        true
    }

    pub(super) fn iter(&self) -> PackedPairs<'_> {
        PackedPairs { rest: &self.bytes }
    }
}

/// Iterator over the pairs of a block.
#[derive(Clone)]
pub(super) struct PackedPairs<'a> {
    rest: &'a [u8],
}

impl<'a> PackedPairs<'a> {
    #[inline(always)]
    fn part(&mut self) -> Option<&'a [u8]> {
        let (len, used) = length_at(self.rest, 0)?;
        let (part, rest) = self.rest.get(used..)?.split_at_checked(len)?;
        self.rest = rest;
        Some(part)
    }
}

impl<'a> Iterator for PackedPairs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.part()?, self.part()?))
    }
}

/// Returns the pair at the start of `bytes`.
pub(super) fn first_pair(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    PackedPairs { rest: bytes }.next()
}

/// Returns the range of the value in the pair at the start of `bytes`.
pub(super) fn value_range(bytes: &[u8]) -> Option<core::ops::Range<usize>> {
    let mut pairs = PackedPairs { rest: bytes };
    let (_, value) = pairs.next()?;
    let end = bytes.len() - pairs.rest.len();
    Some(end - value.len()..end)
}

/// Number of bytes of a pair.
pub(super) fn pair_len(member: &[u8], value_len: usize) -> usize {
    length_bytes(member.len()) + member.len() + length_bytes(value_len) + value_len
}

/// Writes a pair to the start of `target`, which must be large enough. The value is the concatenation of `value`.
pub(super) fn write_pair(target: &mut [u8], member: &[u8], value: &[&[u8]]) {
    let value_len = value.iter().map(|piece| piece.len()).sum();
    let rest = write_bytes(write_length(target, member.len()), member);
    value.iter().fold(write_length(rest, value_len), |rest, piece| write_bytes(rest, piece));
}
