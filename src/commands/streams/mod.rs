//! Stream family: entries. Commands that wait for entries are in `read`, those about consumer groups in `groups` and `info`.

pub(super) mod groups;
pub(super) mod info;
mod options;
pub(super) mod pending;
pub(super) mod read;
mod reply;

use self::options::{AddOptions, End, id, ids, interval_end};
use self::reply::write_entries;
use super::table::args::{Args, count_of, is};
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Handler, Reply, Row};
use crate::keyspace::{Addition, NewId, streams};
use crate::resp::error::CommandError;
use crate::values::{FieldPairs, StreamId};

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const READ_METADATA: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadOnly)];
const UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteUpdate)];
const REMOVE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Remove)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: Handler) -> Row {
    Row {
        since: "5.0.0",
        arguments: "key:key",
        reply: "integer",
        ..Row::of(Group::Stream, name, arity, flags, keys, handler)
    }
}

const fn range_row(name: &'static str, arguments: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        arguments,
        complexity: "O(N) with N the number of entries returned.",
        summary,
        reply: "array(array(bulk,array(bulk)))|null",
        ..row(name, -4, READONLY, READ, handler)
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key [NOMKSTREAM] [condition=KEEPREF | DELREF | ACKED] [trim=(<strategy=MAXLEN | MINID> [operator== | ~] threshold [LIMIT count:integer])] <id-selector=* | id> (field value)...",
        complexity: "O(1) per entry, O(N) if it trims, with N the number of entries removed.",
        summary: "Adds an entry to a stream, which is created if it is missing.",
        reply: "bulk|null",
        tips: &["nondeterministic_output"],
        ..row("xadd", -5, WRITE | DENYOOM | FAST | LONG | TIME, UPDATE, xadd)
    },
    Row {
        arguments: "key:key id...",
        complexity: "O(1) per entry.",
        summary: "Deletes entries of a stream; returns how many existed.",
        ..row("xdel", -3, WRITE | FAST, REMOVE, xdel)
    },
    Row {
        summary: "Returns the number of entries of a stream.",
        ..row("xlen", 2, READONLY | FAST, READ_METADATA, xlen)
    },
    range_row("xrange", "key:key start end [COUNT count:integer]", "Returns the entries between two ids.", xrange),
    range_row(
        "xrevrange",
        "key:key end start [COUNT count:integer]",
        "Returns the entries between two ids, the newest first.",
        xrevrange,
    ),
    Row {
        arguments: "key:key last-id [ENTRIESADDED entries-added:integer] [MAXDELETEDID max-deleted-id]",
        summary: "Sets the last id of a stream.",
        reply: "OK",
        ..row("xsetid", -3, WRITE | DENYOOM | FAST, UPDATE, xsetid)
    },
    Row {
        arguments: "key:key (<strategy=MAXLEN | MINID> [operator== | ~] threshold [LIMIT count:integer] [condition=KEEPREF | DELREF | ACKED])",
        complexity: "O(N) with N the number of entries removed.",
        summary: "Removes the oldest entries of a stream; returns how many.",
        tips: &["nondeterministic_output"],
        ..row("xtrim", -4, WRITE, REMOVE, xtrim)
    },
];

/// `XADD key [NOMKSTREAM] [MAXLEN | MINID [= | ~] threshold [LIMIT count]] * | id field value [field value ...]`. All
/// arguments are checked before the type of the key.
fn xadd(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let mut options = AddOptions::default();
    let id = options.read_add(args)?;
    let trim = options.trim()?;
    let id = id.filter(|_| args.left() >= 2 && args.left().is_multiple_of(2)).ok_or(CommandError::WRONG_ARITY)?;
    if id == NewId::Exact(StreamId::MIN) {
        return Err(CommandError::STREAM_ID_ZERO);
    }
    let pairs = FieldPairs(args.take(usize::MAX));
    let added = streams::add(&mut cx.txn(), key, &Addition { id, creates: !options.no_create, trim, pairs })?;
    cx.reply.optional_bulk(added.map(StreamId::text).as_deref());
    Ok(())
}

fn xdel(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let Some(_) = streams::find(&mut cx.txn(), key)? else {
        cx.reply.integer(0);
        return Ok(());
    };
    let ids = ids(args.rest())?;
    let deleted = streams::delete(&mut cx.txn(), key, &ids)?;
    cx.reply.integer(deleted as i64);
    Ok(())
}

fn xlen(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = streams::find(&mut cx.txn(), args.bytes()?)?.map_or(0, |stream| stream.len());
    cx.reply.integer(len as i64);
    Ok(())
}

fn xrange(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    range(cx, args, false)
}

fn xrevrange(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    range(cx, args, true)
}

/// `XRANGE key start end [COUNT count]`. A count of 0 has a null reply, as in Redis, but only for a key that exists.
fn range(cx: &mut Context<'_>, args: &mut Args<'_>, reversed: bool) -> Reply {
    let (key, first, second) = (args.bytes()?, args.bytes()?, args.bytes()?);
    let (start, end) = if reversed { (second, first) } else { (first, second) };
    let (start, end) = (interval_end(start, End::Start)?, interval_end(end, End::Stop)?);
    let mut count = None;
    while let Some(word) = args.optional() {
        if !is(word, "COUNT") || args.is_done() {
            return Err(CommandError::SYNTAX);
        }
        count = Some(count_of(args.integer()?).unwrap_or(0));
    }
    let (mut txn, reply) = cx.txn_and_reply();
    match streams::find(&mut txn, key)? {
        None => reply.array(0),
        Some(_) if count == Some(0) => reply.null_array(),
        Some(stream) => {
            let visited = write_entries(stream.range(start, end, reversed), count.unwrap_or(usize::MAX), reply);
            crate::keyspace::count_visits(&mut txn, visited);
        }
    }
    Ok(())
}

/// `XSETID key last-id [ENTRIESADDED count] [MAXDELETEDID id]`
fn xsetid(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, last_id) = (args.bytes()?, id(args.bytes()?)?);
    let (mut entries_added, mut max_deleted_id) = (None, None);
    while let Some(word) = args.optional() {
        if is(word, "ENTRIESADDED") && !args.is_done() {
            let added = u64::try_from(args.integer()?).map_err(|_| CommandError::ENTRIES_ADDED)?;
            entries_added = Some(added);
        } else if is(word, "MAXDELETEDID") && !args.is_done() {
            let deleted = id(args.bytes()?)?;
            if last_id < deleted {
                return Err(CommandError::BELOW_GIVEN_DELETED_ID);
            }
            max_deleted_id = Some(deleted).filter(|id| *id != StreamId::MIN);
        } else {
            return Err(CommandError::SYNTAX);
        }
    }
    streams::set_marks(&mut cx.txn(), key, last_id, entries_added, max_deleted_id)?;
    cx.reply.ok();
    Ok(())
}

/// `XTRIM key MAXLEN | MINID [= | ~] threshold [LIMIT count]`
fn xtrim(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let mut options = AddOptions::default();
    options.read_trim(args)?;
    let trim = options.trim()?.ok_or(CommandError::TRIM_MISSING)?;
    let removed = streams::trim(&mut cx.txn(), key, &trim)?;
    cx.reply.integer(removed as i64);
    Ok(())
}
