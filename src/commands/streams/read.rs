//! XREAD: entries of several streams behind given ids, with waiting.

use alloc::vec::Vec;

use super::options::id;
use super::reply::write_entries;
use super::row;
use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::Timestamp;
use crate::base::headroom::{ensure, try_reserve};
use crate::commands::blocking::{block_on_keys, end_of_timeout_ms};
use crate::commands::table::args::{Args, count_of, is};
use crate::commands::table::row::{Begin, Find, KeyAccess, KeySpec, flags::*};
use crate::commands::{Blocking, Context, Reply, Row};
use crate::keyspace::{Queue, count_visits, streams};
use crate::resp::encode::Protocol;
use crate::resp::error::{CommandError, ErrorText};
use crate::values::{Kind, StreamId};

const STREAMS: &[KeySpec] = &[KeySpec {
    access: KeyAccess::ReadAccess,
    begin: Begin::Keyword { word: "STREAMS", from: 1 },
    find: Find::FirstHalf,
}];

pub(in crate::commands) const ROWS: &[Row] = &[Row {
    arguments: "[COUNT count:integer] [BLOCK milliseconds:integer] STREAMS (key:key... id...)",
    complexity: "O(N) with N the number of entries returned.",
    summary: "Returns the entries of streams behind given ids; blocks until there are some.",
    reply: "array|map|null",
    ..row("xread", -4, READONLY | BLOCKING | MOVABLEKEYS | TIME, STREAMS, xread)
}];

/// Arguments of XREAD.
struct Reading<'a> {
    count: usize,
    /// Whether the client waits, and until when.
    until: Option<Option<Timestamp>>,
    keys: ArgvRef<'a>,
    ids: ArgvRef<'a>,
}

impl<'a> Reading<'a> {
    fn read(args: &mut Args<'a>, now: Timestamp) -> Result<Reading<'a>, CommandError> {
        let (mut count, mut until) = (0, None);
        loop {
            let word = args.bytes()?;
            let has_more = !args.is_done();
            match word {
                _ if is(word, "CLAIM") && has_more => return Err(CommandError::CLAIM_WITHOUT_GROUP),
                _ if is(word, "BLOCK") && has_more => until = Some(end_of_timeout_ms(args.bytes()?, now)?),
                _ if is(word, "COUNT") && has_more => count = count_of(args.integer()?).unwrap_or(0),
                _ if is(word, "STREAMS") && has_more => break,
                _ if is(word, "GROUP") && args.left() > 1 => return Err(CommandError::GROUP_WITHOUT_GROUP),
                _ if is(word, "NOACK") => return Err(CommandError::NOACK_WITHOUT_GROUP),
                _ => return Err(CommandError::SYNTAX),
            }
        }
        if args.left() % 2 == 1 {
            return Err(args.refuse(ErrorText::unbalanced_streams("xread", "ID, '+', or '$'")));
        }
        let keys = args.take(args.left() / 2);
        let count = if count == 0 { usize::MAX } else { count };
        Ok(Reading { count, until, keys, ids: args.take(usize::MAX) })
    }
}

/// `XREAD [COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]`
fn xread(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let request = args.argv();
    let reading = Reading::read(args, cx.now)?;
    let mut after = Vec::new();
    for (key, text) in reading.keys.iter().zip(reading.ids.iter()) {
        let id = id_after(cx, key, text)?;
        try_reserve(&mut after, 1)?;
        after.push(id);
    }
    if cx.blocking != Blocking::TimedOut && write_streams(cx, &reading, &after)? {
        return Ok(());
    }
    match reading.until {
        Some(until) if cx.blocking == Blocking::Allowed => {
            block_on_keys(cx, reading.keys.iter(), Queue::Created, Some(Kind::Stream), until)?;
            let request = with_ids(request, reading.ids, &after)?;
            if let (Some(request), Some(block_on)) = (request, &mut cx.block_on) {
                block_on.request = Some(request);
            }
        }
        _ => cx.reply.null_array(),
    }
    Ok(())
}

/// Id behind which entries are read.
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

/// Writes the streams that have entries behind the ids; returns whether there is one.
fn write_streams(cx: &mut Context<'_>, reading: &Reading<'_>, after: &[StreamId]) -> Result<bool, CommandError> {
    let is_map = cx.reply.protocol() == Protocol::Resp3;
    let (start, open, mut written) = (cx.reply.len(), cx.reply.open(), 0);
    for (key, after) in reading.keys.iter().zip(after) {
        let (mut txn, reply) = cx.txn_and_reply();
        let Some(stream) = streams::find(&mut txn, key)? else { continue };
        let Some(first) = after.next().filter(|_| stream.last_valid_id().is_some_and(|last| last > *after)) else {
            continue;
        };
        if !is_map {
            reply.array(2);
        }
        reply.bulk(key);
        let visited = write_entries(stream.range(first, StreamId::MAX, false), reading.count, reply);
        count_visits(&mut txn, visited);
        written += 1;
    }
    match (written, is_map) {
        (0, _) => cx.reply.truncate(start),
        (_, true) => cx.reply.close_map(open, written),
        (_, false) => cx.reply.close_array(open, written),
    }
    Ok(written > 0)
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
