//! Blocking commands of the sorted set family.

use super::pop::{end, pop_first};
use super::row;
use crate::commands::blocking::{reply_or_block, timeout};
use crate::commands::multi_pop::MultiPop;
use crate::commands::table::args::Args;
use crate::commands::table::row::{Begin, Find, KeyAccess, KeySpec, flags::*};
use crate::commands::{Context, Handler, Reply, Row};
use crate::values::{End, Kind};

/// Keys in all arguments but the last, which is the timeout.
const ALL_BUT_LAST: &[KeySpec] =
    &[KeySpec { access: KeyAccess::ReadDelete, begin: Begin::Index(1), find: Find::Range { last: -2, step: 1 } }];

const fn pop_row(name: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        arguments: "key:key... timeout:double",
        complexity: "O(log(N)) with N the number of members.",
        since: "5.0.0",
        summary,
        reply: "array(bulk,bulk,double)|null",
        // The end of the timeout depends on the time.
        ..row(name, -3, WRITE | BLOCKING | TIME | FAST, ALL_BUT_LAST, handler)
    }
}

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        arguments: "timeout:double numkeys:integer key:key... <where=MIN | MAX> [COUNT count:integer]",
        complexity: "O(K)+O(log(N)*M) with K the number of keys, N the number of members and M the number popped.",
        since: "7.0.0",
        summary: "Pops members from the first non-empty sorted set; blocks until there is one.",
        reply: "array(bulk,array(array(bulk,double)))|null",
        ..row(
            "bzmpop",
            -5,
            WRITE | BLOCKING | TIME | MOVABLEKEYS,
            &[KeySpec::counted(2, KeyAccess::ReadDelete)],
            bzmpop,
        )
    },
    pop_row(
        "bzpopmax",
        "Pops the highest score from the first non-empty sorted set; blocks until there is one.",
        bzpopmax,
    ),
    pop_row(
        "bzpopmin",
        "Pops the lowest score from the first non-empty sorted set; blocks until there is one.",
        bzpopmin,
    ),
];

fn bzpopmin(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    pop(cx, args, End::Head)
}

fn bzpopmax(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    pop(cx, args, End::Tail)
}

/// `BZPOPMIN key [key ...] timeout`. The timeout is checked before the keys.
fn pop(cx: &mut Context<'_>, args: &mut Args<'_>, end: End) -> Reply {
    let keys = args.many(args.left().saturating_sub(1));
    let until = timeout(args.bytes()?, cx.now)?;
    reply_or_block(cx, keys.clone(), Kind::ZSet, until, |cx| pop_first(cx, keys, end, None))
}

/// `BZMPOP timeout numkeys key [key ...] MIN | MAX [COUNT n]`. The timeout is checked last.
fn bzmpop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let text = args.bytes()?;
    let MultiPop { keys, end, count } = MultiPop::read(args, end)?;
    let until = timeout(text, cx.now)?;
    reply_or_block(cx, keys.clone(), Kind::ZSet, until, |cx| pop_first(cx, keys, end, Some(count)))
}
