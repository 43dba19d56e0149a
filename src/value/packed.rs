//! Pairs of byte strings in one block, in the order of insertion: the form of small collections. Finding is a search.

use alloc::vec::Vec;

use super::copied;
use crate::slab::OutOfMemory;

/// Bytes of a length at most.
const LENGTH_MAX: usize = 5;

/// Pairs behind one another: the length of each part as a number of seven bits a byte, then its bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    len: usize,
}

impl Packed {
    /// A copy, or an error instead of an abort when memory is short.
    pub(super) fn try_clone(&self) -> Result<Packed, OutOfMemory> {
        Ok(Packed { bytes: copied(&self.bytes)?, len: self.len })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of all pairs.
    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn get(&self, member: &[u8]) -> Option<&[u8]> {
        self.iter().find(|(candidate, _)| *candidate == member).map(|(_, value)| value)
    }

    /// Adds a member or replaces its value, which comes in pieces. On an error nothing has changed.
    pub(super) fn insert(&mut self, member: &[u8], value: &[&[u8]]) -> Result<(), OutOfMemory> {
        let mut pair = Vec::new();
        write_pair(member, value, &mut pair)?;
        if self.bytes.capacity() - self.bytes.len() < pair.len() {
            // Small blocks are many, so they grow by an eighth and not to the double.
            self.bytes.try_reserve_exact(pair.len().max(self.bytes.len() / 8)).map_err(|_| OutOfMemory)?;
        }
        match self.range_of(member) {
            // A new value leaves the member at its place.
            Some(range) => drop(self.bytes.splice(range, pair)),
            None => {
                self.bytes.extend_from_slice(&pair);
                self.len += 1;
            }
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, member: &[u8]) -> bool {
        let Some(range) = self.range_of(member) else { return false };
        self.bytes.drain(range);
        self.len -= 1;
        true
    }

    pub(super) fn iter(&self) -> PackedPairs<'_> {
        PackedPairs { rest: &self.bytes }
    }

    fn range_of(&self, member: &[u8]) -> Option<core::ops::Range<usize>> {
        let mut pairs = self.iter();
        loop {
            let start = self.bytes.len() - pairs.rest.len();
            let (candidate, _) = pairs.next()?;
            if candidate == member {
                return Some(start..self.bytes.len() - pairs.rest.len());
            }
        }
    }
}

#[derive(Clone)]
pub(super) struct PackedPairs<'a> {
    rest: &'a [u8],
}

impl<'a> PackedPairs<'a> {
    fn part(&mut self) -> Option<&'a [u8]> {
        let (len, used) = read_length(self.rest)?;
        let part = self.rest.get(used..used + len)?;
        self.rest = &self.rest[used + len..];
        Some(part)
    }
}

impl<'a> Iterator for PackedPairs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.part()?, self.part()?))
    }
}

/// The pair at the beginning of `bytes`.
pub(super) fn first_pair(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    PackedPairs { rest: bytes }.next()
}

/// Where the value of the pair at the beginning of `bytes` lies.
pub(super) fn value_range(bytes: &[u8]) -> Option<core::ops::Range<usize>> {
    let mut pairs = PackedPairs { rest: bytes };
    let (_, value) = pairs.next()?;
    let end = bytes.len() - pairs.rest.len();
    Some(end - value.len()..end)
}

/// Appends a pair; the value comes in pieces.
pub(super) fn write_pair(member: &[u8], value: &[&[u8]], out: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    let value_len = value.iter().map(|piece| piece.len()).sum::<usize>();
    out.try_reserve(member.len() + value_len + 2 * LENGTH_MAX).map_err(|_| OutOfMemory)?;
    write_length(member.len(), out);
    out.extend_from_slice(member);
    write_length(value_len, out);
    value.iter().for_each(|piece| out.extend_from_slice(piece));
    Ok(())
}

fn write_length(mut len: usize, out: &mut Vec<u8>) {
    while len >= 0x80 {
        out.push(len as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
}

/// A length and how many bytes it takes.
fn read_length(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut len = 0;
    for (at, byte) in bytes.iter().take(LENGTH_MAX).enumerate() {
        len |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((len, at + 1));
        }
    }
    None
}
