//! Short runs of bytes, compared and copied word by word. Keys and small values are nearly all there is, and for those
//! a call of the library's routines (in WebAssembly a call out of the module) costs more than the work itself.

use alloc::vec::Vec;

/// Up to so many bytes words win over a call.
const SHORT_MAX: usize = 64;
const WORD: usize = 8;

/// Whether both are the same bytes.
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

/// The first word of at least one.
#[inline(always)]
fn first(bytes: &[u8]) -> u64 {
    word_at(bytes, 0)
}

/// The last one.
#[inline(always)]
fn last(bytes: &[u8]) -> u64 {
    word_at(bytes, bytes.len().wrapping_sub(WORD))
}

/// The word at a place; 0 where there is none. It is copied: of a reference the compiler would ask whether it is one.
#[inline(always)]
pub fn word_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; WORD];
    if at <= bytes.len() && bytes.len() - at >= WORD {
        word.copy_from_slice(&bytes[at..at + WORD]);
    }
    u64::from_le_bytes(word)
}

/// Fewer bytes than a word has, as two halves that overlap where they are short: together with the length they name the bytes.
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

/// Writes `bytes` at the front of `place`; nothing when they do not fit. There is no loop for the short: the compiler would
/// make a call of the library's copy of it.
#[inline(always)]
pub fn copy(place: &mut [u8], bytes: &[u8]) {
    let Some(place) = place.get_mut(..bytes.len()) else { return };
    match bytes.len() {
        WORD..=16 => copy_ends::<WORD>(place, bytes),
        17..=32 => copy_ends::<16>(place, bytes),
        33..=SHORT_MAX => copy_ends::<32>(place, bytes),
        4..WORD => copy_ends::<4>(place, bytes),
        2..4 => copy_ends::<2>(place, bytes),
        0..2 => copy_ends::<1>(place, bytes),
        _ => place.copy_from_slice(bytes),
    }
}

/// Copies the first bytes and the last, which overlap, of a run of `N` to `2 * N` bytes.
#[inline(always)]
fn copy_ends<const N: usize>(place: &mut [u8], bytes: &[u8]) {
    if let Some(first) = bytes.first_chunk::<N>()
        && let Some(place) = place.first_chunk_mut::<N>()
    {
        *place = *first;
    }
    if let Some(last) = bytes.last_chunk::<N>()
        && let Some(place) = place.last_chunk_mut::<N>()
    {
        *place = *last;
    }
}

/// Appends `bytes`. As in [`copy`] there is no loop for the short: the first bytes and the last, which overlap.
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

/// Appends the first bytes and the last, which overlap, of a run of `N` to `2 * N` bytes.
#[inline(always)]
fn append_ends<const N: usize>(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    if let Some(first) = bytes.first_chunk::<N>()
        && let Some(last) = bytes.last_chunk::<N>()
    {
        // No more than this: the caller made room for these bytes alone.
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
            let mut place = vec![0; length + 1];
            copy(&mut place, &bytes);
            assert!(equal(&place[..length], &bytes) && place[length] == 0);
            let mut out = vec![7];
            append(&mut out, &bytes);
            assert!(out[0] == 7 && out[1..] == bytes);
            for index in 0..length {
                let mut other = bytes.clone();
                other[index] ^= 0x80;
                assert!(!equal(&bytes, &other), "{length} {index}");
            }
            assert!(!equal(&bytes, &place));
        }
        let mut short = [1];
        copy(&mut short, b"ab");
        assert_eq!(short, [1]);
    }
}
