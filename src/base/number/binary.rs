//! Binary representation of a double.

/// Number of bits of a double's mantissa.
pub(super) const PRECISION: i32 = 53;

/// Exponent of two of the last bit of the smallest doubles.
pub(super) const LOWEST_EXPONENT: i32 = -1074;

/// Splits a finite number's magnitude into an integer mantissa and the exponent of two of its last bit.
pub(super) fn parts(value: f64) -> (u64, i32) {
    const FRACTION_BITS: i32 = PRECISION - 1;
    let bits = value.abs().to_bits();
    let (biased, fraction) = ((bits >> FRACTION_BITS) as i32, bits & ((1 << FRACTION_BITS) - 1));
    match biased {
        0 => (fraction, LOWEST_EXPONENT),
        _ => (fraction | 1 << FRACTION_BITS, LOWEST_EXPONENT + biased - 1),
    }
}
