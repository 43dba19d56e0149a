//! Byte strings of a packed hash. The decimal text of an integer is stored as the integer.

use core::fmt;
use core::ops::Deref;

use crate::base::number::parse_integer;

/// Length of the longest decimal text of a 64-bit integer.
const DIGITS_MAX: usize = 20;
const NUMBER_BYTES: usize = 8;

/// Byte string, borrowed or printed from a stored integer.
#[derive(Clone, Copy)]
pub struct Text<'a>(Form<'a>);

#[derive(Clone, Copy)]
enum Form<'a> {
    Bytes(&'a [u8]),
    /// Decimal text, from `start` on.
    Digits {
        digits: [u8; DIGITS_MAX],
        start: u8,
    },
}

impl<'a> Text<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Text<'a> {
        Text(Form::Bytes(bytes))
    }

    fn of_number(number: i64) -> Text<'a> {
        let (mut digits, mut start) = ([0; DIGITS_MAX], DIGITS_MAX);
        let mut rest = number.unsigned_abs();
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            // At most 19 digits follow, so the sign fits.
            start -= 1;
            digits[start] = b'-';
        }
        Text(Form::Digits { digits, start: start as u8 })
    }
}

impl Deref for Text<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Form::Bytes(bytes) => bytes,
            Form::Digits { digits, start } => digits.get(usize::from(*start)..).unwrap_or_default(),
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Text<'_>) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "\"{}\"", self.escape_ascii())
    }
}

/// Stored form of a byte string in a packed hash. Equal strings have equal forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coded<'a> {
    pub(super) is_number: bool,
    pub(super) bytes: &'a [u8],
}

impl<'a> Coded<'a> {
    /// Encodes `bytes`; an integer is written to `buffer`.
    pub(super) fn of(bytes: &'a [u8], buffer: &'a mut [u8; NUMBER_BYTES]) -> Coded<'a> {
        match parse_integer(bytes) {
            None => Coded { is_number: false, bytes },
            Some(number) => {
                *buffer = number.to_le_bytes();
                Coded { is_number: true, bytes: &buffer[..number_len(number)] }
            }
        }
    }

    pub(super) fn text(self) -> Text<'a> {
        match self.is_number {
            false => Text::of(self.bytes),
            true => Text::of_number(number(self.bytes)),
        }
    }
}

/// Returns an empty buffer for [`Coded::of`].
pub(super) fn number_buffer() -> [u8; NUMBER_BYTES] {
    [0; NUMBER_BYTES]
}

/// Number of bytes needed for an integer and its sign.
fn number_len(number: i64) -> usize {
    let magnitude = if number < 0 { !number } else { number };
    // One bit more, for the sign.
    (65 - magnitude.leading_zeros() as usize).div_ceil(8)
}

fn number(bytes: &[u8]) -> i64 {
    let fill = if bytes.last().is_some_and(|last| last & 0x80 != 0) { 0xff } else { 0 };
    let mut number = [fill; NUMBER_BYTES];
    let len = bytes.len().min(NUMBER_BYTES);
    number[..len].copy_from_slice(&bytes[..len]);
    i64::from_le_bytes(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn encoded_text_decodes_to_itself() {
        for bits in 0..64 {
            for near in [-1, 0, 1] {
                for sign in [1, -1] {
                    let number = (1i64 << bits).wrapping_mul(sign).wrapping_add(near);
                    let (text, mut buffer) = (number.to_string(), number_buffer());
                    let coded = Coded::of(text.as_bytes(), &mut buffer);
                    assert!(coded.is_number && coded.bytes.len() <= text.len(), "{text}");
                    assert_eq!(&*coded.text(), text.as_bytes());
                }
            }
        }
        for (number, len) in [(0, 1), (127, 1), (128, 2), (-128, 1), (-129, 2), (i64::MAX, 8), (i64::MIN, 8)] {
            assert_eq!(number_len(number), len);
        }
        for text in ["", "x", "007", "-0", "+1", "1.5", "9223372036854775808"] {
            let mut buffer = number_buffer();
            let coded = Coded::of(text.as_bytes(), &mut buffer);
            assert!(!coded.is_number);
            assert_eq!(&*coded.text(), text.as_bytes());
        }
    }
}
