//! The binary form of a double.

/// Bits of a double's mantissa, and the power of two of its last bit in the smallest numbers.
pub(super) const PRECISION: i32 = 53;

pub(super) const LOWEST_EXPONENT: i32 = -1074;

/// A finite magnitude as a whole number times a power of two: the mantissa, and the power of its last bit.
pub(super) fn parts(value: f64) -> (u64, i32) {
    const FRACTION_BITS: i32 = PRECISION - 1;
    let bits = value.abs().to_bits();
    let (biased, fraction) = ((bits >> FRACTION_BITS) as i32, bits & ((1 << FRACTION_BITS) - 1));
    match biased {
        0 => (fraction, LOWEST_EXPONENT),
        _ => (fraction | 1 << FRACTION_BITS, LOWEST_EXPONENT + biased - 1),
    }
}
