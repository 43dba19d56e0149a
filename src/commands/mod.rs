//! Commands. Each command is one [`Row`] in its family's file; COMMAND, help and documentation are printed from it.
//! A handler reads its arguments through a cursor, calls typed operations of the keyspace and writes its reply.
//! Handlers have no access to sockets, JavaScript or clocks.

mod acl;
mod args;
mod bitfield;
mod bits;
mod blocking;
mod catalog;
mod client;
mod cluster;
mod config;
mod connection;
mod diagnostics;
mod docs;
mod dump;
mod expiry;
#[cfg(feature = "internals")]
mod export;
pub mod flags;
mod geo;
mod grammar;
mod hashes;
mod info;
mod introspection;
mod keys;
mod keys_of;
mod latches;
mod lcs;
mod line;
mod lists;
mod memory;
mod module;
mod multi_pop;
mod options;
mod pubsub;
mod replication;
mod row;
mod saving;
mod script;
mod server;
mod sets;
mod sketches;
mod sort;
mod sorted_sets;
mod strings;
mod table;
mod tracking;
mod transactions;

pub use args::Args;
pub use catalog::{all_rows, find, rows};
#[cfg(feature = "internals")]
pub use export::json;
pub use grammar::{Argument, ArgumentKind, parse as parse_grammar, syntax};
pub(crate) use keys::encoding;
pub use line::{LineError, LineErrorKind, split_line};
pub use row::{Begin, BlockOn, Blocking, Find, Group, Handler, KeyAccess, KeySpec, Outcome, Resumed, Row, Wanted};
pub use script::may_write;
pub use table::CommandTable;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::cell::OnceCell;

use crate::base::argv::{ArgvRef, Span};
use crate::base::clock::Timestamp;
use crate::base::glob;
use crate::base::headroom::{OutOfMemory, ensure, ensure_reserve, is_reserve_whole};
use crate::base::number::write_unsigned;
use crate::keyspace::{Extent, Keyspace, Txn};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::Server;
use crate::server::clients::{Client, ClientId, Clients, Queued};
use crate::server::scripts::suspended::Suspended;

/// State that a handler may read and change.
#[derive(Debug)]
pub struct Context<'a> {
    pub keyspace: &'a mut Keyspace,
    pub clients: &'a mut Clients,
    pub server: &'a mut Server,
    pub table: &'a CommandTable,
    /// Client that sent the command.
    pub client: ClientId,
    pub now: Timestamp,
    pub blocking: Blocking,
    /// Position and times of a command that was blocked before.
    pub resumed: Option<Resumed>,
    /// Set by a handler that blocks its client. Such a handler writes no reply.
    pub block_on: Option<BlockOn>,
    /// Charges after which a script is suspended; `None`: it runs through.
    #[cfg_attr(not(feature = "scripting"), allow(dead_code))]
    pub slice: Option<u64>,
    /// Set by a handler that leaves its script suspended.
    pub suspended: Option<Box<Suspended>>,
    pub reply: &'a mut Writer,
}

impl Context<'_> {
    /// Returns a transaction on the client's database at `now`.
    #[inline(never)]
    pub fn txn(&mut self) -> Txn<'_> {
        self.txn_and_reply().0
    }

    /// Returns a transaction on the client's database and the reply, so that values are written without a copy.
    pub fn txn_and_reply(&mut self) -> (Txn<'_>, &mut Writer) {
        let (database, no_touch) =
            self.clients.get(self.client).map_or((0, false), |client| (client.database, client.no_touch));
        (self.keyspace.at(database, self.now).marking(!no_touch), self.reply)
    }

    pub fn database(&self) -> u8 {
        self.clients.get(self.client).map_or(0, |client| client.database)
    }

    /// Returns the client that sent the command. Requests of disconnected clients are rejected before a handler runs.
    pub fn client(&mut self) -> Option<&mut Client> {
        self.clients.get_mut(self.client)
    }
}

/// Runs the command with this number in the table and writes its reply or its error. The arity must have been checked.
#[inline(always)]
pub fn call(cx: &mut Context<'_>, number: u16, argv: ArgvRef<'_>) -> Outcome {
    let row = cx.table.row(number);
    let start = cx.reply.len();
    cx.server.stats.command(number).calls += 1;
    let custom_error = OnceCell::new();
    let result = match ensure_memory(cx, row, argv) {
        Ok(()) => (row.handler)(cx, &mut Args::new(argv, row.words(), &custom_error)),
        Err(OutOfMemory) => Err(CommandError::OUT_OF_MEMORY),
    };
    match result {
        Ok(()) if cx.suspended.is_some() => return Outcome::Suspend,
        Ok(()) if cx.reply.take_failure() => {
            fail(cx, number, start, &CommandError::OUT_OF_MEMORY.into());
            return Outcome::Done;
        }
        Ok(()) => {
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

/// Runs the next slice of a suspended script, and then what follows in its transaction. Returns the request that ended;
/// otherwise `cx.suspended` is set again.
pub fn resume(cx: &mut Context<'_>, mut suspended: Box<Suspended>) -> Option<Box<Suspended>> {
    if let Some(script) = suspended.script.take() {
        let start = cx.reply.len();
        let result = script::resume(cx, &mut suspended);
        let (number, argv) = (script.command, script.argv.as_ref());
        match result {
            Ok(true) => {
                suspended.script = Some(script);
                cx.suspended = Some(suspended);
                return None;
            }
            Ok(false) if cx.reply.take_failure() => fail(cx, number, start, &CommandError::OUT_OF_MEMORY.into()),
            Ok(false) => remember_keys(cx, cx.table.row(number), argv),
            Err(error) => fail(cx, number, start, &error),
        }
        suspended.script = Some(script);
    }
    let rest = core::mem::take(&mut suspended.rest);
    run_queued(cx, rest);
    match &mut cx.suspended {
        Some(next) => {
            suspended.rest = core::mem::take(&mut next.rest);
            next.follow(*suspended);
            None
        }
        None => Some(suspended),
    }
}

/// Runs the commands of a transaction. A script that is left has its own, and those that follow.
pub fn run_queued(cx: &mut Context<'_>, mut rest: VecDeque<Queued>) {
    while let Some(queued) = rest.pop_front() {
        call(cx, queued.command, queued.argv.as_ref());
        if let Some(suspended) = &mut cx.suspended {
            suspended.script = Some(queued);
            suspended.rest = rest;
            return;
        }
    }
    cx.server.scripts.end_transaction();
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
    cx.keyspace.ensure_room(request)?;
    if cx.keyspace.observes_dead_fields(cx.now) {
        // Expired fields are removed first: their events may outnumber the arguments that the check is based on.
        let mut expired = Ok(());
        // A request with invalid key arguments counts as a request without keys; its handler reports the error.
        let _ = keys_of::visit_keys(row, argv, &mut |key, _| {
            expired = expired.and_then(|()| cx.txn().find_unexpired(key).map(drop).map_err(|_| OutOfMemory));
        });
        expired?;
        cx.keyspace.ensure_room(request)?;
    }
    Ok(())
}

/// Returns the bytes that a copy of the request's keys takes. Keys after invalid key arguments are not counted.
fn key_copy_bytes(row: &Row, argv: ArgvRef<'_>) -> usize {
    let mut bytes = 0;
    let _ = keys_of::visit_keys(row, argv, &mut |key, _| bytes += size_of::<Span>() + key.len());
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
    let _ = keys_of::visit_keys(row, argv, &mut |key, _| cx.keyspace.interest.tracking.remember(cx.client, key));
}

/// Number of arguments of `SET key value`, a SET without options.
const SET_WITHOUT_OPTIONS_LEN: usize = 3;

/// A request with its row, so that the name is looked up once.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub argv: ArgvRef<'a>,
    /// Number in the table and row; `None` for an unknown command.
    pub command: Option<(u16, &'static Row)>,
}

impl<'a> Request<'a> {
    pub fn new(table: &CommandTable, argv: ArgvRef<'a>) -> Request<'a> {
        Request { argv, command: find_row(table, argv) }
    }

    /// Whether the command may depend on the time. A SET without options does not.
    #[inline(always)]
    pub fn may_need_time(&self) -> bool {
        let is_plain_set =
            |row: &Row| row.has(flags::SHORT_WITHOUT_OPTIONS) && self.argv.len() == SET_WITHOUT_OPTIONS_LEN;
        self.command.is_some_and(|(_, row)| row.has(flags::TIME) && !is_plain_set(row))
    }
}

fn find_row(table: &CommandTable, argv: ArgvRef<'_>) -> Option<(u16, &'static Row)> {
    let number = table.number(argv.get(0).unwrap_or_default())?;
    let row = table.row(number);
    let Some(word) = argv.get(1).filter(|_| !row.subcommands.is_empty()) else { return Some((number, row)) };
    let found = table.subcommand(number, word).map(|sub| (sub, table.row(sub)));
    found.filter(|(_, sub)| !combines_errors(row) || sub.accepts(argv.len()))
}

/// Whether the container has one error for an unknown subcommand and for a wrong number of arguments, as in Redis.
fn combines_errors(container: &Row) -> bool {
    container.name == "debug"
}

/// Returns the number and row of a request's command, or of its subcommand if the command is a container.
pub fn resolve(table: &CommandTable, argv: ArgvRef<'_>) -> Result<(u16, &'static Row), ErrorText> {
    find_row(table, argv).ok_or_else(|| unknown(table, argv))
}

/// Returns the error for a request without a row.
pub fn unknown(table: &CommandTable, argv: ArgvRef<'_>) -> ErrorText {
    let name = argv.get(0).unwrap_or_default();
    match (table.number(name).map(|number| table.row(number)), argv.get(1)) {
        (Some(container), Some(word)) if combines_errors(container) => {
            ErrorText::unknown_or_wrong(&container.name.to_ascii_uppercase(), word)
        }
        (Some(container), Some(word)) => ErrorText::unknown_subcommand(container.name, word),
        _ => ErrorText::unknown_command(name, argv.iter().skip(1)),
    }
}

/// Writes a page of a SCAN command: the next cursor, then the elements. The cursor is known only after the page, so
/// the page is buffered. `fill` returns the next cursor and the number of elements written.
fn write_page(reply: &mut Writer, fill: &mut dyn FnMut(&mut Writer) -> (u64, usize)) {
    let mut page = Writer::new(reply.protocol());
    let (next, len) = fill(&mut page);
    reply.array(2);
    let mut cursor = Vec::new();
    write_unsigned(next, &mut cursor);
    reply.bulk(&cursor);
    reply.array(len);
    reply.append(&page);
}

/// Visits that an element of a page counts as: it is compared with a pattern.
const PAGE_VISITS: usize = 2;

/// Iteration over a page of a collection, which returns the next cursor. Its argument is called with each name, and
/// with its value if there is one.
type PageScan<'w> = &'w mut dyn FnMut(&mut dyn FnMut(&[u8], Option<&[u8]>)) -> u64;

/// Writes a page of the names that match a pattern, with their values.
fn write_matches(reply: &mut Writer, pattern: Option<&[u8]>, scan: PageScan<'_>) {
    write_page(reply, &mut |page| {
        let mut len = 0;
        let next = scan(&mut |name, value| {
            if pattern.is_some_and(|pattern| !glob::matches(pattern, name)) {
                return;
            }
            for part in core::iter::once(name).chain(value) {
                page.bulk(part);
                len += 1;
            }
        });
        (next, len)
    });
}

/// Writes the page of a missing collection: cursor 0 and no elements.
fn write_empty_page(reply: &mut Writer) {
    write_page(reply, &mut |_| (0, 0));
}

/// Writes the HELP reply of a container, printed from its rows.
fn write_help(cx: &mut Context<'_>, container: &str) -> Result<(), CommandError> {
    let lines = cx.table.find(container).map(docs::help_lines).unwrap_or_default();
    cx.reply.array(lines.len());
    lines.iter().for_each(|line| cx.reply.simple(line));
    Ok(())
}
