//! Commands on deadlines of keys. Relative times are converted here; the keyspace takes instants.

use super::table::args::{Args, is};
use super::table::options::Unit;
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::base::clock::Timestamp;
use crate::keyspace::expiry;
use crate::keyspace::{DeadlineCondition, TimeToLive};
use crate::resp::error::{CommandError, ErrorText};

const MS_PER_SECOND: i64 = 1000;
/// Rounding of TTL and EXPIRETIME, which is to the nearest second as in Redis.
const HALF_SECOND_MS: i64 = 500;
const NO_KEY: i64 = -2;
const NO_DEADLINE: i64 = -1;

const WRITES: u32 = WRITE | FAST | TIME;
const READS: u32 = READONLY | FAST | TIME;

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row {
        arguments: "key:key",
        complexity: "O(log N) with N the number of keys that have an expiration.",
        reply: "integer",
        ..Row::of(Group::Generic, name, arity, flags, keys, handler)
    }
}

const UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteUpdate)];
const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key seconds:integer [condition=NX | XX | GT | LT]",
        summary: "Sets the time to live of a key in seconds.",
        ..row("expire", -3, WRITES, UPDATE, expire)
    },
    Row {
        arguments: "key:key unix-time-seconds:unix-time [condition=NX | XX | GT | LT]",
        since: "1.2.0",
        summary: "Sets the expiration of a key to a Unix time in seconds.",
        ..row("expireat", -3, WRITES, UPDATE, expireat)
    },
    Row {
        complexity: "O(1)",
        since: "7.0.0",
        summary: "Returns the expiration of a key as a Unix time in seconds, -1 if none, -2 if no key.",
        ..row("expiretime", 2, READONLY | FAST, READ, expiretime)
    },
    Row {
        since: "2.2.0",
        summary: "Removes the expiration of a key.",
        ..row("persist", 2, WRITE | FAST, UPDATE, persist)
    },
    Row {
        arguments: "key:key milliseconds:integer [condition=NX | XX | GT | LT]",
        since: "2.6.0",
        summary: "Sets the time to live of a key in milliseconds.",
        ..row("pexpire", -3, WRITES, UPDATE, pexpire)
    },
    Row {
        arguments: "key:key unix-time-milliseconds:unix-time [condition=NX | XX | GT | LT]",
        since: "2.6.0",
        summary: "Sets the expiration of a key to a Unix time in milliseconds.",
        ..row("pexpireat", -3, WRITES, UPDATE, pexpireat)
    },
    Row {
        complexity: "O(1)",
        since: "7.0.0",
        summary: "Returns the expiration of a key as a Unix time in milliseconds, -1 if none, -2 if no key.",
        ..row("pexpiretime", 2, READONLY | FAST, READ, pexpiretime)
    },
    Row {
        complexity: "O(1)",
        since: "2.6.0",
        summary: "Returns the time to live of a key in milliseconds, -1 if none, -2 if no key.",
        tips: &["nondeterministic_output"],
        ..row("pttl", 2, READS, READ, pttl)
    },
    Row {
        complexity: "O(1)",
        summary: "Returns the time to live of a key in seconds, -1 if none, -2 if no key.",
        tips: &["nondeterministic_output"],
        ..row("ttl", 2, READS, READ, ttl)
    },
];

fn expire(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_deadline(cx, args, Unit::Seconds)
}

fn pexpire(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_deadline(cx, args, Unit::Milliseconds)
}

fn expireat(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_deadline(cx, args, Unit::UnixSeconds)
}

fn pexpireat(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_deadline(cx, args, Unit::UnixMilliseconds)
}

/// `EXPIRE key n [NX | XX | GT | LT]`, in each unit. Options are checked before the number, and both before the key.
fn set_deadline(cx: &mut Context<'_>, args: &mut Args<'_>, unit: Unit) -> Reply {
    let (key, mut number_args) = (args.bytes()?, *args);
    args.bytes()?;
    let condition = condition(args)?;
    let deadline = instant(number_args.integer()?, unit, cx.now)?;
    let set = expiry::expire_at(&mut cx.txn(), key, deadline, condition)?;
    cx.reply.integer(set.into());
    Ok(())
}

fn condition(args: &mut Args<'_>) -> Result<DeadlineCondition, CommandError> {
    let mut condition = DeadlineCondition::default();
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "NX") => condition.without = true,
            _ if is(word, "XX") => condition.with = true,
            _ if is(word, "GT") => condition.later = true,
            _ if is(word, "LT") => condition.earlier = true,
            _ => return Err(args.refuse(ErrorText::unsupported_option(word))),
        }
    }
    if condition.without && (condition.with || condition.later || condition.earlier) {
        return Err(CommandError::EXPIRE_NX_CONFLICT);
    }
    if condition.later && condition.earlier {
        return Err(CommandError::EXPIRE_GT_LT_CONFLICT);
    }
    Ok(condition)
}

/// Converts the number of an EXPIRE command to a deadline. It may be past or negative, but must fit into 64 bits of
/// milliseconds.
fn instant(number: i64, unit: Unit, now: Timestamp) -> Result<Timestamp, CommandError> {
    let ms = if unit.is_seconds() { number.checked_mul(MS_PER_SECOND) } else { Some(number) };
    let base = if unit.is_relative() { now } else { Timestamp::default() };
    ms.and_then(|ms| base.checked_add_ms(ms)).ok_or(CommandError::INVALID_EXPIRE)
}

fn persist(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let persisted = expiry::persist(&mut cx.txn(), args.bytes()?)?;
    cx.reply.integer(persisted.into());
    Ok(())
}

fn ttl(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let now = cx.now;
    write_deadline(cx, args, |deadline| rounded_seconds(deadline.ms_since(now).max(0)))
}

fn pttl(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let now = cx.now;
    write_deadline(cx, args, |deadline| deadline.ms_since(now).max(0))
}

fn expiretime(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_deadline(cx, args, |deadline| rounded_seconds(deadline.as_ms()))
}

fn pexpiretime(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_deadline(cx, args, Timestamp::as_ms)
}

fn rounded_seconds(ms: i64) -> i64 {
    // Adding half a second first would overflow for the latest deadlines.
    let rounded_up = i64::from(ms % MS_PER_SECOND >= HALF_SECOND_MS);
    ms / MS_PER_SECOND + rounded_up
}

fn write_deadline(cx: &mut Context<'_>, args: &mut Args<'_>, convert: impl FnOnce(Timestamp) -> i64) -> Reply {
    let number = match expiry::time_to_live(&mut cx.txn(), args.bytes()?) {
        TimeToLive::NoKey => NO_KEY,
        TimeToLive::Forever => NO_DEADLINE,
        TimeToLive::Until(deadline) => convert(deadline),
    };
    cx.reply.integer(number);
    Ok(())
}
