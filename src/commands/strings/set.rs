//! SET and the other commands that store whole strings: SETNX, SETEX, PSETEX, GETSET, MSET, MSETNX and MSETEX.

use crate::base::number::parse_integer;
use crate::commands::table::args::{Args, is};
use crate::commands::table::options::{Alternative, ExpiryOption, Unit, comparison, deadline, take_presence};
use crate::commands::{Context, Reply};
use crate::keyspace::strings;
use crate::keyspace::{Comparison, Expiry, Presence, SetOptions};
use crate::resp::error::CommandError;

/// `SET key value [NX | XX | IFEQ v | IFNE v | IFDEQ d | IFDNE d] [GET] [EX s | PX ms | EXAT s | PXAT ms | KEEPTTL]`
pub(super) fn set(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, value) = (args.bytes()?, args.bytes()?);
    let mut options = SetOptions::default();
    let mut expiry = ExpiryOption::default();
    while let Some(word) = args.optional() {
        if is(word, "GET") {
            options.get = true;
        } else if is_condition(word) {
            take_condition(word, args, &mut options)?;
        } else if !expiry.take(word, args, Alternative::KeepTtl)? {
            return Err(CommandError::SYNTAX);
        }
    }
    options.expiry = expiry.resolve(cx.now)?;
    let outcome = strings::set(&mut cx.txn(), key, value, &options)?;
    match (options.get, outcome.stored) {
        (true, _) => cx.reply.optional_bulk(outcome.previous.as_deref()),
        (false, true) => cx.reply.ok(),
        (false, false) => cx.reply.null(),
    }
    Ok(())
}

fn is_condition(word: &[u8]) -> bool {
    ["NX", "XX", "IFEQ", "IFNE", "IFDEQ", "IFDNE"].iter().any(|keyword| is(word, keyword))
}

/// Reads a condition. As in Redis 8.6.3, NX and XX may follow a comparison but not precede it; then both must hold.
fn take_condition<'a>(word: &[u8], args: &mut Args<'a>, options: &mut SetOptions<'a>) -> Result<(), CommandError> {
    if take_presence(word, &mut options.presence)? {
        return Ok(());
    }
    let comparison = comparison(word, args.bytes()?).ok_or(CommandError::SYNTAX)?;
    let is_same_kind = |other: Comparison<'_>| core::mem::discriminant(&other) == core::mem::discriminant(&comparison);
    if options.comparison.map_or(options.presence.is_some(), |previous| !is_same_kind(previous)) {
        return Err(CommandError::SYNTAX);
    }
    options.comparison = Some(comparison);
    Ok(())
}

pub(super) fn setnx(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let options = SetOptions { presence: Some(Presence::Missing), ..SetOptions::default() };
    let outcome = strings::set(&mut cx.txn(), args.bytes()?, args.bytes()?, &options)?;
    cx.reply.integer(outcome.stored.into());
    Ok(())
}

pub(super) fn setex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_with_ttl(cx, args, Unit::Seconds)
}

pub(super) fn psetex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_with_ttl(cx, args, Unit::Milliseconds)
}

fn set_with_ttl(cx: &mut Context<'_>, args: &mut Args<'_>, unit: Unit) -> Reply {
    let (key, ttl, value) = (args.bytes()?, args.bytes()?, args.bytes()?);
    let expiry = Expiry::At(deadline(ttl, unit, cx.now)?);
    strings::set(&mut cx.txn(), key, value, &SetOptions { expiry, ..SetOptions::default() })?;
    cx.reply.ok();
    Ok(())
}

pub(super) fn getset(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let options = SetOptions { get: true, ..SetOptions::default() };
    let outcome = strings::set(&mut cx.txn(), args.bytes()?, args.bytes()?, &options)?;
    cx.reply.optional_bulk(outcome.previous.as_deref());
    Ok(())
}

pub(super) fn mset(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_pairs(cx, args, None)?;
    cx.reply.ok();
    Ok(())
}

pub(super) fn msetnx(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let stored = set_pairs(cx, args, Some(Presence::Missing))?;
    cx.reply.integer(stored.into());
    Ok(())
}

fn set_pairs(cx: &mut Context<'_>, args: &mut Args<'_>, presence: Option<Presence>) -> Result<bool, CommandError> {
    if args.left() % 2 == 1 {
        return Err(CommandError::WRONG_ARITY);
    }
    let pairs = args.pairs(args.left() / 2);
    Ok(strings::set_many(&mut cx.txn(), pairs, presence, Expiry::Never)?)
}

/// `MSETEX numkeys key value [key value ...] [NX | XX] [EX s | PX ms | EXAT s | PXAT ms | KEEPTTL]`
pub(super) fn msetex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let count = parse_integer(args.bytes()?).filter(|count| (1..=i64::from(i32::MAX)).contains(count));
    let count = count.ok_or(CommandError::BAD_NUMKEYS)? as usize;
    if args.left() / 2 < count {
        return Err(CommandError::BAD_PAIR_COUNT);
    }
    let pairs = args.pairs(count);
    let (mut presence, mut expiry) = (None, ExpiryOption::default());
    while let Some(word) = args.optional() {
        if !take_presence(word, &mut presence)? && !expiry.take(word, args, Alternative::KeepTtl)? {
            return Err(CommandError::SYNTAX);
        }
    }
    let expiry = expiry.resolve(cx.now)?;
    let stored = strings::set_many(&mut cx.txn(), pairs, presence, expiry)?;
    cx.reply.integer(stored.into());
    Ok(())
}
