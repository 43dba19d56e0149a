//! Conversion of decimal text to binary numbers, exact enough to round to a double or a long double. The library's
//! parser for doubles would add ten kilobytes of tables.

use core::ops::RangeInclusive;

use super::big::Big;
use super::scan::Shape;

/// Number of digits read. Later ones decide only whether the number is inexact: no halfway case of a double is longer,
/// and longer texts of long doubles are refused earlier.
const DIGITS_MAX: usize = 5 * 1024;

/// Value of an unsigned decimal text.
pub(super) enum Decimal {
    Zero,
    /// Not zero, but certainly rounds to zero.
    TooSmall,
    /// Certainly beyond the caller's range.
    TooLarge,
    /// `value * 2^exponent`, slightly more if `sticky`. A sticky value has at least 66 bits.
    Binary {
        value: u128,
        exponent: i32,
        sticky: bool,
    },
}

/// Reads an unsigned decimal text; `None` if it is not a number. `magnitudes` is the range of decimal exponents of the
/// first digit that can matter to the caller.
pub(super) fn read(text: &[u8], magnitudes: RangeInclusive<i32>) -> Option<Decimal> {
    let shape = Shape::of(text, false)?;
    let Some(leading) = shape.digits().position(|digit| digit != b'0') else { return Some(Decimal::Zero) };
    // A text has fewer than 2^30 digits, and its exponent is clamped far below that, so the sums fit.
    let magnitude = i64::from(shape.exponent) + shape.whole.len() as i64 - 1 - leading as i64;
    if magnitude > i64::from(*magnitudes.end()) {
        return Some(Decimal::TooLarge);
    }
    if magnitude < i64::from(*magnitudes.start()) {
        return Some(Decimal::TooSmall);
    }
    let count = shape.whole.len() + shape.fraction.len() - leading;
    let kept = count.min(DIGITS_MAX);
    let left_over = shape.digits().skip(leading + kept).any(|digit| digit != b'0');
    let digits = integer(shape.digits().skip(leading).take(kept));
    // Exponent of ten of the last digit kept; in range because the magnitude is.
    let scale = (magnitude - (kept as i64 - 1)) as i32;
    let (value, exponent, inexact) = times_power_of_ten(digits, scale);
    Some(Decimal::Binary { value, exponent, sticky: inexact || left_over })
}

/// Computes `digits * 10^scale` as a binary number. The twos of the power of ten are a shift.
fn times_power_of_ten(mut digits: Big, scale: i32) -> (u128, i32, bool) {
    let mut power = Big::from_u64(1);
    let (value, exponent, inexact) = if scale >= 0 {
        digits.multiply_power_of_five(scale.unsigned_abs());
        let (value, exponent, inexact) = digits.top();
        (value, exponent as i32, inexact)
    } else {
        power.multiply_power_of_five(scale.unsigned_abs());
        digits.quotient(power)
    };
    (value, exponent + scale, inexact)
}

fn integer(mut digits: impl Iterator<Item = u8>) -> Big {
    let mut value = Big::default();
    loop {
        let (mut chunk, mut factor) = (0u32, 1u32);
        for digit in digits.by_ref().take(9) {
            chunk = chunk * 10 + u32::from(digit - b'0');
            factor *= 10;
        }
        if factor == 1 {
            return value;
        }
        value.multiply_add(factor, chunk);
    }
}
