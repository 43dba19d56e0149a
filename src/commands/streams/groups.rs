//! Commands about consumer groups: XGROUP, XACK, XCLAIM and XAUTOCLAIM.

use alloc::vec::Vec;

use super::options::{End, id, ids, interval_end};
use super::reply::{write_entry, write_id};
use super::row;
use crate::base::number::parse_integer;
use crate::commands::table::args::{Args, count_of, is};
use crate::commands::table::row::{Group as Family, KeyAccess, KeySpec, flags::*};
use crate::commands::{Context, Handler, Reply, Row};
use crate::keyspace::{Claim, GroupName, GroupStart, Txn, streams};
use crate::resp::error::{CommandError, ErrorText};
use crate::values::{Stream, StreamId};

const UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteUpdate)];
const REMOVE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Remove)];

/// Most entries that XAUTOCLAIM claims if no count is given.
const CLAIMED_MAX: usize = 100;
/// Largest count of XAUTOCLAIM: Redis allocates memory for so many ids.
const COUNT_MAX: i64 = i64::MAX / 16;

const fn group_row(
    name: &'static str,
    arity: i32,
    access: &'static [KeySpec],
    arguments: &'static str,
    summary: &'static str,
    handler: Handler,
) -> Row {
    Row { arguments, summary, ..row(name, arity, WRITE, access, handler) }
}

const SUB_INSERT: &[KeySpec] = &[KeySpec::one(2, KeyAccess::Insert)];
const SUB_REMOVE: &[KeySpec] = &[KeySpec::one(2, KeyAccess::Remove)];
const SUB_UPDATE: &[KeySpec] = &[KeySpec::one(2, KeyAccess::ReadWriteUpdate)];

const XGROUP: &[Row] = &[
    Row {
        reply: "OK",
        flags: WRITE | DENYOOM,
        ..group_row(
            "xgroup|create",
            -5,
            SUB_INSERT,
            "key:key group <id-selector=id | $> [MKSTREAM] [ENTRIESREAD entries-read:integer]",
            "Creates a consumer group.",
            xgroup_create,
        )
    },
    Row {
        since: "6.2.0",
        flags: WRITE | DENYOOM | TIME,
        ..group_row(
            "xgroup|createconsumer",
            5,
            SUB_INSERT,
            "key:key group consumer",
            "Creates a consumer in a group.",
            xgroup_create_consumer,
        )
    },
    Row {
        complexity: "O(N) with N the number of pending entries of the consumer.",
        ..group_row(
            "xgroup|delconsumer",
            5,
            SUB_REMOVE,
            "key:key group consumer",
            "Deletes a consumer; returns the number of its pending entries.",
            xgroup_delete_consumer,
        )
    },
    group_row("xgroup|destroy", 4, SUB_REMOVE, "key:key group", "Destroys a consumer group.", xgroup_destroy),
    Row {
        reply: "array(status)",
        summary: "Describes the subcommands.",
        ..Row::of(Family::Stream, "xgroup|help", 2, LOADING | STALE, &[], xgroup_help)
    },
    Row {
        reply: "OK",
        ..group_row(
            "xgroup|setid",
            -5,
            SUB_UPDATE,
            "key:key group <id-selector=id | $> [ENTRIESREAD entries-read:integer]",
            "Sets the last delivered id of a group.",
            xgroup_set_id,
        )
    },
];

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        complexity: "O(1) per id.",
        flags: WRITE | FAST,
        ..group_row(
            "xack",
            -4,
            UPDATE,
            "key:key group id...",
            "Acknowledges entries; returns how many were pending.",
            xack,
        )
    },
    Row {
        complexity: "O(1) if the count is small.",
        since: "6.2.0",
        flags: WRITE | FAST | LONG | TIME,
        reply: "array",
        tips: &["nondeterministic_output"],
        ..group_row(
            "xautoclaim",
            -6,
            REMOVE,
            "key:key group consumer min-idle-time start [COUNT count:integer] [JUSTID]",
            "Claims pending entries that were delivered long ago for a consumer.",
            xautoclaim,
        )
    },
    Row {
        complexity: "O(log(N)) per id, with N the number of pending entries of the group.",
        flags: WRITE | FAST | LONG | TIME,
        reply: "array",
        tips: &["nondeterministic_output"],
        ..group_row(
            "xclaim",
            -6,
            UPDATE,
            "key:key group consumer min-idle-time id... [IDLE ms:integer] [TIME unix-time-milliseconds:unix-time] [RETRYCOUNT count:integer] [FORCE] [JUSTID] [LASTID lastid]",
            "Claims pending entries for a consumer.",
            xclaim,
        )
    },
    Row {
        summary: "Container of commands about consumer groups.",
        subcommands: XGROUP,
        ..Row::of(Family::Stream, "xgroup", -2, 0, &[], xgroup_help)
    },
];

/// Error for a key or group that is missing.
fn no_group(args: &Args<'_>, name: GroupName<'_>) -> CommandError {
    args.refuse(ErrorText::no_group(name.key, name.group, ""))
}

fn no_group_of_key(args: &Args<'_>, name: GroupName<'_>) -> CommandError {
    args.refuse(ErrorText::no_group_of_key(name.key, name.group))
}

pub(super) fn name<'a>(args: &mut Args<'a>) -> Result<GroupName<'a>, CommandError> {
    Ok(GroupName { key: args.bytes()?, group: args.bytes()? })
}

/// Returns the stream of a group that exists.
pub(super) fn find<'t>(txn: &'t mut Txn<'_>, args: &Args<'_>, name: GroupName<'_>) -> Result<&'t Stream, CommandError> {
    let stream = streams::find(txn, name.key)?;
    stream.filter(|stream| stream.group(name.group).is_some()).ok_or_else(|| no_group(args, name))
}

fn xgroup_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    crate::commands::help::write_help(cx, "xgroup")
}

/// Options of XGROUP CREATE and SETID, which follow the id.
#[derive(Clone, Copy, Default)]
struct StartOptions {
    creates: bool,
    entries_read: Option<u64>,
}

impl StartOptions {
    fn read(mut args: Args<'_>, may_create: bool) -> Result<StartOptions, CommandError> {
        let mut options = StartOptions::default();
        let subcommand = args.argv().get(1).unwrap_or_default();
        args.skip(1);
        while let Some(word) = args.optional() {
            if may_create && is(word, "MKSTREAM") {
                options.creates = true;
            } else if is(word, "ENTRIESREAD") && !args.is_done() {
                let read = args.integer()?;
                if read < -1 {
                    return Err(CommandError::ENTRIES_READ);
                }
                options.entries_read = u64::try_from(read).ok();
            } else {
                return Err(args.refuse(ErrorText::unknown_or_wrong("XGROUP", subcommand)));
            }
        }
        Ok(options)
    }
}

/// `XGROUP CREATE key group id | $ [MKSTREAM] [ENTRIESREAD count]`
fn xgroup_create(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let name = name(args)?;
    let options = StartOptions::read(*args, true)?;
    if streams::find(&mut cx.txn(), name.key)?.is_none() && !options.creates {
        return Err(CommandError::NO_STREAM);
    }
    let text = args.bytes()?;
    let last_id = if text == b"$" { None } else { Some(id(text)?) };
    let start = GroupStart { last_id, entries_read: options.entries_read };
    streams::groups::create(&mut cx.txn(), name, start, options.creates)?;
    cx.reply.ok();
    Ok(())
}

/// `XGROUP SETID key group id | $ [ENTRIESREAD count]`
fn xgroup_set_id(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let name = name(args)?;
    let options = StartOptions::read(*args, false)?;
    match streams::find(&mut cx.txn(), name.key)? {
        None => return Err(CommandError::NO_STREAM),
        Some(stream) if stream.group(name.group).is_none() => return Err(no_group_of_key(args, name)),
        Some(_) => {}
    }
    let last_id = match args.bytes()? {
        b"$" => None,
        b"-" => Some(StreamId::MIN),
        b"+" => Some(StreamId::MAX),
        text => Some(id(text)?),
    };
    let start = GroupStart { last_id, entries_read: options.entries_read };
    streams::groups::set_start(&mut cx.txn(), name, start)?;
    cx.reply.ok();
    Ok(())
}

fn xgroup_destroy(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let destroyed = streams::groups::destroy(&mut cx.txn(), name(args)?)?;
    cx.reply.integer(destroyed.into());
    Ok(())
}

fn xgroup_create_consumer(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (name, consumer) = (name(args)?, args.bytes()?);
    let created = streams::groups::create_consumer(&mut cx.txn(), name, consumer)?;
    cx.reply.integer(created.ok_or_else(|| no_group_of_key(args, name))?.into());
    Ok(())
}

fn xgroup_delete_consumer(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (name, consumer) = (name(args)?, args.bytes()?);
    let pending = streams::groups::delete_consumer(&mut cx.txn(), name, consumer)?;
    cx.reply.integer(pending.ok_or_else(|| no_group_of_key(args, name))? as i64);
    Ok(())
}

/// `XACK key group id [id ...]`. Ids of a missing group are not read.
fn xack(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let name = name(args)?;
    let has_group = streams::find(&mut cx.txn(), name.key)?.is_some_and(|stream| stream.group(name.group).is_some());
    let ids = if has_group { ids(args.rest())? } else { Vec::new() };
    let acknowledged = streams::groups::acknowledge(&mut cx.txn(), name, &ids)?;
    cx.reply.integer(acknowledged as i64);
    Ok(())
}

fn claim_of(now_ms: i64, min_idle_ms: i64) -> Claim {
    Claim {
        min_idle_ms: min_idle_ms.max(0),
        delivered_ms: now_ms,
        deliveries: None,
        just_id: false,
        force: false,
        last_id: StreamId::MIN,
    }
}

/// Reads the options of XCLAIM behind the ids.
fn read_claim(args: &mut Args<'_>, claim: &mut Claim, now_ms: i64) -> Result<(), CommandError> {
    let number = |args: &mut Args<'_>, error| args.bytes().and_then(|text| parse_integer(text).ok_or(error));
    let mut delivered_ms = None;
    while let Some(word) = args.optional() {
        let has_value = !args.is_done();
        match word {
            _ if is(word, "FORCE") => claim.force = true,
            _ if is(word, "JUSTID") => claim.just_id = true,
            _ if is(word, "IDLE") && has_value => {
                delivered_ms = Some(now_ms.wrapping_sub(number(args, CommandError::CLAIM_IDLE)?));
            }
            _ if is(word, "TIME") && has_value => delivered_ms = Some(number(args, CommandError::CLAIM_TIME)?),
            _ if is(word, "RETRYCOUNT") && has_value => {
                claim.deliveries = u64::try_from(number(args, CommandError::CLAIM_COUNT)?).ok();
            }
            _ if is(word, "LASTID") && has_value => claim.last_id = id(args.bytes()?)?,
            _ => return Err(args.refuse(ErrorText::quoted("ERR Unrecognized XCLAIM option", word))),
        }
    }
    // A time that cannot be is that of now, as in Redis.
    claim.delivered_ms = delivered_ms.filter(|ms| (0..=now_ms).contains(ms)).unwrap_or(now_ms);
    Ok(())
}

/// `XCLAIM key group consumer min-idle-time id [id ...] [IDLE ms] [TIME ms] [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID id]`
fn xclaim(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (name, consumer, now_ms) = (name(args)?, args.bytes()?, cx.now.as_ms());
    find(&mut cx.txn(), args, name)?;
    let min_idle_ms = parse_integer(args.bytes()?).ok_or(CommandError::CLAIM_MIN_IDLE)?;
    let mut claim = claim_of(now_ms, min_idle_ms);
    let count = args.clone().rest().take_while(|text| StreamId::parse(text, 0).is_some()).count();
    let ids = ids(args.many(count))?;
    read_claim(args, &mut claim, now_ms)?;
    let claimed = streams::claim::claim(&mut cx.txn(), name, consumer, &ids, &claim)?;
    write_claimed(cx, name, &claimed, claim.just_id)
}

/// Writes claimed entries, or their ids.
fn write_claimed(cx: &mut Context<'_>, name: GroupName<'_>, claimed: &[StreamId], just_id: bool) -> Reply {
    let (mut txn, reply) = cx.txn_and_reply();
    let stream = streams::find(&mut txn, name.key)?;
    reply.array(claimed.len());
    for claimed in claimed {
        match stream.and_then(|stream| stream.get(*claimed)) {
            Some(entry) if !just_id => write_entry(entry, reply),
            _ => write_id(*claimed, reply),
        }
    }
    Ok(())
}

/// `XAUTOCLAIM key group consumer min-idle-time start [COUNT count] [JUSTID]`
fn xautoclaim(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (name, consumer) = (name(args)?, args.bytes()?);
    let min_idle_ms = parse_integer(args.bytes()?).ok_or(CommandError::AUTOCLAIM_MIN_IDLE)?;
    let start = interval_end(args.bytes()?, End::Start)?;
    let mut claim = claim_of(cx.now.as_ms(), min_idle_ms);
    let mut count = CLAIMED_MAX;
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "COUNT") && !args.is_done() => {
                let number = parse_integer(args.bytes()?).filter(|count| (1..=COUNT_MAX).contains(count));
                count = number.and_then(count_of).ok_or(CommandError::AUTOCLAIM_COUNT)?;
            }
            _ if is(word, "JUSTID") => claim.just_id = true,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    find(&mut cx.txn(), args, name)?;
    let claimed = streams::claim::claim_idle(&mut cx.txn(), name, consumer, start, count, &claim)?;
    cx.reply.array(3);
    write_id(claimed.next, cx.reply);
    write_claimed(cx, name, &claimed.ids, claim.just_id)?;
    cx.reply.array(claimed.missing.len());
    claimed.missing.iter().for_each(|missing| write_id(*missing, cx.reply));
    Ok(())
}
