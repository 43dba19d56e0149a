//! Commands that pop members of sorted sets.

use super::{READ_DELETE, row, write_member};
use crate::commands::multi_pop::MultiPop;
use crate::commands::table::args::{Args, at_least, is};
use crate::commands::table::row::{KeyAccess, KeySpec, flags::*};
use crate::commands::{Context, Handler, Reply, Row};
use crate::keyspace::sorted_sets;
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::CommandError;
use crate::values::End;

const fn pop_row(name: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        arguments: "key:key [count:integer]",
        complexity: "O(log(N)*M) with N the number of members and M the number popped.",
        since: "5.0.0",
        summary,
        reply: "array(bulk,double)|array(array(bulk,double))",
        ..row(name, -2, WRITE | FAST, READ_DELETE, handler)
    }
}

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        arguments: "numkeys:integer key:key... <where=MIN | MAX> [COUNT count:integer]",
        complexity: "O(K)+O(log(N)*M) with K the number of keys, N the number of members and M the number popped.",
        since: "7.0.0",
        summary: "Pops members from the first non-empty sorted set and returns its key and the members.",
        reply: "array(bulk,array(array(bulk,double)))|null",
        ..row("zmpop", -4, WRITE | MOVABLEKEYS, &[KeySpec::counted(1, KeyAccess::ReadDelete)], zmpop)
    },
    pop_row("zpopmax", "Removes and returns the members with the highest scores.", zpopmax),
    pop_row("zpopmin", "Removes and returns the members with the lowest scores.", zpopmin),
];

fn zpopmin(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    pop(cx, args, End::Head)
}

fn zpopmax(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    pop(cx, args, End::Tail)
}

/// `ZPOPMIN key [count]`. Without a count the reply is one pair. With a count it is an array of pairs in RESP3, and of
/// alternating members and scores in RESP2.
fn pop(cx: &mut Context<'_>, args: &mut Args<'_>, end: End) -> Reply {
    if args.left() > 2 {
        return Err(CommandError::SYNTAX);
    }
    let key = args.bytes()?;
    let count = args.optional().map(|text| at_least(text, 0, CommandError::NOT_POSITIVE)).transpose()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let nested = count.is_some() && reply.protocol() == Protocol::Resp3;
    let found = sorted_sets::pop(&mut txn, key, end, count.unwrap_or(1), &mut |pairs| {
        reply.array(if nested { pairs.len() } else { pairs.len() * 2 });
        pairs.for_each(|(member, score)| match nested {
            true => write_member((member, score), true, reply),
            false => {
                reply.bulk(member);
                reply.double(score);
            }
        });
        reply.check()
    })?;
    if !found {
        reply.array(0);
    }
    Ok(())
}

/// `ZMPOP numkeys key [key ...] MIN | MAX [COUNT n]`
fn zmpop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let MultiPop { keys, end, count } = MultiPop::read(args, end)?;
    if !pop_first(cx, keys, end, Some(count))? {
        cx.reply.null_array();
    }
    Ok(())
}

/// Parses MIN or MAX.
pub(super) fn end(word: &[u8]) -> Result<End, CommandError> {
    match word {
        _ if is(word, "MIN") => Ok(End::Head),
        _ if is(word, "MAX") => Ok(End::Tail),
        _ => Err(CommandError::SYNTAX),
    }
}

/// Pops members from the first key with a sorted set and writes the key and the members. With a count the members are
/// an array of pairs, otherwise there is one pair. Returns false, without a reply, if no key has a sorted set.
pub(super) fn pop_first<'k>(
    cx: &mut Context<'_>,
    keys: impl Iterator<Item = &'k [u8]>,
    end: End,
    count: Option<usize>,
) -> Result<bool, CommandError> {
    let (mut txn, reply) = cx.txn_and_reply();
    for key in keys {
        let found = sorted_sets::pop(&mut txn, key, end, count.unwrap_or(1), &mut |pairs| {
            match count {
                Some(_) => write_key_and_pairs(key, pairs, reply),
                None => {
                    reply.array(3);
                    reply.bulk(key);
                    pairs.for_each(|(member, score)| {
                        reply.bulk(member);
                        reply.double(score);
                    });
                }
            }
            reply.check()
        })?;
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

fn write_key_and_pairs(key: &[u8], pairs: &mut dyn ExactSizeIterator<Item = (&[u8], f64)>, reply: &mut Writer) {
    reply.array(2);
    reply.bulk(key);
    reply.array(pairs.len());
    pairs.for_each(|(member, score)| {
        reply.array(2);
        reply.bulk(member);
        reply.double(score);
    });
}
