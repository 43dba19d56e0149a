//! Integers of any width within a string: the typed operation behind BITFIELD. Semantics are those of Redis 8.6.3.

use alloc::format;

use crate::keyspace::observers::effect::EffectWriter;
use crate::keyspace::ops::strings;
use crate::keyspace::txn::Txn;
use crate::keyspace::{Error, EventKind};
use crate::values::Kind;

/// No field touches more bytes: 64 bits that begin within a byte.
const WINDOW_BYTES: usize = 9;
const WINDOW_BITS: u32 = WINDOW_BYTES as u32 * 8;
const SIGNED_MAX_BITS: u8 = 64;
/// Answers are signed, so a field without sign has a bit less.
const UNSIGNED_MAX_BITS: u8 = 63;

/// The type of a field: `i16`, `u8`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldType {
    signed: bool,
    bits: u8,
}

/// What happens to a number that its field cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    /// Only the lowest bits are kept.
    #[default]
    Wrap,
    /// The nearest number the field can hold takes its place.
    Saturate,
    /// Nothing is written, and the answer is that nothing was.
    Fail,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldAction {
    Get,
    /// Answers the old number.
    Set {
        value: i64,
        overflow: Overflow,
    },
    /// Answers the new number.
    Increment {
        by: i64,
        overflow: Overflow,
    },
}

/// One step of BITFIELD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldOperation {
    pub field: FieldType,
    /// The position of the field's highest bit.
    pub offset: u32,
    pub action: FieldAction,
}

/// What an operation finds and does.
struct Evaluation {
    answer: Option<i64>,
    /// The number to write, if it is another than the field holds.
    change: Option<i64>,
}

impl FieldType {
    /// Signed fields have 1 to 64 bits, unsigned ones 1 to 63.
    pub fn new(signed: bool, bits: u8) -> Option<FieldType> {
        let most = if signed { SIGNED_MAX_BITS } else { UNSIGNED_MAX_BITS };
        (1..=most).contains(&bits).then_some(FieldType { signed, bits })
    }

    pub fn bits(self) -> u8 {
        self.bits
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The lowest bits as the number they are in this type.
    fn number(self, bits: u64) -> i64 {
        let unused = 64 - self.bits;
        if self.signed { (bits << unused) as i64 >> unused } else { (bits & self.mask()) as i64 }
    }

    fn range(self) -> (i128, i128) {
        if self.signed { (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) } else { (0, i128::from(self.mask())) }
    }

    /// The number SET is given, as Redis takes it: a negative one is the huge number of the same bits where the field has
    /// no sign, and where it is further below the field's largest number than 63 bits can tell.
    fn given(self, value: i64) -> i128 {
        let (least, most) = self.range();
        let exact = i128::from(value);
        let is_too_far = exact < least && most - exact > i128::from(i64::MAX);
        if self.signed && !is_too_far { exact } else { i128::from(value as u64) }
    }

    /// What the field holds after `exact` was written to it; `None` when it is not to be written.
    fn fit(self, exact: i128, overflow: Overflow) -> Option<i64> {
        let (least, most) = self.range();
        match overflow {
            _ if (least..=most).contains(&exact) => Some(exact as i64),
            Overflow::Wrap => Some(self.number(exact as u64)),
            Overflow::Saturate => Some(exact.clamp(least, most) as i64),
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
        // The string may end within the window; the field does not reach beyond it.
        let window = (0..WINDOW_BYTES).rev().map(|index| (filled >> (index * 8)) as u8);
        bytes[first..].iter_mut().zip(window).for_each(|(byte, new)| *byte = new);
    }

    /// How far above the lowest bit of its window the field lies.
    fn shift(self, offset: u32) -> u32 {
        WINDOW_BITS - offset % 8 - u32::from(self.bits)
    }
}

/// The bytes from that of `offset` on as a number, zeros behind the end.
fn window(bytes: &[u8], offset: u32) -> u128 {
    let rest = bytes.get((offset / 8) as usize..).unwrap_or_default();
    let padded = rest.iter().copied().chain(core::iter::repeat(0));
    padded.take(WINDOW_BYTES).fold(0, |window, byte| window << 8 | u128::from(byte))
}

impl FieldOperation {
    fn writes(&self) -> bool {
        self.action != FieldAction::Get
    }

    /// How long the string must be to hold the field.
    fn end_bytes(&self) -> usize {
        (u64::from(self.offset) + u64::from(self.field.bits)).div_ceil(8) as usize
    }

    fn evaluate(&self, bytes: &[u8]) -> Evaluation {
        let old = self.field.read(bytes, self.offset);
        let (new, answers_old) = match self.action {
            FieldAction::Get => return Evaluation { answer: Some(old), change: None },
            FieldAction::Set { value, overflow } => (self.field.fit(self.field.given(value), overflow), true),
            FieldAction::Increment { by, overflow } => {
                (self.field.fit(i128::from(old) + i128::from(by), overflow), false)
            }
        };
        let answer = new.map(|new| if answers_old { old } else { new });
        Evaluation { answer, change: new.filter(|&new| new != old) }
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
    /// As BITFIELD spells it.
    pub fn name(self) -> &'static str {
        match self {
            Overflow::Wrap => "WRAP",
            Overflow::Saturate => "SAT",
            Overflow::Fail => "FAIL",
        }
    }
}

/// Reads and writes fields in order, and calls `answer` with what each operation answers: `None` when it failed for
/// its overflow. Writing grows the string to hold every written field, also one whose writing fails.
pub fn run(
    txn: &mut Txn<'_>,
    key: &[u8],
    operations: &[FieldOperation],
    mut answer: impl FnMut(Option<i64>),
) -> Result<(), Error> {
    let mut writes = operations.iter().filter(|operation| operation.writes()).peekable();
    if writes.peek().is_none() {
        let bytes = strings::get(txn, key)?.unwrap_or_default();
        operations.iter().for_each(|operation| answer(operation.evaluate(bytes).answer));
        return Ok(());
    }
    let slot = txn.find_for_write(key, Kind::String)?;
    let bytes = strings::string_of(txn, slot);
    let len = writes.map(FieldOperation::end_bytes).fold(bytes.len(), usize::max);
    // Up to the first change everybody reads what is stored, so this finds out whether there is one.
    if len == bytes.len() && operations.iter().all(|operation| operation.evaluate(bytes).change.is_none()) {
        operations.iter().for_each(|operation| answer(operation.evaluate(bytes).answer));
        return Ok(());
    }
    strings::edit_grown(txn, slot, key, len, EventKind::SetBit, &mut |bytes| {
        for operation in operations {
            let Evaluation { answer: answered, change } = operation.evaluate(bytes);
            if let Some(new) = change {
                operation.field.write(bytes, operation.offset, new);
            }
            answer(answered);
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
        for (signed, most) in [(true, SIGNED_MAX_BITS), (false, UNSIGNED_MAX_BITS)] {
            for bits in 1..=most {
                let field = FieldType::new(signed, bits).unwrap();
                let (least, most) = field.range();
                for offset in 0..17 {
                    for value in [least as i64, most as i64, field.number(0x5555_5555_5555_5555)] {
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
