//! Parts of a number's text: digits, at most one point, an exponent. Shared by both float types; contains no
//! arithmetic.

/// Text of a number, split into its parts without any rest.
pub(super) struct Shape<'a> {
    pub(super) whole: &'a [u8],
    pub(super) fraction: &'a [u8],
    /// Written exponent, clamped to +-[`EXPONENT_CLAMP`].
    pub(super) exponent: i32,
}

/// Largest exponent read. No accepted number of digits can bring it back into range, and sums with it do not overflow.
pub(super) const EXPONENT_CLAMP: i32 = 1 << 28;

impl<'a> Shape<'a> {
    /// Splits `text` (without sign and without `0x`); `None` if it is not a number as a whole.
    pub(super) fn of(text: &'a [u8], hex: bool) -> Option<Shape<'a>> {
        let is_digit = |byte: &u8| if hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
        let (whole, rest) = split_while(text, is_digit);
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => split_while(rest, is_digit),
            rest => (&rest[..0], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mark = if hex { b'p' } else { b'e' };
        let exponent = match rest {
            [] => 0,
            [letter, rest @ ..] if letter.to_ascii_lowercase() == mark => exponent(rest)?,
            _ => return None,
        };
        Some(Shape { whole, fraction, exponent })
    }

    /// All digits in order, without the point.
    pub(super) fn digits(&self) -> impl Iterator<Item = u8> + 'a {
        self.whole.iter().chain(self.fraction).copied()
    }
}

fn split_while(text: &[u8], keep: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !keep(byte)).unwrap_or(text.len()))
}

fn exponent(text: &[u8]) -> Option<i32> {
    let (negative, digits) = super::split_sign(text);
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i32;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = (value.saturating_mul(10).saturating_add(i32::from(byte - b'0'))).min(EXPONENT_CLAMP);
    }
    Some(if negative { -value } else { value })
}

/// Value of a hexadecimal text, without sign and `0x`: an integer times a power of two.
pub(super) struct Hex {
    pub(super) mantissa: u128,
    /// Exponent of two of the mantissa's last bit.
    pub(super) exponent: i32,
    /// Whether non-zero digits were cut off behind the mantissa.
    pub(super) sticky: bool,
}

impl Hex {
    pub(super) fn parse(text: &[u8]) -> Option<Hex> {
        let shape = Shape::of(text, true)?;
        let mut hex = Hex { mantissa: 0, exponent: shape.exponent, sticky: false };
        // The length in bits exceeds i32 only for texts above half a gigabyte, which saturate.
        let fraction_bits = i32::try_from(shape.fraction.len()).unwrap_or(i32::MAX).saturating_mul(4);
        hex.exponent = hex.exponent.saturating_sub(fraction_bits);
        for digit in shape.digits() {
            let value = u128::from((digit as char).to_digit(16)?);
            if hex.mantissa >> 124 == 0 {
                hex.mantissa = hex.mantissa << 4 | value;
            } else {
                hex.exponent = hex.exponent.saturating_add(4);
                hex.sticky |= value != 0;
            }
        }
        Some(hex)
    }
}
