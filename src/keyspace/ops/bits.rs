//! Strings as bitmaps: the typed operations of SETBIT, BITCOUNT, BITPOS and BITOP. Bit 0 is the highest bit of the
//! first byte. Bits after the last byte read as 0. Semantics are those of Redis 8.6.3.

use alloc::vec::Vec;
use core::ops::Range;

use super::strings::zeros;
use crate::base::headroom::copied;
use crate::keyspace::ops::{keys, strings};
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::values::Kind;

const WORD_BYTES: usize = 8;
/// Words per block. BITOP combines one block of every source at a time, so that the blocks stay in the CPU cache.
const BLOCK_WORDS: usize = 256;
const BLOCK_BYTES: usize = BLOCK_WORDS * WORD_BYTES;

type Block = [u64; BLOCK_WORDS];

/// Unit of the ends of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RangeUnit {
    #[default]
    Byte,
    Bit,
}

/// Range of a string. Both ends are inclusive; negative ones count from the end of the string.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BitRange {
    pub start: i64,
    /// Last unit; `None` means the end of the string.
    pub end: Option<i64>,
    pub unit: RangeUnit,
}

/// Operation of BITOP. Shorter sources are padded with zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitOperation {
    And,
    Or,
    Xor,
    /// Negation of the first source. Further sources are ignored.
    Not,
    /// Bits set in the first source and in no other.
    Diff,
    /// Bits set in any other source but not in the first.
    Diff1,
    /// Bits set in the first source and in any other.
    AndOr,
    /// Bits set in exactly one source.
    One,
}

impl BitOperation {
    pub const ALL: [BitOperation; 8] = [
        BitOperation::And,
        BitOperation::Or,
        BitOperation::Xor,
        BitOperation::Not,
        BitOperation::Diff,
        BitOperation::Diff1,
        BitOperation::AndOr,
        BitOperation::One,
    ];

    /// Keyword of BITOP.
    pub fn name(self) -> &'static str {
        match self {
            BitOperation::And => "AND",
            BitOperation::Or => "OR",
            BitOperation::Xor => "XOR",
            BitOperation::Not => "NOT",
            BitOperation::Diff => "DIFF",
            BitOperation::Diff1 => "DIFF1",
            BitOperation::AndOr => "ANDOR",
            BitOperation::One => "ONE",
        }
    }

    fn is_in_every_redis(self) -> bool {
        matches!(self, BitOperation::And | BitOperation::Or | BitOperation::Xor | BitOperation::Not)
    }
}

impl BitRange {
    /// Bit positions of the range in a string of `len` bytes; `None` if the range is empty.
    fn positions(self, len: usize) -> Option<Range<u64>> {
        let bits_per_unit = match self.unit {
            RangeUnit::Byte => 8,
            RangeUnit::Bit => 1,
        };
        let total = len as i64 * 8 / bits_per_unit;
        let absolute = |end: i64| if end < 0 { (end + total).max(0) } else { end };
        let (start, last) = (absolute(self.start), absolute(self.end.unwrap_or(-1)).min(total - 1));
        // A start that is not past the last unit is below 2^33 units, so nothing overflows.
        (start <= last).then(|| (start * bits_per_unit) as u64..((last + 1) * bits_per_unit) as u64)
    }

    /// Whether both ends are negative and in the wrong order, which clamping would hide.
    fn is_reversed(self) -> bool {
        self.end.is_some_and(|end| end < 0 && self.start < 0 && self.start > end)
    }
}

/// Returns the bit at `offset`; false after the end of the string and for a missing key.
pub fn get(txn: &mut Txn<'_>, key: &[u8], offset: u32) -> Result<bool, Error> {
    Ok(strings::get(txn, key)?.is_some_and(|bytes| bit(bytes, offset)))
}

/// Sets or clears the bit at `offset` and grows the string if needed. Returns the old bit.
pub fn set(txn: &mut Txn<'_>, key: &[u8], offset: u32, on: bool) -> Result<bool, Error> {
    let lookup = txn.find_for_write(key, Kind::String)?;
    let old = strings::string_of(txn, lookup);
    let (old_len, was_on) = (old.len(), bit(old, offset));
    let at = (offset / 8) as usize;
    if at < old_len && was_on == on {
        return Ok(was_on);
    }
    if at >= txn.limits().string_bytes {
        return Err(Error::BitOffset);
    }
    strings::edit_grown(txn, lookup, key, old_len.max(at + 1), EventKind::SetBit, &mut |bytes| {
        let mask = 0x80 >> (offset % 8);
        bytes[at] = if on { bytes[at] | mask } else { bytes[at] & !mask };
    })?;
    txn.effect(|effect| {
        effect.bytes(b"SETBIT").bytes(key).integer(offset.into()).integer(on.into());
    });
    Ok(was_on)
}

/// Counts the bits set in the range.
pub fn count(txn: &mut Txn<'_>, key: &[u8], range: BitRange) -> Result<u64, Error> {
    let bytes = strings::get(txn, key)?.unwrap_or_default();
    let positions = range.positions(bytes.len()).filter(|_| !range.is_reversed());
    Ok(positions.map_or(0, |positions| count_in(bytes, positions)))
}

/// Finds the position of the first bit of the range that equals `wanted`. Without an end the range continues with zeros
/// after the string. A missing key is all zeros.
pub fn find(txn: &mut Txn<'_>, key: &[u8], wanted: bool, range: BitRange) -> Result<Option<u64>, Error> {
    let Some(bytes) = strings::get(txn, key)? else { return Ok((!wanted).then_some(0)) };
    let Some(positions) = range.positions(bytes.len()) else { return Ok(None) };
    let after_end = (!wanted && range.end.is_none()).then_some(positions.end);
    Ok(find_in(bytes, wanted, positions).or(after_end))
}

/// Combines strings and stores the result without a deadline; returns its length, that of the longest source. Missing
/// sources are empty. An empty result deletes the destination.
pub fn combine<'k>(
    txn: &mut Txn<'_>,
    operation: BitOperation,
    destination: &[u8],
    sources: impl Iterator<Item = &'k [u8]> + Clone,
) -> Result<usize, Error> {
    let result = combined(txn, operation, sources.clone())?;
    let len = result.len();
    let lookup = txn.entry(destination, Access::Write);
    if len == 0 {
        keys::delete(txn, lookup, destination);
        return Ok(0);
    }
    // The log must load in Redis before 8.2, which has only four operations.
    let stated = if operation.is_in_every_redis() { None } else { Some(copied(&result)?) };
    txn.reserve_headroom(1, stated.as_ref().map_or(0, Vec::len))?;
    txn.put(lookup, destination, NewValue::Edited(result), None, EventKind::Set)?;
    txn.effect(|effect| {
        if let Some(value) = stated {
            effect.bytes(b"SET").bytes(destination).bytes(&value);
            return;
        }
        effect.bytes(b"BITOP").bytes(operation.name().as_bytes()).bytes(destination);
        sources.for_each(|source| {
            effect.bytes(source);
        });
    });
    Ok(len)
}

fn combined<'k>(
    txn: &mut Txn<'_>,
    operation: BitOperation,
    sources: impl Iterator<Item = &'k [u8]>,
) -> Result<Vec<u8>, Error> {
    let mut slots = Vec::new();
    for key in sources {
        let lookup = txn.entry(key, Access::Read);
        if !lookup.is_vacant() && !strings::is_string(txn, lookup) {
            return Err(Error::WrongType);
        }
        slots.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        slots.push(lookup);
    }
    let mut strings = Vec::new();
    strings.try_reserve_exact(slots.len()).map_err(|_| Error::OutOfMemory)?;
    strings.extend(slots.iter().map(|lookup| strings::string_of(txn, *lookup)));
    let len = strings.iter().map(|string| string.len()).max().unwrap_or(0);
    let mut result = zeros(len, len)?;
    combine_bytes(operation, &strings, &mut result);
    Ok(result)
}

fn bit(bytes: &[u8], offset: u32) -> bool {
    bytes.get((offset / 8) as usize).is_some_and(|byte| byte & (0x80 >> (offset % 8)) != 0)
}

/// Counts the bits set at `positions`, which must lie within `bytes` and not be empty.
fn count_in(bytes: &[u8], positions: Range<u64>) -> u64 {
    let (first, last) = ((positions.start / 8) as usize, ((positions.end - 1) / 8) as usize);
    let before_start = bytes[first] & !(0xff >> (positions.start % 8));
    let after_end = bytes[last] & (0x7f >> ((positions.end - 1) % 8));
    count_all(&bytes[first..=last]) - u64::from(before_start.count_ones() + after_end.count_ones())
}

fn count_all(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
    let in_words: u64 = words.iter().map(|word| u64::from(u64::from_ne_bytes(*word).count_ones())).sum();
    in_words + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
}

/// Finds the first bit that equals `wanted` at `positions`, which must lie within `bytes` and not be empty.
fn find_in(bytes: &[u8], wanted: bool, positions: Range<u64>) -> Option<u64> {
    let (first, last) = ((positions.start / 8) as usize, ((positions.end - 1) / 8) as usize);
    let unwanted = if wanted { 0 } else { 0xff };
    let head = (bytes[first] ^ unwanted) & (0xff >> (positions.start % 8));
    let (at, hits) = if head != 0 {
        (first, head)
    } else {
        let rest = &bytes[first + 1..=last];
        let skipped = rest.len() - skip(rest, unwanted).len();
        (first + 1 + skipped, rest.get(skipped)? ^ unwanted)
    };
    let position = at as u64 * 8 + u64::from(hits.leading_zeros());
    (position < positions.end).then_some(position)
}

/// Rest of `bytes` after the leading bytes that equal `filler`.
fn skip(bytes: &[u8], filler: u8) -> &[u8] {
    let (words, _) = bytes.as_chunks::<WORD_BYTES>();
    let whole = words.iter().take_while(|word| **word == [filler; WORD_BYTES]).count() * WORD_BYTES;
    let rest = &bytes[whole..];
    &rest[rest.iter().take_while(|byte| **byte == filler).count()..]
}

fn combine_bytes(operation: BitOperation, sources: &[&[u8]], result: &mut [u8]) {
    for (index, out) in result.chunks_mut(BLOCK_BYTES).enumerate() {
        store(&combine_block(operation, sources, index * BLOCK_BYTES), out);
    }
}

/// Computes the block of the result that begins at byte `start`.
fn combine_block(operation: BitOperation, sources: &[&[u8]], start: usize) -> Block {
    let mut sources = sources.iter().map(|source| load(source, start));
    let mut result = sources.next().unwrap_or([0; BLOCK_WORDS]);
    match operation {
        BitOperation::Not => each(&mut result, &[0; BLOCK_WORDS], |first, _| !first),
        BitOperation::And => sources.for_each(|source| each(&mut result, &source, |all, word| all & word)),
        BitOperation::Or => sources.for_each(|source| each(&mut result, &source, |any, word| any | word)),
        BitOperation::Xor => sources.for_each(|source| each(&mut result, &source, |odd, word| odd ^ word)),
        BitOperation::Diff => each(&mut result, &union(&mut sources), |first, others| first & !others),
        BitOperation::Diff1 => each(&mut result, &union(&mut sources), |first, others| !first & others),
        BitOperation::AndOr => each(&mut result, &union(&mut sources), |first, others| first & others),
        BitOperation::One => {
            let mut several = [0; BLOCK_WORDS];
            for source in sources {
                let mut again = source;
                each(&mut again, &result, |word, any| word & any);
                each(&mut several, &again, |several, again| several | again);
                each(&mut result, &source, |any, word| any | word);
            }
            each(&mut result, &several, |any, several| any & !several);
        }
    }
    result
}

#[inline(never)]
fn union(sources: &mut dyn Iterator<Item = Block>) -> Block {
    sources.fold([0; BLOCK_WORDS], |mut any, source| {
        each(&mut any, &source, |any, word| any | word);
        any
    })
}

fn each(block: &mut Block, other: &Block, combine: impl Fn(u64, u64) -> u64) {
    block.iter_mut().zip(other).for_each(|(word, other)| *word = combine(*word, *other));
}

/// Loads the block of a source that begins at byte `start`, padded with zeros.
#[inline(never)]
fn load(source: &[u8], start: usize) -> Block {
    let mut block = [0; BLOCK_WORDS];
    let rest = source.get(start..).unwrap_or_default();
    let (words, tail) = rest[..rest.len().min(BLOCK_BYTES)].as_chunks::<WORD_BYTES>();
    block.iter_mut().zip(words).for_each(|(word, bytes)| *word = u64::from_ne_bytes(*bytes));
    if let Some(word) = block.get_mut(words.len()) {
        let mut padded = [0; WORD_BYTES];
        padded[..tail.len()].copy_from_slice(tail);
        *word = u64::from_ne_bytes(padded);
    }
    block
}

fn store(block: &Block, out: &mut [u8]) {
    let (words, tail) = out.as_chunks_mut::<WORD_BYTES>();
    words.iter_mut().zip(block).for_each(|(bytes, word)| *bytes = word.to_ne_bytes());
    if let Some(word) = block.get(words.len()) {
        tail.copy_from_slice(&word.to_ne_bytes()[..tail.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn expected(operation: BitOperation, bits: &[bool]) -> bool {
        let (first, others) = bits.split_first().unwrap();
        let any_other = others.contains(&true);
        match operation {
            BitOperation::And => !bits.contains(&false),
            BitOperation::Or => bits.contains(&true),
            BitOperation::Xor => bits.iter().filter(|bit| **bit).count() % 2 == 1,
            BitOperation::Not => !first,
            BitOperation::Diff => *first && !any_other,
            BitOperation::Diff1 => !first && any_other,
            BitOperation::AndOr => *first && any_other,
            BitOperation::One => bits.iter().filter(|bit| **bit).count() == 1,
        }
    }

    #[test]
    fn operations_agree_with_their_definition_bit_by_bit() {
        let mut random = Random::new(5);
        let lens = [0, 1, 7, 8, 9, 40, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 9];
        for _ in 0..60 {
            let sources: Vec<Vec<u8>> = (0..=random.below(3))
                .map(|_| {
                    let len = lens[random.below(lens.len() as u64) as usize];
                    (0..len).map(|_| random.next_u64() as u8).collect()
                })
                .collect();
            let sources: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
            for operation in BitOperation::ALL {
                let mut result = alloc::vec![0; sources.iter().map(|source| source.len()).max().unwrap()];
                combine_bytes(operation, &sources, &mut result);
                for offset in 0..result.len() as u32 * 8 {
                    let bits: Vec<bool> = sources.iter().map(|source| bit(source, offset)).collect();
                    assert_eq!(bit(&result, offset), expected(operation, &bits), "{operation:?} at {offset}");
                }
            }
        }
    }

    #[test]
    fn counting_and_finding_agree_with_a_walk_over_the_bits() {
        let mut random = Random::new(6);
        for _ in 0..2000 {
            let filler = [0, 0xff, random.next_u64() as u8][random.below(3) as usize];
            let mut bytes = alloc::vec![filler; 1 + random.below(40) as usize];
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.next_u64() as u8;
            let end = 1 + random.below(bytes.len() as u64 * 8);
            let positions = random.below(end)..end;
            let bytes = bytes.as_slice();
            let bits = |wanted: bool| positions.clone().filter(move |&at| bit(bytes, at as u32) == wanted);
            assert_eq!(count_in(bytes, positions.clone()), bits(true).count() as u64);
            for wanted in [false, true] {
                assert_eq!(find_in(bytes, wanted, positions.clone()), bits(wanted).next());
            }
        }
    }
}
