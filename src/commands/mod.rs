//! Commands. Each command is one [`Row`] in its family's file; COMMAND, help and documentation are printed from it.
//! A handler reads its arguments through a cursor, calls typed operations of the keyspace and writes its reply.
//! Handlers have no access to sockets, JavaScript or clocks.

mod acl;
mod bitfield;
mod bits;
mod blocking;
mod call;
mod client;
mod cluster;
mod config;
mod connection;
mod diagnostics;
mod dump;
mod expiry;
mod geo;
mod hashes;
mod help;
mod info;
mod keys;
mod latches;
mod lcs;
mod line;
mod lists;
mod memory;
mod module;
mod multi_pop;
mod pubsub;
mod replication;
mod saving;
mod script;
mod server;
mod sets;
mod shutdown;
mod sketches;
mod sort;
mod sorted_sets;
mod strings;
mod table;
mod tracking;
mod transactions;

pub use call::{Progress, call, resume, run_handler, run_queued};
pub(crate) use keys::encoding;
pub use line::{LineError, LineErrorKind, split_line};
pub use script::may_write;
pub use table::args::Args;
pub use table::catalog::{all_rows, find, rows};
pub use table::command_table::CommandTable;
#[cfg(feature = "internals")]
pub use table::export::json;
pub use table::flags;
pub use table::grammar::{Argument, ArgumentKind, parse as parse_grammar, syntax};
pub use table::row::{
    Begin, BlockOn, Blocking, Find, Group, Handler, KeyAccess, KeySpec, Outcome, Resumed, Row, Wanted,
};

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::glob;
use crate::base::number::write_unsigned;
use crate::keyspace::{Keyspace, Txn};
use crate::resp::encode::Writer;
use crate::resp::error::ErrorText;
use crate::server::Server;
use crate::server::clients::{Client, ClientId, Clients};
use crate::server::scripts::suspended::Suspended;

/// State of the engine that handlers share.
#[derive(Debug)]
pub struct State<'a> {
    pub keyspace: &'a mut Keyspace,
    pub clients: &'a mut Clients,
    pub server: &'a mut Server,
    pub table: &'a CommandTable,
}

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

impl<'a> Context<'a> {
    /// Context of a command that replies at once. Callers allow it to block, or to suspend a script.
    #[inline(always)]
    pub fn new(state: State<'a>, client: ClientId, now: Timestamp, reply: &'a mut Writer) -> Context<'a> {
        let State { keyspace, clients, server, table } = state;
        let (blocking, resumed, block_on, slice, suspended) = (Blocking::Denied, None, None, None, None);
        Context { keyspace, clients, server, table, client, now, blocking, resumed, block_on, slice, suspended, reply }
    }
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
