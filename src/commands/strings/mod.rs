//! String family. Handlers that store strings are in `set`, those that increment numbers in `counters`.

mod counters;
mod set;

use super::table::args::{Args, count_of};
use super::table::options::{Alternative, ExpiryOption, comparison, deadline};
use super::table::row::{Begin, Find, Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::keyspace::expiry;
use crate::keyspace::keys;
use crate::keyspace::strings;
use crate::resp::error::CommandError;

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteUpdate)];
const READ_UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteAccess)];
const OVERWRITE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Overwrite)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row { arguments: "key:key", ..Row::of(Group::String, name, arity, flags, keys, handler) }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key value",
        complexity: "O(1) amortized for short appended values; a long string grows in place.",
        since: "2.0.0",
        summary: "Appends to the string at a key, creating it if it does not exist.",
        reply: "integer",
        ..row("append", 3, WRITE | DENYOOM | FAST | LONG, &[KeySpec::one(1, KeyAccess::Insert)], append)
    },
    Row {
        summary: "Decrements the integer at a key by one; a missing key counts as 0.",
        reply: "integer",
        ..row("decr", 2, WRITE | DENYOOM | FAST, READ_UPDATE, counters::decr)
    },
    Row {
        arguments: "key:key decrement:integer",
        summary: "Decrements the integer at a key by a number; a missing key counts as 0.",
        reply: "integer",
        ..row("decrby", 3, WRITE | DENYOOM | FAST, READ_UPDATE, counters::decrby)
    },
    Row {
        arguments: "key:key [condition=IFEQ ifeq-value | IFNE ifne-value | IFDEQ ifdeq-digest | IFDNE ifdne-digest]",
        complexity: "O(1) for IFEQ and IFNE, O(N) for IFDEQ and IFDNE with N the length of the string.",
        since: "8.4.0",
        summary: "Deletes a key if its value or digest meets a condition.",
        reply: "integer",
        ..row("delex", -2, WRITE | FAST | LONG, &[KeySpec::one(1, KeyAccess::Delete)], delex)
    },
    Row {
        arguments: "key:key value",
        since: "Valkey 9.0",
        summary: "Deletes a key if its value equals the given one; a Valkey command to release locks.",
        reply: "integer",
        ..row("delifeq", 3, WRITE | FAST, &[KeySpec::one(1, KeyAccess::Delete)], delifeq)
    },
    Row {
        complexity: "O(N) with N the length of the string.",
        since: "8.4.0",
        summary: "Returns the XXH3 digest of the string at a key as 16 hex digits.",
        reply: "bulk|null",
        ..row("digest", 2, READONLY | FAST | LONG, READ, digest)
    },
    Row { summary: "Returns the string at a key.", reply: "bulk|null", ..row("get", 2, READONLY | FAST, READ, get) },
    Row {
        since: "6.2.0",
        summary: "Returns the string at a key and deletes the key.",
        reply: "bulk|null",
        ..row("getdel", 2, WRITE | FAST, &[KeySpec::one(1, KeyAccess::ReadDelete)], getdel)
    },
    Row {
        arguments: "key:key [expiration=EX seconds:integer | PX milliseconds:integer | EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | PERSIST]",
        since: "6.2.0",
        summary: "Returns the string at a key and sets or removes its expiration.",
        reply: "bulk|null",
        ..row("getex", -2, WRITE | FAST | TIME, READ_UPDATE, getex)
    },
    Row {
        arguments: "key:key start:integer end:integer",
        complexity: "O(N) with N the length of the reply.",
        since: "2.4.0",
        summary: "Returns a range of the string at a key.",
        reply: "bulk",
        ..row("getrange", 4, READONLY, READ, getrange)
    },
    Row {
        arguments: "key:key value",
        summary: "Sets the string at a key and returns the old one.",
        reply: "bulk|null",
        ..row("getset", 3, WRITE | DENYOOM | FAST, READ_UPDATE, set::getset)
    },
    Row {
        summary: "Increments the integer at a key by one; a missing key counts as 0.",
        reply: "integer",
        ..row("incr", 2, WRITE | DENYOOM | FAST, READ_UPDATE, counters::incr)
    },
    Row {
        arguments: "key:key increment:integer",
        summary: "Increments the integer at a key by a number; a missing key counts as 0.",
        reply: "integer",
        ..row("incrby", 3, WRITE | DENYOOM | FAST, READ_UPDATE, counters::incrby)
    },
    Row {
        arguments: "key:key increment:double",
        since: "2.6.0",
        summary: "Increments the number at a key by a floating-point number; a missing key counts as 0.",
        reply: "bulk",
        ..row("incrbyfloat", 3, WRITE | DENYOOM | FAST, READ_UPDATE, counters::incrbyfloat)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N) with N the number of keys.",
        summary: "Returns the strings at several keys, null for a missing key or another type.",
        reply: "array(bulk|null)",
        tips: &["request_policy:multi_shard"],
        ..row("mget", -2, READONLY | FAST, &[KeySpec::rest(1, KeyAccess::ReadAccess)], mget)
    },
    Row {
        arguments: "(key:key value)...",
        complexity: "O(N) with N the number of keys.",
        since: "1.0.1",
        summary: "Sets the strings at several keys atomically.",
        reply: "OK",
        tips: &["request_policy:multi_shard", "response_policy:all_succeeded"],
        ..row("mset", -3, WRITE | DENYOOM, &[KeySpec::pairs(1, KeyAccess::Overwrite)], set::mset)
    },
    Row {
        arguments: "numkeys:integer (key:key value)... [condition=NX | XX] [expiration=EX seconds:integer | PX milliseconds:integer | EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | KEEPTTL]",
        complexity: "O(N) with N the number of keys.",
        since: "8.4.0",
        summary: "Sets the strings at several keys atomically, with a common condition and expiration.",
        reply: "integer",
        ..row("msetex", -4, WRITE | DENYOOM | MOVABLEKEYS | TIME, MSETEX_KEYS, set::msetex)
    },
    Row {
        arguments: "(key:key value)...",
        complexity: "O(N) with N the number of keys.",
        since: "1.0.1",
        summary: "Sets the strings at several keys only if none of them exists.",
        reply: "integer",
        ..row("msetnx", -3, WRITE | DENYOOM, &[KeySpec::pairs(1, KeyAccess::OverwriteInsert)], set::msetnx)
    },
    Row {
        arguments: "key:key milliseconds:integer value",
        since: "2.6.0",
        summary: "Sets the string at a key and its time to live in milliseconds.",
        reply: "OK",
        ..row("psetex", 4, WRITE | DENYOOM | TIME, OVERWRITE, set::psetex)
    },
    Row {
        arguments: SET_ARGUMENTS,
        summary: "Sets the string at a key, optionally with a condition and an expiration.",
        reply: "OK|null|bulk",
        ..row(
            "set",
            -3,
            WRITE | DENYOOM | TIME | SHORT_WITHOUT_OPTIONS,
            &[KeySpec::one(1, KeyAccess::OverwriteAccess)],
            set::set,
        )
    },
    Row {
        arguments: "key:key seconds:integer value",
        since: "2.0.0",
        summary: "Sets the string at a key and its time to live in seconds.",
        reply: "OK",
        ..row("setex", 4, WRITE | DENYOOM | TIME, OVERWRITE, set::setex)
    },
    Row {
        arguments: "key:key value",
        summary: "Sets the string at a key only if the key does not exist.",
        reply: "integer",
        ..row("setnx", 3, WRITE | DENYOOM | FAST, &[KeySpec::one(1, KeyAccess::OverwriteInsert)], set::setnx)
    },
    Row {
        arguments: "key:key offset:integer value",
        complexity: "O(1), plus the time to copy the value and to fill a gap.",
        since: "2.2.0",
        summary: "Overwrites a part of the string at a key; a gap is filled with zero bytes.",
        reply: "integer",
        ..row("setrange", 4, WRITE | DENYOOM, UPDATE, setrange)
    },
    Row {
        since: "2.2.0",
        summary: "Returns the length of the string at a key in bytes.",
        reply: "integer",
        ..row("strlen", 2, READONLY | FAST, &[KeySpec::one(1, KeyAccess::ReadOnly)], strlen)
    },
    Row {
        arguments: "key:key start:integer end:integer",
        complexity: "O(N) with N the length of the reply.",
        summary: "Returns a range of the string at a key; deprecated in favor of GETRANGE.",
        reply: "bulk",
        ..row("substr", 4, READONLY, READ, getrange)
    },
];

const SET_ARGUMENTS: &str = "key:key value [condition=NX | XX | IFEQ ifeq-value | IFNE ifne-value | IFDEQ ifdeq-digest | IFDNE ifdne-digest] [GET] [expiration=EX seconds:integer | PX milliseconds:integer | EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | KEEPTTL]";

const MSETEX_KEYS: &[KeySpec] = &[KeySpec {
    access: KeyAccess::Overwrite,
    begin: Begin::Index(1),
    find: Find::Counted { count_at: 0, first: 1, step: 2 },
}];

fn get(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (mut txn, reply) = cx.txn_and_reply();
    reply.optional_bulk(strings::get(&mut txn, args.bytes()?)?);
    Ok(())
}

/// Writes the string of a key, or null, and returns whether there is one.
fn write_string(cx: &mut Context<'_>, key: &[u8]) -> Result<bool, CommandError> {
    let (mut txn, reply) = cx.txn_and_reply();
    let value = strings::get(&mut txn, key)?;
    reply.optional_bulk(value);
    // Callers may delete the value next, so a reply without memory fails here.
    reply.check()?;
    Ok(value.is_some())
}

fn getdel(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    if write_string(cx, key)? {
        keys::delete_all(&mut cx.txn(), core::iter::once(key));
    }
    Ok(())
}

/// `GETEX key [EX s | PX ms | EXAT s | PXAT ms | PERSIST]`. The key is checked before the number.
fn getex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let mut expiry = ExpiryOption::default();
    while let Some(word) = args.optional() {
        if !expiry.take(word, args, Alternative::Persist)? {
            return Err(CommandError::SYNTAX);
        }
    }
    if !write_string(cx, key)? {
        return Ok(());
    }
    match expiry {
        ExpiryOption::Absent | ExpiryOption::Keep => {}
        ExpiryOption::Persist => drop(expiry::persist(&mut cx.txn(), key)?),
        ExpiryOption::Deadline(unit, number) => {
            let deadline = deadline(number, unit, cx.now)?;
            expiry::expire_at(&mut cx.txn(), key, deadline, Default::default())?;
        }
    }
    Ok(())
}

fn mget(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (mut txn, reply) = cx.txn_and_reply();
    reply.array(args.left());
    for key in args.rest() {
        // A key of another type counts as missing.
        reply.optional_bulk(strings::get(&mut txn, key).unwrap_or_default());
    }
    Ok(())
}

/// `DELEX key [IFEQ v | IFNE v | IFDEQ d | IFDNE d]`
fn delex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let deleted = match args.left() {
        0 => keys::delete_all(&mut cx.txn(), core::iter::once(key)) == 1,
        2 => {
            let condition = comparison(args.bytes()?, args.bytes()?).ok_or(CommandError::BAD_CONDITION)?;
            strings::delete_if(&mut cx.txn(), key, condition)?
        }
        _ => return Err(CommandError::WRONG_ARITY),
    };
    cx.reply.integer(deleted.into());
    Ok(())
}

fn delifeq(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let deleted = strings::delete_if_equal(&mut cx.txn(), args.bytes()?, args.bytes()?)?;
    cx.reply.integer(deleted.into());
    Ok(())
}

fn digest(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let digest = strings::value_digest(&mut cx.txn(), args.bytes()?)?;
    cx.reply.optional_bulk(digest.as_deref());
    Ok(())
}

fn strlen(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = strings::get(&mut cx.txn(), args.bytes()?)?.map_or(0, <[u8]>::len);
    cx.reply.integer(len as i64);
    Ok(())
}

fn append(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = strings::append(&mut cx.txn(), args.bytes()?, args.bytes()?)?;
    cx.reply.integer(len as i64);
    Ok(())
}

fn setrange(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, offset, value) = (args.bytes()?, args.integer()?, args.bytes()?);
    let offset = count_of(offset).ok_or(CommandError::OFFSET_RANGE)?;
    let len = strings::set_range(&mut cx.txn(), key, offset, value)?;
    cx.reply.integer(len as i64);
    Ok(())
}

fn getrange(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, start, end) = (args.bytes()?, args.integer()?, args.integer()?);
    let (mut txn, reply) = cx.txn_and_reply();
    let value = strings::get(&mut txn, key)?.unwrap_or_default();
    reply.bulk(byte_range(value, start, end));
    Ok(())
}

/// Returns the bytes from `start` to `end`, both included. Negative indexes count from the end.
fn byte_range(value: &[u8], start: i64, end: i64) -> &[u8] {
    let len = value.len() as i64;
    let absolute = |index: i64| if index < 0 { index.saturating_add(len).max(0) } else { index };
    // A reversed range of negative indexes is empty, even if both are clamped to the first byte.
    if start < 0 && end < 0 && start > end {
        return &[];
    }
    let (start, end) = (absolute(start), absolute(end).min(len - 1));
    if start > end { &[] } else { &value[start as usize..=end as usize] }
}
