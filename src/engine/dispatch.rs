//! Dispatch of a request to its handler, through the gates.

use super::Engine;
use super::execute::evict;
use super::gates::Gates;
use super::handler::Run;
use super::saves::check_store;
use alloc::boxed::Box;

use crate::base::argv::ArgvRef;
use crate::base::headroom::{OutOfMemory, ensure, ensure_reserve, try_reserve};
use crate::commands::{Blocking, Outcome, Request, Role, Row, flags, unknown};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::{Client, ClientId, Queued};
use crate::server::scripts::suspended::Suspended;

impl Engine {
    /// Runs the handler of a request, unless a closed gate refuses, queues or blocks it. Returns a script that was left, with
    /// the number of the command.
    pub(super) fn dispatch(
        &mut self,
        id: ClientId,
        request: Request<'_>,
        gates: Gates,
        reply: &mut Writer,
    ) -> Option<(u16, Box<Suspended>)> {
        let argv = request.argv;
        let Some((number, row)) = request.command.filter(|(_, row)| row.accepts(argv.len())) else {
            refuse_unknown(self, id, request, reply);
            return None;
        };
        if gates.is_open() {
            self.note(id, row);
        } else if !self.passes(id, (number, row), argv, gates, reply) {
            return None;
        }
        // A script that is suspended keeps its request.
        let may_suspend = !row.has(flags::RUNS_SCRIPT) || ensure(argv.copy_len()).is_ok();
        let slice = self.slices.of_request(&self.server.scripts.suspended).filter(|_| may_suspend);
        let run = Run { client: id, blocking: Blocking::Allowed, resumed: None, slice };
        let outcome = run.call(self, number, argv, reply);
        self.ran = Some(number);
        match outcome {
            Outcome::Done => {}
            Outcome::Block(block_on) => match self.reserve_headroom_to_wait(argv) {
                Ok(()) => self.block(id, number, argv, block_on),
                Err(OutOfMemory) => reply.error(&CommandError::OUT_OF_MEMORY.into()),
            },
            Outcome::Suspend(mut suspended) => {
                self.ran = None;
                suspended.script.get_or_insert_with(|| Queued { command: number, argv: argv.to_owned() });
                return Some((number, suspended));
            }
        }
        None
    }

    /// Handles the closed gates. Returns whether the handler runs now; otherwise the request was refused, queued or
    /// blocked.
    #[cold]
    fn passes(
        &mut self,
        id: ClientId,
        (number, row): (u16, &'static Row),
        argv: ArgvRef<'_>,
        gates: Gates,
        reply: &mut Writer,
    ) -> bool {
        if let Err(error) = self.check(id, row, gates) {
            self.server.stats.command(number).rejected += 1;
            self.refuse(id, Some(row), error, reply);
            return false;
        }
        self.note(id, row);
        if gates.has(Gates::MONITORED) && !row.has(flags::ADMIN | flags::SKIP_MONITOR) {
            self.show_monitors(id, row, argv);
        }
        if gates.has(Gates::MULTI) && !row.has(flags::IMMEDIATE) {
            self.queue(id, number, argv, reply);
            return false;
        }
        if let Some(until) = self.paused_until(id, row, argv) {
            match self.reserve_headroom_to_wait(argv) {
                Ok(()) => self.pause(id, number, argv, until),
                Err(OutOfMemory) => reply.error(&CommandError::OUT_OF_MEMORY.into()),
            }
            return false;
        }
        true
    }

    /// Checks authentication, memory, the store, subscriptions and the transaction of the client. Evicts keys if memory is
    /// over the limit.
    fn check(&mut self, id: ClientId, row: &Row, gates: Gates) -> Result<(), ErrorText> {
        let is_unauthenticated = gates.has(Gates::UNAUTHENTICATED) && self.server.settings.password_required;
        if is_unauthenticated && !row.has(flags::NO_AUTH) {
            return Err(CommandError::NO_AUTH.into());
        }
        if gates.has(Gates::OVER_LIMIT) && !gates.has(Gates::BUSY) {
            self.evict_to_limit(id, row)?;
        }
        if gates.has(Gates::STORE_FAILED) {
            check_store(self, id, row)?;
        }
        if gates.has(Gates::MULTI) && row.role == Role::DebugTool {
            self.server.check_debug(self.clients.get(id))?;
        }
        if gates.has(Gates::MULTI) && row.has(flags::NO_MULTI) {
            return Err(CommandError::NOT_IN_MULTI.into());
        }
        if gates.has(Gates::SUBSCRIBED) && !row.has(flags::TO_SUBSCRIBERS) {
            return Err(CommandError::SUBSCRIBED.of_command(row.name));
        }
        match self.server.scripts.suspended.busy_error().filter(|_| !row.has(flags::ALLOW_BUSY)) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Queues a command for EXEC.
    fn queue(&mut self, id: ClientId, number: u16, argv: ArgvRef<'_>, reply: &mut Writer) {
        let Some(transaction) = self.clients.get_mut(id).and_then(|client| client.transaction.as_mut()) else { return };
        let room = try_reserve(&mut transaction.queue, 1).and_then(|()| ensure(argv.copy_len()));
        if room.and_then(|()| ensure_reserve()).is_err() {
            transaction.aborted = true;
            return reply.error(&CommandError::OUT_OF_MEMORY.into());
        }
        transaction.queue.push(Queued { command: number, argv: argv.to_owned() });
        reply.simple("QUEUED");
    }

    /// Frees memory to the limit before a command runs. If that fails, commands that grow memory are refused.
    fn evict_to_limit(&mut self, client: ClientId, row: &Row) -> Result<(), CommandError> {
        if !self.keyspace.is_over_limit() {
            return Ok(());
        }
        let transaction = self.clients.get(client).and_then(|client| client.transaction.as_ref());
        let grows = match transaction {
            // Queueing takes memory, so in a transaction all commands but those that end it are refused.
            Some(_) if !row.has(flags::ENDS_MULTI) => true,
            Some(transaction) if row.has(flags::RUNS_QUEUE) => {
                transaction.queue.iter().any(|queued| self.table.row(queued.command).grows_memory())
            }
            _ => row.grows_memory(),
        };
        if !evict(self, grows) && grows {
            return Err(CommandError::OUT_OF_MEMORY);
        }
        Ok(())
    }

    /// Replies with an error instead of running a request. An error while queueing aborts the transaction; a refused
    /// EXEC ends it.
    fn refuse(&mut self, id: ClientId, row: Option<&Row>, error: ErrorText, reply: &mut Writer) {
        let is_exec = row.is_some_and(|row| row.has(flags::RUNS_QUEUE));
        let error = match self.clients.get_mut(id) {
            Some(client) if is_exec => {
                client.transaction = None;
                self.keyspace.interest.unwatch(id);
                ErrorText::exec_refused(&error)
            }
            Some(Client { transaction: Some(transaction), .. }) => {
                transaction.aborted = true;
                error
            }
            _ => error,
        };
        self.server.stats.error(&error);
        reply.error(&error);
    }

    /// Records the command for CLIENT LIST and INFO.
    #[inline(always)]
    fn note(&mut self, id: ClientId, row: &'static Row) {
        self.server.stats.commands_processed += 1;
        if let Some(client) = self.clients.get_mut(id) {
            client.last_command = row.name;
            client.last_command_at = self.now;
        }
    }
}

/// Refuses an unknown command or a wrong number of arguments. An empty request is ignored.
#[cold]
fn refuse_unknown(engine: &mut Engine, id: ClientId, request: Request<'_>, reply: &mut Writer) {
    if request.argv.is_empty() {
        return;
    }
    let error = match request.command {
        None => refused_debug(engine, id, request.argv).unwrap_or_else(|| unknown(&engine.table, request.argv)),
        Some((number, row)) => {
            engine.server.stats.command(number).rejected += 1;
            CommandError::WRONG_ARITY.of_command(row.name)
        }
    };
    engine.refuse(id, request.command.map(|(_, row)| row), error, reply);
}

/// The error for any subcommand of DEBUG, known or not, while the client may not use it.
fn refused_debug(engine: &Engine, id: ClientId, argv: ArgvRef<'_>) -> Option<ErrorText> {
    let container = argv.get(0).filter(|_| argv.len() > 1).and_then(|name| engine.table.number(name))?;
    let checked = engine.server.check_debug(engine.clients.get(id));
    checked.err().filter(|_| engine.table.row(container).role == Role::DebugTool).map(ErrorText::from)
}
