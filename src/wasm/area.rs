//! Input area: memory that JavaScript writes before a call, and its reading as arguments.

use alloc::vec::Vec;

use crate::base::argv::{ArgvRef, Span};

/// Bytes of a 32-bit number of the packed form.
const WORD: usize = 4;

/// Memory that JavaScript writes.
#[derive(Debug, Default)]
pub(super) struct Area {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

impl Area {
    /// Replaces the area by `length` bytes and returns their address; 0 if memory is exhausted.
    pub(super) fn reserve(&mut self, length: usize) -> usize {
        *self = Area::default();
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(length).is_err() {
            return 0;
        }
        bytes.resize(length, 0);
        self.bytes = bytes;
        self.bytes.as_mut_ptr() as usize
    }

    /// First `length` bytes, or all if there are fewer.
    pub(super) fn bytes(&self, length: usize) -> &[u8] {
        self.bytes.get(..length).unwrap_or(&self.bytes)
    }

    /// Reads the first `length` bytes as packed arguments: their count, the length of each, their bytes. Numbers are
    /// 32-bit little endian. Malformed input has no arguments.
    pub(super) fn arguments(&mut self, length: usize) -> ArgvRef<'_> {
        let Area { bytes, spans } = self;
        let packed = bytes.get(..length).unwrap_or(&[]);
        spans.clear();
        if unpack(packed, spans).is_none() {
            spans.clear();
        }
        ArgvRef::new(packed, spans)
    }
}

/// Encodes arguments in the packed form.
pub(super) fn packed(arguments: ArgvRef<'_>) -> Vec<u8> {
    let number = |number: usize| (number as u32).to_le_bytes();
    let mut packed = number(arguments.len()).to_vec();
    arguments.iter().for_each(|argument| packed.extend_from_slice(&number(argument.len())));
    arguments.iter().for_each(|argument| packed.extend_from_slice(argument));
    packed
}

fn unpack(packed: &[u8], spans: &mut Vec<Span>) -> Option<()> {
    let (count, rest) = packed.split_first_chunk::<WORD>()?;
    let count = u32::from_le_bytes(*count) as usize;
    let lengths = rest.get(..count.checked_mul(WORD)?)?;
    spans.try_reserve(count).ok()?;
    let mut start = u32::try_from(WORD + lengths.len()).ok()?;
    for length in lengths.chunks_exact(WORD) {
        // A chunk has exactly `WORD` bytes.
        let length = u32::from_le_bytes(length.try_into().ok()?);
        let end = start.checked_add(length)?;
        spans.push(Span { start, end });
        start = end;
    }
    (start as usize <= packed.len()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(packed: &[u8]) -> Vec<Vec<u8>> {
        let mut area = Area { bytes: packed.to_vec(), spans: Vec::new() };
        area.arguments(packed.len()).iter().map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn reads_packed_arguments() {
        assert_eq!(arguments(b"\x02\0\0\0\x03\0\0\0\x01\0\0\0GETk"), [b"GET".to_vec(), b"k".to_vec()]);
        assert_eq!(arguments(b"\x01\0\0\0\0\0\0\0"), [b"".to_vec()]);
    }

    #[test]
    fn malformed_input_has_no_arguments() {
        for packed in [
            &b""[..],
            b"\x01",
            b"\x01\0\0\0",
            b"\xff\xff\xff\xff",
            b"\x01\0\0\0\x05\0\0\0abc",
            b"\x01\0\0\0\xff\xff\xff\xffabc",
        ] {
            assert!(arguments(packed).is_empty(), "{packed:?}");
        }
    }
}
