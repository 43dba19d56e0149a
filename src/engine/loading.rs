//! Reading back what was written: logs, in load mode, and snapshots. In load mode commands run one after another as
//! they are, while nothing expires, nobody is woken and nothing is recorded or counted.

use super::Engine;
use core::cell::OnceCell;

use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::commands::{Args, Blocking, Context, Row, flags, resolve};
use crate::engine::persistence::{LoadError, Replayed, aof, rdb};
use crate::keyspace::Counts;
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::CommandError;
use crate::server::clients::ClientId;

/// An engine in load mode.
struct Loading<'a> {
    engine: &'a mut Engine,
    /// The commands' own client.
    client: ClientId,
    counts: Counts,
    /// Of the instant before and all that were read.
    latest: Timestamp,
}

impl Engine {
    /// See [`crate::Keylatch::replay`]. What became due on the way is removed by the next sweep, and who waits for a
    /// loaded key is woken by the next command or tick.
    pub fn replay(&mut self, log: &[u8]) -> Result<Replayed, LoadError> {
        self.mark_stale();
        let mut loading = Loading::begin(self);
        let replayed = aof::replay(&mut loading, log);
        loading.end();
        replayed
    }

    /// See [`crate::Keylatch::load`].
    pub fn load(&mut self, snapshot: &[u8]) -> Result<(), LoadError> {
        self.mark_stale();
        let loaded = rdb::load(&self.keyspace, snapshot)?;
        self.keyspace.replace_with(loaded.keyspace).map_err(|_| LoadError::OutOfMemory)?;
        // Reading an instant is no step of the clock.
        self.now = loaded.written_at.map_or(self.now, |instant| instant.max(self.now));
        Ok(())
    }

    /// The row a request means, when it exists and has the right arity.
    fn row(&self, argv: ArgvRef<'_>) -> Option<&'static Row> {
        let (_, row) = resolve(&self.table, argv).ok()?;
        row.accepts(argv.len()).then_some(row)
    }
}

impl Loading<'_> {
    fn begin(engine: &mut Engine) -> Loading<'_> {
        engine.keyspace.set_loading(true);
        let (client, counts, latest) = (engine.clients.connect_private(), engine.keyspace.counts, engine.now);
        Loading { engine, client, counts, latest }
    }

    fn end(self) {
        self.engine.disconnect(self.client);
        self.engine.keyspace.counts = self.counts;
        self.engine.keyspace.set_loading(false);
        self.engine.now = self.latest;
    }
}

impl aof::Target for Loading<'_> {
    fn role(&self, argv: ArgvRef<'_>) -> Option<aof::Role> {
        let row = self.engine.row(argv)?;
        match row.name {
            "multi" => Some(aof::Role::Begin),
            "exec" => Some(aof::Role::End),
            "select" => Some(aof::Role::Select),
            _ => row.has(flags::WRITE).then_some(aof::Role::Effect),
        }
    }

    fn move_to(&mut self, now: Timestamp) {
        self.engine.now = now;
        self.latest = self.latest.max(now);
    }

    /// Past the gates that are for clients: passwords, pauses, statistics.
    fn apply(&mut self, argv: ArgvRef<'_>) -> Result<(), CommandError> {
        let row = self.engine.row(argv).ok_or(CommandError::INVALID_COMMAND)?;
        let (client, blocking, reply) = (self.client, Blocking::Denied, &mut Writer::new(Protocol::Resp2));
        let Engine { keyspace, clients, server, table, now, .. } = &mut *self.engine;
        let mut cx = Context { keyspace, clients, server, table, client, now: *now, blocking, block_on: None, reply };
        let outcome = (row.handler)(&mut cx, &mut Args::new(argv, row.words(), &OnceCell::new()));
        self.engine.keyspace.effects.end_unit();
        outcome
    }
}
