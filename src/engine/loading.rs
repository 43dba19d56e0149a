//! Load mode: the commands of a log run one after another as they are, while nothing expires, nobody is woken and
//! nothing is recorded.

use alloc::vec::Vec;

use super::Engine;
use crate::argv::ArgvRef;
use crate::client::ClientId;
use crate::clock::Timestamp;
use crate::command::{Row, resolve};
use crate::keyspace::Keyspace;
use crate::reply::error::CommandError;

impl Engine {
    /// The row a request means, when it exists and has the right arity.
    pub fn row(&self, argv: ArgvRef<'_>) -> Result<&'static Row, CommandError> {
        resolve(&self.table, argv).map(|(_, row)| row)
    }

    /// Begins load mode; the client runs the commands and ends with it.
    pub fn begin_loading(&mut self) -> ClientId {
        self.keyspace.set_loading(true);
        self.clients.connect_private()
    }

    /// Runs one command in load mode and appends its reply to `out`.
    pub fn apply(&mut self, client: ClientId, argv: ArgvRef<'_>, out: &mut Vec<u8>) {
        self.run(client, argv, out);
    }

    /// Ends load mode. What became due meanwhile is removed by the next sweep, and who waits for a loaded key is woken
    /// by the next command or tick.
    pub fn end_loading(&mut self, client: ClientId) {
        self.disconnect(client);
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
