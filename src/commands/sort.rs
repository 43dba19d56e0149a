//! SORT and SORT_RO: sorted elements of lists, sets and sorted sets.

use super::table::args::{Args, is};
use super::table::row::{Begin, FamilyCategory, Find, Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::keyspace::SortOptions;
use crate::keyspace::sort;
use crate::resp::error::CommandError;

/// Keys of SORT_RO.
const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const STORE: &[KeySpec] = &[
    KeySpec::one(1, KeyAccess::ReadAccess),
    KeySpec {
        access: KeyAccess::Overwrite,
        begin: Begin::Keyword { word: "STORE", from: 2 },
        find: Find::Range { last: 0, step: 1 },
    },
];

const fn row(name: &'static str, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row {
        complexity: "O(N+M*log(N)) with N the number of elements and M the number of elements returned.",
        key_patterns: &["BY", "GET"],
        category: FamilyCategory::SortedTypes,
        ..Row::of(Group::Generic, name, -2, flags | MOVABLEKEYS | DANGEROUS, keys, handler)
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key [BY by-pattern:pattern] [LIMIT (offset:integer count:integer)] [GET... get-pattern:pattern...] [order=ASC | DESC] [sorting=ALPHA] [STORE destination:key]",
        summary: "Returns the elements of a list, set or sorted set in order, or stores them as a list.",
        reply: "array(bulk|null)|integer",
        ..row("sort", WRITE | DENYOOM, STORE, sort)
    },
    Row {
        arguments: "key:key [BY by-pattern:pattern] [LIMIT (offset:integer count:integer)] [GET... get-pattern:pattern...] [order=ASC | DESC] [sorting=ALPHA]",
        since: "7.0.0",
        summary: "Returns the elements of a list, set or sorted set in order.",
        reply: "array(bulk|null)",
        ..row("sort_ro", READONLY, READ, sort_ro)
    },
];

fn sort(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let (options, to) = read_options(args, true)?;
    let Some(to) = to else { return write_sorted(cx, key, &options) };
    let len = sort::sort_into(&mut cx.txn(), to, key, &options)?;
    cx.reply.integer(len as i64);
    Ok(())
}

fn sort_ro(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let (options, _) = read_options(args, false)?;
    write_sorted(cx, key, &options)
}

fn write_sorted(cx: &mut Context<'_>, key: &[u8], options: &SortOptions<'_>) -> Reply {
    let found = sort::sort(&mut cx.txn(), key, options)?;
    cx.reply.array(found.len());
    found.iter().for_each(|element| cx.reply.optional_bulk(element.as_deref()));
    Ok(())
}

/// Reads the options and the destination of STORE. The last of repeated options applies, except that every GET applies.
fn read_options<'a>(args: &mut Args<'a>, may_store: bool) -> Result<(SortOptions<'a>, Option<&'a [u8]>), CommandError> {
    let (mut options, mut to) = (SortOptions::default(), None);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "ASC") => options.descending = false,
            _ if is(word, "DESC") => options.descending = true,
            _ if is(word, "ALPHA") => options.alpha = true,
            _ if is(word, "LIMIT") && args.left() >= 2 => {
                options.offset = args.integer()?;
                options.limit = Some(args.integer()?);
            }
            _ if may_store && is(word, "STORE") => to = Some(args.bytes()?),
            _ if is(word, "BY") => options.by = Some(args.bytes()?),
            _ if is(word, "GET") => options.get.push(args.bytes()?),
            _ => return Err(CommandError::SYNTAX),
        }
    }
    Ok((options, to))
}
