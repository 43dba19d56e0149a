//! The connection family.

use super::Cx;
use super::args::Args;
use super::keys::database;
use super::row::{Group, Outcome, Row, flags::*};
use crate::reply::error::CommandError;

type Reply = Result<Outcome, CommandError>;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row {
        name,
        arity,
        flags,
        group: Group::Connection,
        keys: &[],
        since: "1.0.0",
        complexity: "O(1)",
        arguments: "",
        summary: "",
        reply: "OK",
        tips: &[],
        subcommands: &[],
        handler,
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "message",
        summary: "Answers the message it was given.",
        reply: "bulk",
        ..row("echo", 2, LOADING | STALE | FAST, echo)
    },
    Row {
        arguments: "[message]",
        summary: "Answers PONG, or the message it was given.",
        reply: "status|bulk",
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        ..row("ping", -1, FAST, ping)
    },
    Row {
        arguments: "index:integer",
        summary: "Changes the database of the connection.",
        ..row("select", 2, LOADING | STALE | FAST, select)
    },
];

fn ping(cx: &mut Cx<'_>, args: &mut Args<'_>) -> Reply {
    match (args.optional(), args.is_done()) {
        (None, _) => cx.reply.simple("PONG"),
        (Some(message), true) => cx.reply.bulk(message),
        (Some(_), false) => return Err(CommandError::wrong_arity("ping")),
    }
    Ok(Outcome::Done)
}

fn echo(cx: &mut Cx<'_>, args: &mut Args<'_>) -> Reply {
    cx.reply.bulk(args.bytes()?);
    Ok(Outcome::Done)
}

fn select(cx: &mut Cx<'_>, args: &mut Args<'_>) -> Reply {
    let database = database(args.integer()?)?;
    if let Some(client) = cx.client() {
        client.database = database;
    }
    cx.reply.ok();
    Ok(Outcome::Done)
}
