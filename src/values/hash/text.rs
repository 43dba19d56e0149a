//! Byte strings of a packed hash: the text of an integer lies there as that integer.

use core::fmt;
use core::ops::Deref;

use crate::base::number::parse_integer;

/// The longest text of an integer of 64 bits.
const DIGITS_MAX: usize = 20;
const NUMBER_BYTES: usize = 8;

/// A byte string, where it lies or printed from the integer that lies there.
#[derive(Clone, Copy)]
pub struct Text<'a>(Form<'a>);

#[derive(Clone, Copy)]
enum Form<'a> {
    Bytes(&'a [u8]),
    /// From `start` on.
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
            // 19 digits at most stand behind it.
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

/// A byte string as it lies in a packed hash. Equal strings lie there alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coded<'a> {
    pub(super) is_number: bool,
    pub(super) bytes: &'a [u8],
}

impl<'a> Coded<'a> {
    /// `space` is where an integer is written.
    pub(super) fn of(bytes: &'a [u8], space: &'a mut [u8; NUMBER_BYTES]) -> Coded<'a> {
        match parse_integer(bytes) {
            None => Coded { is_number: false, bytes },
            Some(number) => {
                *space = number.to_le_bytes();
                Coded { is_number: true, bytes: &space[..number_len(number)] }
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

/// Room for [`Coded::of`].
pub(super) fn space() -> [u8; NUMBER_BYTES] {
    [0; NUMBER_BYTES]
}

/// The fewest bytes that hold a number with its sign.
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
    fn what_goes_in_comes_out() {
        for bits in 0..64 {
            for near in [-1, 0, 1] {
                for sign in [1, -1] {
                    let number = (1i64 << bits).wrapping_mul(sign).wrapping_add(near);
                    let (text, mut space) = (number.to_string(), space());
                    let coded = Coded::of(text.as_bytes(), &mut space);
                    assert!(coded.is_number && coded.bytes.len() <= text.len(), "{text}");
                    assert_eq!(&*coded.text(), text.as_bytes());
                }
            }
        }
        for (number, len) in [(0, 1), (127, 1), (128, 2), (-128, 1), (-129, 2), (i64::MAX, 8), (i64::MIN, 8)] {
            assert_eq!(number_len(number), len);
        }
        for text in ["", "x", "007", "-0", "+1", "1.5", "9223372036854775808"] {
            let mut space = space();
            let coded = Coded::of(text.as_bytes(), &mut space);
            assert!(!coded.is_number);
            assert_eq!(&*coded.text(), text.as_bytes());
        }
    }
}
