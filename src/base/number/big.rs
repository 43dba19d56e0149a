//! Unsigned big integer with only the operations that decimal conversion needs.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Little-endian words without leading zero words; zero has no words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Big(Vec<u32>);

impl Big {
    pub(super) fn from_u64(value: u64) -> Big {
        let mut big = Big(Vec::from([value as u32, (value >> 32) as u32]));
        big.trim();
        big
    }

    /// `self * factor + addend`, in place.
    pub(super) fn multiply_add(&mut self, factor: u32, addend: u32) {
        let mut carry = u64::from(addend);
        for word in &mut self.0 {
            // At most (2^32-1)^2 + 2^32-1, which fits.
            let product = u64::from(*word) * u64::from(factor) + carry;
            *word = product as u32;
            carry = product >> 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    /// Multiplies by five to the power of `exponent`. The twos of a power of ten are a shift.
    pub(super) fn multiply_power_of_five(&mut self, exponent: u32) {
        // 5^13 is the largest power of five in 32 bits.
        for _ in 0..exponent / 13 {
            self.multiply_add(5u32.pow(13), 0);
        }
        self.multiply_add(5u32.pow(exponent % 13), 0);
    }

    /// Multiplies by ten to the power of `exponent`.
    pub(super) fn multiply_power_of_ten(&mut self, exponent: u32) {
        self.multiply_power_of_five(exponent);
        self.shift_left(exponent);
    }

    pub(super) fn add(&mut self, other: &Big) {
        self.0.resize(self.0.len().max(other.0.len()) + 1, 0);
        let mut carry = 0;
        for (index, word) in self.0.iter_mut().enumerate() {
            let sum = carry + u64::from(*word) + other.0.get(index).map_or(0, |&word| u64::from(word));
            *word = sum as u32;
            carry = sum >> 32;
        }
        self.trim();
    }

    /// Divides by `divisor` in place and returns the remainder. `divisor` is not zero.
    pub(super) fn divide(&mut self, divisor: u32) -> u32 {
        let mut remainder = 0u64;
        for word in self.0.iter_mut().rev() {
            let value = remainder << 32 | u64::from(*word);
            *word = (value / u64::from(divisor)) as u32;
            remainder = value % u64::from(divisor);
        }
        self.trim();
        remainder as u32
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of bits, without leading zeros.
    pub(super) fn length_bits(&self) -> u32 {
        match self.0.last() {
            Some(last) => self.0.len() as u32 * 32 - last.leading_zeros(),
            None => 0,
        }
    }

    pub(super) fn shift_left(&mut self, bits: u32) {
        if self.is_zero() {
            return;
        }
        self.multiply_add(1 << (bits % 32), 0);
        if bits >= 32 {
            self.0.splice(0..0, core::iter::repeat_n(0, (bits / 32) as usize));
        }
    }

    /// Subtracts `other` unless it is larger. Returns whether it was subtracted.
    pub(super) fn subtract_if_not_smaller(&mut self, other: &Big) -> bool {
        if self.compare(other) == Ordering::Less {
            return false;
        }
        let mut borrow = false;
        for (index, word) in self.0.iter_mut().enumerate() {
            let (less, first) = word.overflowing_sub(other.0.get(index).copied().unwrap_or(0));
            let (less, second) = less.overflowing_sub(u32::from(borrow));
            *word = less;
            borrow = first || second;
        }
        self.trim();
        true
    }

    /// Highest 128 bits, exponent of two of their last bit, and whether a bit below them was set.
    pub(super) fn top(&self) -> (u128, u32, bool) {
        let cut = self.0.len().saturating_sub(4);
        let (low, high) = self.0.split_at(cut);
        let value = high.iter().rev().fold(0, |value, &word| value << 32 | u128::from(word));
        (value, cut as u32 * 32, low.iter().any(|&word| word != 0))
    }

    /// Divides two non-zero numbers to at least 66 significant bits. Returns `(quotient, exponent, inexact)` with `self
    /// / divisor = quotient * 2^exponent`, and slightly more if inexact.
    pub(super) fn quotient(mut self, mut divisor: Big) -> (u128, i32, bool) {
        const STEPS: u32 = 67;
        let shift = self.length_bits() as i32 - divisor.length_bits() as i32;
        if shift > 0 {
            divisor.shift_left(shift as u32);
        } else {
            self.shift_left(-shift as u32);
        }
        // Both have the same number of bits now, so the first bit of the quotient is one of the first two.
        let mut quotient = 0u128;
        for _ in 0..STEPS {
            quotient = quotient << 1 | u128::from(self.subtract_if_not_smaller(&divisor));
            self.shift_left(1);
        }
        (quotient, shift - (STEPS as i32 - 1), !self.is_zero())
    }

    pub(super) fn compare(&self, other: &Big) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}
