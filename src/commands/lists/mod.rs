//! List family. Blocking commands are in `blocking`.

pub(super) mod blocking;

use super::multi_pop::MultiPop;
use super::table::args::{Args, at_least, is};
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::base::number::parse_integer;
use crate::keyspace::lists;
use crate::keyspace::{InsertOutcome, Search};
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::values::{End, Side};

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const INSERT: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Insert)];
const REMOVE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Remove)];
const READ_DELETE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadDelete)];
/// Source and destination of an element.
const MOVE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadDelete), KeySpec::one(2, KeyAccess::Insert)];
const READ_DELETE_COUNTED: &[KeySpec] = &[KeySpec::counted(1, KeyAccess::ReadDelete)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row { arguments: "key:key", reply: "integer", ..Row::of(Group::List, name, arity, flags, keys, handler) }
}

const fn push_row(name: &'static str, summary: &'static str, handler: super::Handler) -> Row {
    Row {
        arguments: "key:key element...",
        complexity: "O(N) with N the number of elements added.",
        summary,
        ..row(name, -3, WRITE | DENYOOM | FAST, INSERT, handler)
    }
}

const fn pop_row(name: &'static str, summary: &'static str, handler: super::Handler) -> Row {
    Row {
        arguments: "key:key [count:integer]",
        complexity: "O(N) with N the number of elements returned.",
        summary,
        reply: "bulk|array(bulk)|null",
        ..row(name, -2, WRITE | FAST, READ_DELETE, handler)
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key index:integer",
        complexity: "O(N) with N the number of blocks between the element and the nearer end; O(1) at the ends.",
        summary: "Returns the element at an index of a list; negative indexes count from the tail.",
        reply: "bulk|null",
        ..row("lindex", 3, READONLY, READ, lindex)
    },
    Row {
        arguments: "key:key <where=BEFORE | AFTER> pivot element",
        complexity: "O(N) with N the number of elements before the pivot.",
        since: "2.2.0",
        summary: "Inserts an element before or after a pivot in a list.",
        ..row("linsert", 5, WRITE | DENYOOM, INSERT, linsert)
    },
    Row {
        summary: "Returns the number of elements of a list.",
        ..row("llen", 2, READONLY | FAST, &[KeySpec::one(1, KeyAccess::ReadOnly)], llen)
    },
    Row {
        arguments: "source:key destination:key <wherefrom=LEFT | RIGHT> <whereto=LEFT | RIGHT>",
        since: "6.2.0",
        summary: "Moves an element from an end of a list to an end of the same or another, and returns it.",
        reply: "bulk|null",
        ..row("lmove", 5, WRITE | DENYOOM, MOVE, lmove)
    },
    Row {
        arguments: "numkeys:integer key:key... <where=LEFT | RIGHT> [COUNT count:integer]",
        complexity: "O(N+M) with N the number of keys and M the number of elements returned.",
        since: "7.0.0",
        summary: "Pops elements from the first non-empty list and returns its key and the elements.",
        reply: "array(bulk,array(bulk))|null",
        ..row("lmpop", -4, WRITE | MOVABLEKEYS, READ_DELETE_COUNTED, lmpop)
    },
    pop_row("lpop", "Removes and returns elements from the head of a list.", lpop),
    Row {
        arguments: "key:key element [RANK rank:integer] [COUNT num-matches:integer] [MAXLEN len:integer]",
        complexity: "O(N) with N the number of elements compared.",
        since: "6.0.6",
        summary: "Returns the indexes of an element in a list.",
        reply: "integer|array(integer)|null",
        ..row("lpos", -3, READONLY, READ, lpos)
    },
    push_row("lpush", "Prepends elements to a list one by one, creating it if it does not exist.", lpush),
    Row { since: "2.2.0", ..push_row("lpushx", "Prepends elements to a list only if it exists.", lpushx) },
    Row {
        arguments: "key:key start:integer stop:integer",
        complexity: "O(S+N) with S the number of blocks before the first and N the number of elements returned.",
        summary: "Returns the elements between two indexes of a list, both included.",
        reply: "array(bulk)",
        ..row("lrange", 4, READONLY, READ, lrange)
    },
    Row {
        arguments: "key:key count:integer element",
        complexity: "O(N) with N the number of elements of the list.",
        summary: "Removes the first, the last or all elements of a list that equal a value.",
        ..row("lrem", 4, WRITE, REMOVE, lrem)
    },
    Row {
        arguments: "key:key index:integer element",
        complexity: "O(N) with N the number of blocks between the element and the nearer end; O(1) at the ends.",
        summary: "Replaces the element at an index of a list.",
        reply: "OK",
        ..row("lset", 4, WRITE | DENYOOM, &[KeySpec::one(1, KeyAccess::ReadWriteUpdate)], lset)
    },
    Row {
        arguments: "key:key start:integer stop:integer",
        complexity: "O(N) with N the number of blocks removed.",
        summary: "Trims a list to the elements between two indexes, both included.",
        reply: "OK",
        ..row("ltrim", 4, WRITE, REMOVE, ltrim)
    },
    pop_row("rpop", "Removes and returns elements from the tail of a list.", rpop),
    Row {
        arguments: "source:key destination:key",
        since: "1.2.0",
        summary: "Moves the tail of a list to the head of the same or another, and returns it.",
        reply: "bulk|null",
        ..row("rpoplpush", 3, WRITE | DENYOOM, MOVE, rpoplpush)
    },
    push_row("rpush", "Appends elements to a list, creating it if it does not exist.", rpush),
    Row { since: "2.2.0", ..push_row("rpushx", "Appends elements to a list only if it exists.", rpushx) },
];

fn lpush(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = lists::push(&mut cx.txn(), args.bytes()?, End::Head, args.rest())?;
    write_len(cx, len)
}

fn rpush(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = lists::push(&mut cx.txn(), args.bytes()?, End::Tail, args.rest())?;
    write_len(cx, len)
}

fn lpushx(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = lists::push_existing(&mut cx.txn(), args.bytes()?, End::Head, args.rest())?;
    write_len(cx, len)
}

fn rpushx(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = lists::push_existing(&mut cx.txn(), args.bytes()?, End::Tail, args.rest())?;
    write_len(cx, len)
}

fn llen(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let len = lists::len(&mut cx.txn(), args.bytes()?)?;
    write_len(cx, len)
}

fn write_len(cx: &mut Context<'_>, len: usize) -> Reply {
    cx.reply.integer(len as i64);
    Ok(())
}

fn lpop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    pop(cx, args, End::Head)
}

fn rpop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    pop(cx, args, End::Tail)
}

/// `LPOP key [count]`. The reply is an element, or an array if there is a count. The count is checked before the key.
fn pop(cx: &mut Context<'_>, args: &mut Args<'_>, end: End) -> Reply {
    if args.left() > 2 {
        return Err(CommandError::WRONG_ARITY);
    }
    let key = args.bytes()?;
    let count = args.optional().map(|text| at_least(text, 0, CommandError::NOT_POSITIVE)).transpose()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let found = lists::pop(&mut txn, key, end, count.unwrap_or(1), &mut |elements| {
        match count {
            Some(_) => write_all(elements, reply),
            None => reply.optional_bulk(elements.next()),
        }
        reply.check()
    })?;
    match (found, count) {
        (true, _) => {}
        (false, Some(_)) => cx.reply.null_array(),
        (false, None) => cx.reply.null(),
    }
    Ok(())
}

fn write_all(elements: &mut dyn ExactSizeIterator<Item = &[u8]>, reply: &mut Writer) {
    reply.array(elements.len());
    elements.for_each(|element| reply.bulk(element));
}

/// `LMPOP numkeys key [key ...] LEFT | RIGHT [COUNT n]`
fn lmpop(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let MultiPop { keys, end, count } = MultiPop::read(args, end)?;
    if !pop_first(cx, keys, end, Some(count))? {
        cx.reply.null_array();
    }
    Ok(())
}

/// Pops elements from the first key with a list and writes the key and the elements. With a count the elements are an
/// array, otherwise there is one. Returns false, without a reply, if no key has a list.
fn pop_first<'k>(
    cx: &mut Context<'_>,
    keys: impl Iterator<Item = &'k [u8]>,
    end: End,
    count: Option<usize>,
) -> Result<bool, CommandError> {
    let (mut txn, reply) = cx.txn_and_reply();
    for key in keys {
        let found = lists::pop(&mut txn, key, end, count.unwrap_or(1), &mut |elements| {
            reply.array(2);
            reply.bulk(key);
            match count {
                Some(_) => write_all(elements, reply),
                None => reply.optional_bulk(elements.next()),
            }
            reply.check()
        })?;
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Parses LEFT or RIGHT.
fn end(word: &[u8]) -> Result<End, CommandError> {
    match word {
        _ if is(word, "LEFT") => Ok(End::Head),
        _ if is(word, "RIGHT") => Ok(End::Tail),
        _ => Err(CommandError::SYNTAX),
    }
}

fn lmove(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (source, destination) = (args.bytes()?, args.bytes()?);
    let (from, to) = (end(args.bytes()?)?, end(args.bytes()?)?);
    let moved = lists::move_element(&mut cx.txn(), source, from, destination, to)?;
    cx.reply.optional_bulk(moved.as_deref());
    Ok(())
}

fn rpoplpush(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let moved = lists::move_element(&mut cx.txn(), args.bytes()?, End::Tail, args.bytes()?, End::Head)?;
    cx.reply.optional_bulk(moved.as_deref());
    Ok(())
}

/// `LINDEX key index`. The key is checked before the index.
fn lindex(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, index) = (args.bytes()?, args.bytes()?);
    let (mut txn, reply) = cx.txn_and_reply();
    let Some(list) = lists::find(&mut txn, key)? else {
        reply.null();
        return Ok(());
    };
    let index = parse_integer(index).ok_or(CommandError::NOT_AN_INTEGER)?;
    reply.optional_bulk(list.at(index));
    Ok(())
}

/// `LSET key index element`. The key is checked before the index.
fn lset(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    lists::expect(&mut cx.txn(), key)?;
    lists::set(&mut cx.txn(), key, args.integer()?, args.bytes()?)?;
    cx.reply.ok();
    Ok(())
}

/// `LINSERT key BEFORE | AFTER pivot element`
fn linsert(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, side) = (args.bytes()?, args.bytes()?);
    let side = match side {
        _ if is(side, "BEFORE") => Side::Before,
        _ if is(side, "AFTER") => Side::After,
        _ => return Err(CommandError::SYNTAX),
    };
    let outcome = lists::insert(&mut cx.txn(), key, side, args.bytes()?, args.bytes()?)?;
    cx.reply.integer(match outcome {
        InsertOutcome::Inserted(len) => len as i64,
        InsertOutcome::NoPivot => -1,
        InsertOutcome::NoList => 0,
    });
    Ok(())
}

fn lrange(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, start, stop) = (args.bytes()?, args.integer()?, args.integer()?);
    let (mut txn, reply) = cx.txn_and_reply();
    match lists::range(&mut txn, key, start, stop)? {
        Some(mut elements) => write_all(&mut elements, reply),
        None => reply.array(0),
    }
    Ok(())
}

fn lrem(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let removed = lists::remove(&mut cx.txn(), args.bytes()?, args.integer()?, args.bytes()?)?;
    write_len(cx, removed)
}

fn ltrim(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    lists::trim(&mut cx.txn(), args.bytes()?, args.integer()?, args.integer()?)?;
    cx.reply.ok();
    Ok(())
}

/// `LPOS key element [RANK n] [COUNT n] [MAXLEN n]`. The reply is the first index, or an array if there is a count.
fn lpos(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, element) = (args.bytes()?, args.bytes()?);
    let (search, has_count) = read_search(args)?;
    let (mut txn, reply) = cx.txn_and_reply();
    let (open, mut found) = (reply.open(), 0);
    lists::positions(&mut txn, key, element, search, &mut |index| {
        found += 1;
        reply.integer(index as i64);
    })?;
    match (has_count, found) {
        (true, _) => reply.close_array(open, found),
        (false, 0) => reply.null(),
        (false, _) => {}
    }
    Ok(())
}

/// Reads the options of LPOS and whether COUNT is among them. The last of repeated options applies.
fn read_search(args: &mut Args<'_>) -> Result<(Search, bool), CommandError> {
    let (mut rank, mut count, mut len_max) = (1, None, 0);
    while let Some(word) = args.optional() {
        if args.is_done() {
            return Err(CommandError::SYNTAX);
        } else if is(word, "RANK") {
            rank = args.integer()?;
            match rank {
                0 => return Err(CommandError::RANK_ZERO),
                i64::MIN => return Err(CommandError::RANK_RANGE),
                _ => {}
            }
        } else if is(word, "COUNT") {
            count = Some(at_least(args.bytes()?, 0, CommandError::COUNT_NEGATIVE)?);
        } else if is(word, "MAXLEN") {
            len_max = at_least(args.bytes()?, 0, CommandError::MAXLEN_NEGATIVE)?;
        } else {
            return Err(CommandError::SYNTAX);
        }
    }
    let zero_is_unlimited = |number: usize| if number == 0 { usize::MAX } else { number };
    let search = Search {
        from: if rank < 0 { End::Tail } else { End::Head },
        skipped: usize::try_from(rank.unsigned_abs() - 1).unwrap_or(usize::MAX),
        most: count.map_or(1, zero_is_unlimited),
        compared_most: zero_is_unlimited(len_max),
    };
    Ok((search, count.is_some()))
}
