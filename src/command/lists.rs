//! The list family.

use super::Cx;
use super::args::Args;
use super::row::{Access, Group, KeySpec, Outcome, Row, flags::*};
use crate::reply::error::CommandError;

pub(super) const ROWS: &[Row] = &[Row {
    name: "rpush",
    arity: -3,
    flags: WRITE | DENYOOM | FAST,
    group: Group::List,
    keys: &[KeySpec::one(1, Access::Insert)],
    since: "1.0.0",
    complexity: "O(N) with N the number of elements added.",
    arguments: "key:key element...",
    summary: "Appends elements to a list, creating it if it does not exist.",
    reply: "integer",
    tips: &[],
    subcommands: &[],
    handler: rpush,
}];

fn rpush(cx: &mut Cx<'_>, args: &mut Args<'_>) -> Result<Outcome, CommandError> {
    let len = cx.space().push_back(args.bytes()?, args.rest())?;
    cx.reply.integer(len as i64);
    Ok(Outcome::Done)
}
