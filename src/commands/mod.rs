//! Commands. A command is one [`Row`] in its family's file: everything anybody asks about it is printed from there.
//! Handlers read their arguments through a cursor, act on the keyspace through its typed operations, and write their
//! reply; they know no socket, no JavaScript and no clock.

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
mod geo;
mod grammar;
mod hashes;
mod info;
mod introspection;
mod keys;
mod keys_of;
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
pub use line::{LineError, LineErrorKind, split_line};
pub use row::{Access, Begin, BlockOn, Blocking, Find, Group, Handler, KeySpec, Outcome, Row, Wanted, flags};
pub use table::CommandTable;

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
use crate::server::clients::{Client, ClientId, Clients};

/// What a handler may touch.
#[derive(Debug)]
pub struct Context<'a> {
    pub keyspace: &'a mut Keyspace,
    pub clients: &'a mut Clients,
    pub server: &'a mut Server,
    pub table: &'a CommandTable,
    /// Who sent the command.
    pub client: ClientId,
    pub now: Timestamp,
    pub blocking: Blocking,
    /// Set by a handler that waits, and has written nothing.
    pub block_on: Option<BlockOn>,
    pub reply: &'a mut Writer,
}

impl Context<'_> {
    /// The client's database at this instant.
    #[inline(never)]
    pub fn txn(&mut self) -> Txn<'_> {
        self.txn_and_reply().0
    }

    /// The client's database and the writer side by side: values are written from where they lie.
    pub fn txn_and_reply(&mut self) -> (Txn<'_>, &mut Writer) {
        let (database, no_touch) =
            self.clients.get(self.client).map_or((0, false), |client| (client.database, client.no_touch));
        (self.keyspace.at(database, self.now).marking(!no_touch), self.reply)
    }

    pub fn database(&self) -> u8 {
        self.clients.get(self.client).map_or(0, |client| client.database)
    }

    /// The sender. A command of a client that is gone is refused before it gets here.
    pub fn client(&mut self) -> Option<&mut Client> {
        self.clients.get_mut(self.client)
    }
}

/// Runs one command whose arity was checked, by its number in the table, and writes its reply or its error.
#[inline(always)]
pub fn call(cx: &mut Context<'_>, number: u16, argv: ArgvRef<'_>) -> Outcome {
    let row = cx.table.row(number);
    let start = cx.reply.len();
    cx.server.stats.command(number).calls += 1;
    let made = OnceCell::new();
    let result = match ensure_memory(cx, row, argv) {
        Ok(()) => (row.handler)(cx, &mut Args::new(argv, row.words(), &made)),
        Err(OutOfMemory) => Err(CommandError::OUT_OF_MEMORY),
    };
    match result {
        Ok(()) if cx.reply.take_failure() => {
            fail(cx, number, start, &CommandError::OUT_OF_MEMORY.into());
            return Outcome::Done;
        }
        Ok(()) => {
            if let Some(block_on) = cx.block_on.take() {
                // It is called when it has its answer, however often it ran before.
                cx.server.stats.command(number).calls -= 1;
                return Outcome::Block(block_on);
            }
        }
        Err(error) => {
            let made = made.into_inner().filter(|_| error == CommandError::MADE);
            fail(cx, number, start, &made.unwrap_or_else(|| error.of_command(row.name)));
        }
    }
    remember_keys(cx, row, argv);
    Outcome::Done
}

/// What a command that keeps small pieces takes in tables and confirmations for each of its arguments, for each that came before, and for
/// each client.
const KEPT_NEW_BYTES: usize = 512;
const KEPT_BYTES: usize = 64;
const KEPT_CLIENT_BYTES: usize = 256;
/// How often it holds its arguments on the way.
const KEPT_COPIES: usize = 8;

/// What a command that is about no keys makes of its arguments on its way, at most.
const ARGUMENTS_FACTOR: usize = 4;

/// The longest request, in bytes, that needs no memory reserved before it runs while changes have no observers.
const SMALL_REQUEST_BYTES: usize = 1024;

/// Makes sure that a command can end once it began to change something.
#[inline(always)]
fn ensure_memory(cx: &mut Context<'_>, row: &Row, argv: ArgvRef<'_>) -> Result<(), OutOfMemory> {
    let is_small = argv.copy_len() <= SMALL_REQUEST_BYTES && !row.has(flags::KEEPS);
    if is_small && is_reserve_whole() && cx.keyspace.is_unobserved() {
        Ok(())
    } else {
        ensure_more_memory(cx, row, argv)
    }
}

#[inline(never)]
fn ensure_more_memory(cx: &mut Context<'_>, row: &Row, argv: ArgvRef<'_>) -> Result<(), OutOfMemory> {
    if !is_reserve_whole() && row.has(flags::DENYOOM) {
        ensure_reserve()?;
    }
    if row.has(flags::KEEPS) {
        ensure_reserve()?;
        let kept = KEPT_BYTES.saturating_mul(cx.keyspace.interest.name_count() + cx.server.pubsub.name_count());
        let clients = KEPT_CLIENT_BYTES.saturating_mul(cx.clients.len());
        let new = KEPT_NEW_BYTES.saturating_mul(argv.len()).saturating_add(KEPT_COPIES.saturating_mul(argv.copy_len()));
        ensure(kept.saturating_add(clients).saturating_add(new))?;
    }
    if row.flags & (flags::READONLY | flags::WRITE) == 0 {
        ensure(argv.copy_len().saturating_mul(ARGUMENTS_FACTOR))?;
    }
    let bytes = argv.copy_len();
    let names_matter = bytes > SMALL_REQUEST_BYTES || !cx.keyspace.interest.tracking.is_idle();
    let names_bytes = if names_matter && !cx.keyspace.is_unobserved() { names_bytes(row, argv) } else { 0 };
    let request = Extent { arguments: argv.len(), names_bytes, bytes };
    cx.keyspace.ensure_room(request)?;
    if cx.keyspace.observes_dead_fields(cx.now) {
        // They are more than the request has arguments.
        let mut met = Ok(());
        // A request whose keys cannot be told names none.
        let _ = keys_of::visit_keys(row, argv, &mut |key, _| {
            met = met.and_then(|()| cx.txn().find_unexpired(key).map(drop).map_err(|_| OutOfMemory));
        });
        met?;
        cx.keyspace.ensure_room(request)?;
    }
    Ok(())
}

/// What a copy of a request's keys takes; one whose keys cannot be told names none.
fn names_bytes(row: &Row, argv: ArgvRef<'_>) -> usize {
    let mut bytes = 0;
    let _ = keys_of::visit_keys(row, argv, &mut |key, _| bytes += size_of::<Span>() + key.len());
    bytes
}

/// Leaves nothing of a reply but an error.
#[cold]
fn fail(cx: &mut Context<'_>, number: u16, start: usize, error: &ErrorText) {
    cx.reply.truncate(start);
    cx.reply.take_failure();
    cx.reply.error(error);
    cx.server.stats.fail(number, error);
}

/// The client may keep a copy of what it read, also of an error.
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

/// `SET key value`.
const BARE_SET_LEN: usize = 3;

/// A request and what its name was found to mean: it is looked up once, and asked for often.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub argv: ArgvRef<'a>,
    /// The number in the table, and the row.
    pub command: Option<(u16, &'static Row)>,
}

impl<'a> Request<'a> {
    pub fn new(table: &CommandTable, argv: ArgvRef<'a>) -> Request<'a> {
        Request { argv, command: look_up(table, argv) }
    }

    /// Whether the command may need the time for what it does: a SET without any options does not.
    #[inline(always)]
    pub fn may_need_time(&self) -> bool {
        let bare = |row: &Row| row.name == "set" && self.argv.len() == BARE_SET_LEN;
        self.command.is_some_and(|(_, row)| row.has(flags::TIME) && !bare(row))
    }
}

fn look_up(table: &CommandTable, argv: ArgvRef<'_>) -> Option<(u16, &'static Row)> {
    let number = table.number(argv.get(0).unwrap_or_default())?;
    let row = table.row(number);
    let Some(word) = argv.get(1).filter(|_| !row.subcommands.is_empty()) else { return Some((number, row)) };
    let found = table.subcommand(number, word).map(|sub| (sub, table.row(sub)));
    found.filter(|(_, sub)| !reads_its_own_words(row) || sub.accepts(argv.len()))
}

/// Whether Redis does not tell an unknown subcommand from one with too many or too few words.
fn reads_its_own_words(container: &Row) -> bool {
    container.name == "debug"
}

/// Finds the row of a request: of its command, or of a container's subcommand.
pub fn resolve(table: &CommandTable, argv: ArgvRef<'_>) -> Result<(u16, &'static Row), ErrorText> {
    look_up(table, argv).ok_or_else(|| unknown(table, argv))
}

/// Why nothing was found.
pub fn unknown(table: &CommandTable, argv: ArgvRef<'_>) -> ErrorText {
    let name = argv.get(0).unwrap_or_default();
    match (table.number(name).map(|number| table.row(number)), argv.get(1)) {
        (Some(container), Some(word)) if reads_its_own_words(container) => {
            ErrorText::unknown_or_wrong(&container.name.to_ascii_uppercase(), word)
        }
        (Some(container), Some(word)) => ErrorText::unknown_subcommand(container.name, word),
        _ => ErrorText::unknown_command(name, argv.iter().skip(1)),
    }
}

/// Writes a page of a walk: the next cursor, then the elements. The cursor is known only once the page is, so the page
/// waits in a buffer of its own; `fill` answers the cursor and how many elements it wrote.
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

/// How a collection is walked: shows names, with values where there are some, and answers the next cursor.
type Walk<'w> = &'w mut dyn FnMut(&mut dyn FnMut(&[u8], Option<&[u8]>)) -> u64;

/// Writes a page of those names that match, with their values.
fn write_matches(reply: &mut Writer, pattern: Option<&[u8]>, walk: Walk<'_>) {
    write_page(reply, &mut |page| {
        let mut len = 0;
        let next = walk(&mut |name, value| {
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

/// A page of a collection that is not there.
fn write_no_page(reply: &mut Writer) {
    write_page(reply, &mut |_| (0, 0));
}

/// Answers the HELP of a container, printed from its rows.
fn write_help(cx: &mut Context<'_>, container: &str) -> Result<(), CommandError> {
    let lines = cx.table.find(container).map(docs::help_lines).unwrap_or_default();
    cx.reply.array(lines.len());
    lines.iter().for_each(|line| cx.reply.simple(line));
    Ok(())
}
