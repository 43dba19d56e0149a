//! The run of a command: memory is ensured before the handler, errors become replies behind it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::cell::OnceCell;

use super::script;
use super::table::keys_of::visit_keys;
use super::{Args, Context, Outcome, Row, flags};
use crate::base::argv::{ArgvRef, Span};
use crate::base::headroom::{OutOfMemory, ensure, ensure_reserve, is_reserve_whole};
use crate::keyspace::Extent;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::Queued;
use crate::server::scripts::suspended::Suspended;

/// Runs the command with this number in the table and writes its reply or its error. The arity must have been checked.
#[inline(always)]
pub fn call(cx: &mut Context<'_>, number: u16, argv: ArgvRef<'_>) -> Outcome {
    let row = cx.table.row(number);
    let start = cx.reply.len();
    cx.server.stats.command(number).calls += 1;
    let custom_error = OnceCell::new();
    let result = match ensure_memory(cx, row, argv) {
        Ok(()) => run_handler(cx, row, argv, &custom_error),
        Err(OutOfMemory) => Err(CommandError::OUT_OF_MEMORY),
    };
    match result {
        Ok(()) => {
            if let Some(suspended) = cx.suspended.take() {
                return Outcome::Suspend(suspended);
            }
            if cx.reply.take_failure() {
                fail(cx, number, start, &CommandError::OUT_OF_MEMORY.into());
                return Outcome::Done;
            }
            if let Some(block_on) = cx.block_on.take() {
                // A blocked command counts as one call, in the run that writes its reply.
                cx.server.stats.command(number).calls -= 1;
                return Outcome::Block(block_on);
            }
        }
        Err(error) => {
            let custom_error = custom_error.into_inner().filter(|_| error == CommandError::MADE);
            fail(cx, number, start, &custom_error.unwrap_or_else(|| error.of_command(row.name)));
        }
    }
    remember_keys(cx, row, argv);
    Outcome::Done
}

/// Runs a handler. An error text made for the request is left in `custom_error`.
#[inline(always)]
pub fn run_handler(
    cx: &mut Context<'_>,
    row: &Row,
    argv: ArgvRef<'_>,
    custom_error: &OnceCell<ErrorText>,
) -> Result<(), CommandError> {
    (row.handler)(cx, &mut Args::new(argv, row.words(), custom_error))
}

/// State of the request of a suspended script after a slice.
#[derive(Debug)]
pub enum SliceOutcome {
    Ended(Box<Suspended>),
    Suspended(Box<Suspended>),
}

/// Runs the next slice of a suspended script, and then what follows in its transaction.
pub fn resume(cx: &mut Context<'_>, mut suspended: Box<Suspended>) -> SliceOutcome {
    if let Some(script) = suspended.script.take() {
        let start = cx.reply.len();
        let result = script::resume(cx, &mut suspended);
        let (number, argv) = (script.command, script.argv.as_ref());
        match result {
            Ok(true) => {
                suspended.script = Some(script);
                return SliceOutcome::Suspended(suspended);
            }
            Ok(false) if cx.reply.take_failure() => fail(cx, number, start, &CommandError::OUT_OF_MEMORY.into()),
            Ok(false) => remember_keys(cx, cx.table.row(number), argv),
            Err(error) => fail(cx, number, start, &error),
        }
        suspended.script = Some(script);
    }
    let rest = core::mem::take(&mut suspended.rest);
    run_queued(cx, rest);
    match cx.suspended.take() {
        Some(mut next) => {
            suspended.rest = core::mem::take(&mut next.rest);
            next.follow(*suspended);
            SliceOutcome::Suspended(next)
        }
        None => SliceOutcome::Ended(suspended),
    }
}

/// Runs the commands of a transaction. A script that is left has its own, and those that follow.
pub fn run_queued(cx: &mut Context<'_>, mut rest: VecDeque<Queued>) {
    while let Some(queued) = rest.pop_front() {
        if let Outcome::Suspend(mut suspended) = call(cx, queued.command, queued.argv.as_ref()) {
            suspended.script = Some(queued);
            suspended.rest = rest;
            cx.suspended = Some(suspended);
            return;
        }
    }
    cx.server.scripts.evaluation.end_transaction();
}

/// Upper bound, in bytes, for the table entries and confirmations of one argument of a `KEEPS` command.
const KEPT_BYTES_PER_ARGUMENT: usize = 512;
/// Upper bound, in bytes, for growing the tables of names, for each name they already hold.
const KEPT_BYTES_PER_NAME: usize = 64;
/// Upper bound, in bytes, for growing the tables of clients, for each connected client.
const KEPT_BYTES_PER_CLIENT: usize = 256;
/// Largest number of copies of its arguments that a `KEEPS` command holds at once.
const KEPT_COPIES: usize = 8;

/// Largest memory use of a command without keys, as a multiple of the size of its request.
const ARGUMENTS_FACTOR: usize = 4;

/// Longest request, in bytes, that runs without a memory check while changes have no observers.
const SMALL_REQUEST_BYTES: usize = 1024;

/// Checks that a command does not run out of memory after its first change. A small request of a command without
/// `KEEPS` skips the check while the allocator's reserve is whole and the keyspace has no observers.
#[inline(always)]
fn ensure_memory(cx: &mut Context<'_>, row: &Row, argv: ArgvRef<'_>) -> Result<(), OutOfMemory> {
    let is_small = argv.copy_len() <= SMALL_REQUEST_BYTES && !row.has(flags::KEEPS);
    if is_small && is_reserve_whole() && cx.keyspace.is_unobserved() { Ok(()) } else { check_memory(cx, row, argv) }
}

#[inline(never)]
fn check_memory(cx: &mut Context<'_>, row: &Row, argv: ArgvRef<'_>) -> Result<(), OutOfMemory> {
    if !is_reserve_whole() && row.has(flags::DENYOOM) {
        ensure_reserve()?;
    }
    if row.has(flags::KEEPS) {
        ensure_reserve()?;
        let kept =
            KEPT_BYTES_PER_NAME.saturating_mul(cx.keyspace.interest.name_count() + cx.server.pubsub.name_count());
        let clients = KEPT_BYTES_PER_CLIENT.saturating_mul(cx.clients.len());
        let copies = KEPT_COPIES.saturating_mul(argv.copy_len());
        let new = KEPT_BYTES_PER_ARGUMENT.saturating_mul(argv.len()).saturating_add(copies);
        ensure(kept.saturating_add(clients).saturating_add(new))?;
    }
    if row.flags & (flags::READONLY | flags::WRITE) == 0 {
        ensure(argv.copy_len().saturating_mul(ARGUMENTS_FACTOR))?;
    }
    let bytes = argv.copy_len();
    let names_matter = bytes > SMALL_REQUEST_BYTES || !cx.keyspace.interest.tracking.is_idle();
    let names_bytes = if names_matter && !cx.keyspace.is_unobserved() { key_copy_bytes(row, argv) } else { 0 };
    let request = Extent { arguments: argv.len(), names_bytes, bytes };
    cx.keyspace.reserve_headroom(request)?;
    if cx.keyspace.observes_dead_fields(cx.now) {
        // Expired fields are removed first: their events may outnumber the arguments that the check is based on.
        let mut expired = Ok(());
        // A request with invalid key arguments counts as a request without keys; its handler reports the error.
        let _ = visit_keys(row, argv, &mut |key, _| {
            expired = expired.and_then(|()| cx.txn().find_unexpired(key).map(drop).map_err(|_| OutOfMemory));
        });
        expired?;
        cx.keyspace.reserve_headroom(request)?;
    }
    Ok(())
}

/// Returns the bytes that a copy of the request's keys takes. Keys after invalid key arguments are not counted.
fn key_copy_bytes(row: &Row, argv: ArgvRef<'_>) -> usize {
    let mut bytes = 0;
    let _ = visit_keys(row, argv, &mut |key, _| bytes += size_of::<Span>() + key.len());
    bytes
}

/// Replaces the reply, which begins at `start`, by an error and counts the failure.
#[cold]
fn fail(cx: &mut Context<'_>, number: u16, start: usize, error: &ErrorText) {
    cx.reply.truncate(start);
    cx.reply.take_failure();
    cx.reply.error(error);
    cx.server.stats.fail(number, error);
}

/// Records the keys of a read-only command for client-side caching, after an error reply too: the client may cache it.
#[inline(always)]
fn remember_keys(cx: &mut Context<'_>, row: &Row, argv: ArgvRef<'_>) {
    if cx.keyspace.interest.tracking.is_idle()
        || !cx.keyspace.interest.tracking.remembers(cx.client)
        || !row.has(flags::READONLY)
    {
        return;
    }
    let _ = visit_keys(row, argv, &mut |key, _| cx.keyspace.interest.tracking.remember(cx.client, key));
}
