//! BITFIELD and BITFIELD_RO, and the parser of their operations.

use crate::keyspace::bitfield;
use alloc::vec::Vec;

use super::table::args::{Args, is};
use super::{Context, Reply};
use crate::base::number::parse_integer;
use crate::keyspace::{FieldAction, FieldOperation, FieldType, Overflow};
use crate::resp::error::CommandError;

pub(super) const ARGUMENTS: &str = "key:key [operation=GET encoding offset:integer | ([OVERFLOW <overflow=WRAP | SAT | FAIL>] <write-operation=SET encoding offset:integer value:integer | INCRBY encoding offset:integer increment:integer>)]...";

/// `BITFIELD key [GET t o | SET t o n | INCRBY t o n | OVERFLOW WRAP|SAT|FAIL] ...`
pub(super) fn bitfield(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let operations = operations(args)?;
    run(cx, key, &operations)
}

/// `BITFIELD_RO key [GET t o ...]`. All operations are parsed before a write is refused, and the key is checked last,
/// as in Redis.
pub(super) fn bitfield_ro(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let operations = operations(args)?;
    if operations.iter().any(|operation| operation.action != FieldAction::Get) {
        return Err(CommandError::BITFIELD_READ_ONLY);
    }
    run(cx, key, &operations)
}

fn run(cx: &mut Context<'_>, key: &[u8], operations: &[FieldOperation]) -> Reply {
    cx.reply.array(operations.len());
    let (mut txn, reply) = cx.txn_and_reply();
    bitfield::run(&mut txn, key, operations, |result| match result {
        Some(number) => reply.integer(number),
        None => reply.null(),
    })?;
    Ok(())
}

fn operations(args: &mut Args<'_>) -> Result<Vec<FieldOperation>, CommandError> {
    let (mut operations, mut overflow) = (Vec::new(), Overflow::default());
    while let Some(word) = args.optional() {
        let writes = is(word, "SET") || is(word, "INCRBY");
        if is(word, "OVERFLOW") {
            overflow = parse_overflow(args.bytes()?)?;
            continue;
        }
        // The number of arguments is checked before their values.
        if !(writes && args.left() >= 3 || is(word, "GET") && args.left() >= 2) {
            return Err(CommandError::SYNTAX);
        }
        let field = field_type(args.bytes()?).ok_or(CommandError::FIELD_TYPE)?;
        let offset = field_offset(args.bytes()?, field)?;
        let action = match writes {
            false => FieldAction::Get,
            true if is(word, "SET") => FieldAction::Set { value: args.integer()?, overflow },
            true => FieldAction::Increment { by: args.integer()?, overflow },
        };
        operations.try_reserve(1).map_err(|_| CommandError::OUT_OF_MEMORY)?;
        operations.push(FieldOperation { field, offset, action });
    }
    Ok(operations)
}

fn parse_overflow(word: &[u8]) -> Result<Overflow, CommandError> {
    let mut all = [Overflow::Wrap, Overflow::Saturate, Overflow::Fail].into_iter();
    all.find(|overflow| is(word, overflow.name())).ok_or(CommandError::FIELD_OVERFLOW)
}

/// Parses a type such as `i16` or `u8`. The letter is case-sensitive.
fn field_type(text: &[u8]) -> Option<FieldType> {
    let (sign, bits) = text.split_first()?;
    let bits = u8::try_from(parse_integer(bits)?).ok()?;
    match sign {
        b'i' => FieldType::new(true, bits),
        b'u' => FieldType::new(false, bits),
        _ => None,
    }
}

/// Parses an offset in bits, or after `#` in multiples of the field's width.
fn field_offset(text: &[u8], field: FieldType) -> Result<u32, CommandError> {
    let Some(index) = text.strip_prefix(b"#") else { return bit_offset(text) };
    let offset = bit_offset(index)?.checked_mul(field.bits().into());
    offset.ok_or(CommandError::BIT_OFFSET)
}

/// Parses the offset of a bit, which is less than 2^32.
pub(super) fn bit_offset(text: &[u8]) -> Result<u32, CommandError> {
    parse_integer(text).and_then(|offset| u32::try_from(offset).ok()).ok_or(CommandError::BIT_OFFSET)
}
