//! Compression to LZF, with the bytes that LibLZF gives Redis; see `lzf` for the format.

use alloc::vec::Vec;

use crate::base::headroom::OutOfMemory;

const HASH_BITS: u32 = 16;
const LITERALS_MAX: usize = 32;
const DISTANCE_MAX: usize = 1 << 13;
const MATCH_MAX: usize = (1 << 8) + (1 << 3);
/// Bytes that LibLZF compares without looking for the end.
const UNROLLED: usize = 16;
/// Length less two from which on a match has a byte of its own for it.
const LONG_MATCH: usize = 7;

/// Compresses bytes to at most `max_len`; `None` if the result would be longer.
pub(super) fn pack(bytes: &[u8], max_len: usize) -> Result<Option<Vec<u8>>, OutOfMemory> {
    let mut seen: Vec<u32> = Vec::new();
    seen.try_reserve_exact(1 << HASH_BITS).map_err(|_| OutOfMemory)?;
    // Indices are stored plus one: zero is none.
    seen.resize(1 << HASH_BITS, 0);
    let mut packed = Packed { out: Vec::new(), max_len, literals: 0 };
    packed.begin_run()?;
    let (mut at, end) = (0, bytes.len().saturating_sub(2));
    while at < end {
        let slot = &mut seen[hash(bytes, at)];
        let found = (*slot as usize).checked_sub(1);
        *slot = at as u32 + 1;
        let Some(start) = found.filter(|&start| is_match(bytes, start, at)) else {
            if packed.out.len() >= max_len {
                return Ok(None);
            }
            packed.literal(bytes[at])?;
            at += 1;
            continue;
        };
        let no_run = usize::from(packed.literals == 0);
        if packed.out.len() - no_run + 4 >= max_len {
            return Ok(None);
        }
        let len = match_len(bytes, start, at);
        packed.reference(at - start - 1, len - 2)?;
        at += len;
        if at >= end {
            break;
        }
        for index in [at - 2, at - 1] {
            seen[hash(bytes, index)] = index as u32 + 1;
        }
    }
    if packed.out.len() + 3 > max_len {
        return Ok(None);
    }
    for &byte in &bytes[at..] {
        packed.literal(byte)?;
    }
    packed.end_run();
    Ok(Some(packed.out))
}

/// Slot of the three bytes at an index.
fn hash(bytes: &[u8], at: usize) -> usize {
    let value = u32::from(bytes[at]) << 16 | u32::from(bytes[at + 1]) << 8 | u32::from(bytes[at + 2]);
    ((value >> (24 - HASH_BITS)).wrapping_sub(value.wrapping_mul(5)) & ((1 << HASH_BITS) - 1)) as usize
}

/// Whether the three bytes at `at` are those at `start`, which is near and not the first byte.
fn is_match(bytes: &[u8], start: usize, at: usize) -> bool {
    start > 0 && at - start <= DISTANCE_MAX && bytes[start..start + 3] == bytes[at..at + 3]
}

/// Length of the match of two places, of which the first three bytes are equal.
fn match_len(bytes: &[u8], start: usize, at: usize) -> usize {
    // LibLZF compares the first bytes in one go and ends two bytes before the end otherwise.
    let rest = (bytes.len() - at - 2).min(MATCH_MAX);
    let max_len = rest.max(if rest > UNROLLED { UNROLLED + 3 } else { 3 });
    let pairs = bytes[at..at + max_len].iter().zip(&bytes[start..]);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Compressed bytes. The last run of literals has its length in front of it, once it ends.
struct Packed {
    out: Vec<u8>,
    max_len: usize,
    literals: usize,
}

impl Packed {
    fn push(&mut self, byte: u8) -> Result<(), OutOfMemory> {
        if self.out.len() == self.out.capacity() {
            // The result is at most as long as the limit, and mostly far shorter.
            let more = self.out.len().clamp(64, self.max_len.max(64));
            self.out.try_reserve(more).map_err(|_| OutOfMemory)?;
        }
        self.out.push(byte);
        Ok(())
    }

    fn begin_run(&mut self) -> Result<(), OutOfMemory> {
        self.literals = 0;
        self.push(0)
    }

    fn literal(&mut self, byte: u8) -> Result<(), OutOfMemory> {
        self.push(byte)?;
        self.literals += 1;
        if self.literals == LITERALS_MAX {
            self.end_run();
            self.begin_run()?;
        }
        Ok(())
    }

    /// Writes the length of a run in front of it. A run without bytes is removed.
    fn end_run(&mut self) {
        match self.literals {
            0 => {
                self.out.pop();
            }
            literals => {
                let start = self.out.len() - literals - 1;
                self.out[start] = literals as u8 - 1;
            }
        }
    }

    /// Ends the run and writes a reference; both numbers are one less and two less than what they mean.
    fn reference(&mut self, distance: usize, len: usize) -> Result<(), OutOfMemory> {
        self.end_run();
        let high = (distance >> 8) as u8;
        if len < LONG_MATCH {
            self.push(high | (len as u8) << 5)?;
        } else {
            self.push(high | (LONG_MATCH as u8) << 5)?;
            self.push((len - LONG_MATCH) as u8)?;
        }
        self.push(distance as u8)?;
        self.begin_run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::values::rdb::lzf::unpack;
    use crate::values::rdb::{Output, crc64};

    fn random_text(random: &mut Random) -> Vec<u8> {
        let (len, letters) = (random.below(3000), 1 + random.below(8));
        (0..len).map(|_| b'a' + random.below(letters) as u8).collect()
    }

    #[test]
    fn what_is_packed_unpacks() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let text = random_text(&mut random);
            let max_len = text.len().saturating_sub(random.below(64) as usize);
            let Some(packed) = pack(&text, max_len).unwrap() else { continue };
            assert!(packed.len() <= max_len);
            assert_eq!(unpack(&packed, text.len()).unwrap(), text);
        }
    }

    /// Checksums of DUMP payloads of Redis 7.0.15.
    #[test]
    fn bytes_are_those_of_redis() {
        let mixed = (0..3000u32).map(|at| b'a' + ((at.wrapping_mul(at).wrapping_mul(7919) >> 7) % 4) as u8).collect();
        let far = [&[b'x'; 8200][..], b"abcdefghabcdefghabcdefgh", &[b'x'; 20]].concat();
        let cases: [(Vec<u8>, u64); 8] = [
            (b"a".repeat(20), 0xf1ac_111b_5e6b_b483),
            (b"abcdefghijklmnopqrstuvwxyz0123456789".to_vec(), 0x0d8f_8dec_5a8e_d1c3),
            (b"a".repeat(300), 0x13e7_4652_62c2_1b4b),
            (b"abc".repeat(100), 0x2be1_44c0_ce33_57d2),
            (b"hello world, hello world, hello there".to_vec(), 0xab1b_3a39_d95b_61de),
            ((0..=255).collect::<Vec<u8>>().repeat(3), 0x88fc_3842_c69f_2447),
            (far, 0xa0ec_29b1_8abf_72de),
            (mixed, 0x00d0_a3e8_2e1e_3c4d),
        ];
        for (text, checksum) in cases {
            let mut out = Output::default();
            out.byte(0);
            out.packed_string(&text);
            out.raw(&10u16.to_le_bytes());
            assert_eq!(crc64(out.written()), checksum, "{} bytes", text.len());
        }
    }
}
