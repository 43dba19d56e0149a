//! Decompression of LZF, which Redis applies to long strings.
//!
//! A byte below 32 starts a run of that many literal bytes and one more. Any other byte starts a back reference. Its
//! upper three bits are the length less 2; 7 means that the next byte is added. Its lower five bits and the next byte
//! are the distance less 1.

use alloc::vec::Vec;

use super::DumpError;

const LITERAL_MAX: u8 = 32;
const LONG_MATCH: usize = 7;
/// Length of the shortest back reference less one; lengths are stored without it.
const MATCH_BASE: usize = 2;

/// Decompresses to exactly `unpacked_len` bytes; other lengths are malformed.
pub(super) fn unpack(packed: &[u8], unpacked_len: usize) -> Result<Vec<u8>, DumpError> {
    let mut out = Vec::new();
    let mut rest = packed.iter();
    let mut next = || rest.next().copied();
    while let Some(control) = next() {
        if control < LITERAL_MAX {
            let len = usize::from(control) + 1;
            reserve(&mut out, len, unpacked_len)?;
            for _ in 0..len {
                out.push(next().ok_or(DumpError::Malformed)?);
            }
        } else {
            let mut len = usize::from(control >> 5);
            if len == LONG_MATCH {
                len += usize::from(next().ok_or(DumpError::Malformed)?);
            }
            let low = next().ok_or(DumpError::Malformed)?;
            let distance = usize::from(control & 31) << 8 | usize::from(low);
            repeat(&mut out, distance + 1, len + MATCH_BASE, unpacked_len)?;
        }
    }
    if out.len() == unpacked_len { Ok(out) } else { Err(DumpError::Malformed) }
}

/// Reserves capacity for bytes that follow in the input, never for an announced length.
fn reserve(out: &mut Vec<u8>, len: usize, unpacked_len: usize) -> Result<(), DumpError> {
    if len > unpacked_len - out.len() {
        return Err(DumpError::Malformed);
    }
    out.try_reserve(len).map_err(|_| DumpError::OutOfMemory)
}

/// Copies `len` bytes from `distance` bytes back. Source and target may overlap: a distance of 1 repeats the last byte.
fn repeat(out: &mut Vec<u8>, distance: usize, len: usize, unpacked_len: usize) -> Result<(), DumpError> {
    reserve(out, len, unpacked_len)?;
    let start = out.len().checked_sub(distance).ok_or(DumpError::Malformed)?;
    for index in start..start + len {
        out.push(out[index]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_references_unpack() {
        // "ab", then 9 bytes from 2 back.
        assert_eq!(unpack(b"\x01ab\xe0\x00\x01", 11).unwrap(), b"abababababa");
        assert_eq!(unpack(b"\x00x\xe0\xf9\x00", 259).unwrap(), [b'x'; 259]);
        assert_eq!(unpack(b"\x02abc\x20\x02", 6).unwrap(), b"abcabc");
        assert_eq!(unpack(b"", 0).unwrap(), b"");
    }

    #[test]
    fn damage_is_refused() {
        let damaged: [(&[u8], usize); 7] = [
            (b"\x05ab", 6),
            (b"\x01ab", 3),
            (b"\x01ab", 1),
            (b"\x20\x00", 3),
            (b"\x00a\x20\x01", 4),
            (b"\x00a\xe0", 100),
            (b"\x00a\x20", 100),
        ];
        for (packed, len) in damaged {
            assert_eq!(unpack(packed, len), Err(DumpError::Malformed), "{packed:?}");
        }
    }
}
