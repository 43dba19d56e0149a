//! The shortest decimal digits that read back as a double, and of those the nearest. The library's formatter finds the
//! same with ten kilobytes of code.

use super::big::Big;
use super::binary::{LOWEST_EXPONENT, parts};
use core::cmp::Ordering;

/// No double needs more digits than these.
const DIGITS_MAX: usize = 17;
/// The mantissa of powers of two.
const POWER_OF_TWO: u64 = 1 << 52;

/// Different decimals of up to 15 digits are different doubles.
const SHORT_MAX: f64 = 1e15;
/// So large a power of ten is an exact double.
const EXACT_POWER_MAX: i32 = 22;
/// Adding and taking off this rounds what is smaller to a whole number, half to even.
const ROUNDER: f64 = 4_503_599_627_370_496.0;

/// Digits in ASCII, the first not zero, and the power of ten of the last one.
pub(super) struct Digits {
    bytes: [u8; DIGITS_MAX],
    length: usize,
    pub(super) scale: i32,
}

impl Digits {
    /// `magnitude` is finite and above zero.
    pub(super) fn of(magnitude: f64) -> Digits {
        Digits::short(magnitude).unwrap_or_else(|| Digits::exact(magnitude))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Numbers of up to 15 digits that have decimals: a whole number below 10^15 over a power of ten, where both are exact
    /// doubles and their quotient is rounded once. The first power that fits leaves no zero at the end.
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
                // Only a number without decimals has a zero there.
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

    /// Any number, by exact arithmetic: digits of the fraction are taken off from the first on, until what is left is
    /// within the numbers that round to this double.
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

    /// One more in the last place; nines before it are taken off. Never all of them: a number that rounds to a power of ten
    /// has that as its one digit.
    fn round_up(&mut self) {
        while self.length > 1 && self.bytes[self.length - 1] == b'9' {
            self.length -= 1;
            self.scale += 1;
        }
        self.bytes[self.length - 1] += 1;
    }
}

/// A number between zero and one as `rest / whole`, and how far around it the numbers reach that round to one double.
struct Fraction {
    rest: Big,
    whole: Big,
    below: Big,
    above: Big,
    /// The limits themselves round to the double.
    inclusive: bool,
    /// The number was divided by ten to the power of this.
    scale: i32,
}

impl Fraction {
    fn of(magnitude: f64) -> Fraction {
        let (mantissa, exponent) = parts(magnitude);
        // Everything is counted in quarters of the last bit: below a power of two the doubles are twice as dense.
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

    /// Divides by about its magnitude, and once more when it is still not below one.
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

    /// Zero rounds to the double.
    fn is_near_zero(&self) -> bool {
        self.is_within(&self.rest, &self.below)
    }

    /// One rounds to the double.
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

/// How many digits there are before the point of a number with its first bit at this place, or one less; negative for zeros
/// behind the point.
fn decimal_digits(first_bit: i32) -> i32 {
    // The logarithm of two in 32 bits. No power of two of a double is so near to one of ten that more of them would matter.
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

    /// What the library finds.
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
