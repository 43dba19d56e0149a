//! From a request to its handler: the one gate every command of a client passes.

use super::Engine;
use crate::argv::ArgvRef;
use crate::client::{Client, ClientId, Queued};
use crate::command::{Cx, Outcome, Row, Waiting, call, flags, resolve};
use crate::reply::error::CommandError;
use crate::reply::writer::Writer;

impl Engine {
    pub(super) fn dispatch(&mut self, client: ClientId, argv: ArgvRef<'_>, reply: &mut Writer) {
        let (number, row) = match self.admit(client, argv) {
            Ok(admitted) => admitted,
            Err(error) => {
                let error = self.refuse(client, argv, error);
                reply.error(&error);
                return;
            }
        };
        if let Some(transaction) = self.clients.get_mut(client).and_then(|client| client.transaction.as_mut())
            && !row.has(flags::IMMEDIATE)
        {
            transaction.queue.push(Queued { command: number, argv: argv.to_owned() });
            reply.simple("QUEUED");
            return;
        }
        let Engine { keyspace, clients, server, table, now, .. } = self;
        let mut cx = Cx { keyspace, clients, server, table, client, now: *now, waiting: Waiting::Allowed, reply };
        let outcome = call(&mut cx, row, argv);
        self.follow_protocol(client, reply);
        if let Outcome::Park(park) = outcome {
            self.park(client, number, argv, park);
        }
    }

    /// Whether the request may run or be queued at all.
    fn admit(&self, client: ClientId, argv: ArgvRef<'_>) -> Result<(u16, &'static Row), CommandError> {
        let (number, row) = resolve(&self.table, argv)?;
        match self.clients.get(client) {
            Some(client) if permits(client, row, argv) => Ok((number, row)),
            _ => Err(CommandError::NO_PERMISSION),
        }
    }

    /// A request refused while queueing spoils the transaction; an EXEC refused for its arguments ends it.
    fn refuse(&mut self, client: ClientId, argv: ArgvRef<'_>, error: CommandError) -> CommandError {
        let is_exec = argv.get(0).is_some_and(|name| name.eq_ignore_ascii_case(b"exec"));
        let Some(client_state) = self.clients.get_mut(client) else { return error };
        if is_exec {
            client_state.transaction = None;
            self.keyspace.interest.unwatch(client);
            return CommandError::exec_refused(&error);
        }
        if let Some(transaction) = client_state.transaction.as_mut() {
            transaction.aborted = true;
        }
        error
    }

    /// A command may have changed the client's protocol: the next reply speaks it.
    fn follow_protocol(&self, client: ClientId, reply: &mut Writer) {
        if let Some(client) = self.clients.get(client) {
            reply.set_protocol(client.protocol);
        }
    }
}

/// The gate for access control. Everybody may do everything until there are users.
fn permits(_client: &Client, _row: &Row, _argv: ArgvRef<'_>) -> bool {
    true
}
