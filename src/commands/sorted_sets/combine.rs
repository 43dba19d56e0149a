//! Commands that combine sorted sets and sets: union, intersection and difference.

use crate::keyspace::sorted_sets;
use alloc::vec::Vec;

use super::{row, write_members};
use crate::base::number::parse_double;
use crate::commands::table::args::{Args, count_of, is};
use crate::commands::table::options::limit;
use crate::commands::table::row::{KeyAccess, KeySpec, flags::*};
use crate::commands::{Context, Handler, Reply, Row};
use crate::keyspace::{Aggregate, Combination, Sources, Weighting};
use crate::resp::error::CommandError;

const SOURCES: &[KeySpec] = &[KeySpec::counted(1, KeyAccess::ReadAccess)];
const STORE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Overwrite), KeySpec::counted(2, KeyAccess::ReadAccess)];

const fn read_row(name: &'static str, arguments: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        arguments,
        complexity: "O(N*K+M*log(M)) with N the size of the smallest, K the number of sets and M the size of the result.",
        since: "6.2.0",
        summary,
        reply: "array(bulk)|array(array(bulk,double))",
        ..row(name, -3, READONLY | MOVABLEKEYS, SOURCES, handler)
    }
}

const fn store_row(name: &'static str, arguments: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        reply: "integer",
        since: "2.0.0",
        arity: -4,
        flags: WRITE | DENYOOM | MOVABLEKEYS,
        keys: STORE,
        ..read_row(name, arguments, summary, handler)
    }
}

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        complexity: "O(N*K+M*log(M)) with N the size of the first, K the number of sets and M the size of the result.",
        ..read_row(
            "zdiff",
            "numkeys:integer key:key... [WITHSCORES]",
            "Returns the difference of the first sorted set and the others.",
            zdiff,
        )
    },
    Row {
        complexity: "O(N*K+M*log(M)) with N the size of the first, K the number of sets and M the size of the result.",
        since: "6.2.0",
        ..store_row(
            "zdiffstore",
            "destination:key numkeys:integer key:key...",
            "Stores the difference of the first sorted set and the others.",
            zdiffstore,
        )
    },
    read_row(
        "zinter",
        "numkeys:integer key:key... [WEIGHTS weight:double...] [AGGREGATE <aggregate=SUM | MIN | MAX>] [WITHSCORES]",
        "Returns the intersection of sorted sets.",
        zinter,
    ),
    Row {
        complexity: "O(N*K) with N the size of the smallest and K the number of sets.",
        since: "7.0.0",
        reply: "integer",
        ..read_row(
            "zintercard",
            "numkeys:integer key:key... [LIMIT limit:integer]",
            "Returns the size of the intersection of sorted sets.",
            zintercard,
        )
    },
    store_row(
        "zinterstore",
        "destination:key numkeys:integer key:key... [WEIGHTS weight:double...] [AGGREGATE <aggregate=SUM | MIN | MAX>]",
        "Stores the intersection of sorted sets.",
        zinterstore,
    ),
    Row {
        complexity: "O(N*log(N)) with N the total number of members.",
        ..read_row(
            "zunion",
            "numkeys:integer key:key... [WEIGHTS weight:double...] [AGGREGATE <aggregate=SUM | MIN | MAX>] [WITHSCORES]",
            "Returns the union of sorted sets.",
            zunion,
        )
    },
    Row {
        complexity: "O(N*log(N)) with N the total number of members.",
        ..store_row(
            "zunionstore",
            "destination:key numkeys:integer key:key... [WEIGHTS weight:double...] [AGGREGATE <aggregate=SUM | MIN | MAX>]",
            "Stores the union of sorted sets.",
            zunionstore,
        )
    },
];

/// Source keys of a request with their values. Their types are checked before the options.
struct NamedSources<'a> {
    keys: Vec<&'a [u8]>,
    sources: Sources,
}

impl<'a> NamedSources<'a> {
    fn read(cx: &mut Context<'_>, args: &mut Args<'a>) -> Result<NamedSources<'a>, CommandError> {
        let number = count_of(args.integer()?).filter(|&number| number > 0).ok_or(CommandError::NO_INPUT_KEY)?;
        if number > args.left() {
            return Err(CommandError::SYNTAX);
        }
        let keys: Vec<&[u8]> = args.many(number).collect();
        let sources = sorted_sets::sources(&mut cx.txn(), keys.iter().copied())?;
        Ok(NamedSources { keys, sources })
    }
}

/// Reads WEIGHTS and AGGREGATE, except for a difference, and WITHSCORES if the command returns the members.
fn read_options(
    args: &mut Args<'_>,
    combination: Combination,
    number: usize,
    returns_members: bool,
) -> Result<(Weighting, bool), CommandError> {
    let (mut weighting, mut with_scores) = (Weighting::default(), false);
    let is_weighted = combination != Combination::Difference;
    while let Some(word) = args.optional() {
        if is_weighted && is(word, "WEIGHTS") && args.left() >= number {
            let weights = args.many(number).map(|text| parse_double(text).ok_or(CommandError::WEIGHT_NOT_A_FLOAT));
            weighting.weights = weights.collect::<Result<_, _>>()?;
        } else if is_weighted && is(word, "AGGREGATE") && !args.is_done() {
            weighting.aggregate = match args.bytes()? {
                word if is(word, "SUM") => Aggregate::Sum,
                word if is(word, "MIN") => Aggregate::Least,
                word if is(word, "MAX") => Aggregate::Greatest,
                _ => return Err(CommandError::SYNTAX),
            };
        } else if returns_members && is(word, "WITHSCORES") {
            with_scores = true;
        } else {
            return Err(CommandError::SYNTAX);
        }
    }
    Ok((weighting, with_scores))
}

fn zunion(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_combination(cx, args, Combination::Union)
}

fn zinter(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_combination(cx, args, Combination::Intersection)
}

fn zdiff(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    write_combination(cx, args, Combination::Difference)
}

fn write_combination(cx: &mut Context<'_>, args: &mut Args<'_>, combination: Combination) -> Reply {
    let named = NamedSources::read(cx, args)?;
    let (weighting, with_scores) = read_options(args, combination, named.keys.len(), true)?;
    let result = sorted_sets::combine(&cx.txn(), combination, &named.sources, &weighting)?;
    write_members(result.iter(), with_scores, cx.reply);
    Ok(())
}

fn zunionstore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    store(cx, args, Combination::Union)
}

fn zinterstore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    store(cx, args, Combination::Intersection)
}

fn zdiffstore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    store(cx, args, Combination::Difference)
}

fn store(cx: &mut Context<'_>, args: &mut Args<'_>, combination: Combination) -> Reply {
    let to = args.bytes()?;
    let NamedSources { keys, sources } = NamedSources::read(cx, args)?;
    let (weighting, _) = read_options(args, combination, keys.len(), false)?;
    let len = sorted_sets::combine_into(&mut cx.txn(), combination, to, keys.into_iter(), &sources, &weighting)?;
    cx.reply.integer(len as i64);
    Ok(())
}

/// `ZINTERCARD numkeys key [key ...] [LIMIT n]`
fn zintercard(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let named = NamedSources::read(cx, args)?;
    let limit = limit(args)?;
    let common = sorted_sets::common(&cx.txn(), &named.sources, limit);
    cx.reply.integer(common as i64);
    Ok(())
}
