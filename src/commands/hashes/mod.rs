//! Hash family. Commands on deadlines of fields are in `expiry`.

pub(super) mod expiry;
mod field_args;

use super::pages::{PAGE_VISITS, write_empty_page, write_matches};
use super::table::args::{Args, is};
use super::table::options::{cursor, scan_options};
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::base::number::{LongDouble, parse_integer};
use crate::keyspace::{count_visits, hashes};
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::CommandError;
use crate::values::{Field, Hash};

/// Largest number of fields that HRANDFIELD returns with repetitions. The reply must fit into memory.
const REPETITIONS_MAX: u64 = 1 << 24;

/// Number of fields after which HRANDFIELD reserves capacity for those that follow.
const MEASURED_FIELDS: usize = 1000;

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const READ_METADATA: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadOnly)];
const UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteUpdate)];
const READ_UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteAccess)];
const INSERT: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Insert)];
const REMOVE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Remove)];
const READ_DELETE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadDelete)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row {
        arguments: "key:key field",
        reply: "integer",
        since: "2.0.0",
        ..Row::of(Group::Hash, name, arity, flags, keys, handler)
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key field...",
        complexity: "O(N) with N the number of given fields.",
        summary: "Deletes fields of a hash.",
        ..row("hdel", -3, WRITE | FAST, REMOVE, hdel)
    },
    Row { summary: "Checks whether a hash has a field.", ..row("hexists", 3, READONLY | FAST, READ_METADATA, hexists) },
    Row {
        summary: "Returns the value of a hash field.",
        reply: "bulk|null",
        ..row("hget", 3, READONLY | FAST, READ, hget)
    },
    Row {
        arguments: "key:key",
        complexity: "O(N) with N the number of fields.",
        summary: "Returns the fields of a hash with their values.",
        reply: "map(bulk,bulk)",
        tips: &["nondeterministic_output_order"],
        ..row("hgetall", 2, READONLY | UNORDERED, READ, hgetall)
    },
    Row {
        arguments: "key:key FIELDS numfields:integer field...",
        complexity: "O(N) with N the number of given fields.",
        since: "8.0.0",
        summary: "Deletes fields of a hash and returns their values.",
        reply: "array(bulk|null)",
        ..row("hgetdel", -5, WRITE | FAST, READ_DELETE, hgetdel)
    },
    Row {
        arguments: "key:key field increment:integer",
        summary: "Increments the integer in a hash field, which defaults to 0.",
        ..row("hincrby", 4, WRITE | DENYOOM | FAST, READ_UPDATE, hincrby)
    },
    Row {
        arguments: "key:key field increment:double",
        since: "2.6.0",
        summary: "Increments the number in a hash field, which defaults to 0.",
        reply: "bulk",
        ..row("hincrbyfloat", 4, WRITE | DENYOOM | FAST, READ_UPDATE, hincrbyfloat)
    },
    Row {
        arguments: "key:key",
        complexity: "O(N) with N the number of fields.",
        summary: "Returns the field names of a hash.",
        reply: "array(bulk)",
        tips: &["nondeterministic_output_order"],
        ..row("hkeys", 2, READONLY | UNORDERED, READ, hkeys)
    },
    Row {
        arguments: "key:key",
        summary: "Returns the number of fields of a hash.",
        ..row("hlen", 2, READONLY | FAST, READ_METADATA, hlen)
    },
    Row {
        arguments: "key:key field...",
        complexity: "O(N) with N the number of given fields.",
        summary: "Returns the values of fields of a hash.",
        reply: "array(bulk|null)",
        ..row("hmget", -3, READONLY | FAST, READ, hmget)
    },
    Row {
        arguments: "key:key (field value)...",
        complexity: "O(N) with N the number of fields.",
        summary: "Sets fields of a hash, creating it if it does not exist.",
        reply: "OK",
        ..row("hmset", -4, WRITE | DENYOOM | FAST, UPDATE, hmset)
    },
    Row {
        arguments: "key:key [options=count:integer [WITHVALUES]]",
        complexity: "O(N) with N the number of fields returned.",
        since: "6.2.0",
        summary: "Returns random fields of a hash; a negative count allows repetitions.",
        reply: "bulk|null|array(bulk)|array(array(bulk,bulk))",
        tips: &["nondeterministic_output"],
        ..row("hrandfield", -2, READONLY | UNORDERED | CHANCE, READ, hrandfield)
    },
    Row {
        arguments: "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [NOVALUES]",
        complexity: "O(1) per call, O(N) per iteration with N the number of fields.",
        since: "2.8.0",
        summary: "Iterates over the fields of a hash with a cursor.",
        reply: "array(bulk,array(bulk))",
        tips: &["nondeterministic_output"],
        ..row("hscan", -3, READONLY | UNORDERED | CHANCE, READ, hscan)
    },
    Row {
        arguments: "key:key (field value)...",
        complexity: "O(N) with N the number of fields.",
        summary: "Sets fields of a hash, creating it if it does not exist, and counts the new ones.",
        ..row("hset", -4, WRITE | DENYOOM | FAST, UPDATE, hset)
    },
    Row {
        arguments: "key:key field value",
        summary: "Sets a field of a hash only if it does not exist.",
        ..row("hsetnx", 4, WRITE | DENYOOM | FAST, INSERT, hsetnx)
    },
    Row {
        since: "3.2.0",
        summary: "Returns the length of the value of a hash field.",
        ..row("hstrlen", 3, READONLY | FAST, READ_METADATA, hstrlen)
    },
    Row {
        arguments: "key:key",
        complexity: "O(N) with N the number of fields.",
        summary: "Returns the values of a hash.",
        reply: "array(bulk)",
        tips: &["nondeterministic_output_order"],
        ..row("hvals", 2, READONLY | UNORDERED, READ, hvals)
    },
];

fn hset(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let added = set(cx, args)?;
    cx.reply.integer(added as i64);
    Ok(())
}

fn hmset(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    set(cx, args)?;
    cx.reply.ok();
    Ok(())
}

fn set(cx: &mut Context<'_>, args: &mut Args<'_>) -> Result<usize, CommandError> {
    let key = args.bytes()?;
    if args.left() % 2 == 1 {
        return Err(CommandError::WRONG_ARITY);
    }
    Ok(hashes::set(&mut cx.txn(), key, args.pairs(args.left() / 2))?)
}

fn hsetnx(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let set = hashes::set_new(&mut cx.txn(), args.bytes()?, args.bytes()?, args.bytes()?)?;
    cx.reply.integer(set.into());
    Ok(())
}

fn hget(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (mut txn, reply) = cx.txn_and_reply();
    let hash = hashes::find(&mut txn, args.bytes()?)?;
    let name = args.bytes()?;
    reply.optional_bulk(hash.and_then(|hash| hash.get(name)).as_deref());
    Ok(())
}

fn hmget(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (mut txn, reply) = cx.txn_and_reply();
    let hash = hashes::find(&mut txn, args.bytes()?)?;
    reply.array(args.left());
    args.rest().for_each(|name| reply.optional_bulk(hash.and_then(|hash| hash.get(name)).as_deref()));
    Ok(())
}

fn hexists(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_property(cx, args, |value| value.is_some().into())
}

fn hstrlen(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_property(cx, args, |value| value.map_or(0, |value| value.len() as i64))
}

/// Writes an integer that `property` computes from the value of a field.
fn write_property(cx: &mut Context<'_>, args: &mut Args<'_>, property: fn(Option<&[u8]>) -> i64) -> Reply {
    let (key, name) = (args.bytes()?, args.bytes()?);
    let number = property(hashes::find(&mut cx.txn(), key)?.and_then(|hash| hash.get(name)).as_deref());
    cx.reply.integer(number);
    Ok(())
}

fn hlen(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = hashes::find(&mut cx.txn(), args.bytes()?)?.map_or(0, Hash::len);
    cx.reply.integer(len as i64);
    Ok(())
}

fn hdel(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let removed = hashes::remove(&mut cx.txn(), args.bytes()?, args.rest())?;
    cx.reply.integer(removed as i64);
    Ok(())
}

fn hgetall(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_fields(cx, args, Writer::map, |field, reply| {
        reply.bulk(&field.name);
        reply.bulk(&field.value);
    })
}

fn hkeys(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_fields(cx, args, Writer::array, |field, reply| reply.bulk(&field.name))
}

fn hvals(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_fields(cx, args, Writer::array, |field, reply| reply.bulk(&field.value))
}

fn write_fields(
    cx: &mut Context<'_>,
    args: &mut Args<'_>,
    header: fn(&mut Writer, usize),
    write: fn(Field<'_>, &mut Writer),
) -> Reply {
    let (mut txn, reply) = cx.txn_and_reply();
    let hash = hashes::find(&mut txn, args.bytes()?)?;
    header(reply, hash.map_or(0, Hash::len));
    hash.into_iter().flat_map(Hash::iter).for_each(|field| write(field, reply));
    Ok(())
}

/// `HGETDEL key FIELDS numfields field ...`. The type of the key is checked before the other arguments.
fn hgetdel(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    hashes::find(&mut cx.txn(), key)?;
    let count = field_args::trailing_fields(args)?;
    let values = hashes::take(&mut cx.txn(), key, args.many(count))?;
    field_args::write_values(&values, cx.reply);
    Ok(())
}

fn hincrby(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let sum = hashes::increment(&mut cx.txn(), args.bytes()?, args.bytes()?, args.integer()?)?;
    cx.reply.integer(sum);
    Ok(())
}

fn hincrbyfloat(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, name) = (args.bytes()?, args.bytes()?);
    let increment = LongDouble::parse(args.bytes()?).ok_or(CommandError::NOT_A_FLOAT)?;
    if !increment.is_finite() {
        return Err(CommandError::NOT_FINITE);
    }
    let text = hashes::increment_float(&mut cx.txn(), key, name, increment)?;
    cx.reply.bulk(&text);
    Ok(())
}

/// `HRANDFIELD key [count [WITHVALUES]]`
fn hrandfield(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let Some(count) = args.optional() else { return random_field(cx, key) };
    let count = parse_integer(count).ok_or(CommandError::NOT_AN_INTEGER)?;
    if count == i64::MIN {
        return Err(CommandError::COUNT_RANGE);
    }
    let with_values = match args.optional() {
        None => false,
        Some(word) if is(word, "WITHVALUES") && args.is_done() => true,
        Some(_) => return Err(CommandError::SYNTAX),
    };
    if with_values && count.unsigned_abs() > i64::MAX.unsigned_abs() / 2 {
        return Err(CommandError::VALUE_RANGE);
    }
    let len = hashes::find(&mut cx.txn(), key)?.map_or(0, Hash::len);
    if count < 0 && len > 0 && count.unsigned_abs() > REPETITIONS_MAX {
        return Err(CommandError::REPLY_TOO_LARGE);
    }
    let requested = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let returned = if count < 0 && len > 0 { requested } else { requested.min(len) };
    let (mut txn, reply) = cx.txn_and_reply();
    let nested = with_values && reply.protocol() == Protocol::Resp3;
    reply.array(if with_values && !nested { 2 * returned } else { returned });
    let (start, mut visited) = (reply.len(), 0);
    hashes::sample(&mut txn, key, returned, count < 0, &mut |field| {
        if nested {
            reply.array(2);
        }
        reply.bulk(&field.name);
        if with_values {
            reply.bulk(&field.value);
        }
        visited += 1;
        if visited == MEASURED_FIELDS {
            // A long reply would be copied each time its capacity has doubled.
            let mean = (reply.len() - start).div_ceil(visited) + 1;
            reply.try_reserve(mean.saturating_mul(returned - visited));
        }
    });
    Ok(())
}

fn random_field(cx: &mut Context<'_>, key: &[u8]) -> Reply {
    let (mut txn, reply) = cx.txn_and_reply();
    match hashes::find(&mut txn, key)? {
        None => reply.null(),
        Some(_) => hashes::sample(&mut txn, key, 1, true, &mut |field| reply.bulk(&field.name)),
    }
    Ok(())
}

/// `HSCAN key cursor [MATCH pattern] [COUNT n] [NOVALUES]`. Options are read only if the key exists, as in Redis.
fn hscan(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, cursor) = (args.bytes()?, cursor(args.bytes()?)?);
    let (mut txn, reply) = cx.txn_and_reply();
    let Some(hash) = hashes::find(&mut txn, key)? else {
        write_empty_page(reply);
        return Ok(());
    };
    let options = scan_options(args, "NOVALUES")?;
    let elements = hash.len().min(options.count);
    write_matches(reply, options.pattern, &mut |show| {
        hash.page(cursor, options.count, &mut |field| {
            show(&field.name, (!options.no_values).then_some(&*field.value));
        })
    });
    count_visits(&mut txn, elements.saturating_mul(PAGE_VISITS));
    Ok(())
}
