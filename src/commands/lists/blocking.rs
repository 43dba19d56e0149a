//! Blocking commands of the list family.

use super::{end, pop_first};
use crate::commands::blocking::{reply_or_block, timeout};
use crate::commands::multi_pop::MultiPop;
use crate::commands::table::args::Args;
use crate::commands::table::row::{Begin, Find, Group, KeyAccess, KeySpec, flags::*};
use crate::commands::{Blocking, Context, Handler, Reply, Row};
use crate::keyspace::lists;
use crate::values::{End, Kind};

/// Keys in all arguments but the last, which is the timeout.
const ALL_BUT_LAST: &[KeySpec] =
    &[KeySpec { access: KeyAccess::ReadDelete, begin: Begin::Index(1), find: Find::Range { last: -2, step: 1 } }];
const AFTER_TIMEOUT: &[KeySpec] = &[KeySpec::counted(2, KeyAccess::ReadDelete)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: Handler) -> Row {
    // The end of the timeout depends on the time.
    Row { since: "2.0.0", ..Row::of(Group::List, name, arity, flags | WRITE | BLOCKING | TIME, keys, handler) }
}

const fn pop_row(name: &'static str, summary: &'static str, handler: Handler) -> Row {
    Row {
        arguments: "key:key... timeout:double",
        complexity: "O(N) with N the number of keys.",
        summary,
        reply: "array(bulk,bulk)|null",
        ..row(name, -3, 0, ALL_BUT_LAST, handler)
    }
}

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        arguments: "source:key destination:key <wherefrom=LEFT | RIGHT> <whereto=LEFT | RIGHT> timeout:double",
        since: "6.2.0",
        summary: "Moves an element between ends of lists; blocks until there is one.",
        reply: "bulk|null",
        ..row("blmove", 6, DENYOOM, super::MOVE, blmove)
    },
    Row {
        arguments: "timeout:double numkeys:integer key:key... <where=LEFT | RIGHT> [COUNT count:integer]",
        complexity: "O(N+M) with N the number of keys and M the number of elements returned.",
        since: "7.0.0",
        summary: "Pops elements from the first non-empty list; blocks until there is one.",
        reply: "array(bulk,array(bulk))|null",
        ..row("blmpop", -5, MOVABLEKEYS, AFTER_TIMEOUT, blmpop)
    },
    pop_row("blpop", "Pops the head of the first non-empty list; blocks until there is one.", blpop),
    pop_row("brpop", "Pops the tail of the first non-empty list; blocks until there is one.", brpop),
    Row {
        arguments: "source:key destination:key timeout:double",
        since: "2.2.0",
        summary: "Moves the tail of a list to the head of another; blocks until there is one.",
        reply: "bulk|null",
        ..row("brpoplpush", 4, DENYOOM, super::MOVE, brpoplpush)
    },
];

fn blpop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    pop(cx, args, End::Head)
}

fn brpop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    pop(cx, args, End::Tail)
}

/// `BLPOP key [key ...] timeout`. The timeout is checked before the keys.
fn pop(cx: &mut Context<'_>, args: &mut Args<'_>, end: End) -> Reply {
    let keys = args.many(args.left().saturating_sub(1));
    let until = timeout(args.bytes()?, cx.now)?;
    reply_or_block(cx, keys.clone(), Kind::List, until, |cx| pop_first(cx, keys, end, None))
}

/// `BLMPOP timeout numkeys key [key ...] LEFT | RIGHT [COUNT n]`. The timeout is checked last.
fn blmpop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let text = args.bytes()?;
    let MultiPop { keys, end, count } = MultiPop::read(args, end)?;
    let until = timeout(text, cx.now)?;
    reply_or_block(cx, keys.clone(), Kind::List, until, |cx| pop_first(cx, keys, end, Some(count)))
}

/// `BLMOVE source destination LEFT | RIGHT LEFT | RIGHT timeout`
fn blmove(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (source, destination) = (args.bytes()?, args.bytes()?);
    let (from, to) = (end(args.bytes()?)?, end(args.bytes()?)?);
    move_or_block(cx, source, from, destination, to, args.bytes()?)
}

fn brpoplpush(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    move_or_block(cx, args.bytes()?, End::Tail, args.bytes()?, End::Head, args.bytes()?)
}

fn move_or_block(cx: &mut Context<'_>, source: &[u8], from: End, destination: &[u8], to: End, text: &[u8]) -> Reply {
    let until = timeout(text, cx.now)?;
    reply_or_block(cx, core::iter::once(source), Kind::List, until, |cx| {
        let moved = lists::move_element(&mut cx.txn(), source, from, destination, to)?;
        // A transaction gets the reply of LMOVE, and a timeout a null array.
        let has_reply = moved.is_some() || cx.blocking == Blocking::Denied;
        if has_reply {
            cx.reply.optional_bulk(moved.as_deref());
        }
        Ok(has_reply)
    })
}
