//! Integers of any width within a string: the typed operation of BITFIELD. Semantics are those of Redis 8.6.3.

use alloc::format;

use crate::keyspace::observers::effect::EffectWriter;
use crate::keyspace::ops::strings;
use crate::keyspace::txn::Txn;
use crate::keyspace::{Error, EventKind};
use crate::values::Kind;

/// Maximum number of bytes that a field spans: 64 bits that begin within a byte.
const WINDOW_BYTES: usize = 9;
const WINDOW_BITS: u32 = WINDOW_BYTES as u32 * 8;
const SIGNED_MAX_BITS: u8 = 64;
/// Replies are signed, so an unsigned field has one bit less.
const UNSIGNED_MAX_BITS: u8 = 63;

/// Type of a field, such as `i16` or `u8`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldType {
    signed: bool,
    bits: u8,
}

/// Handling of a number that exceeds its field's range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    /// Only the lowest bits are kept.
    #[default]
    Wrap,
    /// The nearest number within the range is written.
    Saturate,
    /// Nothing is written, and the result is null.
    Fail,
}

/// Action of BITFIELD on one field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldAction {
    Get,
    /// Writes a number; the result is the old one.
    Set {
        value: i64,
        overflow: Overflow,
    },
    /// Adds to the number; the result is the new one.
    Increment {
        by: i64,
        overflow: Overflow,
    },
}

/// One operation of BITFIELD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldOperation {
    pub field: FieldType,
    /// Bit offset of the field's highest bit.
    pub offset: u32,
    pub action: FieldAction,
}

/// Result of an operation, and the number it writes.
struct Evaluation {
    result: Option<i64>,
    /// Number to write, if it differs from the present one.
    change: Option<i64>,
}

impl FieldType {
    /// Creates a type of 1 to 64 bits if signed, 1 to 63 if unsigned; `None` otherwise.
    pub fn new(signed: bool, bits: u8) -> Option<FieldType> {
        let max_bits = if signed { SIGNED_MAX_BITS } else { UNSIGNED_MAX_BITS };
        (1..=max_bits).contains(&bits).then_some(FieldType { signed, bits })
    }

    pub fn bits(self) -> u8 {
        self.bits
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Number that the lowest bits encode in this type.
    fn number(self, bits: u64) -> i64 {
        let unused = 64 - self.bits;
        if self.signed { (bits << unused) as i64 >> unused } else { (bits & self.mask()) as i64 }
    }

    fn range(self) -> (i128, i128) {
        if self.signed { (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) } else { (0, i128::from(self.mask())) }
    }

    /// Value of SET as Redis interprets it. A negative value is read as unsigned for an unsigned field, and if its
    /// distance to the field's maximum exceeds 63 bits.
    fn given(self, value: i64) -> i128 {
        let (min, max) = self.range();
        let exact = i128::from(value);
        let is_too_far = exact < min && max - exact > i128::from(i64::MAX);
        if self.signed && !is_too_far { exact } else { i128::from(value as u64) }
    }

    /// Value of the field after `exact` is written to it; `None` if it must not be written.
    fn fit(self, exact: i128, overflow: Overflow) -> Option<i64> {
        let (min, max) = self.range();
        match overflow {
            _ if (min..=max).contains(&exact) => Some(exact as i64),
            Overflow::Wrap => Some(self.number(exact as u64)),
            Overflow::Saturate => Some(exact.clamp(min, max) as i64),
            Overflow::Fail => None,
        }
    }

    fn read(self, bytes: &[u8], offset: u32) -> i64 {
        self.number((window(bytes, offset) >> self.shift(offset)) as u64)
    }

    fn write(self, bytes: &mut [u8], offset: u32, value: i64) {
        let shift = self.shift(offset);
        let cleared = window(bytes, offset) & !(u128::from(self.mask()) << shift);
        let filled = cleared | u128::from(value as u64 & self.mask()) << shift;
        let first = (offset / 8) as usize;
        // The string may end within the window, but not within the field.
        let window = (0..WINDOW_BYTES).rev().map(|index| (filled >> (index * 8)) as u8);
        bytes[first..].iter_mut().zip(window).for_each(|(byte, new)| *byte = new);
    }

    /// Distance in bits from the lowest bit of the window to the lowest bit of the field.
    fn shift(self, offset: u32) -> u32 {
        WINDOW_BITS - offset % 8 - u32::from(self.bits)
    }
}

/// Window of bytes that begins with the byte of `offset`, as a big-endian number. Zeros follow the end of the string.
fn window(bytes: &[u8], offset: u32) -> u128 {
    let rest = bytes.get((offset / 8) as usize..).unwrap_or_default();
    let padded = rest.iter().copied().chain(core::iter::repeat(0));
    padded.take(WINDOW_BYTES).fold(0, |window, byte| window << 8 | u128::from(byte))
}

impl FieldOperation {
    fn writes(&self) -> bool {
        self.action != FieldAction::Get
    }

    /// Length of the shortest string that contains the field, in bytes.
    fn end_bytes(&self) -> usize {
        (u64::from(self.offset) + u64::from(self.field.bits)).div_ceil(8) as usize
    }

    fn evaluate(&self, bytes: &[u8]) -> Evaluation {
        let old = self.field.read(bytes, self.offset);
        let (new, returns_old) = match self.action {
            FieldAction::Get => return Evaluation { result: Some(old), change: None },
            FieldAction::Set { value, overflow } => (self.field.fit(self.field.given(value), overflow), true),
            FieldAction::Increment { by, overflow } => {
                (self.field.fit(i128::from(old) + i128::from(by), overflow), false)
            }
        };
        let result = new.map(|new| if returns_old { old } else { new });
        Evaluation { result, change: new.filter(|&new| new != old) }
    }

    fn state(&self, effect: &mut EffectWriter<'_>) {
        let (name, number, overflow) = match self.action {
            FieldAction::Get => return,
            FieldAction::Set { value, overflow } => (&b"SET"[..], value, overflow),
            FieldAction::Increment { by, overflow } => (&b"INCRBY"[..], by, overflow),
        };
        let sign = if self.field.signed { 'i' } else { 'u' };
        effect.bytes(b"OVERFLOW").bytes(overflow.name().as_bytes());
        effect.bytes(name).bytes(format!("{sign}{}", self.field.bits).as_bytes());
        effect.integer(self.offset.into()).integer(number);
    }
}

impl Overflow {
    /// Keyword of BITFIELD.
    pub fn name(self) -> &'static str {
        match self {
            Overflow::Wrap => "WRAP",
            Overflow::Saturate => "SAT",
            Overflow::Fail => "FAIL",
        }
    }
}

/// Runs operations in order and calls `reply` with the result of each; `None` means an overflow with `FAIL`. The string
/// grows to contain every field that is written, even if the write fails.
pub fn run(
    txn: &mut Txn<'_>,
    key: &[u8],
    operations: &[FieldOperation],
    mut reply: impl FnMut(Option<i64>),
) -> Result<(), Error> {
    let mut writes = operations.iter().filter(|operation| operation.writes()).peekable();
    if writes.peek().is_none() {
        let bytes = strings::get(txn, key)?.unwrap_or_default();
        operations.iter().for_each(|operation| reply(operation.evaluate(bytes).result));
        return Ok(());
    }
    let lookup = txn.find_for_write(key, Kind::String)?;
    let bytes = strings::string_of(txn, lookup);
    let len = writes.map(FieldOperation::end_bytes).fold(bytes.len(), usize::max);
    let string_max = txn.limits().string_bytes;
    if operations.iter().any(|operation| operation.writes() && operation.offset as usize / 8 >= string_max) {
        return Err(Error::BitOffset);
    }
    // Up to the first change all operations read the stored string, so this finds out whether there is one.
    if len == bytes.len() && operations.iter().all(|operation| operation.evaluate(bytes).change.is_none()) {
        operations.iter().for_each(|operation| reply(operation.evaluate(bytes).result));
        return Ok(());
    }
    strings::edit_grown(txn, lookup, key, len, EventKind::SetBit, &mut |bytes| {
        for operation in operations {
            let Evaluation { result, change } = operation.evaluate(bytes);
            if let Some(new) = change {
                operation.field.write(bytes, operation.offset, new);
            }
            reply(result);
        }
    })?;
    txn.effect(|effect| {
        effect.bytes(b"BITFIELD").bytes(key);
        operations.iter().for_each(|operation| operation.state(effect));
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_reads_back_what_was_written_and_leaves_its_neighbours_alone() {
        for (signed, max_bits) in [(true, SIGNED_MAX_BITS), (false, UNSIGNED_MAX_BITS)] {
            for bits in 1..=max_bits {
                let field = FieldType::new(signed, bits).unwrap();
                let (min, max) = field.range();
                for offset in 0..17 {
                    for value in [min as i64, max as i64, field.number(0x5555_5555_5555_5555)] {
                        let mut bytes = [0xff; 12];
                        field.write(&mut bytes, offset, value);
                        assert_eq!(field.read(&bytes, offset), value, "{field:?} at {offset}");
                        field.write(&mut bytes, offset, field.number(u64::MAX));
                        assert_eq!(bytes, [0xff; 12], "{field:?} at {offset}");
                    }
                }
            }
        }
    }

    #[test]
    fn overflow_wraps_saturates_or_fails() {
        let (signed, unsigned) = (FieldType::new(true, 8).unwrap(), FieldType::new(false, 8).unwrap());
        assert_eq!(signed.fit(200, Overflow::Wrap), Some(-56));
        assert_eq!(signed.fit(-200, Overflow::Saturate), Some(-128));
        assert_eq!(unsigned.fit(-1, Overflow::Saturate), Some(0));
        assert_eq!(unsigned.fit(300, Overflow::Wrap), Some(44));
        assert_eq!(unsigned.fit(256, Overflow::Fail), None);
        assert_eq!(signed.fit(signed.given(i64::MIN), Overflow::Saturate), Some(127));
        assert_eq!(signed.fit(signed.given(i64::MIN + 200), Overflow::Saturate), Some(-128));
        let widest = FieldType::new(true, 64).unwrap();
        assert_eq!(widest.fit(i128::from(i64::MAX) + 1, Overflow::Wrap), Some(i64::MIN));
        assert_eq!(widest.fit(i128::from(i64::MIN) - 1, Overflow::Saturate), Some(i64::MIN));
        assert!(FieldType::new(false, 64).is_none() && FieldType::new(true, 0).is_none());
    }
}
