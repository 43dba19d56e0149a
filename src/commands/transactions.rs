//! Transaction family. Queueing of commands is part of the engine, which does it before a handler runs.

use core::cell::OnceCell;

use super::table::args::Args;
use super::table::row::{Group, KeyAccess, KeySpec, Role, flags::*};
use super::{Blocking, Context, Reply, Row, run_handler, run_queued};
use crate::resp::error::CommandError;
use crate::server::clients::Transaction;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row {
        since: "2.2.0",
        ..Row::of(Group::Transactions, name, arity, flags | NOSCRIPT | LOADING | STALE, &[], handler)
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        since: "2.0.0",
        complexity: "O(N) with N the number of queued commands.",
        summary: "Discards the queued commands of a transaction.",
        ..row("discard", 1, FAST | ALLOW_BUSY | IMMEDIATE | ENDS_MULTI, discard)
    },
    Row {
        since: "1.2.0",
        complexity: "Depends on the queued commands.",
        summary: "Executes the queued commands of a transaction atomically.",
        reply: "array(any)|null",
        ..row("exec", 1, SKIP_SLOWLOG | IMMEDIATE | TIME | RUNS_QUEUE | ENDS_MULTI, exec)
    },
    Row {
        since: "1.2.0",
        summary: "Starts a transaction: subsequent commands are queued.",
        role: Role::BeginsUnit,
        ..row("multi", 1, FAST | ALLOW_BUSY | IMMEDIATE, multi)
    },
    Row {
        complexity: "O(N) with N the number of watched keys.",
        summary: "Unwatches all watched keys.",
        ..row("unwatch", 1, FAST | ALLOW_BUSY, unwatch)
    },
    Row {
        arguments: "key:key...",
        complexity: "O(N) with N the number of keys.",
        summary: "Watches keys: EXEC does nothing if one of them has changed.",
        keys: &[KeySpec::rest(1, KeyAccess::ReadOnly)],
        ..row("watch", -2, FAST | ALLOW_BUSY | IMMEDIATE | KEEPS, watch)
    },
];

fn multi(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let Some(client) = cx.client() else { return Ok(()) };
    if client.in_transaction() {
        return Err(CommandError::NESTED_MULTI);
    }
    client.transaction = Some(Transaction::default());
    cx.reply.ok();
    Ok(())
}

fn discard(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    take_transaction(cx).ok_or(CommandError::DISCARD_WITHOUT_MULTI)?;
    cx.keyspace.interest.unwatch(cx.client);
    cx.reply.ok();
    Ok(())
}

fn exec(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let transaction = take_transaction(cx).ok_or(CommandError::EXEC_WITHOUT_MULTI)?;
    let is_dirty = watched_key_changed(cx);
    cx.keyspace.interest.unwatch(cx.client);
    if transaction.aborted {
        return Err(CommandError::EXEC_ABORTED);
    }
    if is_dirty {
        cx.reply.null_array();
        return Ok(());
    }
    cx.blocking = Blocking::Denied;
    check_guards(cx, &transaction)?;
    cx.reply.array(transaction.queue.len());
    cx.server.scripts.evaluation.begin_transaction();
    run_queued(cx, transaction.queue.into());
    Ok(())
}

/// Evaluates the queued guards, each in the database that a queued SELECT before it chooses. Fails with the error of the
/// first guard that fails.
fn check_guards(cx: &mut Context<'_>, transaction: &Transaction) -> Reply {
    if !transaction.queue.iter().any(|queued| cx.table.row(queued.command).has(GUARD)) {
        return Ok(());
    }
    let present = cx.database();
    let mut checked = Ok(());
    for queued in &transaction.queue {
        let (row, argv, error) = (cx.table.row(queued.command), queued.argv.as_ref(), OnceCell::new());
        if checked.is_err() || !row.has(GUARD) && row.role != Role::ChoosesDatabase {
            continue;
        }
        let start = cx.reply.len();
        let outcome = run_handler(cx, row, argv, &error);
        cx.reply.truncate(start);
        checked = if row.has(GUARD) { outcome } else { checked };
    }
    if let Some(client) = cx.client() {
        client.database = present;
    }
    checked
}

/// Whether a watched key changed since WATCH. Keys that expired since then count: the lookup removes them, which marks
/// the clients that watch them.
fn watched_key_changed(cx: &mut Context<'_>) -> bool {
    let watched = cx.keyspace.interest.suspend(cx.client);
    // An expired key that cannot be removed for lack of memory counts as changed.
    let expired =
        watched.iter().try_for_each(|(database, key)| cx.keyspace.at(*database, cx.now).find_unexpired(key).map(drop));
    cx.keyspace.interest.resume(cx.client, watched);
    expired.is_err() || cx.keyspace.interest.is_disturbed(cx.client)
}

fn take_transaction(cx: &mut Context<'_>) -> Option<Transaction> {
    cx.client()?.transaction.take()
}

fn watch(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if cx.client().is_some_and(|client| client.in_transaction()) {
        return Err(CommandError::WATCH_INSIDE_MULTI);
    }
    let database = cx.database();
    for key in args.rest() {
        // Removes the key if it has expired, so that its removal does not count as a change later.
        cx.txn().peek(key);
        cx.keyspace.interest.watch(cx.client, database, key);
    }
    cx.reply.ok();
    Ok(())
}

fn unwatch(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.keyspace.interest.unwatch(cx.client);
    cx.reply.ok();
    Ok(())
}
