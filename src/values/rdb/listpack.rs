//! Reading of listpacks, the compact form Redis gives small collections.
//!
//! ```text
//! total bytes (u32) | entries (u16, 65535 = count them) | entry ... | 0xff
//! entry: encoding and data | their length, reversed, in 1 to 5 bytes
//! ```
//! Everything is little-endian.

use alloc::vec::Vec;

use super::{DumpError, Input};
use crate::base::number::write_integer;

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
    let (mut count, mut text) = (0, Vec::new());
    loop {
        let encoding = input.byte()?;
        if encoding == END {
            break;
        }
        let start = input.offset() - 1;
        visit(read_entry(encoding, &mut input, &mut text)?)?;
        input.take(back_length_bytes(input.offset() - start))?;
        count += 1;
    }
    let counted = announced == UNCOUNTED || usize::from(announced) == count;
    if counted && input.is_at_end() { Ok(()) } else { Err(DumpError::Malformed) }
}

fn read_entry<'e, 'a: 'e>(encoding: u8, input: &mut Input<'a>, text: &'e mut Vec<u8>) -> Result<&'e [u8], DumpError> {
    let integer = match encoding {
        0x00..=0x7f => i64::from(encoding),
        0x80..=0xbf => return input.take(usize::from(encoding & 0x3f)),
        0xc0..=0xdf => {
            let bits = u16::from(encoding & 0x1f) << 8 | u16::from(input.byte()?);
            // A signed number of 13 bits: shifted up to the sign of 16 bits, and back.
            i64::from((bits << 3) as i16 >> 3)
        }
        0xe0..=0xef => {
            let len = usize::from(encoding & 0x0f) << 8 | usize::from(input.byte()?);
            return input.take(len);
        }
        0xf0 => {
            let len = u32::from_le_bytes(input.array()?);
            return input.take(len as usize);
        }
        0xf1 => i64::from(i16::from_le_bytes(input.array()?)),
        0xf2 => {
            let [low, middle, high] = input.array()?;
            i64::from(i32::from_le_bytes([0, low, middle, high]) >> 8)
        }
        0xf3 => i64::from(i32::from_le_bytes(input.array()?)),
        0xf4 => i64::from_le_bytes(input.array()?),
        _ => return Err(DumpError::Malformed),
    };
    text.clear();
    write_integer(integer, text);
    Ok(text)
}

/// Number of bytes of the reversed length after an entry, seven bits each.
fn back_length_bytes(entry_bytes: usize) -> usize {
    match entry_bytes {
        0..=0x7f => 1,
        0x80..=0x3fff => 2,
        0x4000..=0x1f_ffff => 3,
        0x20_0000..=0xfff_ffff => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let mut coded = alloc::vec![0xf0];
            coded.extend_from_slice(&(len as u32).to_le_bytes());
            coded.resize(coded.len() + len, b'x');
            coded.resize(coded.len() + back_length_bytes(coded.len()), 0);
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
