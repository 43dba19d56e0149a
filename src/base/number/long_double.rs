//! The x86 80-bit extended float in software, so that INCRBYFLOAT and HINCRBYFLOAT answer alike on every target.
//!
//! Reads as C's `strtold` does, adds with one rounding (half to even), prints as `%.17Lf` without trailing zeros.

use super::big::Big;
use super::binary::parts;
use super::decimal::{self, Decimal};
use super::scan::Hex;
use super::{is_infinity, round_half_even, split_sign, write_unsigned};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Bits of the mantissa; the first is explicit in this format.
const PRECISION: i32 = 64;
/// Powers of two of the mantissa's last bit: in the smallest numbers (also the subnormal ones) and in the largest.
const LOWEST_EXPONENT: i32 = -16445;
const HIGHEST_EXPONENT: i32 = 16320;
/// The exponent that marks infinity (mantissa 0) and not-a-number (mantissa 1).
const SPECIAL: i32 = HIGHEST_EXPONENT + 1;
/// Redis copies the text into a buffer of this many bytes with a NUL behind it, and refuses what does not fit.
const TEXT_BUFFER_BYTES: usize = 5 * 1024;
/// Decimal places printed.
const PLACES: u32 = 17;
/// Decimal exponents of the first digit beyond which a number is certainly too large, or certainly rounds to zero.
const DECIMAL_HIGHEST: i32 = 4940;
const DECIMAL_LOWEST: i32 = -4960;

/// One 80-bit extended number: `mantissa * 2^exponent` with a sign.
///
/// The mantissa's top bit is set unless the exponent is the lowest one; zero has the lowest exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongDouble {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

impl Default for LongDouble {
    /// Zero.
    fn default() -> LongDouble {
        LongDouble::zero(false)
    }
}

impl LongDouble {
    /// The same number: every double is one.
    pub fn from_double(value: f64) -> LongDouble {
        let negative = value.is_sign_negative();
        if !value.is_finite() {
            return LongDouble { mantissa: value.is_nan().into(), ..LongDouble::infinite(negative) };
        }
        let (mantissa, exponent) = parts(value);
        LongDouble::rounded(negative, mantissa.into(), exponent, false)
    }

    /// Reads decimal and hexadecimal floats, `inf` and `infinity`, by the rules of Redis' `string2ld`: the whole
    /// text must be the number. Refuses blanks, not-a-number, numbers that overflow to infinity or underflow to
    /// zero, and texts of 5120 bytes and more.
    pub fn parse(bytes: &[u8]) -> Option<LongDouble> {
        if bytes.len() >= TEXT_BUFFER_BYTES {
            return None;
        }
        let (negative, text) = split_sign(bytes);
        if is_infinity(text) {
            return Some(LongDouble::infinite(negative));
        }
        let value = match text {
            [b'0', b'x' | b'X', digits @ ..] => parse_hex(negative, digits)?,
            digits => parse_decimal(negative, digits)?,
        };
        value.is_finite().then_some(value)
    }

    /// The sum, rounded once, half to even. Too large a sum is infinite; infinities of opposite sign give
    /// not-a-number.
    pub fn add(self, other: LongDouble) -> LongDouble {
        match (self.is_finite(), other.is_finite()) {
            (true, true) => {}
            (false, true) => return self,
            (true, false) => return other,
            (false, false) if self == other => return self,
            (false, false) => return LongDouble { negative: false, mantissa: 1, exponent: SPECIAL },
        }
        let (larger, smaller) = match self.compare_magnitude(other) {
            Ordering::Less => (other, self),
            _ => (self, other),
        };
        let distance = (larger.exponent - smaller.exponent) as u32;
        // 63 spare bits below: with one of them lost to cancellation the rounding position is still inside, and
        // where more is lost the distance is at most one and the sum exact.
        let wide = u128::from(larger.mantissa) << 63;
        let narrow = u128::from(smaller.mantissa) << 63;
        let aligned = narrow.checked_shr(distance).unwrap_or(0);
        let sticky = aligned.checked_shl(distance).unwrap_or(0) != narrow;
        let exponent = larger.exponent - 63;
        if self.negative == other.negative {
            return LongDouble::rounded(self.negative, wide + aligned, exponent, sticky);
        }
        let difference = wide - aligned - u128::from(sticky);
        LongDouble::rounded(larger.negative && difference != 0, difference, exponent, sticky)
    }

    /// The product with a small whole number, rounded once, half to even.
    pub fn times(self, factor: u32) -> LongDouble {
        if !self.is_finite() {
            return self;
        }
        LongDouble::rounded(self.negative, u128::from(self.mantissa) * u128::from(factor), self.exponent, false)
    }

    /// The smallest whole number that is not less; `None` beyond the range of 64 bits.
    pub fn ceil(self) -> Option<i64> {
        if !self.is_finite() || self.exponent > 0 {
            return None;
        }
        let bits = self.exponent.unsigned_abs();
        let whole = self.mantissa.checked_shr(bits).unwrap_or(0);
        let is_whole = whole.checked_shl(bits).unwrap_or(0) == self.mantissa;
        match self.negative {
            true => 0i64.checked_sub_unsigned(whole),
            false => i64::try_from(whole).ok()?.checked_add(i64::from(!is_whole)),
        }
    }

    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// Neither infinite nor not-a-number.
    pub fn is_finite(self) -> bool {
        self.exponent != SPECIAL
    }

    /// Appends the number with up to 17 decimals, trailing zeros and a trailing point cut; never an exponent, and
    /// never a minus sign before a plain `0`.
    pub fn write(self, out: &mut Vec<u8>) {
        if !self.is_finite() {
            let text: &[u8] = match (self.mantissa, self.negative) {
                (0, false) => b"inf",
                (0, true) => b"-inf",
                _ => b"nan",
            };
            out.extend_from_slice(text);
            return;
        }
        if self.exponent >= 0 {
            self.write_sign(out);
            self.write_whole(out);
            return;
        }
        let (whole, fraction) = self.in_units(10u64.pow(PLACES));
        if whole != 0 || fraction != 0 {
            self.write_sign(out);
        }
        write_unsigned(whole, out);
        write_fraction(fraction, out);
    }

    /// Appends the number with so many decimals, from 1 to 17, as C's `%f` does.
    pub fn write_fixed(self, places: u32, out: &mut Vec<u8>) {
        if !self.is_finite() {
            return self.write(out);
        }
        self.write_sign(out);
        let scale = 10u64.pow(places);
        let mut decimals = 0;
        if self.exponent >= 0 {
            self.write_whole(out);
        } else {
            let (whole, fraction) = self.in_units(scale);
            write_unsigned(whole, out);
            decimals = fraction;
        }
        let point = out.len();
        // One digit more in front keeps the zeros; the point takes its place.
        write_unsigned(scale + decimals, out);
        out[point] = b'.';
    }

    /// The digits of a number whose exponent is not negative.
    fn write_whole(self, out: &mut Vec<u8>) {
        let mut whole = Big::from_u64(self.mantissa);
        whole.shift_left(self.exponent as u32);
        write_big(whole, out);
    }

    /// A number whose exponent is negative, as a whole part and units of one over `scale`, which is at most 10^17; rounded half
    /// to even.
    fn in_units(self, scale: u64) -> (u64, u64) {
        // Mantissa times 10^17 is below 2^121, so 128 bits hold it, and a shift by more leaves less than a half.
        let scaled = shift_right_half_even(u128::from(self.mantissa) * u128::from(scale), self.exponent.unsigned_abs());
        ((scaled / u128::from(scale)) as u64, (scaled % u128::from(scale)) as u64)
    }

    fn write_sign(self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
    }

    fn infinite(negative: bool) -> LongDouble {
        LongDouble { negative, mantissa: 0, exponent: SPECIAL }
    }

    fn zero(negative: bool) -> LongDouble {
        LongDouble { negative, mantissa: 0, exponent: LOWEST_EXPONENT }
    }

    /// Both finite. Zero has the lowest exponent, so it is the smallest.
    fn compare_magnitude(self, other: LongDouble) -> Ordering {
        self.exponent.cmp(&other.exponent).then(self.mantissa.cmp(&other.mantissa))
    }

    /// `value * 2^exponent`, rounded; the rule for `sticky` is that of [`round_half_even`].
    fn rounded(negative: bool, value: u128, exponent: i32, sticky: bool) -> LongDouble {
        if value == 0 {
            return LongDouble::zero(negative);
        }
        let (mantissa, exponent) = round_half_even(value, exponent, sticky, PRECISION, LOWEST_EXPONENT);
        match mantissa {
            0 => LongDouble::zero(negative),
            _ if exponent > HIGHEST_EXPONENT => LongDouble::infinite(negative),
            _ => LongDouble { negative, mantissa, exponent },
        }
    }

    /// The rounded value of a text whose digits are not all zero, or `None` when it rounded to zero.
    fn nonzero(self) -> Option<LongDouble> {
        (self.mantissa != 0).then_some(self)
    }
}

/// `digits` without sign and `0x`. An overflow comes back as infinity.
fn parse_hex(negative: bool, digits: &[u8]) -> Option<LongDouble> {
    let hex = Hex::parse(digits)?;
    if hex.mantissa == 0 {
        return Some(LongDouble::zero(negative));
    }
    LongDouble::rounded(negative, hex.mantissa, hex.exponent, hex.sticky).nonzero()
}

/// `text` without sign. An overflow comes back as infinity.
fn parse_decimal(negative: bool, text: &[u8]) -> Option<LongDouble> {
    match decimal::read(text, DECIMAL_LOWEST..=DECIMAL_HIGHEST)? {
        Decimal::Zero => Some(LongDouble::zero(negative)),
        Decimal::TooSmall => None,
        Decimal::TooLarge => Some(LongDouble::infinite(negative)),
        Decimal::Binary { value, exponent, sticky } => LongDouble::rounded(negative, value, exponent, sticky).nonzero(),
    }
}

fn shift_right_half_even(value: u128, bits: u32) -> u128 {
    if bits >= 128 {
        return 0;
    }
    let kept = value >> bits;
    let rest = value - (kept << bits);
    let half = 1u128 << (bits - 1);
    kept + u128::from(rest > half || (rest == half && kept & 1 == 1))
}

/// Appends the point and the decimals, or nothing when all are zero.
fn write_fraction(fraction: u64, out: &mut Vec<u8>) {
    if fraction == 0 {
        return;
    }
    out.push(b'.');
    let mut scale = 10u64.pow(PLACES - 1);
    let mut rest = fraction;
    while rest != 0 {
        out.push(b'0' + (rest / scale) as u8);
        rest %= scale;
        scale /= 10;
    }
}

fn write_big(mut value: Big, out: &mut Vec<u8>) {
    const CHUNK: u32 = 1_000_000_000;
    let mut chunks = Vec::new();
    while !value.is_zero() {
        chunks.push(value.divide(CHUNK));
    }
    let Some(first) = chunks.pop() else {
        out.push(b'0');
        return;
    };
    write_unsigned(u64::from(first), out);
    for chunk in chunks.into_iter().rev() {
        let mut scale = CHUNK / 10;
        while scale != 0 {
            out.push(b'0' + (chunk / scale % 10) as u8);
            scale /= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use alloc::format;
    use alloc::string::String;

    fn parse(text: &str) -> Option<LongDouble> {
        LongDouble::parse(text.as_bytes())
    }

    fn sum(left: &str, right: &str) -> String {
        let (left, right) = (parse(left).unwrap(), parse(right).unwrap());
        let mut out = Vec::new();
        left.add(right).write(&mut out);
        String::from_utf8(out).unwrap()
    }

    /// Sums a Redis 8.6.3 and a Redis 7.0.15 on x86 answered.
    #[test]
    fn sums_are_those_of_a_real_server() {
        let cases = [
            ("0", "1.5", "1.5"),
            ("1.8", "-1.8", "0"),
            ("10.50", "0.1", "10.6"),
            ("5.0e3", "200", "5200"),
            ("0.1", "0.2", "0.3"),
            ("1", "1e20", "100000000000000000000"),
            ("1", "1e-30", "1"),
            ("1.5", "1.23456789012345678", "2.73456789012345678"),
            ("3.0", "1.000000000000000005", "4.00000000000000001"),
            ("0", "1.1e-10", "0.00000000011"),
            ("9007199254740993", "1", "9007199254740994"),
            ("123456789012345678901234567890", "0.1", "123456789012345678899921813504"),
            ("0", "-0.0", "0"),
            ("-0.0", "-0.0", "0"),
            ("0", "-1e-18", "0"),
            ("0x10", "1", "17"),
            ("100000000000000000", "0.01", "100000000000000000.0078125"),
            ("0", "5e-324", "0"),
            ("0x.8p1", "0x1p-1", "1.5"),
            ("1e4000", "-1e4000", "0"),
        ];
        for (left, right, expected) in cases {
            assert_eq!(sum(left, right), expected, "{left} + {right}");
        }
    }

    #[test]
    fn products_are_rounded_and_whole_numbers_are_the_next_above() {
        let ceiling = |text: &str, factor: u32| parse(text).unwrap().times(factor).ceil();
        let cases = [
            ("0", 1, Some(0)),
            ("-0", 1, Some(0)),
            ("1.5", 1, Some(2)),
            ("-1.5", 1, Some(-1)),
            ("0.001", 1000, Some(1)),
            // A real server takes -0.001 seconds for 0 ms: the product is above -1 by one unit of the last place.
            ("-0.001", 1000, Some(0)),
            ("-0.002", 1000, Some(-1)),
            ("1e-4940", 1000, Some(1)),
            ("9223372036854775807", 1, Some(i64::MAX)),
            ("9223372036854775808", 1, None),
            ("-9223372036854775808", 1, Some(i64::MIN)),
            ("-9223372036854775809.5", 1, None),
            ("1e300", 1000, None),
            ("1e4932", 1000, None),
            ("inf", 1000, None),
        ];
        for (text, factor, expected) in cases {
            assert_eq!(ceiling(text, factor), expected, "{text} * {factor}");
        }
    }

    #[test]
    fn refuses_what_strtold_does_not_read_whole() {
        let texts = [
            "", " 1", "1 ", "\t1", "nan", "-nan", "1,5", "1e", "1e+", "1.2.3", ".", "e5", "0x", "0x.p1", "+-1",
            "infin", "1_0",
        ];
        for text in texts {
            assert_eq!(parse(text), None, "{text:?}");
        }
        assert_eq!(LongDouble::parse(b"1\0"), None);
        assert_eq!(LongDouble::parse(&[b'1'; TEXT_BUFFER_BYTES]), None);
        assert!(LongDouble::parse(&[b'0'; TEXT_BUFFER_BYTES - 1]).is_some());
    }

    #[test]
    fn refuses_overflow_and_underflow_but_not_zero() {
        for text in
            ["1e5000", "-1e4933", "1.18973149535723176508e4932", "1e-4952", "-1e-5000", "1e99999999999999999999"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        for text in ["1e-99999999999999999999", "0x1p16384", "0x1p-16446", "0x1.ffffffffffffffffp16383"] {
            assert_eq!(parse(text), None, "{text}");
        }
        for text in ["1e4932", "1e-4950", "0x1p-16445", "0x1.8p-16446", "0e99999999999", "0x0p99999999999", "5e-324"] {
            assert!(parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn doubles_are_printed_with_all_their_digits() {
        let mut random = Random::new(17);
        let awkward = [0.0, -0.0, 0.5, 5e-324, -2.5e-7, 0.000_000_5, 0.000_001_5, 123.456_789_5, f64::MAX, 1e22, 1e300];
        let random = (0..20_000).map(|_| f64::from_bits(random.next_u64()));
        for value in awkward.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY]).chain(random) {
            if value.is_nan() {
                continue;
            }
            let mut out = Vec::new();
            LongDouble::from_double(value).write_fixed(6, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("{value:.6}"), "{value:e}");
        }
    }

    #[test]
    fn infinities_are_read_and_added() {
        for text in ["inf", "+INF", "Infinity"] {
            assert_eq!(parse(text), Some(LongDouble::infinite(false)));
        }
        assert_eq!(sum("inf", "1"), "inf");
        assert_eq!(sum("1", "-inf"), "-inf");
        assert_eq!(sum("-inf", "-inf"), "-inf");
        assert_eq!(sum("inf", "-inf"), "nan");
        assert_eq!(sum("1e4932", "1e4932"), "inf");
    }

    #[test]
    fn long_inputs_round_correctly_and_print_exactly() {
        // 2^64 + 1 lies halfway between two long doubles: to even, or upwards as soon as anything follows.
        assert_eq!(sum("18446744073709551617", "0"), "18446744073709551616");
        assert_eq!(sum("18446744073709551617.00000000000000000000000000001", "0"), "18446744073709551618");
        assert_eq!(sum("18446744073709551619", "0"), "18446744073709551620");
        let printed = sum("1e4932", "0");
        assert_eq!(printed.len(), 4933);
        assert!(printed.starts_with("9999999999999999999") || printed.starts_with("10000000000000000000"), "{printed}");
        let mut zeros = String::from("0.");
        zeros.extend(core::iter::repeat_n('0', 5000));
        assert_eq!(sum(&(zeros + "15e5001"), "0"), "1.5");
    }

    #[test]
    fn what_is_printed_reads_back_and_nothing_panics() {
        let mut random = Random::new(7);
        let letters = b"0123456789.eE+-xXpPaf inf";
        for _ in 0..20_000 {
            let length = random.below(24);
            let text: Vec<u8> = (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect();
            let Some(value) = LongDouble::parse(&text) else { continue };
            let mut printed = Vec::new();
            value.write(&mut printed);
            let again = LongDouble::parse(&printed).unwrap();
            if value.exponent >= 0 {
                assert_eq!(again.mantissa, value.mantissa, "{text:?}");
            }
        }
    }
}
