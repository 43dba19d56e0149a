//! Ranges of sorted sets by rank, by score, or by the bytes of the members.

use super::{READ, READ_METADATA, REMOVE, row, write_members};
use crate::base::number::{parse_integer, parse_lenient_double};
use crate::commands::table::args::{Args, is};
use crate::commands::table::row::{KeyAccess, KeySpec, flags::*};
use crate::commands::{Context, Handler, Reply, Row};
use crate::keyspace::sorted_sets;
use crate::resp::error::CommandError;
use crate::values::{Interval, MemberBound, MemberRange, ScoreBound, ScoreRange, Selection};

const STORE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Overwrite), KeySpec::one(2, KeyAccess::ReadAccess)];
const OF_RANGE: &str = "O(log(N)+M) with N the number of members and M the number returned.";
const OF_REMOVAL: &str = "O(log(N)*M) with N the number of members and M the number removed.";

const fn count_row(name: &'static str, arguments: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        arguments,
        complexity: "O(log(N)) with N the number of members.",
        summary,
        ..row(name, 4, READONLY | FAST, READ_METADATA, handler)
    }
}

const fn range_row(name: &'static str, arguments: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        arguments,
        complexity: OF_RANGE,
        summary,
        reply: "array(bulk)|array(array(bulk,double))",
        ..row(name, -4, READONLY, READ, handler)
    }
}

const fn removal_row(name: &'static str, arguments: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row { arguments, complexity: OF_REMOVAL, summary, ..row(name, 4, WRITE, REMOVE, handler) }
}

pub(in crate::commands) const ROWS: &[Row] = &[
    count_row("zcount", "key:key min:double max:double", "Counts the members within a score range.", zcount),
    Row {
        since: "2.8.9",
        ..count_row("zlexcount", "key:key min max", "Counts the members within a lexicographical range.", zlexcount)
    },
    Row {
        since: "1.2.0",
        ..range_row(
            "zrange",
            "key:key start stop [sortby=BYSCORE | BYLEX] [REV] [LIMIT (offset:integer count:integer)] [WITHSCORES]",
            "Returns the members within a range of ranks, scores or members.",
            zrange,
        )
    },
    Row {
        since: "2.8.9",
        reply: "array(bulk)",
        ..range_row(
            "zrangebylex",
            "key:key min max [LIMIT (offset:integer count:integer)]",
            "Returns the members within a lexicographical range.",
            zrangebylex,
        )
    },
    Row {
        since: "1.0.5",
        ..range_row(
            "zrangebyscore",
            "key:key min:double max:double [WITHSCORES] [LIMIT (offset:integer count:integer)]",
            "Returns the members within a score range.",
            zrangebyscore,
        )
    },
    Row {
        arguments: "destination:key source:key min max [sortby=BYSCORE | BYLEX] [REV] [LIMIT (offset:integer count:integer)]",
        complexity: "O(log(N)+M) with N the number of members and M the number stored.",
        since: "6.2.0",
        summary: "Stores the members within a range of ranks, scores or members as a sorted set.",
        ..row("zrangestore", -5, WRITE | DENYOOM, STORE, zrangestore)
    },
    Row {
        since: "2.8.9",
        ..removal_row(
            "zremrangebylex",
            "key:key min max",
            "Removes the members within a lexicographical range.",
            zremrangebylex,
        )
    },
    removal_row(
        "zremrangebyrank",
        "key:key start:integer stop:integer",
        "Removes the members within a rank range.",
        zremrangebyrank,
    ),
    Row {
        since: "1.2.0",
        ..removal_row(
            "zremrangebyscore",
            "key:key min:double max:double",
            "Removes the members within a score range.",
            zremrangebyscore,
        )
    },
    Row {
        since: "1.2.0",
        ..range_row(
            "zrevrange",
            "key:key start:integer stop:integer [WITHSCORES]",
            "Returns the members within a rank range, by descending score.",
            zrevrange,
        )
    },
    Row {
        since: "2.8.9",
        reply: "array(bulk)",
        ..range_row(
            "zrevrangebylex",
            "key:key max min [LIMIT (offset:integer count:integer)]",
            "Returns the members within a lexicographical range, in reverse order.",
            zrevrangebylex,
        )
    },
    Row {
        since: "2.2.0",
        ..range_row(
            "zrevrangebyscore",
            "key:key max:double min:double [WITHSCORES] [LIMIT (offset:integer count:integer)]",
            "Returns the members within a score range, by descending score.",
            zrevrangebyscore,
        )
    },
];

/// Unit of the two bounds of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    Rank,
    Score,
    Member,
}

/// Syntax of a range command: properties that the command fixes, and options that it accepts.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// Unit that the command fixes; `None` if BYSCORE and BYLEX are accepted.
    by: Option<By>,
    /// Direction that the command fixes; `None` if REV is accepted.
    reversed: Option<bool>,
    /// Whether WITHSCORES is accepted.
    with_scores: bool,
}

/// Bounds and options of a request.
struct Request<'a> {
    selection: Selection<'a>,
    with_scores: bool,
}

impl Form {
    const fn of(by: By, reversed: bool) -> Form {
        Form { by: Some(by), reversed: Some(reversed), with_scores: true }
    }

    /// Reads two bounds and the options. The options are parsed and validated before the bounds are parsed.
    fn read<'a>(self, args: &mut Args<'a>) -> Result<Request<'a>, CommandError> {
        let (first, second) = (args.bytes()?, args.bytes()?);
        let Form { mut by, mut reversed, .. } = self;
        let (mut with_scores, mut offset, mut limit) = (false, 0, -1);
        while let Some(word) = args.optional() {
            match word {
                _ if self.with_scores && is(word, "WITHSCORES") => with_scores = true,
                _ if is(word, "LIMIT") && args.left() >= 2 => (offset, limit) = (args.integer()?, args.integer()?),
                _ if self.reversed.is_none() && is(word, "REV") && reversed.is_none() => reversed = Some(true),
                _ if by.is_none() && is(word, "BYLEX") => by = Some(By::Member),
                _ if by.is_none() && is(word, "BYSCORE") => by = Some(By::Score),
                _ => return Err(CommandError::SYNTAX),
            }
        }
        let (by, reversed) = (by.unwrap_or(By::Rank), reversed.unwrap_or(false));
        if by == By::Rank && limit != -1 {
            return Err(CommandError::LIMIT_NEEDS_SCORES_OR_MEMBERS);
        }
        if by == By::Member && with_scores {
            return Err(CommandError::SCORES_WITH_MEMBER_RANGE);
        }
        let interval = match (by, reversed) {
            // Ranks count from the end where the reply begins. Reversed scores and members are given as max, then min.
            (By::Rank, _) | (_, false) => interval(by, first, second)?,
            (_, true) => interval(by, second, first)?,
        };
        let offset = if by == By::Rank { 0 } else { offset };
        Ok(Request { selection: Selection { interval, reversed, offset, limit }, with_scores })
    }
}

fn interval<'a>(by: By, min: &'a [u8], max: &'a [u8]) -> Result<Interval<'a>, CommandError> {
    Ok(match by {
        By::Rank => {
            let rank = |text| parse_integer(text).ok_or(CommandError::NOT_AN_INTEGER);
            Interval::Ranks(rank(min)?, rank(max)?)
        }
        By::Score => {
            let bound = |text| score_bound(text).ok_or(CommandError::SCORE_RANGE);
            Interval::Scores(ScoreRange { least: bound(min)?, most: bound(max)? })
        }
        By::Member => {
            let bound = |text| member_bound(text).ok_or(CommandError::MEMBER_RANGE);
            Interval::Members(MemberRange { least: bound(min)?, most: bound(max)? })
        }
    })
}

/// Parses a bound: a score, or `(` and an excluded score.
fn score_bound(text: &[u8]) -> Option<ScoreBound> {
    let (exclusive, number) = match text {
        [b'(', number @ ..] => (true, number),
        number => (false, number),
    };
    Some(ScoreBound { score: parse_lenient_double(number)?, exclusive })
}

/// Parses a bound: `-`, `+`, `[member` or `(member`.
fn member_bound(text: &[u8]) -> Option<MemberBound<'_>> {
    match text {
        b"-" => Some(MemberBound::Lowest),
        b"+" => Some(MemberBound::Highest),
        [b'[', member @ ..] => Some(MemberBound::Included(member)),
        [b'(', member @ ..] => Some(MemberBound::Excluded(member)),
        _ => None,
    }
}

fn zrange(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_range(cx, args, Form { by: None, reversed: None, with_scores: true })
}

fn zrevrange(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_range(cx, args, Form::of(By::Rank, true))
}

fn zrangebyscore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_range(cx, args, Form::of(By::Score, false))
}

fn zrevrangebyscore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_range(cx, args, Form::of(By::Score, true))
}

fn zrangebylex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_range(cx, args, Form::of(By::Member, false))
}

fn zrevrangebylex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_range(cx, args, Form::of(By::Member, true))
}

fn write_range(cx: &mut Context<'_>, args: &mut Args<'_>, form: Form) -> Reply {
    let key = args.bytes()?;
    let Request { selection, with_scores } = form.read(args)?;
    let (mut txn, reply) = cx.txn_and_reply();
    let Some(zset) = sorted_sets::find(&mut txn, key)? else {
        reply.array(0);
        return Ok(());
    };
    let pairs = zset.range(zset.select(&selection));
    match selection.reversed {
        false => write_members(pairs, with_scores, reply),
        true => write_members(pairs.rev(), with_scores, reply),
    }
    Ok(())
}

fn zrangestore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (to, from) = (args.bytes()?, args.bytes()?);
    let request = Form { by: None, reversed: None, with_scores: false }.read(args)?;
    let len = sorted_sets::store_selection(&mut cx.txn(), to, from, &request.selection)?;
    cx.reply.integer(len as i64);
    Ok(())
}

fn zcount(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    count(cx, args, By::Score)
}

fn zlexcount(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    count(cx, args, By::Member)
}

fn count(cx: &mut Context<'_>, args: &mut Args<'_>, by: By) -> Reply {
    let key = args.bytes()?;
    let interval = interval(by, args.bytes()?, args.bytes()?)?;
    let count = sorted_sets::find(&mut cx.txn(), key)?.map_or(0, |zset| zset.select(&interval.into()).len());
    cx.reply.integer(count as i64);
    Ok(())
}

fn zremrangebyrank(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    remove(cx, args, By::Rank)
}

fn zremrangebyscore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    remove(cx, args, By::Score)
}

fn zremrangebylex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    remove(cx, args, By::Member)
}

fn remove(cx: &mut Context<'_>, args: &mut Args<'_>, by: By) -> Reply {
    let key = args.bytes()?;
    let interval = interval(by, args.bytes()?, args.bytes()?)?;
    let removed = sorted_sets::remove_interval(&mut cx.txn(), key, interval)?;
    cx.reply.integer(removed as i64);
    Ok(())
}
