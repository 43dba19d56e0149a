//! XPENDING: entries of a group that were delivered and not acknowledged.

use super::groups::{find, name};
use super::options::{End, interval_end};
use super::reply::write_id;
use super::{READ, row};
use crate::base::number::IntegerText;
use crate::commands::table::args::{Args, count_of, is};
use crate::commands::table::row::flags::*;
use crate::commands::{Context, Reply, Row};
use crate::keyspace::count_visits;
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::values::{Group, StreamId};

pub(in crate::commands) const ROWS: &[Row] = &[Row {
    arguments: "key:key group [filters=([IDLE min-idle-time:integer] start end count:integer [consumer])]",
    complexity: "O(N) with N the number of entries looked at.",
    summary: "Returns the pending entries of a group, or a summary of them.",
    reply: "array",
    tips: &["nondeterministic_output"],
    ..row("xpending", -3, READONLY | TIME, READ, xpending)
}];

/// `XPENDING key group [[IDLE min-idle-time] start end count [consumer]]`
fn xpending(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let name = name(args)?;
    let left = args.left();
    if left != 0 && !(3..=6).contains(&left) {
        return Err(CommandError::SYNTAX);
    }
    let filter = if left == 0 { None } else { Some(Filter::read(args)?) };
    let now_ms = cx.now.as_ms();
    let (mut txn, reply) = cx.txn_and_reply();
    let stream = find(&mut txn, args, name)?;
    let Some(group) = stream.group(name.group) else { return Ok(()) };
    let visited = match filter {
        None => write_summary(group, reply),
        Some(filter) => filter.write(group, now_ms, reply),
    };
    count_visits(&mut txn, visited);
    Ok(())
}

fn write_summary(group: &Group, reply: &mut Writer) -> usize {
    reply.array(4);
    reply.integer(group.pending_count() as i64);
    let first = group.pending_from(StreamId::MIN, None).next().map(|(id, _)| id);
    let (Some(first), Some(last)) = (first, group.last_pending()) else {
        reply.null();
        reply.null();
        reply.null_array();
        return 0;
    };
    write_id(first, reply);
    write_id(last, reply);
    let busy = || group.consumers().filter(|consumer| consumer.pending_count() > 0);
    reply.array(busy().count());
    for consumer in busy() {
        reply.array(2);
        reply.bulk(&consumer.name);
        reply.bulk(IntegerText::of(consumer.pending_count() as i64).as_bytes());
    }
    group.consumers().len()
}

/// Which pending entries XPENDING returns.
struct Filter<'a> {
    min_idle_ms: i64,
    start: StreamId,
    end: StreamId,
    count: usize,
    consumer: Option<&'a [u8]>,
}

impl<'a> Filter<'a> {
    fn read(args: &mut Args<'a>) -> Result<Filter<'a>, CommandError> {
        let mut min_idle_ms = 0;
        if args.peek().is_some_and(|word| is(word, "IDLE")) {
            args.skip(1);
            min_idle_ms = args.integer()?;
            if args.left() < 3 {
                return Err(CommandError::SYNTAX);
            }
        }
        let (start, end) = (args.bytes()?, args.bytes()?);
        let count = count_of(args.integer()?).unwrap_or(0);
        let (start, end) = (interval_end(start, End::Start)?, interval_end(end, End::Stop)?);
        Ok(Filter { min_idle_ms, start, end, count, consumer: args.optional() })
    }

    /// Writes the entries; returns how many were looked at.
    fn write(&self, group: &Group, now_ms: i64, reply: &mut Writer) -> usize {
        let consumer = self.consumer.map(|name| group.find_consumer(name));
        if consumer == Some(None) {
            reply.array(0);
            return 0;
        }
        let (open, mut written, mut visited) = (reply.open(), 0, 0);
        for (id, pending) in group.pending_from(self.start, consumer.flatten()) {
            if written >= self.count || id > self.end {
                break;
            }
            visited += 1;
            let idle_ms = now_ms.saturating_sub(pending.delivered_ms);
            if self.min_idle_ms != 0 && idle_ms < self.min_idle_ms {
                continue;
            }
            written += 1;
            reply.array(4);
            write_id(id, reply);
            reply.bulk(group.consumer(pending.consumer).map_or(&[][..], |consumer| &consumer.name));
            reply.integer(idle_ms.max(0));
            reply.integer(pending.deliveries as i64);
        }
        reply.close_array(open, written);
        visited
    }
}
