//! Sorted set family. Ranges are in `range`, commands that pop members in `pop`, blocking commands in `blocking`, and
//! unions, intersections and differences in `combine`.

pub(super) mod blocking;
pub(super) mod combine;
pub(super) mod pop;
pub(super) mod range;

use crate::keyspace::{count_visits, sorted_sets};
use alloc::vec::Vec;

use super::pages::{PAGE_VISITS, write_empty_page, write_matches};
use super::table::args::{Args, is};
use super::table::options::{cursor, scan_options};
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Handler, Reply, Row};
use crate::base::number::{parse_double, parse_integer, write_double};
use crate::keyspace::{Presence, ScoreCondition, ScoreOptions};
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::CommandError;

/// Largest number of members that ZRANDMEMBER returns with repetitions. The reply must fit into memory.
const REPETITIONS_MAX: u64 = 1 << 24;

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const READ_METADATA: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadOnly)];
const UPDATE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadWriteUpdate)];
const REMOVE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Remove)];
const READ_DELETE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadDelete)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: Handler) -> Row {
    Row {
        since: "2.0.0",
        arguments: "key:key",
        reply: "integer",
        ..Row::of(Group::SortedSet, name, arity, flags, keys, handler)
    }
}

const fn rank_row(name: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        arguments: "key:key member [WITHSCORE]",
        complexity: "O(log(N)) with N the number of members.",
        summary,
        reply: "integer|array(integer,double)|null",
        ..row(name, -3, READONLY | FAST, READ, handler)
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key [condition=NX | XX] [comparison=GT | LT] [change=CH] [increment=INCR] (score:double member)...",
        complexity: "O(log(N)) per member, with N the size of the sorted set.",
        since: "1.2.0",
        summary: "Adds members to a sorted set or updates their scores.",
        reply: "integer|double|null",
        ..row("zadd", -4, WRITE | DENYOOM | FAST, UPDATE, zadd)
    },
    Row {
        since: "1.2.0",
        summary: "Returns the number of members of a sorted set.",
        ..row("zcard", 2, READONLY | FAST, READ_METADATA, zcard)
    },
    Row {
        arguments: "key:key increment:double member",
        complexity: "O(log(N)) with N the number of members.",
        since: "1.2.0",
        summary: "Increments the score of a member, which defaults to 0.",
        reply: "double",
        ..row("zincrby", 4, WRITE | DENYOOM | FAST, &[KeySpec::one(1, KeyAccess::ReadWriteAccess)], zincrby)
    },
    Row {
        arguments: "key:key member...",
        complexity: "O(N) with N the number of given members.",
        since: "6.2.0",
        summary: "Returns the scores of several members.",
        reply: "array(double|null)",
        ..row("zmscore", -3, READONLY | FAST, READ, zmscore)
    },
    Row {
        arguments: "key:key [options=count:integer [WITHSCORES]]",
        complexity: "O(N*log(M)) with N the number of members returned and M the number of all.",
        since: "6.2.0",
        summary: "Returns random members of a sorted set; a negative count allows repetitions.",
        reply: "bulk|null|array(bulk)|array(array(bulk,double))",
        tips: &["nondeterministic_output"],
        ..row("zrandmember", -2, READONLY | UNORDERED | CHANCE, READ, zrandmember)
    },
    rank_row("zrank", "Returns the rank of a member, by ascending score.", zrank),
    Row {
        arguments: "key:key member...",
        complexity: "O(M*log(N)) with M the number of given members and N the number of all.",
        since: "1.2.0",
        summary: "Removes members from a sorted set.",
        ..row("zrem", -3, WRITE | FAST, REMOVE, zrem)
    },
    rank_row("zrevrank", "Returns the rank of a member, by descending score.", zrevrank),
    Row {
        arguments: "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
        complexity: "O(1) per call, O(N) per iteration with N the number of members.",
        since: "2.8.0",
        summary: "Iterates over the members and scores of a sorted set with a cursor.",
        reply: "array(bulk,array(bulk))",
        tips: &["nondeterministic_output"],
        ..row("zscan", -3, READONLY | UNORDERED | CHANCE, READ, zscan)
    },
    Row {
        arguments: "key:key member",
        since: "1.2.0",
        summary: "Returns the score of a member.",
        reply: "double|null",
        ..row("zscore", 3, READONLY | FAST, READ, zscore)
    },
];

/// Options of ZADD, which precede the pairs.
#[derive(Clone, Copy, Debug, Default)]
struct AddOptions {
    only_new: bool,
    only_existing: bool,
    greater: bool,
    less: bool,
    count_changes: bool,
    increment: bool,
}

impl AddOptions {
    /// Consumes the next argument if it is an option, and returns whether it is.
    fn take(&mut self, args: &mut Args<'_>) -> bool {
        let Some(word) = args.peek() else { return false };
        let option = match word {
            _ if is(word, "NX") => &mut self.only_new,
            _ if is(word, "XX") => &mut self.only_existing,
            _ if is(word, "GT") => &mut self.greater,
            _ if is(word, "LT") => &mut self.less,
            _ if is(word, "CH") => &mut self.count_changes,
            _ if is(word, "INCR") => &mut self.increment,
            _ => return false,
        };
        *option = true;
        args.optional();
        true
    }

    /// Validates the options together.
    fn score_options(&self) -> Result<ScoreOptions, CommandError> {
        if self.only_new && self.only_existing {
            return Err(CommandError::NX_WITH_XX);
        }
        let exclusive_count = usize::from(self.greater) + usize::from(self.less) + usize::from(self.only_new);
        if exclusive_count > 1 {
            return Err(CommandError::CONFLICTING_SCORE_OPTIONS);
        }
        let presence = match (self.only_new, self.only_existing) {
            (true, _) => Some(Presence::Missing),
            (_, true) => Some(Presence::Existing),
            _ => None,
        };
        let condition = match (self.greater, self.less) {
            (true, _) => Some(ScoreCondition::Greater),
            (_, true) => Some(ScoreCondition::Less),
            _ => None,
        };
        Ok(ScoreOptions { presence, condition })
    }
}

fn zadd(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    add(cx, args, AddOptions::default())
}

/// `ZINCRBY key increment member`. Options of ZADD are accepted: Redis implements it as ZADD with INCR.
fn zincrby(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    add(cx, args, AddOptions { increment: true, ..AddOptions::default() })
}

/// `ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]`. All arguments are checked before
/// the type of the key.
fn add(cx: &mut Context<'_>, args: &mut Args<'_>, mut options: AddOptions) -> Reply {
    let key = args.bytes()?;
    while options.take(args) {}
    if args.is_done() || args.left() % 2 == 1 {
        return Err(CommandError::SYNTAX);
    }
    let score_options = options.score_options()?;
    if options.increment && args.left() > 2 {
        return Err(CommandError::SINGLE_INCREMENT);
    }
    let mut pairs: Vec<(f64, &[u8])> = Vec::new();
    pairs.try_reserve_exact(args.left() / 2).map_err(|_| CommandError::OUT_OF_MEMORY)?;
    for (score, member) in args.pairs(args.left() / 2) {
        pairs.push((parse_double(score).ok_or(CommandError::NOT_A_FLOAT)?, member));
    }
    if let (true, &[(increment, member)]) = (options.increment, &pairs[..]) {
        match sorted_sets::increment(&mut cx.txn(), key, score_options, increment, member)? {
            Some(score) => cx.reply.double(score),
            None => cx.reply.null(),
        }
        return Ok(());
    }
    let added = sorted_sets::add(&mut cx.txn(), key, score_options, &pairs)?;
    let counted = if options.count_changes { added.added + added.updated } else { added.added };
    cx.reply.integer(counted as i64);
    Ok(())
}

fn zrem(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let removed = sorted_sets::remove(&mut cx.txn(), args.bytes()?, args.rest())?;
    cx.reply.integer(removed as i64);
    Ok(())
}

fn zcard(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = sorted_sets::find(&mut cx.txn(), args.bytes()?)?.map_or(0, |zset| zset.len());
    cx.reply.integer(len as i64);
    Ok(())
}

fn zscore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, member) = (args.bytes()?, args.bytes()?);
    let (mut txn, reply) = cx.txn_and_reply();
    let score = sorted_sets::find(&mut txn, key)?.and_then(|zset| zset.score(member));
    write_score(score, reply);
    Ok(())
}

fn zmscore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let zset = sorted_sets::find(&mut txn, key)?;
    reply.array(args.left());
    args.rest().for_each(|member| write_score(zset.and_then(|zset| zset.score(member)), reply));
    Ok(())
}

fn write_score(score: Option<f64>, reply: &mut Writer) {
    match score {
        Some(score) => reply.double(score),
        None => reply.null(),
    }
}

/// Writes members, optionally with scores. Members and scores alternate in RESP2 and are pairs in RESP3.
fn write_members<'m>(members: impl ExactSizeIterator<Item = (&'m [u8], f64)>, with_scores: bool, reply: &mut Writer) {
    let flat = with_scores && reply.protocol() == Protocol::Resp2;
    reply.array(if flat { members.len() * 2 } else { members.len() });
    members.for_each(|pair| write_member(pair, with_scores, reply));
}

fn write_member((member, score): (&[u8], f64), with_score: bool, reply: &mut Writer) {
    if with_score && reply.protocol() == Protocol::Resp3 {
        reply.array(2);
    }
    reply.bulk(member);
    if with_score {
        reply.double(score);
    }
}

fn zrank(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    rank(cx, args, false)
}

fn zrevrank(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    rank(cx, args, true)
}

/// `ZRANK key member [WITHSCORE]`
fn rank(cx: &mut Context<'_>, args: &mut Args<'_>, reversed: bool) -> Reply {
    let (key, member) = (args.bytes()?, args.bytes()?);
    if args.left() > 1 {
        return Err(CommandError::WRONG_ARITY);
    }
    let with_score = match args.optional() {
        Some(word) if !is(word, "WITHSCORE") => return Err(CommandError::SYNTAX),
        word => word.is_some(),
    };
    let (mut txn, reply) = cx.txn_and_reply();
    let found = sorted_sets::find(&mut txn, key)?.and_then(|zset| Some((zset.len(), zset.rank(member)?)));
    match found {
        Some((len, (rank, score))) => {
            if with_score {
                reply.array(2);
            }
            reply.integer(if reversed { len - 1 - rank } else { rank } as i64);
            if with_score {
                reply.double(score);
            }
        }
        None if with_score => reply.null_array(),
        None => reply.null(),
    }
    Ok(())
}

/// `ZRANDMEMBER key [count [WITHSCORES]]`
fn zrandmember(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let Some(count) = args.optional() else {
        let (mut txn, reply) = cx.txn_and_reply();
        let found = sorted_sets::sample(&mut txn, key, 1, true, &mut |member, _| reply.bulk(member))?;
        if !found {
            reply.null();
        }
        return Ok(());
    };
    let count = parse_integer(count).ok_or(CommandError::NOT_AN_INTEGER)?;
    if count == i64::MIN {
        return Err(CommandError::COUNT_RANGE);
    }
    let with_scores = match args.optional() {
        Some(word) if !is(word, "WITHSCORES") => return Err(CommandError::SYNTAX),
        word => word.is_some(),
    };
    args.finish()?;
    if with_scores && count.unsigned_abs() > i64::MAX as u64 / 2 {
        return Err(CommandError::OUT_OF_RANGE);
    }
    if count < 0 && count.unsigned_abs() > REPETITIONS_MAX {
        return Err(CommandError::REPLY_TOO_LARGE);
    }
    let (mut txn, reply) = cx.txn_and_reply();
    let (open, mut elements) = (reply.open(), 0);
    let requested = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let elements_per_member = if with_scores && reply.protocol() == Protocol::Resp2 { 2 } else { 1 };
    sorted_sets::sample(&mut txn, key, requested, count < 0, &mut |member, score| {
        write_member((member, score), with_scores, reply);
        elements += elements_per_member;
    })?;
    reply.close_array(open, elements);
    Ok(())
}

/// `ZSCAN key cursor [MATCH pattern] [COUNT n]`. Options are read only if the key exists, as in Redis. Scores are bulk
/// strings in both protocols.
fn zscan(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, cursor) = (args.bytes()?, cursor(args.bytes()?)?);
    let (mut txn, reply) = cx.txn_and_reply();
    let Some(zset) = sorted_sets::find(&mut txn, key)? else {
        write_empty_page(reply);
        return Ok(());
    };
    let options = scan_options(args, "")?;
    let elements = zset.len().min(options.count);
    write_matches(reply, options.pattern, &mut |show| {
        zset.page(cursor, options.count, &mut |member, score| {
            let mut text = Vec::new();
            write_double(score, &mut text);
            show(member, Some(&text));
        })
    });
    count_visits(&mut txn, elements.saturating_mul(PAGE_VISITS));
    Ok(())
}
