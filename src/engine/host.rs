//! Parts of [`Keylatch`] for the hosts of this repository: the WebAssembly boundary, the runner of sessions and the tests.
//! No version promises anything about them.

use alloc::vec::Vec;

use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::{Clock, Timestamp};
use crate::base::headroom::OutOfMemory;
use crate::engine::host_store::{HostServer, HostStore};
use crate::engine::inspect::inspect_key;
use crate::engine::keylatch::Keylatch;
use crate::engine::persistence::{LoadError, Replayed, Skipped};
use crate::engine::{InspectedPart, Status};
use crate::keyspace::{Inspection, Keyspace};
use crate::resp::encode::{Protocol, Writer};
use crate::server::clients::{Client, ClientId};
use crate::server::saving::SaveKind;
#[cfg(feature = "wasm")]
use crate::{commands::Request, engine::gates::Gates};

#[doc(hidden)]
impl<C: Clock> Keylatch<C> {
    /// State of a client.
    pub fn client(&self, client: ClientId) -> Option<&Client> {
        self.engine.clients.get(client)
    }

    /// The keyspace, for typed operations.
    pub fn keyspace(&mut self) -> &mut Keyspace {
        self.engine.mark_stale();
        &mut self.engine.keyspace
    }

    /// The keyspace, for checks that change nothing.
    pub fn keyspace_ref(&self) -> &Keyspace {
        &self.engine.keyspace
    }

    /// Work that the last call left for the host.
    pub fn status(&self) -> Status {
        self.engine.status()
    }

    /// Whether [`Keylatch::execute`] would read the clock for this request. A host with a clock that may fail reads it before.
    pub fn needs_time(&mut self, client: ClientId, argv: ArgvRef<'_>) -> bool {
        let gates = self.engine.gates_for(client);
        self.engine.needs_time(gates, &self.engine.request(argv))
    }

    /// Returns [`Keylatch::next_deadline`]. From now on [`Status::DEADLINE_EARLIER`] is set when something is due before it.
    pub fn report_deadline(&mut self) -> Option<Timestamp> {
        self.engine.report_deadline()
    }

    /// Starts to note, for each message to a client, its position among the events.
    pub fn note_positions(&mut self, client: ClientId) {
        if let Some(client) = self.client_mut(client) {
            client.positions.get_or_insert_default();
        }
    }

    /// Takes, for each message that [`Keylatch::take_outbox`] returns next, the number of events before it among those that
    /// [`Keylatch::take_events`] returns next.
    pub fn take_positions(&mut self, client: ClientId) -> Vec<u32> {
        let positions = self.client_mut(client).and_then(|client| client.positions.as_mut());
        positions.map(core::mem::take).unwrap_or_default()
    }

    /// Returns a page of a database: at least `limit` keys from `cursor` on, while there are as many.
    ///
    /// # Errors
    /// A shortage of memory.
    pub fn inspect(&self, database: u8, cursor: u64, limit: usize) -> Result<Inspection, OutOfMemory> {
        self.engine.keyspace.inspect(database, cursor, limit)
    }

    /// Writes a key and a part of its value; false if there is no such key, as `engine/inspect.rs` describes.
    ///
    /// # Errors
    /// A shortage of memory for the reply.
    pub fn inspect_key(
        &self,
        database: u8,
        key: &[u8],
        part: InspectedPart,
        out: &mut Vec<u8>,
    ) -> Result<bool, OutOfMemory> {
        let mut reply = Writer::appending_to(core::mem::take(out), Protocol::Resp3);
        let is_present = inspect_key(self.engine.keyspace.database(database), key, part, &mut reply);
        let failed = reply.take_failure();
        *out = reply.into_bytes();
        if failed { Err(OutOfMemory) } else { Ok(is_present) }
    }

    /// Returns the state beside the keys, for [`Keylatch::import_state`] of another engine: ids and settings of clients, and
    /// the configuration.
    ///
    /// # Errors
    /// The reason why a client cannot move, for example a transaction that is open.
    pub fn export_state(&self) -> Result<Argv, &'static str> {
        self.engine.export_state()
    }

    /// Takes over the state of another engine, after loading its snapshot.
    pub fn import_state(&mut self, state: ArgvRef<'_>) {
        self.engine.mark_stale();
        self.engine.import_state(state);
    }

    /// Variant of [`Keylatch::replay`] that leaves out commands of other programs if it may describe them.
    ///
    /// # Errors
    /// Those of [`Keylatch::replay`]. A command is refused if its result depends on one that was left out.
    pub fn replay_skipping(&mut self, log: &[u8], skipped: Option<&mut Skipped>) -> Result<Replayed, LoadError> {
        self.scripts().finish();
        self.engine.replay(log, skipped)
    }

    /// Variant of [`Keylatch::load`] that leaves out values of types that the engine lacks if it may describe them.
    ///
    /// # Errors
    /// Those of [`Keylatch::load`]; a value that the engine lacks is one only if its length is not known.
    pub fn load_skipping(&mut self, snapshot: &[u8], skipped: Option<&mut Skipped>) -> Result<(), LoadError> {
        self.scripts().finish();
        self.engine.load(snapshot, skipped)
    }

    /// The host's store, as the engine knows it.
    pub fn store(&mut self) -> HostStore<'_> {
        HostStore::of(&mut self.engine)
    }

    /// Reports that the log is forced to the medium up to this number of effects.
    pub fn log_synced(&mut self, effects: u64) {
        self.follow_clock();
        self.store().log_synced(effects);
    }

    /// Reports the end of the save that was taken. `failure` is the reason of a failed one.
    pub fn finish_save(&mut self, kind: SaveKind, failure: Option<&str>) {
        self.follow_clock();
        self.store().finish_save(kind, failure);
    }

    /// The host as a server, as the engine knows it.
    pub fn served(&mut self) -> HostServer<'_> {
        HostServer::of(&mut self.engine)
    }

    /// Number of the command that the last request ran; `None` if it was refused or queued.
    pub(crate) fn ran(&self) -> Option<u16> {
        self.engine.ran()
    }

    /// Whether the threshold of SLOWLOG is so low that each command is measured alone.
    pub(crate) fn measures_each(&self) -> bool {
        self.engine.server.settings.measures_each()
    }
}

/// Admission checks and execution as separate steps, for calls by the number of a row.
#[cfg(feature = "wasm")]
impl<C: Clock> Keylatch<C> {
    /// Gates of a client of the program at this moment.
    #[inline(always)]
    pub(crate) fn gates_for(&mut self, client: ClientId) -> Gates {
        self.engine.slices.is_streaming = false;
        self.engine.gates_for(client)
    }

    /// Whether a resolved request would read the clock.
    #[inline(always)]
    pub(crate) fn request_needs_time(&self, gates: Gates, request: &Request<'_>) -> bool {
        self.engine.needs_time(gates, request)
    }

    /// Resolves a request by the number of its row, or by its name if there is no such row.
    #[inline(always)]
    pub(crate) fn request_of<'a>(&self, row: u32, argv: ArgvRef<'a>) -> Request<'a> {
        self.engine.request_of(row, argv)
    }

    /// Runs a request past its client's gates, at the last instant of the engine.
    #[inline(always)]
    pub(crate) fn execute_request(&mut self, client: ClientId, request: Request<'_>, gates: Gates, out: &mut Vec<u8>) {
        self.engine.execute(client, request, gates, out);
    }
}
