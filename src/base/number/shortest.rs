//! Shortest decimal digits that read back as a given double; among those, the nearest. The library's formatter finds
//! the same digits with ten kilobytes of code.

use super::big::Big;
use super::binary::{LOWEST_EXPONENT, parts};
use core::cmp::Ordering;

/// Largest number of digits that a double needs.
const DIGITS_MAX: usize = 17;
/// Mantissa of a power of two.
const POWER_OF_TWO: u64 = 1 << 52;

/// Bound of the digits of [`Digits::short`]: different decimals of up to 15 digits are different doubles.
const SHORT_MAX: f64 = 1e15;
/// Largest exponent of a power of ten that is an exact double.
const EXACT_POWER_MAX: i32 = 22;
/// Rounds a smaller number to a whole one, half to even, when added and subtracted again.
const ROUNDER: f64 = 4_503_599_627_370_496.0;

/// Digits in ASCII, the first not zero, and the exponent of ten of the last one.
pub(super) struct Digits {
    bytes: [u8; DIGITS_MAX],
    length: usize,
    pub(super) scale: i32,
}

impl Digits {
    /// Finds the digits of a finite number above zero.
    pub(super) fn of(magnitude: f64) -> Digits {
        Digits::short(magnitude).unwrap_or_else(|| Digits::exact(magnitude))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Finds digits of numbers with decimals and at most 15 digits; `None` for others. Such a number is a whole number
    /// below 10^15 over a power of ten. Both are exact doubles, and their quotient is rounded once. The first power
    /// that fits leaves no trailing zero.
    fn short(magnitude: f64) -> Option<Digits> {
        let mut power = 1.0;
        for decimals in 1..=EXACT_POWER_MAX {
            power *= 10.0;
            let whole = magnitude * power + ROUNDER - ROUNDER;
            if whole >= SHORT_MAX {
                return None;
            }
            if whole / power == magnitude {
                let whole = whole as u64;
                // Only a number without decimals ends with a zero here.
                return (!whole.is_multiple_of(10)).then(|| Digits::from_whole(whole, -decimals));
            }
        }
        None
    }

    fn from_whole(mut whole: u64, scale: i32) -> Digits {
        let mut digits = Digits { bytes: [0; DIGITS_MAX], length: 0, scale };
        while whole != 0 {
            digits.push((whole % 10) as u8);
            whole /= 10;
        }
        digits.bytes[..digits.length].reverse();
        digits
    }

    fn push(&mut self, digit: u8) {
        self.bytes[self.length] = b'0' + digit;
        self.length += 1;
    }

    /// Finds digits of any number by exact arithmetic. Digits of the fraction are produced one by one, until the rest
    /// is within the interval that rounds to this double.
    fn exact(magnitude: f64) -> Digits {
        let mut fraction = Fraction::of(magnitude);
        let mut digits = Digits { bytes: [0; DIGITS_MAX], length: 0, scale: fraction.scale };
        loop {
            let digit = fraction.next_digit();
            digits.scale -= 1;
            digits.push(digit);
            let (down, up) = (fraction.is_near_zero(), fraction.is_near_one());
            if up && (!down || fraction.is_half_or_more()) {
                digits.round_up();
                return digits;
            }
            if down {
                return digits;
            }
        }
    }

    /// Adds one to the last digit and removes nines before it. Digits are never all nines: a number that rounds to a
    /// power of ten has that as its one digit.
    fn round_up(&mut self) {
        while self.length > 1 && self.bytes[self.length - 1] == b'9' {
            self.length -= 1;
            self.scale += 1;
        }
        self.bytes[self.length - 1] += 1;
    }
}

/// Number between zero and one as `rest / whole`, and the interval around it that rounds to the same double.
struct Fraction {
    rest: Big,
    whole: Big,
    below: Big,
    above: Big,
    /// Whether the limits of the interval round to the double too.
    inclusive: bool,
    /// Exponent of ten by which the number was divided.
    scale: i32,
}

impl Fraction {
    fn of(magnitude: f64) -> Fraction {
        let (mantissa, exponent) = parts(magnitude);
        // Counted in quarters of the last bit, since doubles are twice as dense below a power of two.
        let times = |quarters: u64| {
            let mut big = Big::from_u64(quarters);
            big.shift_left(exponent.max(0) as u32);
            big
        };
        let is_denser_below = mantissa == POWER_OF_TWO && exponent > LOWEST_EXPONENT;
        let mut whole = Big::from_u64(4);
        whole.shift_left((-exponent).max(0) as u32);
        let mut found = Fraction {
            rest: times(4 * mantissa),
            whole,
            below: times(if is_denser_below { 1 } else { 2 }),
            above: times(2),
            inclusive: mantissa.is_multiple_of(2),
            scale: 0,
        };
        found.divide_by_ten_to(decimal_digits(exponent + mantissa.ilog2() as i32));
        found
    }

    /// Divides by ten to the power of `digits`, and once more by ten if the number is still not below one.
    fn divide_by_ten_to(&mut self, digits: i32) {
        self.scale = digits;
        if digits >= 0 {
            self.whole.multiply_power_of_ten(digits.unsigned_abs());
        } else {
            self.multiply(|big| big.multiply_power_of_ten(digits.unsigned_abs()));
        }
        if self.is_near_one() {
            self.whole.multiply_add(10, 0);
            self.scale += 1;
        }
    }

    fn multiply(&mut self, by: impl Fn(&mut Big)) {
        [&mut self.rest, &mut self.below, &mut self.above].into_iter().for_each(by);
    }

    fn next_digit(&mut self) -> u8 {
        self.multiply(|big| big.multiply_add(10, 0));
        let mut digit = 0;
        while self.rest.subtract_if_not_smaller(&self.whole) {
            digit += 1;
        }
        digit
    }

    /// Whether zero lies within the interval.
    fn is_near_zero(&self) -> bool {
        self.is_within(&self.rest, &self.below)
    }

    /// Whether one lies within the interval.
    fn is_near_one(&self) -> bool {
        let mut reach = self.rest.clone();
        reach.add(&self.above);
        self.is_within(&self.whole, &reach)
    }

    fn is_within(&self, distance: &Big, reach: &Big) -> bool {
        distance.compare(reach) < if self.inclusive { Ordering::Greater } else { Ordering::Equal }
    }

    fn is_half_or_more(&self) -> bool {
        let mut twice = self.rest.clone();
        twice.add(&self.rest);
        twice.compare(&self.whole) != Ordering::Less
    }
}

/// Number of digits before the point of a number with this exponent of the first bit, or one less. Negative for zeros
/// after the point.
fn decimal_digits(first_bit: i32) -> i32 {
    // log10(2) in 32 bits. No power of two of a double is so near to a power of ten that more bits would matter.
    const LOG10_OF_TWO: i64 = 1_292_913_986;
    ((i64::from(first_bit) * LOG10_OF_TWO) >> 32) as i32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use alloc::format;
    use alloc::string::String;

    fn found(value: f64) -> (String, i32) {
        let digits = Digits::of(value);
        (String::from_utf8(digits.as_slice().to_vec()).unwrap(), digits.scale)
    }

    /// Digits and scale found by the library.
    fn expected(value: f64) -> (String, i32) {
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap();
        let digits = mantissa.replace('.', "");
        let scale = exponent.parse::<i32>().unwrap() + 1 - digits.len() as i32;
        (digits, scale)
    }

    #[test]
    fn agrees_with_the_library_beside_every_power_of_two_and_of_ten() {
        let twos = (-1074..1024).map(|power| f64::from_bits(power_of_two(power)));
        let tens = (-323..309).map(|power| format!("1e{power}").parse::<f64>().unwrap());
        for value in twos.chain(tens).chain([5e-324, f64::MAX, f64::MIN_POSITIVE]) {
            for bits in value.to_bits() - 1..=value.to_bits() + 1 {
                let value = f64::from_bits(bits);
                if value != 0.0 && value.is_finite() {
                    assert_eq!(found(value), expected(value), "{value:e}");
                }
            }
        }
    }

    fn power_of_two(power: i32) -> u64 {
        if power < -1022 { 1 << (power + 1074) } else { ((power + 1023) as u64) << 52 }
    }

    fn check(rounds: u32) {
        let mut random = Random::new(31);
        for round in 0..rounds {
            let bits = random.next_u64();
            let short = (bits >> random.below(64)) as f64 / 10f64.powi(random.below(20) as i32);
            let value =
                [f64::from_bits(bits), short, (bits >> 11) as f64 / (1u64 << 53) as f64][round as usize % 3].abs();
            if value != 0.0 && value.is_finite() {
                assert_eq!(found(value), expected(value), "{value:e}");
                assert_eq!(
                    format!("{:?}", Digits::exact(value).as_slice()),
                    format!("{:?}", Digits::of(value).as_slice())
                );
            }
        }
    }

    #[test]
    fn agrees_with_the_library_on_numbers_of_every_kind() {
        check(60_000);
    }

    #[test]
    #[ignore = "takes minutes"]
    fn agrees_with_the_library_on_millions() {
        check(20_000_000);
    }
}
