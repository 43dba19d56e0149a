//! Doubles in the text forms of Redis: scores, coordinates, and the doubles of RESP3.
//!
//! Digits are the shortest that read back as the same double. Their layout follows fpconv, which Redis has used since
//! 7.2.

use super::binary::{LOWEST_EXPONENT, PRECISION};
use super::decimal::{self, Decimal};
use super::scan::{Hex, Shape};
use super::shortest::Digits;
use super::{is_infinity, round_half_even, split_sign, write_integer, write_unsigned};
use alloc::vec::Vec;

/// Exponent of two of the mantissa's last bit in the largest numbers.
const HIGHEST_EXPONENT: i32 = 971;

/// Decimal exponents of the first digit beyond which a number certainly overflows, or certainly rounds to zero.
const DECIMAL_HIGHEST: i32 = 309;
const DECIMAL_LOWEST: i32 = -326;
/// Number of digits up to which an integer, and the power of ten of as many decimals, are exact doubles.
const SHORT_DIGITS_MAX: usize = 15;

/// Largest whole number printed with all its digits: half the range of i64, as in Redis.
const WHOLE_LIMIT: f64 = 4_611_686_018_427_387_904.0;

/// Reads decimal and hexadecimal floats, `inf` and `infinity`, as C's `strtod` does; the whole text must be the number.
/// Returns `None` for blanks, not-a-number, overflow to infinity and underflow to zero.
pub fn parse_double(bytes: &[u8]) -> Option<f64> {
    let (value, is_in_range) = parse_any(bytes)?;
    is_in_range.then_some(value)
}

/// Reads a double as C's `strtod` does when its error code is ignored. Leading blanks are skipped, empty text is zero,
/// and a number out of range is infinity or zero.
pub fn parse_lenient_double(bytes: &[u8]) -> Option<f64> {
    if bytes.is_empty() {
        return Some(0.0);
    }
    let (value, _) = parse_any(bytes.trim_ascii_start())?;
    Some(value)
}

/// Returns the number, and whether it is in the range of doubles.
fn parse_any(bytes: &[u8]) -> Option<(f64, bool)> {
    let (negative, text) = split_sign(bytes);
    let (magnitude, is_in_range) = match text {
        _ if is_infinity(text) => (f64::INFINITY, true),
        [b'0', b'x' | b'X', digits @ ..] => parse_hex(digits)?,
        _ => parse_decimal(text)?,
    };
    Some((if negative { -magnitude } else { magnitude }, is_in_range))
}

fn parse_decimal(text: &[u8]) -> Option<(f64, bool)> {
    if let Some(value) = parse_short(text) {
        return Some((value, true));
    }
    Some(match decimal::read(text, DECIMAL_LOWEST..=DECIMAL_HIGHEST)? {
        Decimal::Zero => (0.0, true),
        Decimal::TooSmall => (0.0, false),
        Decimal::TooLarge => (f64::INFINITY, false),
        Decimal::Binary { value, exponent, sticky } => rounded(value, exponent, sticky),
    })
}

/// Reads numbers of up to 15 digits without an exponent, the usual case. Digits and power of ten are exact doubles, so
/// one division rounds once.
fn parse_short(text: &[u8]) -> Option<f64> {
    let shape = Shape::of(text, false)?;
    if shape.exponent != 0 || shape.whole.len() + shape.fraction.len() > SHORT_DIGITS_MAX {
        return None;
    }
    let digits = shape.digits().fold(0u64, |value, digit| value * 10 + u64::from(digit - b'0'));
    let scale = 10u64.pow(shape.fraction.len() as u32);
    Some(digits as f64 / scale as f64)
}

fn parse_hex(digits: &[u8]) -> Option<(f64, bool)> {
    let hex = Hex::parse(digits)?;
    if hex.mantissa == 0 { Some((0.0, true)) } else { Some(rounded(hex.mantissa, hex.exponent, hex.sticky)) }
}

/// Returns the double nearest to `value * 2^exponent`, and whether it is neither zero nor infinite.
fn rounded(value: u128, exponent: i32, sticky: bool) -> (f64, bool) {
    let (mantissa, exponent) = round_half_even(value, exponent, sticky, PRECISION, LOWEST_EXPONENT);
    if mantissa == 0 || exponent > HIGHEST_EXPONENT {
        return (if mantissa == 0 { 0.0 } else { f64::INFINITY }, false);
    }
    // If the leading bit is set, the biased exponent is at least one. The addition counts that bit into the exponent.
    let is_normal = mantissa >> (PRECISION - 1) != 0;
    let biased = if is_normal { (exponent - LOWEST_EXPONENT) as u64 } else { 0 };
    (f64::from_bits((biased << (PRECISION - 1)) + mantissa), true)
}

/// Appends the shortest text that reads back as `value`, in the layout of Redis 8: whole numbers up to 2^62 in full,
/// very large and very small ones with an exponent (`1e+20`, `-1.5e-7`), `inf`, `-inf`, `nan`, `-0`.
pub fn write_double(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(b"nan");
        return;
    }
    if value.is_sign_negative() && (value == 0.0 || value.is_infinite()) {
        out.push(b'-');
    }
    if value.is_infinite() {
        out.extend_from_slice(b"inf");
    } else if value.abs() <= WHOLE_LIMIT && (value as i64) as f64 == value {
        write_integer(value as i64, out);
    } else {
        write_digits(value, out);
    }
}

/// Appends `value` with `decimals` decimals, at most 9, rounded half to even. Numbers of more than 18 digits are
/// written by [`write_double`].
pub fn write_fixed(value: f64, decimals: usize, out: &mut Vec<u8>) {
    let scale = 10u64.pow(decimals.min(9) as u32);
    let scaled = libm::rint(value.abs() * scale as f64);
    if scaled.is_nan() || scaled >= 1e18 {
        return write_double(value, out);
    }
    let scaled = scaled as u64;
    if value.is_sign_negative() {
        out.push(b'-');
    }
    write_unsigned(scaled / scale, out);
    let point = out.len();
    // The additional first digit keeps leading zeros and is then overwritten by the point.
    write_unsigned(scale + scaled % scale, out);
    out[point] = b'.';
}

fn write_digits(value: f64, out: &mut Vec<u8>) {
    if value < 0.0 {
        out.push(b'-');
    }
    let found = Digits::of(value.abs());
    let digits = found.as_slice();
    let count = digits.len() as i32;
    // Exponent of ten of the first digit.
    let exponent = found.scale + count - 1;
    if found.scale >= 0 && exponent < count + 7 {
        out.extend_from_slice(digits);
        out.extend(core::iter::repeat_n(b'0', found.scale as usize));
    } else if found.scale < 0 && (found.scale > -7 || exponent.abs() < 4) {
        write_point(digits, found.scale, out);
    } else {
        out.push(digits[0]);
        if count > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
        write_integer(i64::from(exponent.abs()), out);
    }
}

/// Appends digits with a point among or before them; `scale` is negative.
fn write_point(digits: &[u8], scale: i32, out: &mut Vec<u8>) {
    let decimals = scale.unsigned_abs() as usize;
    match digits.len().checked_sub(decimals) {
        Some(whole) if whole > 0 => {
            out.extend_from_slice(&digits[..whole]);
            out.push(b'.');
            out.extend_from_slice(&digits[whole..]);
        }
        _ => {
            out.extend_from_slice(b"0.");
            out.extend(core::iter::repeat_n(b'0', decimals - digits.len()));
            out.extend_from_slice(digits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use alloc::format;
    use alloc::string::String;

    fn printed(value: f64) -> String {
        let mut out = Vec::new();
        write_double(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn decimals_can_be_counted() {
        let cases = [(0.0, "0.0000"), (166_274.151_57, "166274.1516"), (-0.25, "-0.2500"), (12.00999, "12.0100")];
        for (value, text) in cases.into_iter().chain([(f64::INFINITY, "inf"), (1e300, "1e+300")]) {
            let mut out = Vec::new();
            write_fixed(value, 4, &mut out);
            assert_eq!(out, text.as_bytes());
        }
    }

    #[test]
    fn the_lenient_reader_accepts_all_input_of_strtod() {
        let cases = [("", 0.0), (" 1", 1.0), ("1e400", f64::INFINITY), ("-1e400", f64::NEG_INFINITY), ("1e-400", 0.0)];
        for (text, value) in cases.into_iter().chain([("0x1p5000", f64::INFINITY), ("0x10", 16.0), ("-2.5", -2.5)]) {
            assert_eq!(parse_lenient_double(text.as_bytes()), Some(value), "{text:?}");
        }
        for text in [" ", "1 ", "nan", "-", "abc", "1e"] {
            assert_eq!(parse_lenient_double(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn prints_as_redis_does() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (3.0, "3"),
            (-3.0, "-3"),
            (0.1, "0.1"),
            (1.5, "1.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e17, "100000000000000000"),
            (1e18, "1000000000000000000"),
            (4611686018427387904.0, "4611686018427387904"),
            (1e19, "1e+19"),
            (1e20, "1e+20"),
            (-1e21, "-1e+21"),
            (1.2345678e25, "1.2345678e+25"),
            (-1.5e-7, "-1.5e-7"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (0.000123456789, "1.23456789e-4"),
            (0.00123456789, "0.00123456789"),
            (123456.789, "123456.789"),
            (12345.6789012345, "1.23456789012345e+4"),
            (13.361389338970184, "13.361389338970184"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ];
        for (value, expected) in cases {
            assert_eq!(printed(value), expected);
        }
    }

    #[test]
    fn reads_as_strtod_does() {
        let cases = [
            (".5", 0.5),
            ("5.", 5.0),
            ("+3.0e0", 3.0),
            ("0x1p3", 8.0),
            ("0X10", 16.0),
            ("-0x.8", -0.5),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("0e999999", 0.0),
            ("5e-324", 5e-324),
            ("0x1p-1074", 5e-324),
            ("0x1.fffffffffffffp1023", f64::MAX),
            ("0x1.00000000000008", 1.0),
            ("0x1.000000000000080001", 1.0 + f64::EPSILON),
            ("0x0.fffffffffffffp-1022", f64::from_bits((1 << 52) - 1)),
            ("0x0.fffffffffffff8p-1022", f64::MIN_POSITIVE),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_double(text.as_bytes()), Some(expected), "{text}");
        }
        let refused = [
            "", " 1", "1 ", "nan", "-nan", "1,5", "1e", "1.2.3", ".", "+-1", "--1", "0x", "infi", "1e309", "-1e309",
            "1e-400",
        ];
        for text in refused {
            assert_eq!(parse_double(text.as_bytes()), None, "{text:?}");
        }
        for text in
            ["0x1p1024", "0x1.fffffffffffff8p1023", "0x1p-1076", "0x1p99999999999", "1e99999999999", "+inf+", "1\0"]
        {
            assert_eq!(parse_double(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn every_printed_double_reads_back() {
        let mut random = Random::new(3);
        for round in 0..50_000u32 {
            let bits = random.next_u64();
            let value =
                if round % 2 == 0 { f64::from_bits(bits) } else { (bits as i64 >> (bits % 60)) as f64 / 1000.0 };
            if value.is_nan() {
                continue;
            }
            let text = printed(value);
            assert_eq!(parse_double(text.as_bytes()).map(f64::to_bits), Some(value.to_bits()), "{text}");
            assert!(text.len() <= 25, "{text}");
        }
    }

    /// Uses the standard library's parser, which is correct but large.
    #[test]
    fn agrees_with_the_library_on_random_and_on_awkward_texts() {
        let mut random = Random::new(23);
        let mut texts: Vec<String> = Vec::new();
        for _ in 0..40_000 {
            let exponent = random.below(700) as i32 - 350;
            let digits = random.next_u64() >> random.below(64);
            texts.push(format!("{digits}e{exponent}"));
            texts.push(format!("{}.{digits:05}", random.below(100_000)));
            let double = f64::from_bits(random.next_u64());
            if double.is_finite() {
                texts.push(format!("{:e}", double.abs()));
            }
        }
        // Halfway between two doubles, and just beside that, with digits beyond the limit of those kept.
        let half = "9007199254740993";
        texts.extend([half.into(), format!("{half}.{}1", "0".repeat(6_000)), format!("{half}{}e-30", "0".repeat(30))]);
        for text in texts {
            let expected: f64 = text.parse().unwrap();
            let zero = text.bytes().take_while(|byte| *byte != b'e').all(|byte| matches!(byte, b'0' | b'.'));
            let expected = (expected.is_finite() && (expected != 0.0 || zero)).then_some(expected);
            assert_eq!(parse_double(text.as_bytes()).map(f64::to_bits), expected.map(f64::to_bits), "{text:.60}");
        }
    }

    #[test]
    fn noise_does_not_panic() {
        let mut random = Random::new(11);
        let letters = b"0123456789.eE+-xXpPaf\xff";
        for _ in 0..20_000 {
            let length = random.below(24);
            let text: Vec<u8> = (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect();
            parse_double(&text);
        }
    }
}
