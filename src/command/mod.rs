//! Commands. A command is one [`Row`] in its family's file: everything anybody asks about it is printed from there.
//! Handlers read their arguments through a cursor, act on the keyspace through its typed operations, and write their
//! reply; they know no socket, no JavaScript and no clock.

mod args;
mod bitfield;
mod bits;
mod client;
mod config;
mod connection;
mod diagnostics;
mod docs;
mod dump;
mod expiry;
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
mod options;
mod pubsub;
mod row;
mod server;
mod sets;
mod sort;
mod sorted_sets;
mod strings;
mod table;
mod transactions;
mod waiting;

pub use args::Args;
pub use export::json;
pub use grammar::{Argument, ArgumentKind, parse as parse_grammar, syntax};
pub use line::{LineError, LineErrorKind, split_line};
pub use row::{Access, Begin, Find, Group, Handler, KeySpec, Outcome, Park, Row, Waiting, Wanted, flags};
pub use table::{Table, find, rows};

use alloc::vec::Vec;

use crate::argv::ArgvRef;
use crate::client::{Client, ClientId, Clients};
use crate::clock::Timestamp;
use crate::keyspace::{Keyspace, Space};
use crate::number::write_unsigned;
use crate::reply::error::CommandError;
use crate::reply::writer::Writer;
use crate::server::Server;

/// What a handler may touch.
#[derive(Debug)]
pub struct Cx<'a> {
    pub keyspace: &'a mut Keyspace,
    pub clients: &'a mut Clients,
    pub server: &'a mut Server,
    pub table: &'a Table,
    /// Who sent the command.
    pub client: ClientId,
    pub now: Timestamp,
    pub waiting: Waiting,
    pub reply: &'a mut Writer,
}

impl Cx<'_> {
    /// The client's database at this instant.
    pub fn space(&mut self) -> Space<'_> {
        self.space_and_reply().0
    }

    /// The client's database and the writer side by side: values are written from where they lie.
    pub fn space_and_reply(&mut self) -> (Space<'_>, &mut Writer) {
        let database = self.database();
        (self.keyspace.at(database, self.now), self.reply)
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
pub fn call(cx: &mut Cx<'_>, number: u16, argv: ArgvRef<'_>) -> Outcome {
    let row = cx.table.row(number);
    let start = cx.reply.len();
    cx.server.stats.command(number).calls += 1;
    match (row.handler)(cx, &mut Args::new(argv, row.words())) {
        Ok(Outcome::Park(park)) => {
            // It is called when it has its answer, however often it ran before.
            cx.server.stats.command(number).calls -= 1;
            Outcome::Park(park)
        }
        Ok(Outcome::Done) => Outcome::Done,
        Err(error) => {
            cx.reply.truncate(start);
            cx.reply.error(&error);
            cx.server.stats.command(number).failed += 1;
            cx.server.stats.error(&error);
            Outcome::Done
        }
    }
}

/// Finds the row of a request: of its command, or of a container's subcommand.
pub fn resolve(table: &Table, argv: ArgvRef<'_>) -> Result<(u16, &'static Row), CommandError> {
    let name = argv.get(0).unwrap_or_default();
    let Some(number) = table.number(name) else {
        return Err(CommandError::unknown_command(name, argv.iter().skip(1)));
    };
    match (table.row(number), argv.get(1)) {
        (container, Some(word)) if !container.subcommands.is_empty() => {
            let sub = table.subcommand(number, word);
            let sub = sub.ok_or_else(|| CommandError::unknown_subcommand(container.name, word))?;
            Ok((sub, table.row(sub)))
        }
        (row, _) => Ok((number, row)),
    }
}

/// Writes a page of a walk: the next cursor, then the elements. The cursor is known only once the page is, so the page
/// waits in a buffer of its own; `fill` answers the cursor and how many elements it wrote.
fn write_page(reply: &mut Writer, fill: impl FnOnce(&mut Writer) -> (u64, usize)) {
    let mut page = Writer::new(reply.protocol());
    let (next, len) = fill(&mut page);
    reply.array(2);
    let mut cursor = Vec::new();
    write_unsigned(next, &mut cursor);
    reply.bulk(&cursor);
    reply.array(len);
    reply.append(&page);
}

/// Answers the HELP of a container, printed from its rows.
fn write_help(cx: &mut Cx<'_>, container: &str) -> Result<Outcome, CommandError> {
    let lines = find(container).map(docs::help_lines).unwrap_or_default();
    cx.reply.array(lines.len());
    lines.iter().for_each(|line| cx.reply.simple(line));
    Ok(Outcome::Done)
}
