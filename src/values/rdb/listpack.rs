//! Reading of listpacks, the compact form Redis gives small collections.
//!
//! ```text
//! total bytes (u32) | entries (u16, 65535 = count them) | entry ... | 0xff
//! ```
//! Everything is little-endian.

use super::{DumpError, Input};
use crate::values::listpack::checked_element_at;

const UNCOUNTED: u16 = u16::MAX;
const END: u8 = 0xff;

/// Reads a listpack and calls `visit` with each entry; integers are passed as decimal text.
pub(super) fn read(packed: &[u8], visit: &mut dyn FnMut(&[u8]) -> Result<(), DumpError>) -> Result<(), DumpError> {
    let mut input = Input::new(packed);
    let total_bytes = u32::from_le_bytes(input.array()?);
    let announced = u16::from_le_bytes(input.array()?);
    if total_bytes as usize != packed.len() {
        return Err(DumpError::Malformed);
    }
    let (mut count, mut at) = (0, input.offset());
    while packed.get(at) != Some(&END) {
        let (element, next) = checked_element_at(packed, at).ok_or(DumpError::Malformed)?;
        element.with_text(&mut *visit)?;
        (count, at) = (count + 1, next);
    }
    let counted = announced == UNCOUNTED || usize::from(announced) == count;
    if counted && at + 1 == packed.len() { Ok(()) } else { Err(DumpError::Malformed) }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::values::listpack::Element;

    fn packed(count: u16, entries: &[u8]) -> Vec<u8> {
        let mut bytes = (entries.len() as u32 + 7).to_le_bytes().to_vec();
        bytes.extend_from_slice(&count.to_le_bytes());
        bytes.extend_from_slice(entries);
        bytes.push(END);
        bytes
    }

    fn entries(packed: &[u8]) -> Result<Vec<Vec<u8>>, DumpError> {
        let mut found = Vec::new();
        read(packed, &mut |entry| {
            found.push(entry.to_vec());
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn every_encoding_is_read() {
        let cases: [(&[u8], &[u8]); 12] = [
            (b"\x00\x01", b"0"),
            (b"\x7f\x01", b"127"),
            (b"\x82ab\x03", b"ab"),
            (b"\xc0\x80\x02", b"128"),
            (b"\xdf\xff\x02", b"-1"),
            (b"\xd0\x00\x02", b"-4096"),
            (b"\xe0\x01x\x03", b"x"),
            (b"\xf0\x01\x00\x00\x00y\x06", b"y"),
            (b"\xf1\x00\x80\x03", b"-32768"),
            (b"\xf2\x00\x00\x80\x04", b"-8388608"),
            (b"\xf3\xff\xff\xff\x7f\x05", b"2147483647"),
            (b"\xf4\x00\x00\x00\x00\x00\x00\x00\x80\x09", b"-9223372036854775808"),
        ];
        for (coded, text) in cases {
            assert_eq!(entries(&packed(1, coded)).unwrap(), [text], "{coded:?}");
            assert_eq!(entries(&packed(UNCOUNTED, coded)).unwrap(), [text]);
        }
        assert_eq!(entries(&packed(2, b"\x81a\x02\x81b\x02")).unwrap(), [b"a", b"b"]);
        assert_eq!(entries(&packed(0, b"")).unwrap(), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn long_entries_have_longer_trailing_lengths() {
        let long = |len: usize| {
            let mut coded = Vec::new();
            Element::Text(&alloc::vec![b'x'; len]).append_to(&mut coded);
            entries(&packed(1, &coded)).unwrap()[0].len()
        };
        for len in [122, 123, 16_378, 16_379, 2_097_146, 2_097_147] {
            assert_eq!(long(len), len);
        }
    }

    #[test]
    fn damage_is_refused() {
        let mut wrong_total = packed(0, b"");
        wrong_total[0] += 1;
        let damaged =
            [wrong_total, packed(2, b"\x00\x01"), packed(1, b"\x85a\x02"), packed(1, b"\xf5\x01"), Vec::new()];
        for bytes in damaged {
            assert_eq!(entries(&bytes), Err(DumpError::Malformed), "{bytes:?}");
        }
        let good = packed(1, b"\xf3\xff\xff\xff\x7f\x05");
        for end in 0..good.len() {
            assert_eq!(entries(&good[..end]), Err(DumpError::Malformed));
        }
    }
}
