//! Loading of logs and snapshots. Logs are replayed in load mode: commands run in order, no key expires, no client is
//! unblocked, and nothing is logged or counted.

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

/// Engine in load mode.
struct Loading<'a> {
    engine: &'a mut Engine,
    /// Client that runs the commands of the log.
    client: ClientId,
    counts: Counts,
    /// Latest of the instant before the load and all instants in the log.
    latest: Timestamp,
}

impl Engine {
    /// Replays a log; see [`crate::Keylatch::replay`]. Keys that became due are removed by the next active expire
    /// cycle. Clients blocked on loaded keys are served by the next command or tick.
    pub fn replay(&mut self, log: &[u8]) -> Result<Replayed, LoadError> {
        self.mark_stale();
        let mut loading = Loading::begin(self);
        let replayed = aof::replay(&mut loading, log);
        loading.end();
        replayed
    }

    /// Loads a snapshot; see [`crate::Keylatch::load`].
    pub fn load(&mut self, snapshot: &[u8]) -> Result<(), LoadError> {
        self.mark_stale();
        let loaded = rdb::load(&self.keyspace, snapshot)?;
        self.keyspace.replace_with(loaded.keyspace).map_err(|_| LoadError::OutOfMemory)?;
        self.server.scripts.libraries.replace_with(loaded.libraries);
        // The instant of a snapshot never moves the clock back.
        self.now = loaded.written_at.map_or(self.now, |instant| instant.max(self.now));
        Ok(())
    }

    /// Row of a request; `None` for an unknown command or a wrong number of arguments.
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
            // Redis logs it when it stores the counted cardinality in the value; keylatch stores none.
            "pfcount" => Some(aof::Role::Effect),
            _ => row.has(flags::WRITE).then_some(aof::Role::Effect),
        }
    }

    fn move_to(&mut self, now: Timestamp, last_token: u64) {
        self.engine.keyspace.skip_tokens_to(last_token);
        self.engine.now = now;
        self.latest = self.latest.max(now);
    }

    /// Runs a command without gates: no password, no pause, no statistics.
    fn apply(&mut self, argv: ArgvRef<'_>) -> Result<(), CommandError> {
        let row = self.engine.row(argv).ok_or(CommandError::INVALID_COMMAND)?;
        let (client, blocking, reply) = (self.client, Blocking::Denied, &mut Writer::new(Protocol::Resp2));
        let Engine { keyspace, clients, server, table, now, .. } = &mut *self.engine;
        let (now, resumed, block_on) = (*now, None, None);
        let mut cx = Context { keyspace, clients, server, table, client, now, blocking, resumed, block_on, reply };
        let outcome = (row.handler)(&mut cx, &mut Args::new(argv, row.words(), &OnceCell::new()));
        self.engine.keyspace.effects.end_unit();
        outcome
    }
}
