//! The short way of the most frequent commands. A request passes many gates on its way to its handler: a queue, a pause,
//! a password, monitors, what is due, those who wait. Where none of them has anything to do for a client, they are asked
//! once and not for every command: nothing that runs here can change the answer.
//!
//! What a command does is the same typed operation its handler calls, counted in the same places. A gate that is added
//! to `execute` or `dispatch` is added to [`Engine::plain`] too; a test sends random commands both ways and compares.

use super::{ERROR_BYTES, Engine};
use crate::argv::{ArgvRef, Span};
use crate::client::{ClientId, ReplyMode};
use crate::command::Table;
use crate::keyspace::{Error, SetOptions, Space};
use crate::memory::make_room;
use crate::reply::error::CommandError;
use crate::reply::writer::{Protocol, Writer};
use crate::slab::OutOfMemory;

/// A client all of whose gates stand open, as long as only plain commands run and the time stands still.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    client: ClientId,
    database: u8,
    protocol: Protocol,
}

/// The commands that may run the short way; the numbers of their rows are looked up once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "wasm"), allow(dead_code))] // The rest is called by that face.
pub enum PlainRow {
    Get,
    Set,
    SetNx,
    Del,
    Exists,
    Incr,
    Expire,
    Ttl,
    MGet,
    MSet,
    DelEx,
    DelIfEq,
}

/// The most arguments of a plain request, its name among them.
const ARGUMENTS_MAX: usize = 3;
/// In the order of [`PlainRow`].
const NAMES: [&str; 12] =
    ["get", "set", "setnx", "del", "exists", "incr", "expire", "ttl", "mget", "mset", "delex", "delifeq"];

/// The numbers of those rows.
#[derive(Clone, Debug)]
pub(super) struct PlainRows([u16; NAMES.len()]);

impl PlainRows {
    pub(super) fn new(table: &Table) -> PlainRows {
        // A test holds every name against the table.
        PlainRows(NAMES.map(|name| table.number(name.as_bytes()).unwrap_or_default()))
    }

    fn number(&self, row: PlainRow) -> u16 {
        self.0[row as usize]
    }
}

/// A request as a stream brings it, when it is one of the two that make up most of them.
#[derive(Clone, Copy, Debug)]
pub enum PlainRequest<'a> {
    Get(&'a [u8]),
    Set(&'a [u8], &'a [u8]),
}

impl<'a> PlainRequest<'a> {
    #[inline(always)]
    pub fn of(argv: ArgvRef<'a>) -> Option<PlainRequest<'a>> {
        let &[first, second, third] = argv.get(0)? else { return None };
        // Exact for letters: nothing else becomes one by this bit.
        match ([first | 0x20, second | 0x20, third | 0x20], argv.len()) {
            ([b'g', b'e', b't'], 2) => Some(PlainRequest::Get(argv.get(1)?)),
            ([b's', b'e', b't'], 3) => Some(PlainRequest::Set(argv.get(1)?, argv.get(2)?)),
            _ => None,
        }
    }
}

impl Plain {
    #[inline(always)]
    pub fn client(&self) -> ClientId {
        self.client
    }
}

impl Engine {
    /// Whether a client's commands may go the short way now.
    pub fn plain(&self, id: ClientId) -> Option<Plain> {
        let client = self.clients.get(id)?;
        let may_send = !client.closing
            && !client.is_parked()
            && !client.in_transaction()
            && !client.no_touch
            && client.reply_mode == ReplyMode::On
            && (client.authenticated || !self.server.settings.password_required)
            && (client.protocol == Protocol::Resp3 || !client.is_subscribed());
        // What is published or tracked has to be handed out after each command.
        let keyspace = &self.keyspace;
        let nobody_watches =
            !self.server.monitored && !keyspace.events.are_published() && keyspace.interest.tracking.is_idle();
        let is_plain = may_send && nobody_watches && !keyspace.is_limited() && !self.is_something_due();
        is_plain.then_some(Plain { client: id, database: client.database, protocol: client.protocol })
    }

    /// Runs a request the short way and answers the number of its row.
    pub fn run_plain(&mut self, plain: Plain, request: PlainRequest<'_>, out: &mut alloc::vec::Vec<u8>) -> u16 {
        if make_room(out, ERROR_BYTES).is_err() {
            // Not even an error can be answered.
            self.clients.close(plain.client);
        }
        let start = out.len();
        let mut reply = Writer::appending_to(core::mem::take(out), plain.protocol);
        let (number, result) = match request {
            PlainRequest::Get(key) => self.operate(plain, PlainRow::Get, key.len(), |space| {
                reply.optional_bulk(space.get(key)?);
                Ok(reply.check()?)
            }),
            PlainRequest::Set(key, value) => self.operate(plain, PlainRow::Set, key.len() + value.len(), |space| {
                space.set(key, value, &SetOptions::default())?;
                reply.ok();
                Ok(())
            }),
        };
        if let Err(error) = result {
            reply.truncate(start);
            reply.take_failure();
            reply.error(&error);
        }
        *out = reply.into_bytes();
        self.ran = Some(number);
        number
    }

    /// Runs one operation as the command of a row, with arguments of so many bytes: counted, and its effects closed as one unit.
    #[inline(always)]
    pub fn operate<T>(
        &mut self,
        plain: Plain,
        row: PlainRow,
        bytes: usize,
        operation: impl FnOnce(&mut Space<'_>) -> Result<T, Error>,
    ) -> (u16, Result<T, CommandError>) {
        let number = self.plain_rows.number(row);
        self.ran = Some(number);
        self.server.stats.commands_processed += 1;
        self.server.stats.command(number).calls += 1;
        if let Some(client) = self.clients.get_mut(plain.client) {
            client.last_command = NAMES[row as usize];
            client.last_command_at = self.now;
        }
        let room = self.keyspace.ensure_room(ARGUMENTS_MAX, bytes + ARGUMENTS_MAX * core::mem::size_of::<Span>());
        let result = match room {
            Ok(()) => operation(&mut self.keyspace.at(plain.database, self.now)),
            Err(OutOfMemory) => Err(Error::OutOfMemory),
        };
        self.keyspace.effects.end_unit();
        (number, result.map_err(|error| self.fail(number, error)))
    }

    /// Counts a command that ran and failed.
    #[cold]
    fn fail(&mut self, number: u16, error: Error) -> CommandError {
        let error = CommandError::from(error);
        self.server.stats.command(number).failed += 1;
        self.server.stats.error(&error);
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_found_by_their_names() {
        let table = Table::new();
        for name in NAMES {
            assert_eq!(table.number(name.as_bytes()).map(|number| table.row(number).name), Some(name));
        }
    }
}
