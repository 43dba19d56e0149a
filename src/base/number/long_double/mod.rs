//! Software implementation of the x86 80-bit extended float, so that INCRBYFLOAT and HINCRBYFLOAT give equal results on
//! every target.
//!
//! Reading follows C's `strtold`; addition rounds once, half to even; output is `%.17Lf` without trailing zeros.

use super::big::Big;
use super::binary::parts;
use super::decimal::{self, Decimal};
use super::scan::Hex;
use super::{is_infinity, round_half_even, split_sign, write_unsigned};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Number of bits of the mantissa; the first bit is explicit in this format.
const PRECISION: i32 = 64;
/// Exponents of two of the mantissa's last bit, in the smallest numbers (subnormal ones included) and in the largest.
const LOWEST_EXPONENT: i32 = -16445;
const HIGHEST_EXPONENT: i32 = 16320;
/// Exponent of infinity (mantissa 0) and of not-a-number (mantissa 1).
const SPECIAL: i32 = HIGHEST_EXPONENT + 1;
/// Size of the buffer into which Redis copies the text with a NUL behind it; longer text is refused.
const TEXT_BUFFER_BYTES: usize = 5 * 1024;
/// Number of decimals printed.
const DECIMALS: u32 = 17;
/// Decimal exponents of the first digit beyond which a number certainly overflows, or certainly rounds to zero.
const DECIMAL_HIGHEST: i32 = 4940;
const DECIMAL_LOWEST: i32 = -4960;

/// 80-bit extended number: `mantissa * 2^exponent` with a sign.
///
/// The top bit of the mantissa is set unless the exponent is the lowest one. Zero has the lowest exponent.
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
    /// Converts a double, which is always exact.
    pub fn from_double(value: f64) -> LongDouble {
        let negative = value.is_sign_negative();
        if !value.is_finite() {
            return LongDouble { mantissa: value.is_nan().into(), ..LongDouble::infinite(negative) };
        }
        let (mantissa, exponent) = parts(value);
        LongDouble::rounded(negative, mantissa.into(), exponent, false)
    }

    /// Reads decimal and hexadecimal floats, `inf` and `infinity`, by the rules of Redis' `string2ld`: the whole text
    /// must be the number. Returns `None` for blanks, not-a-number, overflow to infinity, underflow to zero, and texts
    /// of 5120 bytes and more.
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

    /// Returns the sum, rounded once, half to even. An overflow gives infinity; infinities of opposite sign give
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
        // 63 spare bits below. If one is lost to cancellation, the rounding position is still inside. If more are lost,
        // the distance is at most one and the sum is exact.
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

    /// Returns the product with a small whole number, rounded once, half to even.
    pub fn times(self, factor: u32) -> LongDouble {
        if !self.is_finite() {
            return self;
        }
        LongDouble::rounded(self.negative, u128::from(self.mantissa) * u128::from(factor), self.exponent, false)
    }

    /// Returns the smallest whole number not below this one; `None` outside the range of `i64`.
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

    /// Whether the number is neither infinite nor not-a-number.
    pub fn is_finite(self) -> bool {
        self.exponent != SPECIAL
    }

    /// Appends the number with up to 17 decimals, without trailing zeros or a trailing point. Never writes an exponent,
    /// nor a minus sign before a plain `0`.
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
        let (whole, fraction) = self.in_units(10u64.pow(DECIMALS));
        if whole != 0 || fraction != 0 {
            self.write_sign(out);
        }
        write_unsigned(whole, out);
        write_fraction(fraction, out);
    }

    /// Appends the number with `decimals` decimals, 1 to 17, as C's `%f` does.
    pub fn write_fixed(self, decimals: u32, out: &mut Vec<u8>) {
        if !self.is_finite() {
            return self.write(out);
        }
        self.write_sign(out);
        let scale = 10u64.pow(decimals);
        let mut last_decimals = 0;
        if self.exponent >= 0 {
            self.write_whole(out);
        } else {
            let (whole, fraction) = self.in_units(scale);
            write_unsigned(whole, out);
            last_decimals = fraction;
        }
        let point = out.len();
        // The additional first digit keeps leading zeros and is then overwritten by the point.
        write_unsigned(scale + last_decimals, out);
        out[point] = b'.';
    }

    /// Appends the digits of a number with a non-negative exponent.
    fn write_whole(self, out: &mut Vec<u8>) {
        let mut whole = Big::from_u64(self.mantissa);
        whole.shift_left(self.exponent as u32);
        write_big(whole, out);
    }

    /// Splits a number with a negative exponent into its whole part and units of `1 / scale`, rounded half to even.
    /// `scale` is at most 10^17.
    fn in_units(self, scale: u64) -> (u64, u64) {
        // Mantissa times 10^17 is below 2^121 and fits. A shift by 128 or more leaves less than a half.
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

    /// Compares the magnitudes of finite numbers. Zero has the lowest exponent, so it is the smallest.
    fn compare_magnitude(self, other: LongDouble) -> Ordering {
        self.exponent.cmp(&other.exponent).then(self.mantissa.cmp(&other.mantissa))
    }

    /// Rounds `value * 2^exponent`; `sticky` is that of [`round_half_even`].
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

    /// Returns the number unless it is zero: the digits were not all zero, so a zero is an underflow.
    fn nonzero(self) -> Option<LongDouble> {
        (self.mantissa != 0).then_some(self)
    }
}

/// Reads hexadecimal digits after the sign and `0x`. An overflow gives infinity.
fn parse_hex(negative: bool, digits: &[u8]) -> Option<LongDouble> {
    let hex = Hex::parse(digits)?;
    if hex.mantissa == 0 {
        return Some(LongDouble::zero(negative));
    }
    LongDouble::rounded(negative, hex.mantissa, hex.exponent, hex.sticky).nonzero()
}

/// Reads decimal text after the sign. An overflow gives infinity.
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

/// Appends the point and the decimals, or nothing if all are zero.
fn write_fraction(fraction: u64, out: &mut Vec<u8>) {
    if fraction == 0 {
        return;
    }
    out.push(b'.');
    let mut scale = 10u64.pow(DECIMALS - 1);
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
mod tests;
