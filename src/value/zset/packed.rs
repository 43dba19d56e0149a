//! A small sorted set: its pairs lie behind one another in one block, in order.
//!
//! A pair is the score (8 bytes), the length of the member (seven bits a byte), the member, and the length of all that,
//! written backwards so that the block can be read from its end too.

use alloc::vec::Vec;
use core::ops::Range;

use super::is_before;
use crate::slab::OutOfMemory;
use crate::value::copied;

const SCORE_BYTES: usize = 8;
/// Lengths are those of arguments, below 2^32: at most five bytes of seven bits.
const LENGTH_BYTES_MAX: usize = 5;

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

    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn iter(&self) -> Pairs<'_> {
        Pairs { rest: &self.bytes, len: self.len }
    }

    /// The pairs of these ranks, at most the length.
    pub(super) fn range(&self, range: Range<usize>) -> Pairs<'_> {
        let mut pairs = self.iter();
        pairs.pass(range.start);
        for _ in range.end..self.len {
            pairs.next_back();
        }
        pairs
    }

    /// The rank and the score of a member.
    pub(super) fn find(&self, member: &[u8]) -> Option<(usize, f64)> {
        self.iter().enumerate().find(|(_, (candidate, _))| *candidate == member).map(|(rank, (_, score))| (rank, score))
    }

    /// Adds a member or gives it another score, unless it has the same; answers the score it had.
    pub(super) fn set(
        &mut self,
        member: &[u8],
        score: f64,
        is_same: impl FnOnce(f64) -> bool,
    ) -> Result<Option<f64>, OutOfMemory> {
        let old = self.find(member);
        match old {
            Some((_, old)) if is_same(old) => {}
            Some((rank, _)) => {
                // The new pair is as long as the old one: what this frees the insertion needs.
                self.remove(rank..rank + 1);
                self.insert(member, score)?;
            }
            None => self.insert(member, score)?,
        }
        Ok(old.map(|(_, score)| score))
    }

    /// Adds a member that is not there. On an error nothing has changed.
    pub(super) fn insert(&mut self, member: &[u8], score: f64) -> Result<(), OutOfMemory> {
        self.bytes.try_reserve(pair_len(member)).map_err(|_| OutOfMemory)?;
        let mut pairs = self.iter();
        let mut start = 0;
        while let Some((other, other_score)) = pairs.next()
            && is_before((other_score, other), (score, member))
        {
            start = self.bytes.len() - pairs.rest.len();
        }
        let end = self.bytes.len();
        self.bytes.extend_from_slice(&score.to_le_bytes());
        push_length(member.len(), &mut self.bytes);
        self.bytes.extend_from_slice(member);
        let back_start = self.bytes.len();
        push_length(back_start - end, &mut self.bytes);
        self.bytes[back_start..].reverse();
        let len = self.bytes.len() - end;
        self.bytes[start..].rotate_right(len);
        self.len += 1;
        Ok(())
    }

    /// Takes the pairs of these ranks away, at most the length.
    pub(super) fn remove(&mut self, range: Range<usize>) {
        let mut pairs = self.iter();
        pairs.pass(range.start);
        let start = self.bytes.len() - pairs.rest.len();
        pairs.pass(range.len());
        let end = self.bytes.len() - pairs.rest.len();
        self.bytes.drain(start..end);
        self.len -= range.len();
    }

    /// Makes every negative zero a zero.
    pub(super) fn clear_negative_zeros(&mut self) {
        let mut at = 0;
        while let Some(score) = self.bytes.get_mut(at..at + SCORE_BYTES) {
            if score == (-0.0f64).to_le_bytes() {
                score.copy_from_slice(&0.0f64.to_le_bytes());
            }
            let mut pairs = Pairs { rest: &self.bytes[at..], len: 1 };
            pairs.next();
            at = self.bytes.len() - pairs.rest.len();
        }
    }
}

/// Members with their scores, from both ends.
#[derive(Clone, Debug)]
pub(super) struct Pairs<'a> {
    rest: &'a [u8],
    len: usize,
}

impl Pairs<'_> {
    /// Leaves out the next `count` pairs.
    fn pass(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }
}

/// The member and the score of a pair without its trailing length.
fn pair(bytes: &[u8]) -> Option<(&[u8], f64)> {
    let (score, rest) = bytes.split_first_chunk()?;
    let (len, used) = read_length(rest.iter())?;
    Some((rest.get(used..used + len)?, f64::from_le_bytes(*score)))
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], f64);

    fn next(&mut self) -> Option<(&'a [u8], f64)> {
        self.len = self.len.checked_sub(1)?;
        let (member, score) = pair(self.rest)?;
        self.rest = self.rest.get(pair_len(member)..)?;
        Some((member, score))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl DoubleEndedIterator for Pairs<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.len = self.len.checked_sub(1)?;
        let (len, used) = read_length(self.rest.iter().rev())?;
        let start = self.rest.len().checked_sub(len + used)?;
        let (before, last) = self.rest.split_at(start);
        self.rest = before;
        pair(last)
    }
}

impl ExactSizeIterator for Pairs<'_> {}

fn push_length(mut len: usize, out: &mut Vec<u8>) {
    while len >= 0x80 {
        out.push(len as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
}

/// How many bytes the pair of a member takes.
fn pair_len(member: &[u8]) -> usize {
    let len = SCORE_BYTES + length_bytes(member.len()) + member.len();
    len + length_bytes(len)
}

fn length_bytes(len: usize) -> usize {
    let bits = usize::BITS - len.leading_zeros();
    bits.div_ceil(7).max(1) as usize
}

/// A length and how many bytes it takes.
fn read_length<'b>(bytes: impl Iterator<Item = &'b u8>) -> Option<(usize, usize)> {
    let mut len = 0;
    for (at, byte) in bytes.take(LENGTH_BYTES_MAX).enumerate() {
        len |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((len, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(packed: &Packed) -> Vec<(&[u8], f64)> {
        packed.iter().collect()
    }

    #[test]
    fn pairs_are_in_order_and_read_from_both_ends() {
        let mut packed = Packed::default();
        let long = [b'x'; 300];
        for (member, score) in [(&b"b"[..], 2.0), (b"a", 2.0), (&long, 1.5), (b"", f64::INFINITY)] {
            packed.insert(member, score).unwrap();
        }
        let expected = [(&long[..], 1.5), (b"a", 2.0), (b"b", 2.0), (b"", f64::INFINITY)];
        assert_eq!(pairs(&packed), expected);
        assert!(packed.iter().rev().eq(expected.into_iter().rev()));
        assert_eq!(packed.range(1..3).collect::<Vec<_>>(), expected[1..3]);
        assert_eq!(packed.range(1..3).next_back(), Some((&b"b"[..], 2.0)));
        assert_eq!((packed.find(b"b"), packed.find(b"c")), (Some((2, 2.0)), None));
        packed.remove(0..2);
        assert_eq!(pairs(&packed), expected[2..]);
        packed.remove(0..2);
        assert_eq!((packed.len(), packed.byte_len()), (0, 0));
    }

    #[test]
    fn a_negative_zero_can_be_kept_or_not() {
        let mut packed = Packed::default();
        for (member, score) in [(&b"a"[..], -0.0), (b"b", -1.0), (b"c", -0.0)] {
            packed.insert(member, score).unwrap();
        }
        let negative = |packed: &Packed| packed.iter().filter(|(_, score)| score.is_sign_negative()).count();
        assert_eq!(negative(&packed), 3);
        packed.clear_negative_zeros();
        assert_eq!(negative(&packed), 1);
    }
}
