//! XINFO: streams, groups and consumers as maps.

use super::groups::name;
use super::reply::{write_entries, write_entry, write_id};
use super::row;
use crate::commands::table::args::{Args, count_of, is};
use crate::commands::table::row::{Group as Family, KeyAccess, KeySpec, flags::*};
use crate::commands::{Context, Reply, Row};
use crate::keyspace::{count_visits, streams};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};
use crate::values::{Consumer, Group, Stream, StreamId};

const KEY: &[KeySpec] = &[KeySpec::one(2, KeyAccess::ReadAccess)];

/// Most entries that FULL shows if no count is given.
const SHOWN_MAX: usize = 10;
/// Defaults of Redis for idempotent producers: seconds, and number of ids.
const PRODUCER_DURATION_S: i64 = 100;
const PRODUCER_IDS_MAX: i64 = 100;

const XINFO: &[Row] = &[
    Row {
        arguments: "key:key group",
        summary: "Returns the consumers of a group.",
        reply: "array(map)",
        complexity: "O(N) with N the number of consumers.",
        tips: &["nondeterministic_output"],
        ..row("xinfo|consumers", 4, READONLY | TIME, KEY, xinfo_consumers)
    },
    Row {
        summary: "Returns the groups of a stream.",
        reply: "array(map)",
        complexity: "O(N) with N the number of groups.",
        ..row("xinfo|groups", 3, READONLY, KEY, xinfo_groups)
    },
    Row {
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..Row::of(Family::Stream, "xinfo|help", 2, LOADING | STALE, &[], xinfo_help)
    },
    Row {
        arguments: "key:key [full=FULL [COUNT count:integer]]",
        summary: "Returns facts about a stream.",
        reply: "map",
        complexity: "O(1), with FULL O(N) with N the number of entries shown.",
        ..row("xinfo|stream", -3, READONLY, KEY, xinfo_stream)
    },
];

pub(in crate::commands) const ROWS: &[Row] = &[Row {
    since: "5.0.0",
    complexity: "Depends on the subcommand.",
    summary: "Inspects streams.",
    reply: "any",
    subcommands: XINFO,
    ..Row::of(Family::Stream, "xinfo", -2, 0, &[], xinfo_help)
}];

fn xinfo_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    crate::commands::help::write_help(cx, "xinfo")
}

/// Writer of a map with named numbers.
struct Facts<'r>(&'r mut Writer);

impl Facts<'_> {
    fn name(&mut self, name: &str) -> &mut Writer {
        self.0.bulk(name.as_bytes());
        self.0
    }

    fn number(&mut self, name: &str, number: i64) {
        self.name(name).integer(number);
    }

    fn optional(&mut self, name: &str, number: Option<i64>) {
        match number {
            Some(number) => self.number(name, number),
            None => self.name(name).null(),
        }
    }

    fn id(&mut self, name: &str, id: StreamId) {
        write_id(id, self.name(name));
    }
}

/// `XINFO STREAM key [FULL [COUNT count]]`
fn xinfo_stream(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, subcommand) = (args.bytes()?, args.argv().get(1).unwrap_or_default());
    let (mut txn, reply) = cx.txn_and_reply();
    let stream = streams::find(&mut txn, key)?.ok_or(CommandError::NO_SUCH_KEY)?;
    let shown = shown(args, subcommand)?;
    reply.map(if shown.is_some() { 15 } else { 16 });
    let mut facts = Facts(reply);
    let (blocks, marks) = (stream.blocks().len() as i64, stream.marks);
    facts.number("length", stream.len() as i64);
    facts.number("radix-tree-keys", blocks);
    facts.number("radix-tree-nodes", blocks + 1);
    facts.id("last-generated-id", marks.last_id);
    facts.id("max-deleted-entry-id", marks.max_deleted_id);
    facts.number("entries-added", marks.entries_added as i64);
    facts.id("recorded-first-entry-id", stream.first_id());
    facts.number("idmp-duration", PRODUCER_DURATION_S);
    facts.number("idmp-maxsize", PRODUCER_IDS_MAX);
    for name in ["pids-tracked", "iids-tracked", "iids-added", "iids-duplicates"] {
        facts.number(name, 0);
    }
    let visited = match shown {
        Some(count) => write_full(stream, count, &mut facts),
        None => {
            facts.number("groups", stream.groups().len() as i64);
            for (name, reversed) in [("first-entry", false), ("last-entry", true)] {
                let reply = facts.name(name);
                match stream.range(StreamId::MIN, StreamId::MAX, reversed).next() {
                    Some(entry) => write_entry(entry, reply),
                    None => reply.null(),
                }
            }
            0
        }
    };
    count_visits(&mut txn, visited);
    Ok(())
}

/// Reads how many entries FULL shows; `None` without FULL.
fn shown(args: &mut Args<'_>, subcommand: &[u8]) -> Result<Option<usize>, CommandError> {
    let words = args.left();
    let Some(word) = args.optional() else { return Ok(None) };
    let has_count = words == 3 && args.peek().is_some_and(|word| is(word, "COUNT"));
    if !is(word, "FULL") || words != 1 && !has_count {
        return Err(args.refuse(ErrorText::unknown_or_wrong("XINFO", subcommand)));
    }
    if !has_count {
        return Ok(Some(SHOWN_MAX));
    }
    args.skip(1);
    let count = count_of(args.integer()?).unwrap_or(SHOWN_MAX);
    Ok(Some(if count == 0 { usize::MAX } else { count }))
}

/// Writes entries and groups; returns how many elements were visited.
fn write_full(stream: &Stream, count: usize, facts: &mut Facts<'_>) -> usize {
    let mut visited = write_entries(stream.range(StreamId::MIN, StreamId::MAX, false), count, facts.name("entries"));
    facts.name("groups").array(stream.groups().len());
    for group in stream.groups() {
        facts.0.map(7);
        facts.name("name").bulk(&group.name);
        write_position(stream, group, facts);
        facts.number("pel-count", group.pending_count() as i64);
        let pending = group.pending_from(StreamId::MIN, None).take(count);
        let reply = facts.name("pending");
        let (open, mut written) = (reply.open(), 0);
        for (id, pending) in pending {
            reply.array(4);
            write_id(id, reply);
            reply.bulk(group.consumer(pending.consumer).map_or(&[][..], |consumer| &consumer.name));
            reply.integer(pending.delivered_ms);
            reply.integer(pending.deliveries as i64);
            written += 1;
        }
        reply.close_array(open, written);
        facts.name("consumers").array(group.consumers().len());
        for consumer in group.consumers() {
            visited += write_full_consumer(group, consumer, count, facts);
        }
        visited += written;
    }
    visited
}

fn write_full_consumer(group: &Group, consumer: &Consumer, count: usize, facts: &mut Facts<'_>) -> usize {
    facts.0.map(5);
    facts.name("name").bulk(&consumer.name);
    facts.number("seen-time", consumer.seen_ms);
    facts.number("active-time", consumer.active_ms.unwrap_or(-1));
    facts.number("pel-count", consumer.pending_count() as i64);
    let reply = facts.name("pending");
    let (open, mut written) = (reply.open(), 0);
    for (id, pending) in group.pending_from(StreamId::MIN, group.find_consumer(&consumer.name)).take(count) {
        reply.array(3);
        write_id(id, reply);
        reply.integer(pending.delivered_ms);
        reply.integer(pending.deliveries as i64);
        written += 1;
    }
    reply.close_array(open, written);
    1 + written
}

/// Writes the position of a group.
fn write_position(stream: &Stream, group: &Group, facts: &mut Facts<'_>) {
    facts.id("last-delivered-id", group.last_id);
    facts.optional("entries-read", group.entries_read.map(|read| read as i64));
    facts.optional("lag", stream.lag(group));
}

fn xinfo_groups(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let stream = streams::find(&mut txn, key)?.ok_or(CommandError::NO_SUCH_KEY)?;
    reply.array(stream.groups().len());
    let mut facts = Facts(reply);
    for group in stream.groups() {
        facts.0.map(6);
        facts.name("name").bulk(&group.name);
        facts.number("consumers", group.consumers().len() as i64);
        facts.number("pending", group.pending_count() as i64);
        write_position(stream, group, &mut facts);
    }
    Ok(())
}

fn xinfo_consumers(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (name, now_ms) = (name(args)?, cx.now.as_ms());
    let (mut txn, reply) = cx.txn_and_reply();
    let stream = streams::find(&mut txn, name.key)?.ok_or(CommandError::NO_SUCH_KEY)?;
    let group =
        stream.group(name.group).ok_or_else(|| args.refuse(ErrorText::no_group_of_key(name.key, name.group)))?;
    reply.array(group.consumers().len());
    let mut facts = Facts(reply);
    for consumer in group.consumers() {
        facts.0.map(4);
        facts.name("name").bulk(&consumer.name);
        facts.number("pending", consumer.pending_count() as i64);
        facts.number("idle", now_ms.saturating_sub(consumer.seen_ms).max(0));
        facts.number("inactive", consumer.active_ms.map_or(-1, |active_ms| now_ms.saturating_sub(active_ms).max(0)));
    }
    let visited = group.consumers().len();
    count_visits(&mut txn, visited);
    Ok(())
}
