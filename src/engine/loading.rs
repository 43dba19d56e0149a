//! Load mode: the commands of a log run one after another as they are, while nothing expires, nobody is woken and
//! nothing is recorded or counted.

use super::Engine;
use crate::argv::ArgvRef;
use crate::client::ClientId;
use crate::clock::Timestamp;
use crate::command::{Args, Cx, Row, Waiting, resolve};
use crate::keyspace::{Counts, Keyspace};
use crate::reply::error::CommandError;
use crate::reply::writer::{Protocol, Writer};

/// What load mode needs and what it puts back.
#[derive(Debug)]
pub struct Loading {
    /// The commands' own client.
    client: ClientId,
    counts: Counts,
}

impl Engine {
    /// The row a request means, when it exists and has the right arity.
    pub fn row(&self, argv: ArgvRef<'_>) -> Result<&'static Row, CommandError> {
        let (_, row) = resolve(&self.table, argv)?;
        if row.accepts(argv.len()) { Ok(row) } else { Err(CommandError::wrong_arity(row.name)) }
    }

    pub fn begin_loading(&mut self) -> Loading {
        self.keyspace.set_loading(true);
        Loading { client: self.clients.connect_private(), counts: self.keyspace.counts }
    }

    /// Runs one command in load mode, past the gates that are for clients: passwords, pauses, statistics.
    pub fn apply(&mut self, loading: &Loading, argv: ArgvRef<'_>) -> Result<(), CommandError> {
        let row = self.row(argv)?;
        let (client, waiting, reply) = (loading.client, Waiting::Denied, &mut Writer::new(Protocol::Resp2));
        let Engine { keyspace, clients, server, table, now, .. } = self;
        let mut cx = Cx { keyspace, clients, server, table, client, now: *now, waiting, reply };
        let outcome = (row.handler)(&mut cx, &mut Args::new(argv, row.words()));
        self.keyspace.effects.end_unit();
        outcome.map(drop)
    }

    /// Ends load mode. What became due meanwhile is removed by the next sweep, and who waits for a loaded key is woken
    /// by the next command or tick.
    pub fn end_loading(&mut self, loading: Loading) {
        self.disconnect(loading.client);
        self.keyspace.counts = loading.counts;
        self.keyspace.set_loading(false);
    }

    /// Moves to an instant that was read, which is no step of the clock.
    pub fn resume_at(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Puts a loaded keyspace in the place of this one.
    pub fn take_over(&mut self, keyspace: Keyspace, written_at: Option<Timestamp>) {
        self.keyspace.replace_with(keyspace);
        self.now = written_at.map_or(self.now, |instant| instant.max(self.now));
    }
}
