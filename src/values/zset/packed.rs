//! Packed form of a sorted set: consecutive pairs in one block, in order.
//!
//! A pair is the score (8 bytes), the length of the member (seven bits a byte), the member, and the trailer. The
//! trailer is the length of everything before it, written backwards so that the block can be read from its end.

use alloc::vec::Vec;
use core::ops::Range;

use crate::base::bytes::word_at;
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::values::search::{
    SearchKey, length_at, length_before, length_bytes, resize_part, write_bytes, write_length,
};

const SCORE_BYTES: usize = 8;

/// Pairs in one block.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    len: usize,
}

/// Location of a member's pair, with its rank and score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PairLoc {
    pub(super) rank: usize,
    pub(super) score: f64,
    start: usize,
}

impl Packed {
    /// Copies the block; an error replaces the abort when memory is exhausted.
    pub(super) fn try_clone(&self) -> Result<Packed, OutOfMemory> {
        Ok(Packed { bytes: copied(&self.bytes)?, len: self.len })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn iter(&self) -> PackedPairs<'_> {
        PackedPairs { rest: &self.bytes, len: self.len }
    }

    /// Pairs of a range of ranks, at most the length.
    pub(super) fn range(&self, range: Range<usize>) -> PackedPairs<'_> {
        let (start, end) = (self.offset_of(range.start), self.offset_of(range.end));
        PackedPairs { rest: self.bytes.get(start..end).unwrap_or_default(), len: range.len() }
    }

    /// Finds a member by a linear search, one step a pair.
    pub(super) fn find(&self, member: &[u8]) -> Option<PairLoc> {
        let (bytes, key) = (self.bytes.as_slice(), SearchKey::of(member));
        let (mut start, mut rank) = (0, 0);
        let (own_len, own_end) = (pair_len(member.len()), len_before_trailer(member.len()));
        while let Some((len, from)) = length_at(bytes, start + SCORE_BYTES) {
            if len == member.len() {
                if key.ends_at(bytes, start + own_end) {
                    return Some(PairLoc { rank, score: score_at(bytes, start), start });
                }
                // The start of the next pair follows from the member's length alone, without waiting for the load of
                // the length.
                start += own_len;
            } else {
                let end = from + len;
                start = end + length_bytes(end - start);
            }
            rank += 1;
        }
        None
    }

    /// Changes the score of a member that was found, or adds an absent one. Only adding allocates; on an error nothing
    /// has changed.
    pub(super) fn set(&mut self, found: Option<PairLoc>, member: &[u8], score: f64) -> Result<(), OutOfMemory> {
        match found {
            Some(pair) => self.move_pair(pair, member, score),
            None => self.insert(member, score)?,
        }
        Ok(())
    }

    /// Adds an absent member. On an error nothing has changed.
    pub(super) fn insert(&mut self, member: &[u8], score: f64) -> Result<(), OutOfMemory> {
        let len = pair_len(member.len());
        self.bytes.try_reserve(len).map_err(|_| OutOfMemory)?;
        let start = self.insert_offset_before(self.bytes.len(), member, score);
        write_pair(resize_part(&mut self.bytes, start..start, len), member, score);
        self.len += 1;
        Ok(())
    }

    /// Removes the pairs of a range of ranks, at most the length.
    pub(super) fn remove(&mut self, range: Range<usize>) {
        let (start, end) = (self.offset_of(range.start), self.offset_of(range.end));
        resize_part(&mut self.bytes, start..end, 0);
        self.len -= range.len();
    }

    /// Removes a pair that was found.
    pub(super) fn remove_pair(&mut self, pair: PairLoc, member: &[u8]) {
        resize_part(&mut self.bytes, pair.start..pair.start + pair_len(member.len()), 0);
        self.len -= 1;
    }

    /// Turns every negative zero into zero.
    pub(super) fn clear_negative_zeros(&mut self) {
        let mut at = 0;
        while let Some(score) = self.bytes.get_mut(at..at + SCORE_BYTES) {
            if score == (-0.0f64).to_le_bytes() {
                score.copy_from_slice(&0.0f64.to_le_bytes());
            }
            at = next_start(&self.bytes, at);
        }
    }

    /// Moves a pair to the position of its new score. Only the bytes between both positions are moved too.
    fn move_pair(&mut self, pair: PairLoc, member: &[u8], score: f64) {
        let (from, len) = (pair.start, pair_len(member.len()));
        let start = if score > pair.score {
            let end = self.insert_offset_from(from + len, member, score);
            self.bytes.copy_within(from + len..end, from);
            end - len
        } else if score < pair.score {
            let start = self.insert_offset_before(from, member, score);
            self.bytes.copy_within(start..from, start + len);
            start
        } else {
            from
        };
        let target = self.bytes.get_mut(start..start + len).unwrap_or_default();
        if start == from {
            write_bytes(target, &score.to_le_bytes());
        } else {
            write_pair(target, member, score);
        }
    }

    /// Finds the offset at which a pair belongs, searching forwards from `start`.
    fn insert_offset_from(&self, mut start: usize, member: &[u8], score: f64) -> usize {
        let own_len = pair_len(member.len());
        while start < self.bytes.len() && self.is_before(start, member, score) {
            start = match length_at(&self.bytes, start + SCORE_BYTES) {
                // A pair of equal size is skipped without waiting for the load of its length.
                Some((len, _)) if len == member.len() => start + own_len,
                Some((len, from)) => from + len + length_bytes(from + len - start),
                None => self.bytes.len(),
            };
        }
        start
    }

    /// Finds the offset at which a pair belongs, searching backwards from `end`.
    fn insert_offset_before(&self, mut end: usize, member: &[u8], score: f64) -> usize {
        let (own_len, own_end) = (pair_len(member.len()), len_before_trailer(member.len()));
        while end > 0 {
            let start = match length_before(&self.bytes, end) {
                Some((len, _)) if len == own_end => end.saturating_sub(own_len),
                Some((len, trailer)) => trailer.saturating_sub(len),
                None => 0,
            };
            if self.is_before(start, member, score) {
                break;
            }
            end = start;
        }
        end
    }

    /// Whether the pair at `start` sorts before a member and score.
    #[inline(always)]
    fn is_before(&self, start: usize, member: &[u8], score: f64) -> bool {
        let other = score_at(&self.bytes, start);
        other < score || (other == score && member_at(&self.bytes, start).unwrap_or_default() < member)
    }

    /// Returns the offset of a rank's pair; the end of the block for a rank equal to the length. Takes linear time from
    /// the nearer end.
    fn offset_of(&self, rank: usize) -> usize {
        let from_end = self.len.saturating_sub(rank);
        if rank <= from_end {
            return (0..rank).fold(0, |start, _| next_start(&self.bytes, start));
        }
        (0..from_end).fold(self.bytes.len(), |end, _| previous_start(&self.bytes, end))
    }
}

/// Iterator over pairs, from both ends.
#[derive(Clone, Debug)]
pub(super) struct PackedPairs<'a> {
    rest: &'a [u8],
    len: usize,
}

#[inline(always)]
fn score_at(bytes: &[u8], start: usize) -> f64 {
    f64::from_bits(word_at(bytes, start))
}

fn member_at(bytes: &[u8], start: usize) -> Option<&[u8]> {
    let (len, from) = length_at(bytes, start + SCORE_BYTES)?;
    bytes.get(from..from + len)
}

/// Returns the offset of the pair after the one at `start`.
#[inline(always)]
fn next_start(bytes: &[u8], start: usize) -> usize {
    match length_at(bytes, start + SCORE_BYTES) {
        Some((len, from)) => from + len + length_bytes(from + len - start),
        None => bytes.len(),
    }
}

/// Returns the offset of the pair that ends at `end`.
#[inline(always)]
fn previous_start(bytes: &[u8], end: usize) -> usize {
    length_before(bytes, end).map_or(0, |(len, trailer)| trailer.saturating_sub(len))
}

impl<'a> Iterator for PackedPairs<'a> {
    type Item = (&'a [u8], f64);

    fn next(&mut self) -> Option<(&'a [u8], f64)> {
        self.len = self.len.checked_sub(1)?;
        let pair = (member_at(self.rest, 0)?, score_at(self.rest, 0));
        self.rest = self.rest.get(next_start(self.rest, 0)..)?;
        Some(pair)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl DoubleEndedIterator for PackedPairs<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.len = self.len.checked_sub(1)?;
        let start = previous_start(self.rest, self.rest.len());
        let (before, last) = self.rest.split_at_checked(start)?;
        self.rest = before;
        Some((member_at(last, 0)?, score_at(last, 0)))
    }
}

impl ExactSizeIterator for PackedPairs<'_> {}

/// Number of bytes of a member's pair.
#[inline(always)]
fn pair_len(member_len: usize) -> usize {
    let len = len_before_trailer(member_len);
    len + length_bytes(len)
}

/// Number of bytes of a pair before its trailer.
#[inline(always)]
fn len_before_trailer(member_len: usize) -> usize {
    SCORE_BYTES + length_bytes(member_len) + member_len
}

/// Writes a pair to a target of its size.
fn write_pair(target: &mut [u8], member: &[u8], score: f64) {
    let rest = write_bytes(target, &score.to_le_bytes());
    let trailer = write_bytes(write_length(rest, member.len()), member);
    write_length(trailer, len_before_trailer(member.len()));
    trailer.reverse();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

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
        let found = packed.find(b"b").map(|pair| (pair.rank, pair.score));
        assert_eq!((found, packed.find(b"c")), (Some((2, 2.0)), None));
        packed.remove(0..2);
        assert_eq!(pairs(&packed), expected[2..]);
        packed.remove(0..2);
        assert_eq!((packed.len(), packed.byte_len()), (0, 0));
    }

    /// Members of every class of lengths; long ones differ in one byte.
    fn member(number: usize) -> Vec<u8> {
        const LENS: [usize; 10] = [0, 1, 7, 8, 63, 64, 118, 119, 128, 300];
        let mut member = alloc::vec![b'm'; LENS[number % LENS.len()]];
        let index = number / LENS.len();
        if let Some(byte) = member.get_mut(index * 13 % LENS[number % LENS.len()].max(1)) {
            *byte = index as u8;
        }
        member
    }

    #[test]
    fn agrees_with_a_sorted_vector_for_members_of_every_length() {
        let (mut packed, mut random) = (Packed::default(), Random::new(9));
        let mut model: Vec<(f64, Vec<u8>)> = Vec::new();
        for _ in 0..8_000 {
            let (member, score) = (member(random.below(60) as usize), random.below(12) as f64 - 6.0);
            let known = model.iter().position(|(_, candidate)| *candidate == member);
            let found = packed.find(&member);
            assert_eq!(found.map(|pair| (pair.rank, pair.score)), known.map(|rank| (rank, model[rank].0)));
            let (len, capacity) = (packed.byte_len(), packed.bytes.capacity());
            if let Some(rank) = known {
                model.remove(rank);
            }
            match (random.below(4), found) {
                (0, Some(pair)) if pair.rank % 2 == 0 => packed.remove_pair(pair, &member),
                (0, Some(pair)) => packed.remove(pair.rank..pair.rank + 1),
                _ => {
                    packed.set(found, &member, score).unwrap();
                    assert!(found.is_none() || (packed.byte_len(), packed.bytes.capacity()) == (len, capacity));
                    let rank = model.partition_point(|(other, name)| (*other, name) < (score, &member));
                    model.insert(rank, (score, member));
                }
            }
            let expected = model.iter().map(|(score, member)| (member.as_slice(), *score));
            assert!(packed.iter().eq(expected.clone()) && packed.iter().rev().eq(expected.rev()));
            let start = random.below(model.len() as u64 + 1) as usize;
            let end = start + random.below((model.len() - start) as u64 + 1) as usize;
            assert!(packed.range(start..end).map(|(_, score)| score).eq(model[start..end].iter().map(|pair| pair.0)));
        }
        assert_eq!(packed.byte_len(), model.iter().map(|(_, member)| pair_len(member.len())).sum());
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
