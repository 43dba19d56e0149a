//! INCR, DECR, INCRBY, DECRBY and INCRBYFLOAT: strings as numbers.

use crate::base::number::LongDouble;
use crate::commands::table::args::Args;
use crate::commands::{Context, Reply};
use crate::keyspace::strings;
use crate::resp::error::CommandError;

pub(super) fn incr(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    add(cx, args.bytes()?, 1)
}

pub(super) fn decr(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    add(cx, args.bytes()?, -1)
}

pub(super) fn incrby(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, increment) = (args.bytes()?, args.integer()?);
    add(cx, key, increment)
}

pub(super) fn decrby(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, decrement) = (args.bytes()?, args.integer()?);
    let increment = decrement.checked_neg().ok_or(CommandError::DECREMENT_OVERFLOW)?;
    add(cx, key, increment)
}

fn add(cx: &mut Context<'_>, key: &[u8], increment: i64) -> Reply {
    let sum = strings::increment(&mut cx.txn(), key, increment)?;
    cx.reply.integer(sum);
    Ok(())
}

/// `INCRBYFLOAT key increment`. The type of the key is checked before the increment is parsed, as in Redis.
pub(super) fn incrbyfloat(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, increment) = (args.bytes()?, args.bytes()?);
    strings::expect(&mut cx.txn(), key)?;
    let increment = LongDouble::parse(increment).ok_or(CommandError::NOT_A_FLOAT)?;
    let text = strings::increment_float(&mut cx.txn(), key, increment)?;
    cx.reply.bulk(&text);
    Ok(())
}
