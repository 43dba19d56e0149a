//! XREAD and XREADGROUP: entries of several streams behind given ids, with waiting.

use alloc::vec::Vec;

use super::options::id;
use super::reply::{write_entries, write_entry, write_id};
use super::row;
use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::Timestamp;
use crate::base::headroom::{ensure, try_reserve};
use crate::commands::blocking::{block_on_keys, end_of_timeout_ms, headroom_to_wait};
use crate::commands::table::args::{Args, count_of, is};
use crate::commands::table::row::{Begin, Find, KeyAccess, KeySpec, flags::*};
use crate::commands::{Blocking, Context, Reply, Row};
use crate::keyspace::{GroupName, Queue, count_visits, streams};
use crate::resp::encode::Protocol;
use crate::resp::error::{CommandError, ErrorText};
use crate::values::{Kind, StreamId};

const fn streams_behind(from: i32) -> [KeySpec; 1] {
    let begin = Begin::Keyword { word: "STREAMS", from };
    [KeySpec { access: KeyAccess::ReadAccess, begin, find: Find::FirstHalf }]
}

const STREAMS: &[KeySpec] = &streams_behind(1);
const STREAMS_OF_GROUP: &[KeySpec] = &streams_behind(4);

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        arguments: "[COUNT count:integer] [BLOCK milliseconds:integer] STREAMS (key:key... id...)",
        complexity: "O(N) with N the number of entries returned.",
        summary: "Returns the entries of streams behind given ids; blocks until there are some.",
        reply: "array|map|null",
        ..row("xread", -4, READONLY | BLOCKING | MOVABLEKEYS | TIME, STREAMS, xread)
    },
    Row {
        arguments: "GROUP (group consumer) [COUNT count:integer] [BLOCK milliseconds:integer] [NOACK] STREAMS (key:key... id...)",
        complexity: "O(N) with N the number of entries returned.",
        summary: "Delivers entries of streams to a consumer of a group; blocks until there are some.",
        reply: "array|map|null",
        ..row("xreadgroup", -7, WRITE | BLOCKING | MOVABLEKEYS | TIME, STREAMS_OF_GROUP, xreadgroup)
    },
];

/// Arguments of both commands.
struct Reading<'a> {
    count: usize,
    /// Whether the client waits, and until when.
    until: Option<Option<Timestamp>>,
    /// Group and consumer.
    group: Option<(&'a [u8], &'a [u8])>,
    acknowledged: bool,
    keys: ArgvRef<'a>,
    ids: ArgvRef<'a>,
}

impl<'a> Reading<'a> {
    fn read(args: &mut Args<'a>, now: Timestamp, of_group: bool) -> Result<Reading<'a>, CommandError> {
        let (mut count, mut until, mut group, mut acknowledged) = (0, None, None, false);
        loop {
            let word = args.bytes()?;
            let has_more = !args.is_done();
            match word {
                _ if is(word, "CLAIM") && has_more && !of_group => return Err(CommandError::CLAIM_WITHOUT_GROUP),
                _ if is(word, "BLOCK") && has_more => until = Some(end_of_timeout_ms(args.bytes()?, now)?),
                _ if is(word, "COUNT") && has_more => count = count_of(args.integer()?).unwrap_or(0),
                _ if is(word, "STREAMS") && has_more => break,
                _ if is(word, "GROUP") && args.left() > 1 && of_group => group = Some((args.bytes()?, args.bytes()?)),
                _ if is(word, "GROUP") && args.left() > 1 => return Err(CommandError::GROUP_WITHOUT_GROUP),
                _ if is(word, "NOACK") && of_group => acknowledged = true,
                _ if is(word, "NOACK") => return Err(CommandError::NOACK_WITHOUT_GROUP),
                _ => return Err(CommandError::SYNTAX),
            }
        }
        if args.left() % 2 == 1 {
            let (command, ids) = if of_group { ("xreadgroup", "ID or '>'") } else { ("xread", "ID, '+', or '$'") };
            return Err(args.refuse(ErrorText::unbalanced_streams(command, ids)));
        }
        if of_group && group.is_none() {
            return Err(CommandError::GROUP_MISSING);
        }
        let keys = args.take(args.left() / 2);
        let count = if count == 0 { usize::MAX } else { count };
        Ok(Reading { count, until, group, acknowledged, keys, ids: args.take(usize::MAX) })
    }

    fn streams(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone {
        self.keys.iter().zip(self.ids.iter())
    }
}

/// `XREAD [COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]`
fn xread(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let request = args.argv();
    let reading = Reading::read(args, cx.now, false)?;
    let mut after = Vec::new();
    for (key, text) in reading.streams() {
        let id = id_after(cx, key, text)?;
        try_reserve(&mut after, 1)?;
        after.push(id);
    }
    let mut starts = after.iter().copied();
    let is_served = cx.blocking != Blocking::TimedOut
        && write_streams(cx, &reading, &mut |cx, key, _| {
            let after = starts.next().unwrap_or_default();
            write_behind(cx, key, after, reading.count)
        })?;
    if !is_served && wait(cx, &reading, Queue::Created)? {
        let request = with_ids(request, reading.ids, &after)?;
        if let Some(block_on) = &mut cx.block_on {
            block_on.request = request;
        }
    }
    Ok(())
}

/// `XREADGROUP GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK] STREAMS key [key ...] id [id ...]`
fn xreadgroup(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let reading = Reading::read(args, cx.now, true)?;
    let Some((group, consumer)) = reading.group else { return Err(CommandError::GROUP_MISSING) };
    let mut is_served = false;
    if cx.blocking != Blocking::TimedOut {
        for (key, text) in reading.streams() {
            let has_group = streams::find(&mut cx.txn(), key)?.is_some_and(|stream| stream.group(group).is_some());
            if !has_group {
                let option = " in XREADGROUP with GROUP option";
                return Err(args.refuse(ErrorText::no_group(key, group, option)));
            }
            behind(text)?;
        }
        // The consumer is created before it waits.
        let may_wait = reading.until.is_some() && cx.blocking == Blocking::Allowed && cx.resumed.is_none();
        let _held = if may_wait { Some(headroom_to_wait(args.argv())?) } else { None };
        is_served = write_streams(cx, &reading, &mut |cx, key, text| {
            let name = GroupName { key, group };
            streams::groups::see_consumer(&mut cx.txn(), name, consumer)?;
            match behind(text)? {
                Some(after) => write_history(cx, name, consumer, after, reading.count),
                None => write_new(cx, name, consumer, &reading),
            }
        })?;
    }
    if !is_served {
        wait(cx, &reading, Queue::Consumer)?;
    }
    Ok(())
}

/// Id of XREADGROUP behind which the history of a consumer is read; `None` for new entries.
fn behind(text: &[u8]) -> Result<Option<StreamId>, CommandError> {
    match text {
        b"$" => Err(CommandError::LAST_OF_GROUP),
        b"+" => Err(CommandError::NEWEST_OF_GROUP),
        b">" => Ok(None),
        // The largest id stands for new entries in Redis.
        text => Ok(Some(id(text)?).filter(|id| *id != StreamId::MAX)),
    }
}

/// Blocks the client if it may wait, or replies that there is nothing. Returns whether it waits.
fn wait(cx: &mut Context<'_>, reading: &Reading<'_>, queue: Queue) -> Result<bool, CommandError> {
    match reading.until {
        Some(until) if cx.blocking == Blocking::Allowed => {
            let kind = (queue == Queue::Created).then_some(Kind::Stream);
            block_on_keys(cx, reading.keys.iter(), queue, kind, until)?;
            Ok(true)
        }
        _ => {
            cx.reply.null_array();
            Ok(false)
        }
    }
}

/// Id behind which XREAD reads.
fn id_after(cx: &mut Context<'_>, key: &[u8], text: &[u8]) -> Result<StreamId, CommandError> {
    let mut txn = cx.txn();
    let stream = streams::find(&mut txn, key)?;
    Ok(match text {
        b"$" => stream.map_or(StreamId::MIN, |stream| stream.marks.last_id),
        b"+" => {
            let last = stream.and_then(|stream| stream.last_valid_id());
            last.and_then(StreamId::previous).unwrap_or(StreamId::MIN)
        }
        b">" => return Err(CommandError::NEW_WITHOUT_GROUP),
        text => id(text)?,
    })
}

/// Writes the entries of a stream; returns false if it has none for the command.
type WriteStream<'w> = &'w mut dyn FnMut(&mut Context<'_>, &[u8], &[u8]) -> Result<bool, CommandError>;

/// Writes the streams that have entries; returns whether there is one.
fn write_streams(cx: &mut Context<'_>, reading: &Reading<'_>, write: WriteStream<'_>) -> Result<bool, CommandError> {
    let is_map = cx.reply.protocol() == Protocol::Resp3;
    let (open, mut written) = (cx.reply.open(), 0);
    for (key, text) in reading.streams() {
        let start = cx.reply.len();
        if !is_map {
            cx.reply.array(2);
        }
        cx.reply.bulk(key);
        match write(cx, key, text)? {
            true => written += 1,
            false => cx.reply.truncate(start),
        }
    }
    match (written, is_map) {
        (0, _) => {}
        (_, true) => cx.reply.close_map(open, written),
        (_, false) => cx.reply.close_array(open, written),
    }
    Ok(written > 0)
}

/// Writes the entries behind an id.
fn write_behind(cx: &mut Context<'_>, key: &[u8], after: StreamId, count: usize) -> Result<bool, CommandError> {
    let (mut txn, reply) = cx.txn_and_reply();
    let Some(stream) = streams::find(&mut txn, key)? else { return Ok(false) };
    let Some(first) = after.next().filter(|_| stream.last_valid_id().is_some_and(|last| last > after)) else {
        return Ok(false);
    };
    let visited = write_entries(stream.range(first, StreamId::MAX, false), count, reply);
    count_visits(&mut txn, visited);
    Ok(true)
}

/// Writes new entries for a group, and delivers them.
fn write_new(
    cx: &mut Context<'_>,
    name: GroupName<'_>,
    consumer: &[u8],
    reading: &Reading<'_>,
) -> Result<bool, CommandError> {
    let (mut txn, reply) = cx.txn_and_reply();
    let Some(stream) = streams::find(&mut txn, name.key)? else { return Ok(false) };
    let first = stream.group(name.group).and_then(|group| group.last_id.next());
    let mut ids = Vec::new();
    let open = reply.open();
    if let Some(first) = first {
        for entry in stream.range(first, StreamId::MAX, false).take(reading.count) {
            try_reserve(&mut ids, 1)?;
            ids.push(entry.id);
            write_entry(entry, reply);
        }
    }
    if ids.is_empty() {
        return Ok(false);
    }
    reply.close_array(open, ids.len());
    // Nothing is delivered without its reply.
    reply.check()?;
    count_visits(&mut txn, ids.len());
    streams::groups::deliver(&mut txn, name, consumer, &ids, !reading.acknowledged)?;
    Ok(true)
}

/// Writes pending entries of a consumer behind an id. Those that were deleted have no fields.
fn write_history(
    cx: &mut Context<'_>,
    name: GroupName<'_>,
    consumer: &[u8],
    after: StreamId,
    count: usize,
) -> Result<bool, CommandError> {
    let (mut txn, reply) = cx.txn_and_reply();
    let (open, mut written, mut ids) = (reply.open(), 0, Vec::new());
    let stream = streams::find(&mut txn, name.key)?;
    let group = stream.and_then(|stream| Some((stream, stream.group(name.group)?)));
    if let (Some((stream, group)), Some(first)) = (group, after.next()) {
        for (id, _) in group.pending_from(first, group.find_consumer(consumer)).take(count) {
            written += 1;
            match stream.get(id) {
                Some(entry) => {
                    try_reserve(&mut ids, 1)?;
                    ids.push(id);
                    write_entry(entry, reply);
                }
                None => {
                    reply.array(2);
                    write_id(id, reply);
                    reply.null_array();
                }
            }
        }
    }
    reply.close_array(open, written);
    reply.check()?;
    count_visits(&mut txn, written);
    streams::groups::deliver_again(&mut txn, name, consumer, &ids)?;
    Ok(true)
}

/// Request in which the ids `$` are those of now, so that it can run again; `None` if there is none.
fn with_ids(request: ArgvRef<'_>, ids: ArgvRef<'_>, after: &[StreamId]) -> Result<Option<Argv>, CommandError> {
    if ids.iter().all(|id| id != b"$") {
        return Ok(None);
    }
    ensure(request.copy_len().saturating_mul(2))?;
    let mut resolved = Argv::default();
    let words = request.len() - ids.len();
    request.first(words).iter().for_each(|word| resolved.push(word));
    for (id, after) in ids.iter().zip(after) {
        if id == b"$" { resolved.push(&after.text()) } else { resolved.push(id) }
    }
    Ok(Some(resolved))
}
