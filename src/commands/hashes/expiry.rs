//! Commands on deadlines of hash fields. Relative times are converted here; the keyspace takes instants.

use super::field_args::{self, condition_and_fields, instant, trailing_fields};
use super::{READ, READ_UPDATE, UPDATE};
use crate::base::clock::Timestamp;
use crate::commands::table::options::Unit;
use crate::commands::table::row::{Group, KeySpec, flags::*};
use crate::commands::{Args, Context, Handler, Reply, Row};
use crate::keyspace::hashes;
use crate::keyspace::{FieldExpiry, FieldFate, FieldTimeToLive};

const MS_PER_SECOND: i64 = 1000;
const NO_FIELD: i64 = -2;
const NO_DEADLINE: i64 = -1;

const WRITES: u32 = WRITE | FAST | TIME;

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: Handler) -> Row {
    Row {
        arguments: "key:key FIELDS numfields:integer field...",
        complexity: "O(N) with N the number of given fields.",
        since: "7.4.0",
        reply: "array(integer)",
        ..Row::of(Group::Hash, name, arity, flags, keys, handler)
    }
}

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key seconds:integer [condition=NX | XX | GT | LT] FIELDS numfields:integer field...",
        summary: "Sets the time to live of fields in seconds.",
        ..row("hexpire", -6, WRITES | DENYOOM, UPDATE, hexpire)
    },
    Row {
        arguments: "key:key unix-time-seconds:unix-time [condition=NX | XX | GT | LT] FIELDS numfields:integer field...",
        summary: "Sets the expiration of fields to a Unix time in seconds.",
        ..row("hexpireat", -6, WRITES | DENYOOM, UPDATE, hexpireat)
    },
    Row {
        summary: "Returns the expirations of fields as Unix times in seconds, -1 if none, -2 if no field.",
        ..row("hexpiretime", -5, READONLY | FAST, READ, hexpiretime)
    },
    Row {
        arguments: "key:key [expiration=EX seconds:integer | PX milliseconds:integer | EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | PERSIST] FIELDS numfields:integer field...",
        since: "8.0.0",
        summary: "Returns the values of fields and sets or removes their expiration.",
        reply: "array(bulk|null)",
        ..row("hgetex", -5, WRITES, READ_UPDATE, hgetex)
    },
    Row { summary: "Removes the expiration of fields.", ..row("hpersist", -5, WRITE | FAST, UPDATE, hpersist) },
    Row {
        arguments: "key:key milliseconds:integer [condition=NX | XX | GT | LT] FIELDS numfields:integer field...",
        summary: "Sets the time to live of fields in milliseconds.",
        ..row("hpexpire", -6, WRITES | DENYOOM, UPDATE, hpexpire)
    },
    Row {
        arguments: "key:key unix-time-milliseconds:unix-time [condition=NX | XX | GT | LT] FIELDS numfields:integer field...",
        summary: "Sets the expiration of fields to a Unix time in milliseconds.",
        ..row("hpexpireat", -6, WRITES | DENYOOM, UPDATE, hpexpireat)
    },
    Row {
        summary: "Returns the expirations of fields as Unix times in milliseconds, -1 if none, -2 if no field.",
        ..row("hpexpiretime", -5, READONLY | FAST, READ, hpexpiretime)
    },
    Row {
        summary: "Returns the times to live of fields in milliseconds, -1 if none, -2 if no field.",
        tips: &["nondeterministic_output"],
        ..row("hpttl", -5, READONLY | FAST | TIME, READ, hpttl)
    },
    Row {
        arguments: "key:key [condition=FNX | FXX] [expiration=EX seconds:integer | PX milliseconds:integer | EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | KEEPTTL] FIELDS numfields:integer (field value)...",
        since: "8.0.0",
        summary: "Sets fields of a hash and their expiration, optionally only if all or none exist.",
        reply: "integer",
        ..row("hsetex", -6, WRITES | DENYOOM, UPDATE, hsetex)
    },
    Row {
        summary: "Returns the times to live of fields in seconds, -1 if none, -2 if no field.",
        tips: &["nondeterministic_output"],
        ..row("httl", -5, READONLY | FAST | TIME, READ, httl)
    },
];

fn hexpire(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_deadlines(cx, args, Unit::Seconds)
}

fn hpexpire(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_deadlines(cx, args, Unit::Milliseconds)
}

fn hexpireat(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_deadlines(cx, args, Unit::UnixSeconds)
}

fn hpexpireat(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set_deadlines(cx, args, Unit::UnixMilliseconds)
}

/// `HEXPIRE key n [NX | XX | GT | LT] FIELDS numfields field ...`, in each unit. The type of the key is checked first,
/// then the number, then the other arguments.
fn set_deadlines(cx: &mut Context<'_>, args: &mut Args<'_>, unit: Unit) -> Reply {
    let key = args.bytes()?;
    hashes::find(&mut cx.txn(), key)?;
    let deadline = instant(args.bytes()?, unit, cx.now)?;
    let (condition, mut fields) = condition_and_fields(args)?;
    let names = fields.args.many(fields.count);
    let outcomes = hashes::expire_at(&mut cx.txn(), key, names, deadline, condition)?;
    write_outcomes(cx, &outcomes, 0);
    Ok(())
}

/// Writes an integer per field; `untouched` stands for a deadline that did not change.
fn write_outcomes(cx: &mut Context<'_>, outcomes: &[FieldFate], untouched: i64) {
    cx.reply.array(outcomes.len());
    for outcome in outcomes {
        cx.reply.integer(match outcome {
            FieldFate::NoField => NO_FIELD,
            FieldFate::Untouched => untouched,
            FieldFate::Changed => 1,
            FieldFate::Deleted => 2,
        });
    }
}

fn hpersist(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    hashes::find(&mut cx.txn(), key)?;
    let count = trailing_fields(args)?;
    let outcomes = hashes::persist(&mut cx.txn(), key, args.many(count))?;
    write_outcomes(cx, &outcomes, NO_DEADLINE);
    Ok(())
}

fn httl(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let now = cx.now;
    write_deadlines(cx, args, |deadline| rounded_up(deadline.ms_since(now).max(0)))
}

fn hpttl(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let now = cx.now;
    write_deadlines(cx, args, |deadline| deadline.ms_since(now).max(0))
}

fn hexpiretime(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_deadlines(cx, args, |deadline| rounded_up(deadline.as_ms()))
}

fn hpexpiretime(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_deadlines(cx, args, Timestamp::as_ms)
}

/// Converts milliseconds to seconds, rounded up as in Redis. Deadlines of keys are rounded to the nearest second.
fn rounded_up(ms: i64) -> i64 {
    ms / MS_PER_SECOND + i64::from(ms % MS_PER_SECOND > 0)
}

fn write_deadlines(cx: &mut Context<'_>, args: &mut Args<'_>, convert: impl Fn(Timestamp) -> i64) -> Reply {
    let key = args.bytes()?;
    hashes::find(&mut cx.txn(), key)?;
    let count = trailing_fields(args)?;
    cx.reply.array(count);
    for name in args.many(count) {
        let number = match hashes::time_to_live(&mut cx.txn(), key, name)? {
            FieldTimeToLive::NoField => NO_FIELD,
            FieldTimeToLive::Forever => NO_DEADLINE,
            FieldTimeToLive::Until(deadline) => convert(deadline),
        };
        cx.reply.integer(number);
    }
    Ok(())
}

/// `HGETEX key [option] FIELDS numfields field ...`. The type of the key is checked before the other arguments.
fn hgetex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    hashes::find(&mut cx.txn(), key)?;
    let mut options = field_args::hgetex(args, cx.now)?;
    let names = options.fields.args.many(options.fields.count);
    let expiry = options.expiry.unwrap_or(FieldExpiry::Keep);
    let values = hashes::get_and_expire(&mut cx.txn(), key, names, expiry)?;
    field_args::write_values(&values, cx.reply);
    Ok(())
}

/// `HSETEX key [options] FIELDS numfields field value ...`. The arguments are checked before the type of the key.
fn hsetex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let mut options = field_args::hsetex(args, cx.now)?;
    let pairs = options.fields.args.pairs(options.fields.count);
    let expiry = options.expiry.unwrap_or(FieldExpiry::Never);
    let set = hashes::set_and_expire(&mut cx.txn(), key, pairs, options.presence, expiry)?;
    cx.reply.integer(set.into());
    Ok(())
}
