//! HyperLogLog: a string that estimates the number of distinct elements added. Encoding, hash and estimate are those of
//! Redis, so the strings are interchangeable.
//!
//! ```text
//! "HYLL" | coding: 0 dense, 1 sparse | 3 unused bytes | estimate (u64, its top bit: not valid) | registers
//! dense:  16384 registers of 6 bits, from the low bits on
//! sparse: 00nnnnnn           1 to 64 zeros
//!         01nnnnnn nnnnnnnn  1 to 16384 zeros
//!         1vvvvvnn           1 to 4 times the value 1 to 32
//! ```

use alloc::vec::Vec;

use crate::base::headroom::OutOfMemory;

const MAGIC: &[u8; 4] = b"HYLL";
const DENSE: u8 = 0;
const SPARSE: u8 = 1;
const CODING_AT: usize = 4;
const ESTIMATE_AT: usize = 8;
const HEADER_LEN: usize = 16;
/// Top bit of the last byte of the cached estimate: the estimate is not valid.
const NOT_VALID: u8 = 0x80;

/// Number of hash bits that choose a register. The other bits determine its value.
const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;
const VALUE_BITS: u32 = 64 - INDEX_BITS;
const REGISTER_BITS: usize = 6;
const REGISTER_MAX: u8 = 63;
const DENSE_LEN: usize = HEADER_LEN + REGISTERS * REGISTER_BITS / 8;

const LONG_ZEROS: u8 = 0x40;
const VALUE: u8 = 0x80;
const ZEROS_MAX: usize = 64;
const SPARSE_VALUE_MAX: u8 = 32;
const VALUES_MAX: usize = 4;

const HASH_SEED: u64 = 0xadc8_3b19;
/// Constant of the estimator: 1 / (2 ln 2).
const ALPHA: f64 = 0.721_347_520_444_481_7;

/// Largest size of the sparse encoding, in bytes of registers: `hll-sparse-max-bytes`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SketchLimit {
    pub sparse_bytes: usize,
}

impl Default for SketchLimit {
    fn default() -> SketchLimit {
        SketchLimit { sparse_bytes: 3000 }
    }
}

/// String with the header of a sketch.
#[derive(Clone, Copy, Debug)]
pub struct Sketch<'a> {
    bytes: &'a [u8],
}

/// Registers read from a sketch, one byte each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    values: Vec<u8>,
    is_dense: bool,
}

impl<'a> Sketch<'a> {
    /// Reads a sketch; `None` if header or length is wrong.
    pub fn new(bytes: &'a [u8]) -> Option<Sketch<'a>> {
        let has_header = bytes.len() >= HEADER_LEN && bytes.starts_with(MAGIC);
        let fits =
            has_header && (bytes[CODING_AT] == SPARSE || (bytes[CODING_AT] == DENSE && bytes.len() == DENSE_LEN));
        fits.then_some(Sketch { bytes })
    }

    pub fn is_dense(self) -> bool {
        self.bytes[CODING_AT] == DENSE
    }

    /// Estimate cached in the header, if valid.
    pub fn estimate(self) -> Option<u64> {
        let estimate = self.bytes.get(ESTIMATE_AT..)?.first_chunk()?;
        (estimate[7] & NOT_VALID == 0).then_some(u64::from_le_bytes(*estimate))
    }

    /// Whether adding `element` would leave a dense sketch unchanged.
    pub fn knows(self, element: &[u8]) -> bool {
        let (index, value) = register_of(element);
        dense_value(self.bytes, index) >= value
    }

    /// Sets each register to the maximum of both; `None` if the sketch is damaged.
    pub fn merge_into(self, registers: &mut Registers) -> Option<()> {
        registers.is_dense |= self.is_dense();
        if !self.is_dense() {
            return merge_sparse(&self.bytes[HEADER_LEN..], &mut registers.values);
        }
        for (index, value) in registers.values.iter_mut().enumerate() {
            *value = dense_value(self.bytes, index).max(*value);
        }
        Some(())
    }
}

impl Registers {
    /// Creates the registers of an empty sketch.
    pub fn new() -> Result<Registers, OutOfMemory> {
        let mut values = Vec::new();
        values.try_reserve_exact(REGISTERS).map_err(|_| OutOfMemory)?;
        values.resize(REGISTERS, 0);
        Ok(Registers { values, is_dense: false })
    }

    /// Adds an element. Returns whether a register changed.
    pub fn add(&mut self, element: &[u8]) -> bool {
        let (index, value) = register_of(element);
        let grows = self.values[index] < value;
        if grows {
            self.values[index] = value;
        }
        grows
    }

    /// Encodes the registers without a valid estimate. The encoding is dense if it was, or if the sparse one does not
    /// fit.
    pub fn to_sketch(&self, limit: SketchLimit) -> Result<Vec<u8>, OutOfMemory> {
        let sparse_fits = !self.is_dense && self.values.iter().all(|&value| value <= SPARSE_VALUE_MAX);
        let len = if sparse_fits { Some(self.write_sparse(&mut |_| {})) } else { None };
        let len = len.filter(|&len| len <= limit.sparse_bytes);
        let mut sketch = Vec::new();
        sketch.try_reserve_exact(len.map_or(DENSE_LEN, |len| HEADER_LEN + len)).map_err(|_| OutOfMemory)?;
        sketch.extend_from_slice(MAGIC);
        sketch.extend_from_slice(&[if len.is_some() { SPARSE } else { DENSE }, 0, 0, 0]);
        sketch.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, NOT_VALID]);
        if len.is_some() {
            self.write_sparse(&mut |byte| sketch.push(byte));
        } else {
            sketch.resize(DENSE_LEN, 0);
            self.values.iter().enumerate().for_each(|(index, &value)| set_dense_value(&mut sketch, index, value));
        }
        Ok(sketch)
    }

    /// Passes each byte of the sparse encoding to `push` and returns their number.
    fn write_sparse(&self, push: &mut dyn FnMut(u8)) -> usize {
        let (mut rest, mut len) = (self.values.as_slice(), 0);
        let mut push = |byte: u8| {
            push(byte);
            len += 1;
        };
        while let Some(&value) = rest.first() {
            let run_max = if value == 0 { REGISTERS } else { VALUES_MAX };
            let run = rest.iter().take(run_max).take_while(|&&other| other == value).count();
            match value {
                0 if run <= ZEROS_MAX => push(run as u8 - 1),
                0 => {
                    push(LONG_ZEROS | ((run - 1) >> 8) as u8);
                    push((run - 1) as u8);
                }
                _ => push(VALUE | (value - 1) << 2 | (run as u8 - 1)),
            }
            rest = &rest[run..];
        }
        len
    }

    /// Estimated number of distinct elements, by Ertl's improved estimator.
    pub fn estimate(&self) -> u64 {
        let registers = REGISTERS as f64;
        let mut counts = [0u32; REGISTER_MAX as usize + 1];
        self.values.iter().for_each(|&value| counts[usize::from(value)] += 1);
        let full = f64::from(counts[VALUE_BITS as usize + 1]);
        let mut sum = registers * tau((registers - full) / registers);
        for &count in counts[1..=VALUE_BITS as usize].iter().rev() {
            sum = (sum + f64::from(count)) * 0.5;
        }
        sum += registers * sigma(f64::from(counts[0]) / registers);
        libm::round(ALPHA * registers * registers / sum) as u64
    }
}

/// Adds an element to a dense sketch and invalidates its cached estimate.
pub fn add_to_dense(sketch: &mut [u8], element: &[u8]) {
    let (index, value) = register_of(element);
    if dense_value(sketch, index) < value {
        set_dense_value(sketch, index, value);
    }
    if let Some(last) = sketch.get_mut(ESTIMATE_AT + 7) {
        *last |= NOT_VALID;
    }
}

/// Returns the register of an element, and the value it requires there.
fn register_of(element: &[u8]) -> (usize, u8) {
    let hash = murmur_hash(element);
    let index = hash as usize & (REGISTERS - 1);
    // A bit above the last one ends the count.
    let rest = hash >> INDEX_BITS | 1 << VALUE_BITS;
    (index, rest.trailing_zeros() as u8 + 1)
}

fn dense_value(sketch: &[u8], index: usize) -> u8 {
    let bit = index * REGISTER_BITS;
    let at = HEADER_LEN + bit / 8;
    let byte = |at: usize| u16::from(sketch.get(at).copied().unwrap_or(0));
    ((byte(at) | byte(at + 1) << 8) >> (bit % 8)) as u8 & REGISTER_MAX
}

fn set_dense_value(sketch: &mut [u8], index: usize, value: u8) {
    let bit = index * REGISTER_BITS;
    let at = HEADER_LEN + bit / 8;
    let (mask, value) = (u16::from(REGISTER_MAX) << (bit % 8), u16::from(value) << (bit % 8));
    for (byte, shift) in sketch.iter_mut().skip(at).take(2).zip([0, 8]) {
        *byte = *byte & !((mask >> shift) as u8) | (value >> shift) as u8;
    }
}

/// Merges sparse runs into registers; `None` unless the runs cover exactly all registers.
fn merge_sparse(mut runs: &[u8], values: &mut [u8]) -> Option<()> {
    let mut at = 0;
    while let [first, rest @ ..] = runs {
        runs = rest;
        let (value, len) = match first & 0xc0 {
            0 => (0, usize::from(*first) + 1),
            LONG_ZEROS => {
                let (low, rest) = runs.split_first()?;
                runs = rest;
                (0, (usize::from(first & 0x3f) << 8 | usize::from(*low)) + 1)
            }
            _ => ((first >> 2 & 31) + 1, usize::from(first & 3) + 1),
        };
        let run = values.get_mut(at..at + len)?;
        run.iter_mut().for_each(|register| *register = value.max(*register));
        at += len;
    }
    (at == values.len()).then_some(())
}

/// Function tau of Ertl's estimator, for registers at their largest value.
fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut factor, mut sum) = (1.0, 1.0 - x);
    loop {
        x = libm::sqrt(x);
        let before = sum;
        factor *= 0.5;
        sum -= (1.0 - x) * (1.0 - x) * factor;
        if sum == before {
            return sum / 3.0;
        }
    }
}

/// Function sigma of Ertl's estimator, for registers at zero.
fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut factor, mut sum) = (1.0, x);
    loop {
        x *= x;
        let before = sum;
        sum += x * factor;
        factor += factor;
        if sum == before {
            return sum;
        }
    }
}

/// MurmurHash64A, as in Redis.
fn murmur_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    const SHIFT: u32 = 47;
    let mut hash = HASH_SEED ^ (bytes.len() as u64).wrapping_mul(FACTOR);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.iter().rev().fold(0, |word: u64, &byte| word << 8 | u64::from(byte));
        let word = word.wrapping_mul(FACTOR);
        hash ^= (word ^ word >> SHIFT).wrapping_mul(FACTOR);
        hash = hash.wrapping_mul(FACTOR);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        hash ^= rest.iter().rev().fold(0, |word: u64, &byte| word << 8 | u64::from(byte));
        hash = hash.wrapping_mul(FACTOR);
    }
    hash ^= hash >> SHIFT;
    hash = hash.wrapping_mul(FACTOR);
    hash ^ hash >> SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn registers_of(count: u32) -> Registers {
        let mut registers = Registers::new().unwrap();
        for number in 0..count {
            registers.add(format!("element {number}").as_bytes());
        }
        registers
    }

    #[test]
    fn estimates_are_within_three_percent() {
        assert_eq!(registers_of(0).estimate(), 0);
        for count in [1, 10, 100, 1_000, 10_000, 100_000] {
            let estimate = registers_of(count).estimate() as f64;
            assert!((estimate - f64::from(count)).abs() <= f64::from(count) * 0.03, "{count} {estimate}");
        }
    }

    #[test]
    fn both_codings_read_back() {
        for (count, limit) in [(0, 3000), (5, 3000), (500, 3000), (500, 0), (20_000, 3000)] {
            let registers = registers_of(count);
            let bytes = registers.to_sketch(SketchLimit { sparse_bytes: limit }).unwrap();
            let sketch = Sketch::new(&bytes).unwrap();
            assert_eq!(sketch.is_dense(), limit == 0 || count > 10_000);
            assert_eq!(sketch.estimate(), None);
            let mut back = Registers::new().unwrap();
            sketch.merge_into(&mut back).unwrap();
            assert_eq!(back.values, registers.values);
        }
    }

    #[test]
    fn a_dense_sketch_is_changed_in_place() {
        let mut registers = registers_of(100);
        registers.is_dense = true;
        let mut bytes = registers.to_sketch(SketchLimit::default()).unwrap();
        assert!(Sketch::new(&bytes).unwrap().knows(b"element 7"));
        for number in 0..200 {
            add_to_dense(&mut bytes, format!("element {number}").as_bytes());
        }
        let mut back = Registers::new().unwrap();
        Sketch::new(&bytes).unwrap().merge_into(&mut back).unwrap();
        assert_eq!(back.values, registers_of(200).values);
    }

    #[test]
    fn damaged_sketches_are_refused() {
        let bytes = registers_of(50).to_sketch(SketchLimit::default()).unwrap();
        let merge = |bytes: &[u8]| Sketch::new(bytes)?.merge_into(&mut Registers::new().unwrap());
        assert!(merge(&bytes).is_some());
        assert!(merge(&bytes[..bytes.len() - 1]).is_none());
        assert!(merge(&[&bytes[..], b"\x00"].concat()).is_none());
        assert!(Sketch::new(b"HYLL").is_none() && Sketch::new(&[0; 20]).is_none());
        let mut other = bytes.clone();
        other[CODING_AT] = 2;
        assert!(Sketch::new(&other).is_none());
        other[CODING_AT] = DENSE;
        assert!(Sketch::new(&other).is_none());
    }
}
