//! HyperLogLog family.

use crate::keyspace::sketches;
use alloc::vec::Vec;

use super::table::args::Args;
use super::table::row::{Group, KeyAccess, KeySpec, Role, flags::*};
use super::{Context, Reply, Row};

const fn row(name: &'static str, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row { since: "2.8.9", ..Row::of(Group::HyperLogLog, name, -2, flags, keys, handler) }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key [element...]",
        complexity: "O(N) with N the number of elements, plus the registers of a sparse sketch.",
        summary: "Adds elements to a HyperLogLog, creating it if it does not exist.",
        reply: "integer",
        ..row("pfadd", WRITE | DENYOOM | FAST, &[KeySpec::one(1, KeyAccess::Insert)], pfadd)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N) with N the number of sketches.",
        summary: "Estimates the cardinality of the union of HyperLogLogs.",
        reply: "integer",
        role: Role::LoggedRead,
        ..row("pfcount", READONLY, &[KeySpec::rest(1, KeyAccess::ReadAccess)], pfcount)
    },
    Row {
        arguments: "destkey:key [sourcekey:key...]",
        complexity: "O(N) with N the number of sketches.",
        summary: "Merges HyperLogLogs into a destination key.",
        ..row(
            "pfmerge",
            WRITE | DENYOOM,
            &[KeySpec::one(1, KeyAccess::Insert), KeySpec::rest(2, KeyAccess::ReadAccess)],
            pfmerge,
        )
    },
];

fn pfadd(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let changed = sketches::add(&mut cx.txn(), args.bytes()?, args.rest())?;
    cx.reply.integer(changed.into());
    Ok(())
}

fn pfcount(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let keys: Vec<&[u8]> = args.rest().collect();
    let count = sketches::count(&mut cx.txn(), keys.into_iter())?;
    cx.reply.integer(i64::try_from(count).unwrap_or(i64::MAX));
    Ok(())
}

fn pfmerge(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    sketches::merge(&mut cx.txn(), args.bytes()?, args.rest())?;
    cx.reply.ok();
    Ok(())
}
