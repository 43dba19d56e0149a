//! Bitmap family. Handlers of BITFIELD are in `bitfield`.

use super::bitfield::{self, bit_offset};
use super::table::args::{Args, is};
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::base::number::parse_integer;
use crate::keyspace::bits;
use crate::keyspace::{BitOperation, BitRange, RangeUnit};
use crate::resp::error::{CommandError, ErrorText};

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const READ_UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteAccess)];
const BITOP_KEYS: &[KeySpec] = &[KeySpec::one(2, KeyAccess::Overwrite), KeySpec::rest(3, KeyAccess::ReadAccess)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row { since: "2.2.0", reply: "integer", ..Row::of(Group::Bitmap, name, arity, flags, keys, handler) }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key [range=start:integer end:integer [unit=BYTE | BIT]]",
        complexity: "O(N) with N the number of bytes read.",
        since: "2.6.0",
        summary: "Counts the set bits of a string or of a range of it.",
        ..row("bitcount", -2, READONLY, READ, bitcount)
    },
    Row {
        arguments: bitfield::ARGUMENTS,
        complexity: "O(1) for each operation.",
        since: "3.2.0",
        summary: "Reads, writes and increments integers of any bit width in a string.",
        reply: "array(integer|null)",
        ..row("bitfield", -2, WRITE | DENYOOM, READ_UPDATE, bitfield::bitfield)
    },
    Row {
        arguments: "key:key [get-block=GET encoding offset:integer]...",
        complexity: "O(1) for each operation.",
        since: "6.0.0",
        summary: "Reads integers of any bit width in a string.",
        reply: "array(integer)",
        ..row("bitfield_ro", -2, READONLY | FAST, READ, bitfield::bitfield_ro)
    },
    Row {
        arguments: "<operation=AND | OR | XOR | NOT | DIFF | DIFF1 | ANDOR | ONE> destkey:key key:key...",
        complexity: "O(N) with N the total number of source bytes.",
        since: "2.6.0",
        summary: "Stores the result of a bitwise operation between strings.",
        ..row("bitop", -4, WRITE | DENYOOM, BITOP_KEYS, bitop)
    },
    Row {
        arguments: "key:key bit:integer [range=start:integer [end-unit-block=end:integer [unit=BYTE | BIT]]]",
        complexity: "O(N) with N the number of bytes read.",
        since: "2.8.7",
        summary: "Finds the first set or clear bit of a string or of a range of it.",
        ..row("bitpos", -3, READONLY, READ, bitpos)
    },
    Row {
        arguments: "key:key offset:integer",
        summary: "Returns the bit at an offset of a string.",
        ..row("getbit", 3, READONLY | FAST, READ, getbit)
    },
    Row {
        arguments: "key:key offset:integer value:integer",
        summary: "Sets or clears the bit at an offset, growing the string, and returns the old bit.",
        ..row("setbit", 4, WRITE | DENYOOM, READ_UPDATE, setbit)
    },
];

fn setbit(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, offset) = (args.bytes()?, bit_offset(args.bytes()?)?);
    let on = match parse_integer(args.bytes()?) {
        Some(0) => false,
        Some(1) => true,
        _ => return Err(CommandError::BIT_VALUE),
    };
    let was_on = bits::set(&mut cx.txn(), key, offset, on)?;
    cx.reply.integer(was_on.into());
    Ok(())
}

fn getbit(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, offset) = (args.bytes()?, bit_offset(args.bytes()?)?);
    let is_on = bits::get(&mut cx.txn(), key, offset)?;
    cx.reply.integer(is_on.into());
    Ok(())
}

/// `BITCOUNT key [start end [BYTE | BIT]]`
fn bitcount(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let range = match args.left() {
        0 => BitRange::default(),
        2 | 3 => BitRange { start: args.integer()?, end: Some(args.integer()?), unit: unit(args.optional())? },
        _ => return Err(CommandError::SYNTAX),
    };
    let count = bits::count(&mut cx.txn(), key, range)?;
    cx.reply.integer(count as i64);
    Ok(())
}

/// `BITPOS key bit [start [end [BYTE | BIT]]]`
fn bitpos(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let bit = match args.integer()? {
        0 => false,
        1 => true,
        _ => return Err(CommandError::BIT_ARGUMENT),
    };
    let mut range = BitRange::default();
    if args.left() > 3 {
        return Err(CommandError::SYNTAX);
    }
    if !args.is_done() {
        range.start = args.integer()?;
        let end = args.optional();
        range.unit = unit(args.optional())?;
        range.end = end.map(|end| parse_integer(end).ok_or(CommandError::NOT_AN_INTEGER)).transpose()?;
    }
    let position = bits::find(&mut cx.txn(), key, bit, range)?;
    cx.reply.integer(position.map_or(-1, |position| position as i64));
    Ok(())
}

fn unit(word: Option<&[u8]>) -> Result<RangeUnit, CommandError> {
    match word {
        None => Ok(RangeUnit::Byte),
        Some(word) if is(word, "BYTE") => Ok(RangeUnit::Byte),
        Some(word) if is(word, "BIT") => Ok(RangeUnit::Bit),
        Some(_) => Err(CommandError::SYNTAX),
    }
}

/// `BITOP <AND | OR | XOR | NOT | DIFF | DIFF1 | ANDOR | ONE> destkey key [key ...]`
fn bitop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (word, destination) = (args.bytes()?, args.bytes()?);
    let operation = BitOperation::ALL.into_iter().find(|operation| is(word, operation.name()));
    let operation = operation.ok_or(CommandError::SYNTAX)?;
    match operation {
        BitOperation::Not if args.left() != 1 => return Err(CommandError::BITOP_NOT_SOURCES),
        BitOperation::Diff | BitOperation::Diff1 | BitOperation::AndOr if args.left() < 2 => {
            return Err(args.refuse(ErrorText::too_few_sources(operation.name())));
        }
        _ => {}
    }
    let len = bits::combine(&mut cx.txn(), operation, destination, args.rest())?;
    cx.reply.integer(len as i64);
    Ok(())
}
