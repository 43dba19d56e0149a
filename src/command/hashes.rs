//! The hash family.

use super::Cx;
use super::args::Args;
use super::row::{Access, Group, KeySpec, Outcome, Row, flags::*};
use crate::reply::error::CommandError;

pub(super) const ROWS: &[Row] = &[Row {
    name: "hset",
    arity: -4,
    flags: WRITE | DENYOOM | FAST,
    group: Group::Hash,
    keys: &[KeySpec::one(1, Access::ReadWriteUpdate)],
    since: "2.0.0",
    complexity: "O(N) with N the number of fields.",
    arguments: "key:key (field value)...",
    summary: "Sets fields of a hash, creating it if it does not exist.",
    reply: "integer",
    tips: &[],
    subcommands: &[],
    handler: hset,
}];

fn hset(cx: &mut Cx<'_>, args: &mut Args<'_>) -> Result<Outcome, CommandError> {
    let key = args.bytes()?;
    if args.left() % 2 == 1 {
        return Err(CommandError::wrong_arity("hset"));
    }
    let added = cx.space().hash_set(key, args.pairs(args.left() / 2))?;
    cx.reply.integer(added as i64);
    Ok(Outcome::Done)
}
