//! Set family.

use crate::keyspace::{count_visits, sets};
use alloc::vec::Vec;

use super::pages::{PAGE_VISITS, write_empty_page, write_matches};
use super::table::args::{Args, at_least};
use super::table::options::{cursor, limit, scan_options};
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::base::number::parse_integer;
use crate::keyspace::Combination;
use crate::resp::error::CommandError;

/// Largest number of members that SRANDMEMBER returns with repetitions. The reply must fit into memory.
const REPETITIONS_MAX: u64 = 1 << 24;

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const READ_METADATA: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadOnly)];
const READ_ALL: &[KeySpec] = &[KeySpec::rest(1, KeyAccess::ReadAccess)];
const STORE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Overwrite), KeySpec::rest(2, KeyAccess::ReadAccess)];
const COUNTED: &[KeySpec] = &[KeySpec::counted(1, KeyAccess::ReadAccess)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row { arguments: "key:key", reply: "integer", ..Row::of(Group::Set, name, arity, flags, keys, handler) }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key member...",
        complexity: "O(N) with N the number of members added.",
        summary: "Adds members to a set, creating it if it does not exist.",
        ..row("sadd", -3, WRITE | DENYOOM | FAST, &[KeySpec::one(1, KeyAccess::Insert)], sadd)
    },
    Row {
        summary: "Returns the number of members of a set.",
        ..row("scard", 2, READONLY | FAST, READ_METADATA, scard)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N) with N the total number of members.",
        summary: "Returns the difference of the first set and the others.",
        reply: "set(bulk)",
        ..row("sdiff", -2, READONLY | UNORDERED, READ_ALL, sdiff)
    },
    Row {
        arguments: "destination:key key:key...",
        complexity: "O(N) with N the total number of members.",
        summary: "Stores the difference of the first set and the others.",
        ..row("sdiffstore", -3, WRITE | DENYOOM, STORE, sdiffstore)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N*M) with N the size of the smallest set and M the number of sets.",
        summary: "Returns the intersection of sets.",
        reply: "set(bulk)",
        ..row("sinter", -2, READONLY | UNORDERED, READ_ALL, sinter)
    },
    Row {
        arguments: "numkeys:integer key:key... [LIMIT limit:integer]",
        complexity: "O(N*M) with N the size of the smallest set and M the number of sets.",
        since: "7.0.0",
        summary: "Returns the size of the intersection of sets.",
        ..row("sintercard", -3, READONLY | MOVABLEKEYS, COUNTED, sintercard)
    },
    Row {
        arguments: "destination:key key:key...",
        complexity: "O(N*M) with N the size of the smallest set and M the number of sets.",
        summary: "Stores the intersection of sets.",
        ..row("sinterstore", -3, WRITE | DENYOOM, STORE, sinterstore)
    },
    Row {
        arguments: "key:key member",
        summary: "Checks whether a value is a member of a set.",
        ..row("sismember", 3, READONLY | FAST, READ, sismember)
    },
    Row {
        complexity: "O(N) with N the number of members.",
        summary: "Returns the members of a set.",
        reply: "set(bulk)",
        tips: &["nondeterministic_output_order"],
        ..row("smembers", 2, READONLY | UNORDERED, READ, smembers)
    },
    Row {
        arguments: "key:key member...",
        complexity: "O(N) with N the number of given members.",
        since: "6.2.0",
        summary: "Checks for each of several values whether it is a member of a set.",
        reply: "array(integer)",
        ..row("smismember", -3, READONLY | FAST, READ, smismember)
    },
    Row {
        arguments: "source:key destination:key member",
        summary: "Moves a member of a set to another set.",
        ..row("smove", 4, WRITE | FAST, MOVE, smove)
    },
    Row {
        arguments: "key:key [count:integer]",
        complexity: "O(N) with N the number of members.",
        summary: "Removes and returns random members of a set.",
        reply: "bulk|null|set(bulk)",
        tips: &["nondeterministic_output"],
        ..row("spop", -2, WRITE | FAST | UNORDERED | CHANCE, &[KeySpec::one(1, KeyAccess::ReadDelete)], spop)
    },
    Row {
        arguments: "key:key [count:integer]",
        complexity: "O(N) with N the number of members.",
        summary: "Returns random members of a set; a negative count allows repetitions.",
        reply: "bulk|null|array(bulk)",
        tips: &["nondeterministic_output"],
        ..row("srandmember", -2, READONLY | UNORDERED | CHANCE, READ, srandmember)
    },
    Row {
        arguments: "key:key member...",
        complexity: "O(N) with N the number of given members.",
        summary: "Removes members from a set.",
        ..row("srem", -3, WRITE | FAST, &[KeySpec::one(1, KeyAccess::Delete)], srem)
    },
    Row {
        arguments: "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
        complexity: "O(1) per call, O(N) per iteration with N the number of members.",
        since: "2.8.0",
        summary: "Iterates over the members of a set with a cursor.",
        reply: "array(bulk,array(bulk))",
        tips: &["nondeterministic_output"],
        ..row("sscan", -3, READONLY | UNORDERED | CHANCE, READ, sscan)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N) with N the total number of members.",
        summary: "Returns the union of sets.",
        reply: "set(bulk)",
        ..row("sunion", -2, READONLY | UNORDERED, READ_ALL, sunion)
    },
    Row {
        arguments: "destination:key key:key...",
        complexity: "O(N) with N the total number of members.",
        summary: "Stores the union of sets.",
        ..row("sunionstore", -3, WRITE | DENYOOM, STORE, sunionstore)
    },
];

const MOVE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadDelete), KeySpec::one(2, KeyAccess::Insert)];

fn sadd(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let added = sets::add(&mut cx.txn(), args.bytes()?, args.rest())?;
    cx.reply.integer(added as i64);
    Ok(())
}

fn srem(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let removed = sets::remove(&mut cx.txn(), args.bytes()?, args.rest())?;
    cx.reply.integer(removed as i64);
    Ok(())
}

fn scard(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = sets::find(&mut cx.txn(), args.bytes()?)?.map_or(0, |set| set.len());
    cx.reply.integer(len as i64);
    Ok(())
}

fn sismember(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, member) = (args.bytes()?, args.bytes()?);
    let is_member = sets::find(&mut cx.txn(), key)?.is_some_and(|set| set.contains(member));
    cx.reply.integer(is_member.into());
    Ok(())
}

fn smismember(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let set = sets::find(&mut txn, key)?;
    reply.array(args.left());
    args.rest().for_each(|member| reply.integer(set.is_some_and(|set| set.contains(member)).into()));
    Ok(())
}

fn smembers(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (mut txn, reply) = cx.txn_and_reply();
    let set = sets::find(&mut txn, args.bytes()?)?;
    reply.set(set.map_or(0, |set| set.len()));
    set.into_iter().flat_map(|set| set.iter()).for_each(|member| reply.bulk(member));
    Ok(())
}

fn smove(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let moved = sets::move_member(&mut cx.txn(), args.bytes()?, args.bytes()?, args.bytes()?)?;
    cx.reply.integer(moved.into());
    Ok(())
}

/// `SPOP key [count]`
fn spop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let Some(count) = args.optional() else {
        let members = sets::pop(&mut cx.txn(), key, 1)?;
        cx.reply.optional_bulk(members.as_ref().and_then(|members| members.first()).map(Vec::as_slice));
        return Ok(());
    };
    args.finish()?;
    let count = at_least(count, 0, CommandError::NOT_POSITIVE)?;
    let members = sets::pop(&mut cx.txn(), key, count)?.unwrap_or_default();
    cx.reply.set(members.len());
    members.iter().for_each(|member| cx.reply.bulk(member));
    Ok(())
}

/// `SRANDMEMBER key [count]`
fn srandmember(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let Some(count) = args.optional() else {
        let members = sets::sample(&mut cx.txn(), key, 1, true)?;
        cx.reply.optional_bulk(members.as_ref().and_then(|members| members.first()).map(Vec::as_slice));
        return Ok(());
    };
    args.finish()?;
    let count = parse_integer(count).ok_or(CommandError::NOT_AN_INTEGER)?;
    if count == i64::MIN {
        return Err(CommandError::COUNT_RANGE);
    }
    if count < 0 && count.unsigned_abs() > REPETITIONS_MAX {
        return Err(CommandError::REPLY_TOO_LARGE);
    }
    let requested = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let members = sets::sample(&mut cx.txn(), key, requested, count < 0)?.unwrap_or_default();
    cx.reply.array(members.len());
    members.iter().for_each(|member| cx.reply.bulk(member));
    Ok(())
}

fn sinter(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    combine(cx, args, Combination::Intersection)
}

fn sunion(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    combine(cx, args, Combination::Union)
}

fn sdiff(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    combine(cx, args, Combination::Difference)
}

fn combine(cx: &mut Context<'_>, args: &mut Args<'_>, combination: Combination) -> Reply {
    let result = sets::combine(&mut cx.txn(), combination, args.take(usize::MAX), 0)?;
    cx.reply.set(result.len());
    result.iter().for_each(|member| cx.reply.bulk(member));
    Ok(())
}

fn sinterstore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    combine_into(cx, args, Combination::Intersection)
}

fn sunionstore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    combine_into(cx, args, Combination::Union)
}

fn sdiffstore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    combine_into(cx, args, Combination::Difference)
}

fn combine_into(cx: &mut Context<'_>, args: &mut Args<'_>, combination: Combination) -> Reply {
    let len = sets::combine_into(&mut cx.txn(), combination, args.bytes()?, args.take(usize::MAX))?;
    cx.reply.integer(len as i64);
    Ok(())
}

/// `SINTERCARD numkeys key [key ...] [LIMIT n]`
fn sintercard(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let count = at_least(args.bytes()?, 1, CommandError::NUMKEYS_NOT_POSITIVE)?;
    if count > args.left() {
        return Err(CommandError::TOO_MANY_KEYS);
    }
    let (keys, limit) = (args.take(count), limit(args)?);
    let count = sets::count_common(&mut cx.txn(), keys, limit)?;
    cx.reply.integer(count as i64);
    Ok(())
}

/// `SSCAN key cursor [MATCH pattern] [COUNT n]`. Options are read only if the key exists, as in Redis.
fn sscan(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, cursor) = (args.bytes()?, cursor(args.bytes()?)?);
    let (mut txn, reply) = cx.txn_and_reply();
    let Some(set) = sets::find(&mut txn, key)? else {
        write_empty_page(reply);
        return Ok(());
    };
    let options = scan_options(args, "")?;
    let elements = set.len().min(options.count);
    write_matches(reply, options.pattern, &mut |show| {
        set.page(cursor, options.count, &mut |member| show(member, None))
    });
    count_visits(&mut txn, elements.saturating_mul(PAGE_VISITS));
    Ok(())
}
