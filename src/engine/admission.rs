//! Admission of a request through closed gates: what they refuse, queue or block. With open gates none of this runs.

use super::Engine;
use super::blocked_clients::BlockedCommand;
use super::execute::evict;
use super::gates::Gates;
use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::headroom::{OutOfMemory, ensure, ensure_reserve, try_reserve};
use crate::commands::{BlockOn, Request, Role, Row, flags, headroom_to_wait, may_write, unknown};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::{Client, ClientId, Queued, Transaction};
use crate::server::monitors;

/// Request of a client, and the gates that are closed to it.
pub(super) struct Admission<'a> {
    engine: &'a mut Engine,
    client: ClientId,
    request: Request<'a>,
    gates: Gates,
}

impl<'a> Admission<'a> {
    pub fn of(engine: &'a mut Engine, client: ClientId, request: Request<'a>, gates: Gates) -> Admission<'a> {
        Admission { engine, client, request, gates }
    }

    /// Handles the closed gates. Returns whether the handler runs now; otherwise the request was refused, queued or
    /// blocked.
    #[cold]
    pub fn admits(&mut self, (number, row): (u16, &'static Row), reply: &mut Writer) -> bool {
        if let Err(error) = self.check(row) {
            self.engine.server.stats.command(number).rejected += 1;
            self.refuse(error, reply);
            return false;
        }
        self.engine.note(self.client, row);
        let argv = self.request.argv;
        if self.gates.has(Gates::MONITORED) && !row.has(flags::ADMIN | flags::SKIP_MONITOR) {
            let Engine { clients, now, .. } = &mut *self.engine;
            monitors::show(clients, *now, self.client, monitors::Origin::Client, argv, row.role.secrets());
        }
        if self.gates.has(Gates::MULTI) && !row.has(flags::IMMEDIATE) {
            self.queue(number, reply);
            return false;
        }
        if let Some(until) = self.paused_until(row) {
            match headroom_to_wait(argv).map(drop) {
                Ok(()) => self.pause(number, argv, until),
                Err(OutOfMemory) => reply.error(&CommandError::OUT_OF_MEMORY.into()),
            }
            return false;
        }
        true
    }

    /// Checks authentication, memory, the store, subscriptions and the transaction of the client. Evicts keys if memory is
    /// over the limit.
    fn check(&mut self, row: &Row) -> Result<(), ErrorText> {
        let gates = self.gates;
        let is_unauthenticated = gates.has(Gates::UNAUTHENTICATED) && self.engine.server.settings.password_required;
        if is_unauthenticated && !row.has(flags::NO_AUTH) {
            return Err(CommandError::NO_AUTH.into());
        }
        if gates.has(Gates::OVER_LIMIT) && !gates.has(Gates::BUSY) {
            self.evict_to_limit(row)?;
        }
        if gates.has(Gates::STORE_FAILED) {
            self.check_store(row)?;
        }
        if gates.has(Gates::MULTI) && row.role == Role::DebugTool {
            self.engine.server.check_debug(self.engine.clients.get(self.client))?;
        }
        if gates.has(Gates::MULTI) && row.has(flags::NO_MULTI) {
            return Err(CommandError::NOT_IN_MULTI.into());
        }
        if gates.has(Gates::SUBSCRIBED) && !row.has(flags::TO_SUBSCRIBERS) {
            return Err(CommandError::SUBSCRIBED.of_command(row.name));
        }
        match self.engine.server.scripts.suspended.busy_error().filter(|_| !row.has(flags::ALLOW_BUSY)) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    fn transaction(&self) -> Option<&Transaction> {
        self.engine.clients.get(self.client)?.transaction.as_ref()
    }

    /// Frees memory to the limit before a command runs. If that fails, commands that grow memory are refused.
    fn evict_to_limit(&mut self, row: &Row) -> Result<(), CommandError> {
        if !self.engine.keyspace.is_over_limit() {
            return Ok(());
        }
        let grows = match self.transaction() {
            // Queueing takes memory, so in a transaction all commands but those that end it are refused.
            Some(_) if !row.has(flags::ENDS_MULTI) => true,
            Some(transaction) if row.has(flags::RUNS_QUEUE) => {
                transaction.queue.iter().any(|queued| self.engine.table.row(queued.command).grows_memory())
            }
            _ => row.grows_memory(),
        };
        if !evict(self.engine, grows) && grows {
            return Err(CommandError::OUT_OF_MEMORY);
        }
        Ok(())
    }

    /// Refuses a command that writes while the store fails or is read-only. Commands of health checks are refused while it
    /// fails.
    fn check_store(&self, row: &Row) -> Result<(), ErrorText> {
        let server = &self.engine.server;
        let mut queued = self.transaction().into_iter().flat_map(|transaction| &transaction.queue);
        let writes = match row.role {
            Role::HealthCheck => !server.saving.is_read_only,
            _ if row.has(flags::RUNS_QUEUE) => {
                queued.any(|queued| self.engine.table.row(queued.command).has(flags::WRITE))
            }
            _ => row.has(flags::WRITE),
        };
        if writes { server.store_error().map_or(Ok(()), Err) } else { Ok(()) }
    }

    /// Queues the command for EXEC.
    fn queue(&mut self, number: u16, reply: &mut Writer) {
        let (client, argv) = (self.engine.clients.get_mut(self.client), self.request.argv);
        let Some(transaction) = client.and_then(|client| client.transaction.as_mut()) else { return };
        let reserved = try_reserve(&mut transaction.queue, 1).and_then(|()| ensure(argv.copy_len()));
        if reserved.and_then(|()| ensure_reserve()).is_err() {
            transaction.aborted = true;
            return reply.error(&CommandError::OUT_OF_MEMORY.into());
        }
        transaction.queue.push(Queued { command: number, argv: argv.to_owned() });
        reply.simple("QUEUED");
    }

    /// End of CLIENT PAUSE, if the pause applies to the command.
    fn paused_until(&self, row: &Row) -> Option<Timestamp> {
        let engine = &self.engine;
        let pause = engine.server.pause.filter(|pause| pause.until > engine.now)?;
        let mut queued = self.transaction().into_iter().flat_map(|transaction| &transaction.queue);
        let writes = |row: &Row, argv| row.has(flags::WRITE) || may_write(&engine.server, row, argv);
        let writes = writes(row, self.request.argv)
            || queued.any(|queued| writes(engine.table.row(queued.command), queued.argv.as_ref()));
        (writes || !pause.writes_only).then_some(pause.until)
    }

    /// Blocks the command until the end of the pause.
    fn pause(&mut self, command: u16, argv: ArgvRef<'_>, until: Timestamp) {
        let (argv, since, block_on) = (argv.to_owned(), self.engine.now, BlockOn::timeout(Some(until)));
        let client = self.client;
        self.engine.enqueue(BlockedCommand { client, command, argv, block_on, since, paused: true });
    }

    /// Refuses an unknown command or a wrong number of arguments. An empty request is ignored.
    #[cold]
    pub fn refuse_unknown(&mut self, reply: &mut Writer) {
        if self.request.argv.is_empty() {
            return;
        }
        let error = match self.request.command {
            None => self.refused_debug().unwrap_or_else(|| unknown(&self.engine.table, self.request.argv)),
            Some((number, row)) => {
                self.engine.server.stats.command(number).rejected += 1;
                CommandError::WRONG_ARITY.of_command(row.name)
            }
        };
        self.refuse(error, reply);
    }

    /// The error for any subcommand of DEBUG, known or not, while the client may not use it.
    fn refused_debug(&self) -> Option<ErrorText> {
        let (engine, argv) = (&self.engine, self.request.argv);
        let container = argv.get(0).filter(|_| argv.len() > 1).and_then(|name| engine.table.number(name))?;
        let checked = engine.server.check_debug(engine.clients.get(self.client));
        checked.err().filter(|_| engine.table.row(container).role == Role::DebugTool).map(ErrorText::from)
    }

    /// Replies with an error instead of running the request. An error while queueing aborts the transaction; a refused
    /// EXEC ends it.
    fn refuse(&mut self, error: ErrorText, reply: &mut Writer) {
        let is_exec = self.request.command.is_some_and(|(_, row)| row.has(flags::RUNS_QUEUE));
        let error = match self.engine.clients.get_mut(self.client) {
            Some(client) if is_exec => {
                client.transaction = None;
                self.engine.keyspace.interest.unwatch(self.client);
                ErrorText::exec_refused(&error)
            }
            Some(Client { transaction: Some(transaction), .. }) => {
                transaction.aborted = true;
                error
            }
            _ => error,
        };
        self.engine.server.stats.error(&error);
        reply.error(&error);
    }
}
