//! Generic family: commands on keys of any type.

use super::pages::write_page;
use super::table::args::{Args, is};
use super::table::options::{cursor, scan_options};
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::base::number::parse_integer;
use crate::keyspace::keys;
use crate::keyspace::scan;
use crate::keyspace::{CopyOptions, PastUse, RenameOutcome, ScanFilter};
use crate::resp::error::CommandError;
use crate::values::ValueRef;

/// Largest size, in bytes, of key and value together that Redis 8.6.3 encodes as `embstr`.
const EMBSTR_MAX_BYTES: usize = 41;

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row { arguments: "key:key", ..Row::of(Group::Generic, name, arity, flags, keys, handler) }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "source:key destination:key [DB destination-db:integer] [REPLACE]",
        complexity: "O(N) with N the number of elements, O(1) for strings.",
        since: "6.2.0",
        summary: "Copies the value and the expiration of a key to another key.",
        reply: "integer",
        ..row("copy", -3, WRITE | DENYOOM, COPY_KEYS, copy)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N) with N the number of keys and their elements.",
        summary: "Deletes keys and returns the number deleted.",
        reply: "integer",
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        ..row("del", -2, WRITE, &[KeySpec::rest(1, KeyAccess::Delete)], del)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N) with N the number of keys.",
        summary: "Counts the keys that exist; a key given twice counts twice.",
        reply: "integer",
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        ..row("exists", -2, READONLY | FAST, &[KeySpec::rest(1, KeyAccess::ReadOnly)], exists)
    },
    Row {
        arguments: "pattern:pattern",
        complexity: "O(N) with N the number of keys in the database.",
        summary: "Returns the keys that match a glob pattern.",
        reply: "array(bulk)",
        tips: &["request_policy:all_shards", "nondeterministic_output_order"],
        ..row("keys", 2, READONLY | UNORDERED | DANGEROUS, &[], keys)
    },
    Row {
        arguments: "key:key db:integer",
        summary: "Moves a key to another database if it does not exist there.",
        reply: "integer",
        ..row("move", 3, WRITE | FAST | LONG, &[KeySpec::one(1, KeyAccess::ReadWriteAccess)], move_key)
    },
    Row {
        arguments: "",
        summary: "Inspects the internals of values.",
        reply: "any",
        since: "2.2.3",
        complexity: "Depends on the subcommand.",
        subcommands: OBJECT_ROWS,
        ..row("object", -2, 0, &[], object_help)
    },
    Row {
        arguments: "",
        summary: "Returns a random key of the database.",
        reply: "bulk|null",
        tips: &["request_policy:all_shards", "response_policy:special", "nondeterministic_output"],
        ..row("randomkey", 1, READONLY | CHANCE, &[], randomkey)
    },
    Row {
        arguments: "key:key newkey:key",
        summary: "Renames a key, replacing an existing one.",
        reply: "OK",
        ..row("rename", 3, WRITE, RENAME_KEYS, rename)
    },
    Row {
        arguments: "key:key newkey:key",
        summary: "Renames a key if the new name does not exist.",
        reply: "integer",
        ..row("renamenx", 3, WRITE | FAST, RENAMENX_KEYS, renamenx)
    },
    Row {
        arguments: "cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type]",
        complexity: "O(1) per call, O(N) per iteration with N the number of keys.",
        since: "2.8.0",
        summary: "Iterates over the keys of the database with a cursor.",
        reply: "array(bulk,array(bulk))",
        tips: &["nondeterministic_output", "request_policy:special", "response_policy:special"],
        ..row("scan", -2, READONLY | UNORDERED | CHANCE, &[], scan)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N) with N the number of keys.",
        since: "3.2.1",
        summary: "Updates the access time of keys and counts those that exist.",
        reply: "integer",
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        ..row("touch", -2, READONLY | FAST, &[KeySpec::rest(1, KeyAccess::ReadOnly)], touch)
    },
    Row {
        summary: "Returns the type of the value of a key.",
        reply: "status",
        ..row("type", 2, READONLY | FAST, &[KeySpec::one(1, KeyAccess::ReadOnly)], kind)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(1) per key; large values are freed incrementally.",
        since: "4.0.0",
        summary: "Deletes keys, freeing large values incrementally.",
        reply: "integer",
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        ..row("unlink", -2, WRITE | FAST | LONG, &[KeySpec::rest(1, KeyAccess::Delete)], del)
    },
];

const COPY_KEYS: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess), KeySpec::one(2, KeyAccess::Overwrite)];
const RENAMENX_KEYS: &[KeySpec] =
    &[KeySpec::one(1, KeyAccess::ReadDelete), KeySpec::one(2, KeyAccess::OverwriteInsert)];
const RENAME_KEYS: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadDelete), KeySpec::one(2, KeyAccess::Overwrite)];

const OBJECT_ROWS: &[Row] = &[
    Row {
        summary: "Returns the encoding of a value.",
        reply: "bulk|null",
        since: "2.2.3",
        tips: &["nondeterministic_output"],
        ..row("object|encoding", 3, READONLY | SERVER_STATE, &[KeySpec::one(2, KeyAccess::ReadOnly)], object_encoding)
    },
    Row {
        summary: "Returns the logarithmic access counter (0 to 255) of a value; needs an LFU policy.",
        reply: "integer|null",
        since: "4.0.0",
        tips: &["nondeterministic_output"],
        ..row("object|freq", 3, READONLY | TIME | SERVER_STATE, &[KeySpec::one(2, KeyAccess::ReadOnly)], object_freq)
    },
    Row {
        arguments: "",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        since: "6.2.0",
        ..row("object|help", 2, LOADING | STALE, &[], object_help)
    },
    Row {
        summary: "Returns the seconds since the last access; needs a policy other than LFU.",
        reply: "integer|null",
        since: "2.2.3",
        tips: &["nondeterministic_output"],
        ..row(
            "object|idletime",
            3,
            READONLY | TIME | SERVER_STATE,
            &[KeySpec::one(2, KeyAccess::ReadOnly)],
            object_idletime,
        )
    },
    Row {
        summary: "Returns the reference count of a value, always 1: values are not shared.",
        reply: "integer|null",
        since: "2.2.3",
        tips: &["nondeterministic_output"],
        ..row("object|refcount", 3, READONLY, &[KeySpec::one(2, KeyAccess::ReadOnly)], object_refcount)
    },
];

fn del(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let deleted = keys::delete_all(&mut cx.txn(), args.rest());
    cx.reply.integer(deleted as i64);
    Ok(())
}

fn exists(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let mut txn = cx.txn();
    let count = args.rest().filter(|key| keys::exists(&mut txn, key)).count();
    cx.reply.integer(count as i64);
    Ok(())
}

/// `TOUCH key [key ...]`. Updates LRU and LFU data even if CLIENT NO-TOUCH is on.
fn touch(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let mut txn = cx.txn().marking(true);
    let count = args.rest().filter(|key| keys::touch(&mut txn, key)).count();
    cx.reply.integer(count as i64);
    Ok(())
}

fn kind(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let kind = keys::kind(&mut cx.txn(), args.bytes()?);
    cx.reply.simple(kind.map_or("none", |kind| kind.name()));
    Ok(())
}

fn keys(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let pattern = args.bytes()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let (open, mut count) = (reply.open(), 0);
    scan::keys(&mut txn, pattern, &mut |key| {
        reply.bulk(key);
        count += 1;
    })?;
    reply.close_array(open, count);
    Ok(())
}

fn randomkey(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let key = keys::random_key(&mut cx.txn())?;
    cx.reply.optional_bulk(key.as_deref());
    Ok(())
}

fn rename(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    keys::rename(&mut cx.txn(), args.bytes()?, args.bytes()?, false)?;
    cx.reply.ok();
    Ok(())
}

fn renamenx(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let outcome = keys::rename(&mut cx.txn(), args.bytes()?, args.bytes()?, true)?;
    cx.reply.integer((outcome == RenameOutcome::Renamed).into());
    Ok(())
}

/// `COPY source destination [DB n] [REPLACE]`
fn copy(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (source, destination) = (args.bytes()?, args.bytes()?);
    let mut options = CopyOptions::default();
    while let Some(word) = args.optional() {
        if is(word, "REPLACE") {
            options.replace = true;
        } else if is(word, "DB") {
            options.database = Some(database(cx, args.integer()?)?);
        } else {
            return Err(CommandError::SYNTAX);
        }
    }
    let copied = keys::copy(&mut cx.txn(), source, destination, options)?;
    cx.reply.integer(copied.into());
    Ok(())
}

/// Converts a database number; an error unless the database exists.
pub(super) fn database(cx: &Context<'_>, number: i64) -> Result<u8, CommandError> {
    let number = i32::try_from(number).map_err(|_| CommandError::DATABASE_NUMBER)?;
    let count = cx.server.settings.databases;
    u8::try_from(number).ok().filter(|&number| number < count).ok_or(CommandError::DATABASE_RANGE)
}

fn move_key(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, database) = (args.bytes()?, database(cx, args.integer()?)?);
    let moved = keys::move_key(&mut cx.txn(), key, database)?;
    cx.reply.integer(moved.into());
    Ok(())
}

/// `SCAN cursor [MATCH pattern] [COUNT n] [TYPE t]`
fn scan(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let cursor = cursor(args.bytes()?)?;
    let options = scan_options(args, "TYPE")?;
    let filter = ScanFilter { pattern: options.pattern, type_name: options.type_name };
    let (mut txn, reply) = cx.txn_and_reply();
    let mut scanned = Ok(0);
    write_page(reply, &mut |page| {
        let mut len = 0;
        scanned = scan::scan(&mut txn, cursor, options.count, filter, &mut |key| {
            page.bulk(key);
            len += 1;
        });
        (scanned.unwrap_or_default(), len)
    });
    Ok(scanned.map(drop)?)
}

fn object_encoding(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let Some(entry) = txn.peek(key) else {
        reply.null();
        return Ok(());
    };
    reply.bulk(encoding(entry.key, entry.value, entry.is_raw).as_bytes());
    Ok(())
}

/// Returns the encoding that Redis 8.6.3 reports for such a value.
pub(crate) fn encoding(key: &[u8], value: ValueRef<'_>, is_raw: bool) -> &'static str {
    match value {
        ValueRef::String(_) if is_raw => "raw",
        ValueRef::String(bytes) if parse_integer(bytes).is_some() => "int",
        ValueRef::String(bytes) if key.len() + bytes.len() <= EMBSTR_MAX_BYTES => "embstr",
        ValueRef::String(_) => "raw",
        ValueRef::Set(set) => set.encoding(),
        ValueRef::ZSet(zset) => zset.encoding(),
        ValueRef::List(list) if !list.is_compact() => "quicklist",
        ValueRef::List(_) => "listpack",
        ValueRef::Hash(hash) => hash.encoding(),
        ValueRef::Stream(_) => "stream",
    }
}

/// `OBJECT REFCOUNT key`. The count is always 1: values are not shared between keys.
fn object_refcount(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    match cx.txn().peek(args.bytes()?) {
        Some(_) => cx.reply.integer(1),
        None => cx.reply.null(),
    }
    Ok(())
}

fn object_idletime(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    match keys::past_use(&mut cx.txn(), args.bytes()?) {
        Some(PastUse::IdleSeconds(idle_s)) => cx.reply.integer(idle_s as i64),
        Some(PastUse::Frequency(_)) => return Err(CommandError::NO_IDLETIME),
        None => cx.reply.null(),
    }
    Ok(())
}

fn object_freq(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    match keys::past_use(&mut cx.txn(), args.bytes()?) {
        Some(PastUse::Frequency(frequency)) => cx.reply.integer(frequency.into()),
        Some(PastUse::IdleSeconds(_)) => return Err(CommandError::NO_FREQUENCY),
        None => cx.reply.null(),
    }
    Ok(())
}

fn object_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::help::write_help(cx, "object")
}
