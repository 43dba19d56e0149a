//! The engine as everybody outside it holds it, with the short way of the most frequent commands in front. A request passes
//! many gates on its way to its handler: a queue, a pause, a password, monitors, what is due, those who wait. Where none of
//! them has anything to do for a client, they are asked once and not for every command: the way stays open for that client
//! until something else than plain operations may have changed an answer.
//!
//! Nobody can forget to close it, because nobody else has the engine to change: [`Guarded::engine_mut`] closes the way
//! first. The few methods here that do not say why they need not.
//!
//! What a command does is the same typed operation its handler calls, counted in the same places; counts are kept aside
//! while the way is open. A gate that is added to `execute` or `dispatch` is added to [`Engine::passes`] too; a test sends
//! random commands both ways and compares.

use alloc::vec::Vec;

use super::plain::{PlainRow, ROWS};
use super::run::Replies;
use super::{ERROR_BYTES, Engine};
use crate::client::{Client, ClientId, ReplyMode};
use crate::clock::Timestamp;
use crate::keyspace::{Db, Error, Event, Extent, SetOptions, Space};
use crate::memory::{is_reserve_whole, make_room};
use crate::reply::error::CommandError;
use crate::reply::writer::{Protocol, Writer};
use crate::request::PlainRequest;

/// The most arguments of a plain request, its name among them.
const ARGUMENTS_MAX: usize = 3;

/// How large a plain request is at most.
#[inline(always)]
pub(super) fn plain_extent(key: &[u8], value: &[u8]) -> Extent {
    let name = Extent::of_names(ARGUMENTS_MAX, key.len());
    Extent { bytes: name.bytes + value.len(), ..name }
}

#[derive(Clone, Debug)]
pub struct Guarded {
    pub(super) engine: Engine,
    pub(super) way: ShortWay,
    pub(super) replies: Replies,
    /// For the test that compares both ways.
    #[cfg(test)]
    pub(crate) stays_closed: bool,
}

/// What was found out when the way was opened, and what was counted since.
#[derive(Clone, Debug, Default)]
pub(super) struct ShortWay {
    /// Who may go it; nobody while it is closed.
    client: Option<ClientId>,
    pub(super) database: u8,
    pub(super) protocol: Protocol,
    /// Some key of another database has a deadline.
    others_are_timed: bool,
    /// Nobody takes, watches or tracks anything: changes need not be told.
    pub(super) is_quiet: bool,
    /// How often each command ran, and which did last.
    pub(super) calls: [u64; ROWS],
    pub(super) last: Option<PlainRow>,
}

impl Guarded {
    pub fn new(seed: u64) -> Guarded {
        Guarded {
            engine: Engine::new(seed),
            way: ShortWay::default(),
            replies: Replies::default(),
            #[cfg(test)]
            stays_closed: false,
        }
    }

    /// For looking only. What was counted on the short way and is not entered yet: calls of commands, and what a client
    /// sent last.
    #[inline(always)]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// For whatever is no plain operation: closes the short way.
    pub fn engine_mut(&mut self) -> &mut Engine {
        if self.way.client.is_some() {
            self.close();
        }
        &mut self.engine
    }

    // --- What is changed here is asked by no gate, and read by nothing that runs on the short way.

    pub fn take_affected(&mut self) -> Vec<ClientId> {
        self.engine.clients.take_affected()
    }

    pub fn take_configured(&mut self) -> bool {
        core::mem::take(&mut self.engine.server.configured)
    }

    pub fn take_events(&mut self) -> Vec<Event> {
        self.engine.keyspace.events.take()
    }

    pub fn take_effects(&mut self) -> Vec<u8> {
        let now = self.engine.now;
        self.engine.keyspace.effects.take(now)
    }

    pub fn took_together(&mut self, number: u16, count: u32, elapsed_us: u64) {
        self.engine.server.stats.took(number, count, elapsed_us);
    }

    // --- The short way.

    /// See [`Engine::ran`].
    pub fn ran(&self) -> Option<u16> {
        match self.way.last {
            Some(row) => Some(self.engine.plain_rows.number(row)),
            None => self.engine.ran(),
        }
    }

    /// Whether any key has a deadline, or something is due: plain commands have to know the time then.
    #[inline(always)]
    pub fn is_timed(&self) -> bool {
        if self.way.client.is_none() {
            return self.engine.is_timed();
        }
        let db = self.engine.keyspace.database(self.way.database);
        self.way.others_are_timed || db.is_timed() || db.has_remains()
    }

    /// Moves to another instant, at which another key may be due.
    #[inline(always)]
    pub fn set_now(&mut self, now: Timestamp) {
        if now != self.engine.now || self.engine.server.started_at.is_none() {
            self.engine_mut().set_now(now);
        }
    }

    /// Whether a client may go the short way now: opens it, if so.
    #[inline(always)]
    pub fn admits(&mut self, client: ClientId) -> bool {
        // At a fixed instant plain operations make nothing due but the memory of what they delete.
        (self.way.client == Some(client) && is_reserve_whole() && !self.has_remains()) || self.open(client)
    }

    /// Whether an operation left memory to be given back.
    #[inline(always)]
    pub(super) fn has_remains(&self) -> bool {
        self.engine.keyspace.database(self.way.database).has_remains()
    }

    #[inline(never)]
    fn open(&mut self, id: ClientId) -> bool {
        #[cfg(test)]
        if self.stays_closed {
            return false;
        }
        let engine = self.engine_mut();
        if !engine.passes(id) {
            return false;
        }
        let Some(&Client { database, protocol, .. }) = engine.clients.get(id) else { return false };
        let keyspace = &mut engine.keyspace;
        keyspace.at(database, engine.now);
        let is_timed_other = |(other, db): (u8, &Db)| other != database && db.is_timed();
        let others_are_timed = keyspace.databases().any(is_timed_other);
        let is_quiet = keyspace.is_quiet();
        self.way = ShortWay { client: Some(id), database, protocol, others_are_timed, is_quiet, ..ShortWay::default() };
        true
    }

    /// Enters what was counted.
    #[inline(never)]
    fn close(&mut self) {
        let ShortWay { client, calls, last, .. } = core::mem::take(&mut self.way);
        let (Some(client), Some(last)) = (client, last) else { return };
        let Engine { server, plain_rows, clients, ran, now, .. } = &mut self.engine;
        for (row, calls) in calls.into_iter().enumerate().filter(|(_, calls)| *calls > 0) {
            server.stats.commands_processed += calls;
            server.stats.command(plain_rows.at(row)).calls += calls;
        }
        *ran = Some(plain_rows.number(last));
        if let Some(client) = clients.get_mut(client) {
            (client.last_command, client.last_command_at) = (last.name(), *now);
        }
    }

    /// Runs a request of the client who was admitted and answers the number of its row; nothing is done when there is
    /// no memory to answer an error.
    pub fn run_plain(&mut self, request: PlainRequest<'_>, out: &mut Vec<u8>) -> Option<u16> {
        make_room(out, ERROR_BYTES).ok()?;
        let start = out.len();
        let mut reply = Writer::appending_to(core::mem::take(out), self.way.protocol);
        let (row, result) = match request {
            PlainRequest::Get(key) => {
                let got = self.operate_sized(PlainRow::Get, plain_extent(key, b""), |space| {
                    reply.optional_bulk(space.get(key)?);
                    Ok(reply.check()?)
                });
                (PlainRow::Get, got)
            }
            PlainRequest::Set(key, value) => {
                let set = self.operate_sized(PlainRow::Set, plain_extent(key, value), |space| {
                    space.set(key, value, &SetOptions::default())?;
                    reply.ok();
                    Ok(())
                });
                (PlainRow::Set, set)
            }
        };
        if let Err(error) = result {
            reply.truncate(start);
            reply.take_failure();
            reply.error(&error.into());
        }
        *out = reply.into_bytes();
        Some(self.engine.plain_rows.number(row))
    }

    /// Runs one operation of the client who was admitted as the command of a row, with arguments of so many bytes: counted,
    /// and its effects closed as one unit.
    #[inline(always)]
    pub fn operate<T>(
        &mut self,
        row: PlainRow,
        bytes: usize,
        operation: impl FnOnce(&mut Space<'_>) -> Result<T, Error>,
    ) -> Result<T, CommandError> {
        self.operate_sized(row, Extent::of_names(ARGUMENTS_MAX, bytes), operation)
    }

    /// As [`Guarded::operate`], where keys and values are told apart.
    #[inline(always)]
    fn operate_sized<T>(
        &mut self,
        row: PlainRow,
        request: Extent,
        operation: impl FnOnce(&mut Space<'_>) -> Result<T, Error>,
    ) -> Result<T, CommandError> {
        self.way.calls[row as usize] += 1;
        self.way.last = Some(row);
        let ShortWay { database, is_quiet, .. } = self.way;
        let mut space = self.engine.keyspace.at_rest(database, self.engine.now, is_quiet);
        space.as_unit(request, operation).map_err(|error| self.fail(row, error))
    }

    /// Counts commands of the client who was admitted, and the keys they found, that did nothing else.
    #[cfg_attr(not(feature = "wasm"), allow(dead_code))] // Called by that face.
    pub fn repeated(&mut self, row: PlainRow, calls: u64, hits: u64) {
        if calls > 0 {
            debug_assert!(self.way.client.is_some(), "only what was answered the short way is repeated");
            self.way.calls[row as usize] += calls;
            self.way.last = Some(row);
            self.engine.keyspace.counts.hits += hits;
        }
    }

    /// Counts a command that ran and failed.
    #[cold]
    fn fail(&mut self, row: PlainRow, error: Error) -> CommandError {
        let error = CommandError::from(error);
        let Engine { server, plain_rows, .. } = &mut self.engine;
        server.stats.command(plain_rows.number(row)).failed += 1;
        server.stats.error(&error.into());
        error
    }
}

impl Engine {
    /// Whether every gate stands open for a client's plain commands, as long as nothing else runs and the time stands
    /// still.
    fn passes(&self, id: ClientId) -> bool {
        let Some(client) = self.clients.get(id) else { return false };
        let settings = &self.server.settings;
        let may_send = !client.closing
            && !client.is_parked()
            && !client.in_transaction()
            && !client.no_touch
            && client.reply_mode == ReplyMode::On
            && (client.authenticated || !settings.password_required)
            && (client.protocol == Protocol::Resp3 || !client.is_subscribed());
        // What is published or tracked has to be handed out after each command.
        let keyspace = &self.keyspace;
        let nobody_watches =
            !self.server.monitored && !keyspace.events.are_published() && keyspace.interest.tracking.is_idle();
        let has_room = is_reserve_whole() && !keyspace.is_limited();
        may_send && nobody_watches && has_room && !settings.measures_each() && !self.is_something_due()
    }
}
