//! Loading of logs and snapshots. Logs are replayed in load mode: commands run in order, no key expires, no client is
//! unblocked, and nothing is logged or counted.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::Engine;
use super::handler::Run;
use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::Timestamp;
use crate::commands::{Role, Row, flags, resolve, run_handler};
use crate::engine::persistence::aof::{self, CommandKind};
use crate::engine::persistence::{LoadError, Replayed, Skipped, rdb};
use crate::keyspace::Counts;
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::CommandError;
use crate::server::clients::ClientId;
use crate::values::rdb::{Input, is_supported, type_label};

/// Argument of RESTORE that holds the payload.
const RESTORE_PAYLOAD: usize = 3;

/// Number of words of COPY with REPLACE and without DB.
const COPY_LEN_MAX: usize = 4;

/// Engine in load mode.
struct Loading<'a> {
    engine: &'a mut Engine,
    /// Client that runs the commands of the log.
    client: ClientId,
    counts: Counts,
    /// Latest of the instant before the load and all instants in the log.
    latest: Timestamp,
    /// Description of the commands that are left out; `None` if they are refused.
    skipped: Option<&'a mut Skipped>,
}

impl Engine {
    /// Replays a log; see [`crate::Keylatch::replay`]. Keys that became due are removed by the next active expire
    /// cycle. Clients blocked on loaded keys are served by the next command or tick. With `skipped`, commands of other
    /// programs are left out and described there.
    pub fn replay(&mut self, log: &[u8], skipped: Option<&mut Skipped>) -> Result<Replayed, LoadError> {
        self.mark_stale();
        let mut loading = Loading::begin(self, skipped);
        let replayed = aof::replay(&mut loading, log);
        loading.end();
        replayed
    }

    /// Loads a snapshot; see [`crate::Keylatch::load`]. With `skipped`, values of other types are left out and described
    /// there.
    pub fn load(&mut self, snapshot: &[u8], skipped: Option<&mut Skipped>) -> Result<(), LoadError> {
        self.mark_stale();
        let loaded = rdb::load(&self.keyspace, snapshot, skipped)?;
        self.keyspace.replace_with(loaded.keyspace).map_err(|_| LoadError::OutOfMemory)?;
        self.server.scripts.libraries.replace_with(loaded.libraries);
        // The instant of a snapshot never moves the clock back.
        self.now = loaded.written_at.map_or(self.now, |instant| instant.max(self.now));
        Ok(())
    }
}

impl<'a> Loading<'a> {
    fn begin(engine: &'a mut Engine, skipped: Option<&'a mut Skipped>) -> Loading<'a> {
        engine.keyspace.set_loading(true);
        let (client, counts, latest) = (engine.clients.connect_private(), engine.keyspace.counts, engine.now);
        Loading { engine, client, counts, latest, skipped }
    }

    fn end(self) {
        self.engine.disconnect(self.client);
        self.engine.keyspace.counts = self.counts;
        self.engine.keyspace.set_loading(false);
        self.engine.now = self.latest;
    }

    /// Runs a command without gates: no password, no pause, no statistics.
    fn run(&mut self, row: &Row, argv: ArgvRef<'_>) -> Result<(), CommandError> {
        let mut reply = Writer::new(Protocol::Resp2);
        let mut cx = Run::through(self.client).context(self.engine, &mut reply);
        let outcome = run_handler(&mut cx, row, argv, &OnceCell::new());
        self.engine.keyspace.effects.end_unit();
        outcome
    }

    /// Row of a request; `None` for an unknown command or a wrong number of arguments.
    fn row(&self, argv: ArgvRef<'_>) -> Option<&'static Row> {
        let (_, row) = resolve(&self.engine.table, argv).ok()?;
        row.accepts(argv.len()).then_some(row)
    }

    fn database(&self) -> u8 {
        self.engine.clients.get(self.client).map_or(0, |client| client.database)
    }

    /// Describes a command that is left out, by its name or the type of its value.
    fn note_skipped(&mut self, key: Option<&[u8]>, label: Vec<u8>, offset: usize) -> Result<(), LoadError> {
        let database = self.database();
        match &mut self.skipped {
            Some(skipped) => skipped.add(key, database, label, offset).map_err(|_| LoadError::OutOfMemory),
            None => Err(LoadError::Unsupported { offset }),
        }
    }

    /// Removes the target of a command that would give it the value of a key that was left out.
    fn skip_move(&mut self, argv: ArgvRef<'_>, offset: usize) -> Result<(), LoadError> {
        // COPY with DB has its target elsewhere.
        if argv.len() > COPY_LEN_MAX {
            return Err(LoadError::Unsupported { offset });
        }
        let target = argv.get(2).unwrap_or_default();
        let removal = Argv::from_slices(&[b"DEL", target]);
        if let Some(row) = self.row(removal.as_ref()) {
            self.run(row, removal.as_ref()).map_err(|_| LoadError::OutOfMemory)?;
        }
        self.note_skipped(Some(target), command_label(argv), offset)
    }

    /// Whether a command moves or copies a key that is missing, as only a key that was left out can be.
    fn moves_skipped(&self, row: &Row, argv: ArgvRef<'_>) -> bool {
        let key = argv.get(1).unwrap_or_default();
        self.skipped.is_some() && row.copies_key() && self.engine.keyspace.database(self.database()).find(key).is_none()
    }
}

/// Type of a payload of RESTORE that the engine lacks.
fn unsupported_payload(row: &Row, argv: ArgvRef<'_>) -> Option<Vec<u8>> {
    let (type_byte, value) = argv.get(RESTORE_PAYLOAD).filter(|_| row.role == Role::Restores)?.split_first()?;
    (!is_supported(*type_byte)).then(|| type_label(*type_byte, &Input::new(value)))
}

/// Name of a command in capitals.
fn command_label(argv: ArgvRef<'_>) -> Vec<u8> {
    argv.get(0).unwrap_or_default().to_ascii_uppercase()
}

/// Whether bytes may be the name of a command, of Redis or of a module.
fn is_command_name(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-|".contains(byte))
}

impl aof::Target for Loading<'_> {
    fn kind(&self, argv: ArgvRef<'_>) -> Option<CommandKind> {
        let Ok((_, row)) = resolve(&self.engine.table, argv) else {
            return is_command_name(argv.get(0)?).then_some(CommandKind::Unsupported);
        };
        match row.role {
            _ if !row.accepts(argv.len()) => None,
            _ if row.has(flags::RUNS_QUEUE) => Some(CommandKind::End),
            Role::BeginsUnit => Some(CommandKind::Begin),
            Role::ChoosesDatabase => Some(CommandKind::Select),
            Role::LoggedRead => Some(CommandKind::Effect),
            _ if row.has(flags::WRITE) => Some(CommandKind::Effect),
            // Redis before version 7 logs scripts instead of their effects.
            _ => row.has(flags::RUNS_SCRIPT).then_some(CommandKind::Unsupported),
        }
    }

    fn skips_unsupported(&self) -> bool {
        self.skipped.is_some()
    }

    fn move_to(&mut self, now: Timestamp, last_token: u64) {
        self.engine.keyspace.skip_tokens_to(last_token);
        self.engine.now = now;
        self.latest = self.latest.max(now);
    }

    fn apply(&mut self, argv: ArgvRef<'_>, offset: usize) -> Result<(), LoadError> {
        let row = self.row(argv).ok_or(LoadError::Malformed { offset })?;
        if self.moves_skipped(row, argv) {
            return self.skip_move(argv, offset);
        }
        match self.run(row, argv) {
            Ok(()) => Ok(()),
            Err(CommandError::OUT_OF_MEMORY) => Err(LoadError::OutOfMemory),
            Err(_) => match unsupported_payload(row, argv) {
                Some(label) => self.note_skipped(argv.get(1), label, offset),
                None => Err(LoadError::Malformed { offset }),
            },
        }
    }

    fn skip(&mut self, argv: ArgvRef<'_>, offset: usize) -> Result<(), LoadError> {
        // The keys that a script changes are not known.
        if self.row(argv).is_some() {
            return Err(LoadError::Unsupported { offset });
        }
        let label = command_label(argv);
        self.note_skipped(argv.get(1), label, offset)
    }
}
