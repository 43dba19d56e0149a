//! Context of a handler: the state of the engine, the client and the reply. The types of rows with such handlers are here, too:
//! the context knows the table.

use alloc::boxed::Box;

use super::outcome::{BlockOn, Blocking, Resumed};
use super::table::args::Args;
use super::table::{command_table, row};
use crate::base::clock::Timestamp;
use crate::keyspace::{Keyspace, Txn};
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::server::Server;
use crate::server::clients::{Client, ClientId, Clients};
use crate::server::scripts::suspended::Suspended;

/// Row of a command that runs on a [`Context`].
pub type Row = row::Row<Handler>;

/// Table of all commands.
pub type CommandTable = command_table::CommandTable<Handler>;

/// Function that runs a command.
pub type Handler = fn(&mut Context<'_>, &mut Args<'_>) -> Reply;

/// Result of a handler. `Ok`: the reply is written, or the client is to be blocked ([`Context::block_on`]).
/// `Err`: the error becomes the reply.
pub type Reply = Result<(), CommandError>;

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
