//! From a request to its handler: the one gate every command of a client passes.

use super::Engine;
use crate::argv::ArgvRef;
use crate::client::{Client, ClientId, Queued};
use crate::command::{Cx, Outcome, Request, Row, Waiting, call, flags, unknown};
use crate::memory::{ensure, ensure_reserve, make_room};
use crate::reply::error::{CommandError, ErrorText};
use crate::reply::writer::{Protocol, Writer};
use crate::server::Settings;
use crate::slab::OutOfMemory;

impl Engine {
    pub(super) fn dispatch(&mut self, client: ClientId, request: Request<'_>, reply: &mut Writer) {
        let argv = request.argv;
        let (number, row) = match self.admit(client, request) {
            Ok(admitted) => admitted,
            Err(error) => {
                let error = self.refuse(client, argv, error);
                self.server.stats.error(&error);
                reply.error(&error);
                return;
            }
        };
        self.note(client, row, argv);
        if let Some(transaction) = self.clients.get_mut(client).and_then(|client| client.transaction.as_mut())
            && !row.has(flags::IMMEDIATE)
        {
            let room = make_room(&mut transaction.queue, 1).and_then(|()| ensure(argv.copy_len()));
            if room.and_then(|()| ensure_reserve()).is_err() {
                let error = self.refuse(client, argv, CommandError::OUT_OF_MEMORY.into());
                return reply.error(&error);
            }
            transaction.queue.push(Queued { command: number, argv: argv.to_owned() });
            return reply.simple("QUEUED");
        }
        if let Some(until) = self.paused_until(client, row) {
            match self.ensure_room_to_wait(argv) {
                Ok(()) => self.pause(client, number, argv, until),
                Err(OutOfMemory) => reply.error(&CommandError::OUT_OF_MEMORY.into()),
            }
            return;
        }
        let Engine { keyspace, clients, server, table, now, .. } = self;
        let waiting = Waiting::Allowed;
        let mut cx = Cx { keyspace, clients, server, table, client, now: *now, waiting, park: None, reply };
        let outcome = call(&mut cx, number, argv);
        self.ran = Some(number);
        if let Outcome::Park(park) = outcome {
            match self.ensure_room_to_wait(argv) {
                Ok(()) => self.park(client, number, argv, park),
                Err(OutOfMemory) => reply.error(&CommandError::OUT_OF_MEMORY.into()),
            }
        }
    }

    /// Whether the request may run or be queued at all.
    fn admit(&mut self, client: ClientId, request: Request<'_>) -> Result<(u16, &'static Row), ErrorText> {
        let argv = request.argv;
        let (number, row) = request.command.ok_or_else(|| unknown(&self.table, argv))?;
        let rejection = match self.clients.get(client) {
            _ if !row.accepts(argv.len()) => Some(CommandError::WRONG_ARITY),
            Some(sender) => knows_password(sender, row, &self.server.settings)
                .and_then(|()| self.make_room(client, row))
                .and_then(|()| self.clients.get(client).map_or(Ok(()), |sender| may_send(sender, row)))
                .err(),
            None => Some(CommandError::NO_AUTH),
        };
        match rejection {
            None => Ok((number, row)),
            Some(error) => {
                self.server.stats.command(number).rejected += 1;
                Err(error.of_command(row.name))
            }
        }
    }

    /// Keeps memory within its limit before a command runs, and refuses those that would grow it when that fails.
    fn make_room(&mut self, client: ClientId, row: &Row) -> Result<(), CommandError> {
        if !self.keyspace.is_over_limit() {
            return Ok(());
        }
        let transaction = self.clients.get(client).and_then(|client| client.transaction.as_ref());
        let grows = match transaction {
            // Queueing takes memory too, so in a transaction everything is refused but its end.
            Some(_) if !ENDS_TRANSACTION.contains(&row.name) => true,
            Some(transaction) if row.name == "exec" => {
                transaction.queue.iter().any(|queued| self.table.row(queued.command).has(flags::DENYOOM))
            }
            _ => row.has(flags::DENYOOM),
        };
        if !self.keyspace.make_room(grows, self.now) && grows {
            return Err(CommandError::OUT_OF_MEMORY);
        }
        Ok(())
    }

    /// A request refused while queueing spoils the transaction; an EXEC refused for its arguments ends it.
    fn refuse(&mut self, client: ClientId, argv: ArgvRef<'_>, error: ErrorText) -> ErrorText {
        let is_exec = argv.get(0).is_some_and(|name| name.eq_ignore_ascii_case(b"exec"));
        let Some(client_state) = self.clients.get_mut(client) else { return error };
        if is_exec {
            client_state.transaction = None;
            self.keyspace.interest.unwatch(client);
            return ErrorText::exec_refused(&error);
        }
        if let Some(transaction) = client_state.transaction.as_mut() {
            transaction.aborted = true;
        }
        error
    }

    /// What CLIENT LIST, INFO and MONITOR know of the request.
    fn note(&mut self, client: ClientId, row: &'static Row, argv: ArgvRef<'_>) {
        self.server.stats.commands_processed += 1;
        if let Some(client) = self.clients.get_mut(client) {
            client.last_command = row.name;
            client.last_command_at = self.now;
        }
        if self.server.monitored && !row.has(flags::ADMIN | flags::SKIP_MONITOR) {
            self.show_monitors(client, argv);
        }
    }

    /// Until when the command has to wait for the end of CLIENT PAUSE.
    fn paused_until(&self, client: ClientId, row: &Row) -> Option<crate::clock::Timestamp> {
        let pause = self.server.pause.filter(|pause| pause.until > self.now)?;
        let transaction = self.clients.get(client).and_then(|client| client.transaction.as_ref());
        let queued = transaction.into_iter().flat_map(|transaction| &transaction.queue);
        let writes =
            row.has(flags::WRITE) || queued.into_iter().any(|queued| self.table.row(queued.command).has(flags::WRITE));
        (writes || !pause.writes_only).then_some(pause.until)
    }
}

/// What may be sent between MULTI and EXEC while there is no memory.
const ENDS_TRANSACTION: &[&str] = &["exec", "discard", "quit", "reset"];

/// The gate for access control: a password where one is asked for.
fn knows_password(client: &Client, row: &Row, settings: &Settings) -> Result<(), CommandError> {
    let passes = !settings.password_required || client.authenticated || row.has(flags::NO_AUTH);
    if passes { Ok(()) } else { Err(CommandError::NO_AUTH) }
}

/// What a RESP2 subscriber may send.
fn may_send(client: &Client, row: &Row) -> Result<(), CommandError> {
    let restricted = client.protocol == Protocol::Resp2 && client.is_subscribed();
    let allowed = |name: &str| name.ends_with("subscribe") || matches!(name, "ping" | "quit" | "reset");
    if restricted && !allowed(row.name) { Err(CommandError::SUBSCRIBED) } else { Ok(()) }
}
