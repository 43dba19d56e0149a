//! Comparing and copying short byte strings one machine word at a time.
//!
//! Nearly all keys and values are short. For them a library call, which leaves the module in WebAssembly, costs more
//! than the work itself.

use alloc::vec::Vec;

/// Longest byte string, in bytes, for which word-wise code is faster than a library call.
const SHORT_MAX: usize = 64;
const WORD: usize = 8;

/// Whether both byte strings are equal.
#[inline(always)]
pub fn equal(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        WORD..=16 => first(left) == first(right) && last(left) == last(right),
        0..WORD => ends(left) == ends(right),
        17..=SHORT_MAX => {
            let ((words, _), (others, _)) = (left.as_chunks::<WORD>(), right.as_chunks::<WORD>());
            words.iter().zip(others).all(|(one, other)| one == other) && last(left) == last(right)
        }
        _ => left == right,
    }
}

/// First word of a byte string of at least one word.
#[inline(always)]
fn first(bytes: &[u8]) -> u64 {
    word_at(bytes, 0)
}

/// Last word of a byte string of at least one word.
#[inline(always)]
fn last(bytes: &[u8]) -> u64 {
    word_at(bytes, bytes.len().wrapping_sub(WORD))
}

/// Little-endian word at offset `at`; 0 if fewer than eight bytes are left.
///
/// The bytes are copied first: through a reference the compiler would keep a second bounds check.
#[inline(always)]
pub fn word_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; WORD];
    if at <= bytes.len() && bytes.len() - at >= WORD {
        word.copy_from_slice(&bytes[at..at + WORD]);
    }
    u64::from_le_bytes(word)
}

/// Fewer than eight bytes as two halves, which overlap below eight bytes. Together with the length they identify the
/// bytes.
#[inline(always)]
pub fn ends(bytes: &[u8]) -> (u32, u32) {
    if let Some(first) = bytes.first_chunk::<4>()
        && let Some(last) = bytes.last_chunk::<4>()
    {
        return (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
    }
    match *bytes {
        [a, b, c] => (u32::from(a) | u32::from(b) << 8, u32::from(c)),
        [a, b] => (u32::from(a), u32::from(b)),
        [a] => (u32::from(a), 0),
        _ => (0, 0),
    }
}

/// Writes `bytes` to the start of `target`; does nothing if they do not fit.
///
/// Short byte strings take no loop, because the compiler would turn a loop into a library call.
#[inline(always)]
pub fn copy(target: &mut [u8], bytes: &[u8]) {
    let Some(target) = target.get_mut(..bytes.len()) else { return };
    match bytes.len() {
        WORD..=16 => copy_ends::<WORD>(target, bytes),
        17..=32 => copy_ends::<16>(target, bytes),
        33..=SHORT_MAX => copy_ends::<32>(target, bytes),
        4..WORD => copy_ends::<4>(target, bytes),
        2..4 => copy_ends::<2>(target, bytes),
        0..2 => copy_ends::<1>(target, bytes),
        _ => target.copy_from_slice(bytes),
    }
}

/// Copies the first `N` and the last `N` bytes, which may overlap, of `N` to `2 * N` bytes.
#[inline(always)]
fn copy_ends<const N: usize>(target: &mut [u8], bytes: &[u8]) {
    if let Some(first) = bytes.first_chunk::<N>()
        && let Some(target) = target.first_chunk_mut::<N>()
    {
        *target = *first;
    }
    if let Some(last) = bytes.last_chunk::<N>()
        && let Some(target) = target.last_chunk_mut::<N>()
    {
        *target = *last;
    }
}

/// Appends `bytes`. Short byte strings take no loop, for the reason given at [`copy`].
#[inline(always)]
pub fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    match bytes.len() {
        WORD..=16 => append_ends::<WORD>(out, bytes),
        17..=32 => append_ends::<16>(out, bytes),
        33..=SHORT_MAX => append_ends::<32>(out, bytes),
        4..WORD => append_ends::<4>(out, bytes),
        2..4 => append_ends::<2>(out, bytes),
        0..2 => append_ends::<1>(out, bytes),
        _ => out.extend_from_slice(bytes),
    }
}

/// Appends the first `N` and the last `N` bytes, which may overlap, of `N` to `2 * N` bytes.
#[inline(always)]
fn append_ends<const N: usize>(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    if let Some(first) = bytes.first_chunk::<N>()
        && let Some(last) = bytes.last_chunk::<N>()
    {
        // Reserves no more than this, because the caller has reserved capacity for these bytes only.
        out.reserve(bytes.len());
        out.extend_from_slice(first);
        out.truncate(start + bytes.len() - N);
        out.extend_from_slice(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn every_length_is_compared_and_copied_whole() {
        for length in 0..=2 * SHORT_MAX + 1 {
            let bytes: Vec<u8> = (0..length).map(|index| index as u8 ^ 0x5a).collect();
            let mut target = vec![0; length + 1];
            copy(&mut target, &bytes);
            assert!(equal(&target[..length], &bytes) && target[length] == 0);
            let mut out = vec![7];
            append(&mut out, &bytes);
            assert!(out[0] == 7 && out[1..] == bytes);
            for index in 0..length {
                let mut other = bytes.clone();
                other[index] ^= 0x80;
                assert!(!equal(&bytes, &other), "{length} {index}");
            }
            assert!(!equal(&bytes, &target));
        }
        let mut short = [1];
        copy(&mut short, b"ab");
        assert_eq!(short, [1]);
    }
}
