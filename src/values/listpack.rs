//! Elements of listpacks, the packed sequence of Redis: in RDB the form of small collections, in memory that of streams.
//!
//! ```text
//! element: encoding and data | their length, reversed, in 1 to 5 bytes
//! ```
//! Numbers are little-endian. The reversed length is read from its end, so that a sequence can be walked backwards.

use alloc::vec::Vec;

use crate::base::number::{IntegerText, parse_integer};

/// Length of the longest text that may be an integer.
const INTEGER_TEXT_MAX: usize = 20;
/// Longest strings with a length of 6 and of 12 bits.
const SHORT_MAX: usize = 0x3f;
const MEDIUM_MAX: usize = 0xfff;
/// Bits of a byte of the reversed length; the highest one says that another byte precedes.
const BACK_BITS: u32 = 7;
const BACK_MAX_BYTES: usize = 5;

/// Element of a listpack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element<'a> {
    Integer(i64),
    Text(&'a [u8]),
}

impl<'a> Element<'a> {
    /// Returns the element that stands for a text: an integer if the text is that of one.
    pub fn of(text: &'a [u8]) -> Element<'a> {
        let integer = if text.len() <= INTEGER_TEXT_MAX { parse_integer(text) } else { None };
        integer.map_or(Element::Text(text), Element::Integer)
    }

    /// Calls `visit` with the text of the element.
    pub fn with_text<R>(self, visit: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Element::Integer(integer) => visit(IntegerText::of(integer).as_bytes()),
            Element::Text(text) => visit(text),
        }
    }

    pub fn integer(self) -> Option<i64> {
        if let Element::Integer(integer) = self { Some(integer) } else { None }
    }

    /// Number of bytes with the reversed length.
    pub fn packed_len(self) -> usize {
        let len = match self {
            Element::Integer(integer) => 1 + integer_bytes(integer),
            Element::Text(text) => {
                let header_bytes = match text.len() {
                    len if len <= SHORT_MAX => 1,
                    len if len <= MEDIUM_MAX => 2,
                    _ => 5,
                };
                header_bytes + text.len()
            }
        };
        len + back_length_bytes(len)
    }

    /// Appends the element. The caller has reserved [`Element::packed_len`] bytes.
    pub fn append_to(self, out: &mut Vec<u8>) {
        let start = out.len();
        match self {
            Element::Integer(integer) => append_integer(integer, out),
            Element::Text(text) => {
                match text.len() {
                    len if len <= SHORT_MAX => out.push(0x80 | len as u8),
                    len if len <= MEDIUM_MAX => out.extend_from_slice(&[0xe0 | (len >> 8) as u8, len as u8]),
                    len => {
                        out.push(0xf0);
                        out.extend_from_slice(&(len as u32).to_le_bytes());
                    }
                }
                out.extend_from_slice(text);
            }
        }
        append_back_length(out.len() - start, out);
    }
}

/// Bytes of an integer behind its first byte.
fn integer_bytes(integer: i64) -> usize {
    match integer {
        0..=127 => 0,
        -4096..=4095 => 1,
        -0x8000..=0x7fff => 2,
        -0x80_0000..=0x7f_ffff => 3,
        -0x8000_0000..=0x7fff_ffff => 4,
        _ => 8,
    }
}

fn append_integer(integer: i64, out: &mut Vec<u8>) {
    let bytes = integer.to_le_bytes();
    match integer_bytes(integer) {
        0 => out.push(integer as u8),
        // A signed number of 13 bits.
        1 => out.extend_from_slice(&[0xc0 | (bytes[1] & 0x1f), bytes[0]]),
        len => {
            out.push(match len {
                2 => 0xf1,
                3 => 0xf2,
                4 => 0xf3,
                _ => 0xf4,
            });
            out.extend_from_slice(&bytes[..len]);
        }
    }
}

fn append_back_length(len: usize, out: &mut Vec<u8>) {
    let count = back_length_bytes(len) as u32;
    for index in (0..count).rev() {
        let more = if index + 1 < count { 0x80 } else { 0 };
        out.push((len >> (index * BACK_BITS)) as u8 & 0x7f | more);
    }
}

/// Number of bytes of the reversed length of an element's encoding and data.
pub fn back_length_bytes(len: usize) -> usize {
    match len {
        0..=0x7f => 1,
        0x80..=0x3fff => 2,
        0x4000..=0x1f_ffff => 3,
        0x20_0000..=0xfff_ffff => 4,
        _ => BACK_MAX_BYTES,
    }
}

/// Returns the element at an offset and the offset behind it; `None` for damage, or at the end.
pub fn element_at(bytes: &[u8], at: usize) -> Option<(Element<'_>, usize)> {
    let rest = bytes.get(at..)?;
    let text = |header: usize, len: usize| {
        let text = rest.get(header..header.checked_add(len)?)?;
        Some((Element::Text(text), header + len))
    };
    let (&encoding, data) = rest.split_first()?;
    let (element, len) = match encoding {
        0x00..=0x7f => (Element::Integer(encoding.into()), 1),
        0x80..=0xbf => text(1, usize::from(encoding & 0x3f))?,
        0xc0..=0xdf => {
            let bits = u16::from(encoding & 0x1f) << 8 | u16::from(*data.first()?);
            // Shifted up to the sign of 16 bits, and back.
            (Element::Integer(i64::from((bits << 3) as i16 >> 3)), 2)
        }
        0xe0..=0xef => text(2, usize::from(encoding & 0x0f) << 8 | usize::from(*data.first()?))?,
        0xf0 => text(5, u32::from_le_bytes(*data.first_chunk()?) as usize)?,
        0xf1 => (Element::Integer(i16::from_le_bytes(*data.first_chunk()?).into()), 3),
        0xf2 => {
            let [low, middle, high] = *data.first_chunk()?;
            (Element::Integer(i64::from(i32::from_le_bytes([0, low, middle, high]) >> 8)), 4)
        }
        0xf3 => (Element::Integer(i32::from_le_bytes(*data.first_chunk()?).into()), 5),
        0xf4 => (Element::Integer(i64::from_le_bytes(*data.first_chunk()?)), 9),
        _ => return None,
    };
    Some((element, at + len + back_length_bytes(len)))
}

/// Returns the element at an offset as [`element_at`] does; `None` also if its reversed length is wrong.
pub fn checked_element_at(bytes: &[u8], at: usize) -> Option<(Element<'_>, usize)> {
    let (element, next) = element_at(bytes, at)?;
    if start_before(bytes, next) == Some(at) { Some((element, next)) } else { None }
}

/// Returns the offset of the element that ends at an offset.
pub fn start_before(bytes: &[u8], end: usize) -> Option<usize> {
    let mut len = 0;
    for index in 0..BACK_MAX_BYTES {
        let byte = *bytes.get(end.checked_sub(index + 1)?)?;
        len |= usize::from(byte & 0x7f).checked_shl(index as u32 * BACK_BITS)?;
        if byte & 0x80 == 0 {
            return end.checked_sub(index + 1)?.checked_sub(len);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_read_back_in_both_directions() {
        let lens = [0, 63, 64, 122, 123, 4095, 4096, 16_378, 16_379, 2_097_146, 2_097_147];
        let texts: Vec<Vec<u8>> = lens.iter().map(|&len| alloc::vec![b'x'; len]).collect();
        let numbers = [0, 127, 128, 4095, 4096, -1, -4096, -4097, 32_767, 32_768, -8_388_608, 8_388_608, 1 << 40];
        let edges = [i32::MIN.into(), i32::MAX.into(), i64::from(i32::MAX) + 1, i64::MIN, i64::MAX];
        let integers = numbers.iter().chain(&edges).map(|&integer| Element::Integer(integer));
        let elements: Vec<Element> = integers.chain(texts.iter().map(|text| Element::of(text))).collect();
        let (mut packed, mut starts) = (Vec::new(), Vec::new());
        for element in &elements {
            starts.push(packed.len());
            element.append_to(&mut packed);
            assert_eq!(packed.len() - starts[starts.len() - 1], element.packed_len(), "{element:?}");
        }
        let mut at = 0;
        for (element, start) in elements.iter().zip(&starts) {
            assert_eq!(at, *start);
            let (read, next) = checked_element_at(&packed, at).unwrap();
            assert_eq!((read, start_before(&packed, next)), (*element, Some(*start)));
            at = next;
        }
        assert_eq!((at, element_at(&packed, at)), (packed.len(), None));
    }

    #[test]
    fn texts_of_integers_are_integers() {
        assert_eq!(Element::of(b"-12"), Element::Integer(-12));
        for text in [&b""[..], b"012", b"+1", b"1 ", b"99999999999999999999"] {
            assert_eq!(Element::of(text), Element::Text(text));
        }
        Element::Integer(-12).with_text(|text| assert_eq!(text, b"-12"));
    }

    #[test]
    fn damage_is_no_element() {
        let mut packed = Vec::new();
        Element::Text(b"abc").append_to(&mut packed);
        for end in 0..packed.len() {
            assert_eq!(checked_element_at(&packed[..end], 0), None);
        }
        packed[4] = 3;
        assert_eq!(checked_element_at(&packed, 0), None);
        assert_eq!((start_before(b"\xff\xff\xff\xff\xff", 5), start_before(b"", 0)), (None, None));
    }
}
