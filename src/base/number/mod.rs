//! Numbers in the text forms of Redis: strict integers here, long doubles and doubles in the files below.
//!
//! Contains text and arithmetic only: no keys, no replies, no error texts.

mod big;
mod binary;
mod decimal;
mod double;
mod long_double;
mod scan;
mod shortest;

use alloc::vec::Vec;

pub use double::{parse_double, parse_lenient_double, write_double, write_fixed};
pub use long_double::LongDouble;

/// Reads a signed 64-bit integer by Redis' rules for arguments and stored values: decimal digits after at most a minus
/// sign. Returns `None` for the empty text, `+1`, `-0`, `01`, blanks, and numbers out of range.
pub fn parse_integer(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] => {}
        _ => return None,
    }
    if digits.len() <= SAFE_DIGITS {
        let value = add_digits(0, digits)? as i64;
        return Some(if negative { -value } else { value });
    }
    // Counted downwards, because the negative range is larger by one.
    let (safe, rest) = digits.split_at(SAFE_DIGITS);
    let mut value = -(add_digits(0, safe)? as i64);
    for digit in rest {
        let digit = add_digits(0, core::slice::from_ref(digit))? as i64;
        value = value.checked_mul(10)?.checked_sub(digit)?;
    }
    if negative { Some(value) } else { value.checked_neg() }
}

/// Reads a leading integer as C's `strtoll` does. Returns the number and the text after it.
///
/// Blanks and a sign may precede the digits. A number out of range becomes the nearest limit. Without digits the number
/// is 0 and all of the text is returned.
pub fn leading_integer(text: &[u8]) -> (i64, &[u8]) {
    let (sign, unsigned) = match text.trim_ascii_start() {
        [b'-', unsigned @ ..] => (-1, unsigned),
        [b'+', unsigned @ ..] | unsigned => (1, unsigned),
    };
    let len = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = unsigned.split_at(len);
    if digits.is_empty() {
        return (0, text);
    }
    let add = |number: i64, digit: &u8| number.saturating_mul(10).saturating_add(sign * i64::from(digit - b'0'));
    (digits.iter().fold(0, add), rest)
}

/// Increments a non-negative decimal number in place and returns the new value.
///
/// Returns `None`, with nothing changed, if the text is no such number, is longer than `SAFE_DIGITS`, or would need
/// another digit.
#[inline(always)]
pub fn count_up(digits: &mut [u8]) -> Option<i64> {
    if digits.len() > SAFE_DIGITS || matches!(digits, [b'0', _, ..]) {
        return None;
    }
    let number = add_digits(0, digits)? as i64;
    add_one(digits).map(|()| number + 1)
}

/// Adds one to decimal digits; `None`, with nothing changed, if all are nines.
///
/// Recursive, because a loop would become a call of the library's memory fill. In WebAssembly that call leads out of
/// the module.
fn add_one(digits: &mut [u8]) -> Option<()> {
    let [above @ .., last] = digits else { return None };
    if *last == b'9' {
        add_one(above)?;
        *last = b'0';
    } else {
        *last += 1;
    }
    Some(())
}

/// Number of digits up to which a number is always in range.
const SAFE_DIGITS: usize = 18;

/// Appends decimal digits to those of `value`; `None` if a byte is no digit.
fn add_digits(value: u64, digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(value, |value, &byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(value.wrapping_mul(10).wrapping_add(digit.into()))
    })
}

/// Length of the longest integers: a sign and 19 digits, or 20 digits.
const TEXT_MAX: usize = 20;

/// Decimal text of an integer, without a heap allocation.
#[derive(Clone, Copy, Debug)]
pub struct IntegerText {
    text: [u8; TEXT_MAX],
    start: usize,
}

impl IntegerText {
    pub fn of(value: i64) -> IntegerText {
        let mut text = IntegerText::of_unsigned(value.unsigned_abs());
        if value < 0 {
            text.push_front(b'-');
        }
        text
    }

    fn of_unsigned(mut value: u64) -> IntegerText {
        let mut text = IntegerText { text: [0; TEXT_MAX], start: TEXT_MAX };
        // Compilers turn 32-bit divisions by a constant into a multiplication; in WebAssembly 64-bit divisions stay
        // slow, so one of them takes eight digits.
        while value > u32::MAX.into() {
            let mut digits = (value % 100_000_000) as u32;
            value /= 100_000_000;
            for _ in 0..4 {
                text.push_pair(digits % 100);
                digits /= 100;
            }
        }
        let mut value = value as u32;
        while value >= 100 {
            text.push_pair(value % 100);
            value /= 100;
        }
        match value {
            0..10 => text.push_front(b'0' + value as u8),
            _ => text.push_pair(value),
        }
        text
    }

    /// Prepends the two digits of a number below 100.
    #[inline(always)]
    fn push_pair(&mut self, value: u32) {
        let tens = value / 10;
        self.start -= 2;
        if let Some(pair) = self.text.get_mut(self.start..).and_then(|text| text.first_chunk_mut()) {
            *pair = [b'0' + tens as u8, b'0' + (value - tens * 10) as u8];
        }
    }

    fn push_front(&mut self, character: u8) {
        self.start -= 1;
        self.text[self.start] = character;
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.text[self.start..]
    }
}

/// Appends `value` in decimal.
pub fn write_integer(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(IntegerText::of(value).as_bytes());
}

/// Appends `value` in decimal.
pub fn write_unsigned(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(IntegerText::of_unsigned(value).as_bytes());
}

/// Returns whether the text has a minus sign, and the text after its sign.
fn split_sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    }
}

/// Whether the text, without its sign, is `inf` or `infinity` in any letter case.
fn is_infinity(bytes: &[u8]) -> bool {
    bytes.eq_ignore_ascii_case(b"inf") || bytes.eq_ignore_ascii_case(b"infinity")
}

/// Rounds `value * 2^exponent` half to even to `precision` bits. Fewer bits are kept if the exponent of the last bit
/// would fall below `lowest`. `sticky` means that bits below the last one were cut off earlier. Then `value` must have
/// at least two bits more than `precision`, so that the rounding position lies inside it.
///
/// Returns the mantissa and the exponent of its last bit. A mantissa of zero is an underflow. The exponent has no upper
/// bound, so the caller must test for overflow.
fn round_half_even(value: u128, exponent: i32, sticky: bool, precision: i32, lowest: i32) -> (u64, i32) {
    let length = 128 - value.leading_zeros() as i32;
    let dropped = (length - precision).max(lowest - exponent);
    if dropped <= 0 {
        return ((value << -dropped) as u64, exponent + dropped);
    }
    if dropped > length {
        return (0, lowest);
    }
    let kept = if dropped == 128 { 0 } else { value >> dropped };
    let half = 1u128 << (dropped - 1);
    let rest = value ^ if dropped == 128 { 0 } else { kept << dropped };
    let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
    let rounded = kept + u128::from(up);
    if rounded >> precision != 0 {
        return ((rounded >> 1) as u64, exponent + dropped + 1);
    }
    (rounded as u64, exponent + dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn digits_count_up_as_numbers_do() {
        for (digits, next) in [("0", 1), ("8", 9), ("19", 20), ("1099", 1100), ("4294967295", 4_294_967_296)] {
            let mut counted = digits.as_bytes().to_vec();
            assert_eq!(count_up(&mut counted), Some(next));
            assert_eq!(counted, next.to_string().into_bytes());
        }
        for refused in
            ["", "9", "999", "-5", "-10", "01", "1a", "a", "1 ", ":0", "9223372036854775807", "99999999999999999999"]
        {
            let mut digits = refused.as_bytes().to_vec();
            assert_eq!(count_up(&mut digits), None, "{refused}");
            assert_eq!(digits, refused.as_bytes());
        }
    }

    #[test]
    fn integers_are_strict() {
        for text in ["", "-", "+1", "-0", "01", "-01", "00", " 1", "1 ", "1.0", "1e3", "0x10", "9223372036854775808"] {
            assert_eq!(parse_integer(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(parse_integer(b"-9223372036854775809"), None);
        assert_eq!(parse_integer(b"99999999999999999999999999"), None);
        assert_eq!(parse_integer(b"1234567890123456:8"), None);
        assert_eq!(parse_integer(b"12345678901234567/8"), None);
        let nearly_all = 999_999_999_999_999_999;
        let long = [nearly_all, nearly_all + 1, -nearly_all, -nearly_all - 1, u32::MAX.into(), 1 << 32, -1 << 32];
        let short = [0, 1, -1, 9, 10, -10, 99, 100, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1];
        for value in short.into_iter().chain(long) {
            let text = value.to_string();
            assert_eq!(parse_integer(text.as_bytes()), Some(value));
            let mut out = Vec::new();
            write_integer(value, &mut out);
            assert_eq!(out, text.as_bytes());
        }
        for value in [0, 9, u32::MAX.into(), 1 << 32, u64::MAX] {
            let mut out = Vec::new();
            write_unsigned(value, &mut out);
            assert_eq!(out, value.to_string().as_bytes());
        }
    }

    #[test]
    fn rounding_is_half_to_even_with_a_floor() {
        assert_eq!(round_half_even(0b1011, 0, false, 3, -100), (0b110, 1));
        assert_eq!(round_half_even(0b1001, 0, false, 3, -100), (0b100, 1));
        assert_eq!(round_half_even(0b1111, 0, false, 3, -100), (0b100, 2));
        assert_eq!(round_half_even(0b1, 0, false, 3, -100), (0b100, -2));
        assert_eq!(round_half_even(0b100100, 0, true, 3, -100), (0b101, 3));
        assert_eq!(round_half_even(0b1, -1, false, 3, 0), (0, 0));
        assert_eq!(round_half_even(0b11, -1, false, 3, 0), (0b10, 0));
        assert_eq!(round_half_even(u128::MAX, 0, false, 64, 128), (1, 128));
        assert_eq!(round_half_even(1 << 127, 0, false, 64, 128), (0, 128));
        assert_eq!(round_half_even(u128::MAX, 0, false, 64, 129), (0, 129));
    }
}
