//! [`Keylatch`]: an engine with a clock, the Rust API for whole commands.

use alloc::string::String;
use alloc::vec::Vec;

use crate::base::argv::ArgvRef;
use crate::base::clock::{Clock, Timestamp};
use crate::base::headroom::{self, OutOfMemory};
use crate::engine::fact_queue::FactQueue;
use crate::engine::persistence::{LoadError, Replayed, rdb};
use crate::engine::script_control::ScriptControl;
use crate::engine::{Engine, Turn};
use crate::keyspace::{Event, EventKind};
use crate::resp::decode::Limits;
use crate::resp::encode::Protocol;
use crate::server::clients::{Client, ClientId};

/// Options of a new engine.
///
/// # Examples
/// ```
/// use keylatch::{Keylatch, ManualClock, Options};
///
/// let db = Keylatch::new(Options { seed: 7 }, ManualClock::default());
/// assert_eq!(db.digest(), Keylatch::new(Options::default(), ManualClock::default()).digest());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Seed of hashing and of random choices: it decides the order of SCAN and the reply of RANDOMKEY. Equal seeds, clocks
    /// and requests give equal replies.
    pub seed: u64,
}

/// A keyspace, its clients and a clock. A clone is a fork: it has the same keys and the same clients.
///
/// # Examples
/// ```
/// use keylatch::{Argv, Keylatch, ManualClock, Options, Timestamp};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::new(Timestamp::from_ms(0)));
/// let client = db.connect();
/// let mut run = |db: &mut Keylatch<_>, words: &[&str]| {
///     let mut reply = Vec::new();
///     db.execute(client, Argv::from_slices(words).as_ref(), &mut reply);
///     String::from_utf8(reply).unwrap()
/// };
/// assert_eq!(run(&mut db, &["SET", "lock", "me", "NX", "PX", "5000"]), "+OK\r\n");
/// db.clock_mut().advance(5001);
/// assert_eq!(run(&mut db, &["EXISTS", "lock"]), ":0\r\n");
/// ```
#[derive(Clone, Debug)]
pub struct Keylatch<C> {
    pub(super) engine: Engine,
    pub(super) clock: C,
}

impl<C: Clock> Keylatch<C> {
    /// Makes an empty engine without clients.
    pub fn new(options: Options, clock: C) -> Keylatch<C> {
        Keylatch { engine: Engine::new(options.seed), clock }
    }

    // --- Clients and requests.

    /// Adds a client that calls the engine directly.
    pub fn connect(&mut self) -> ClientId {
        self.engine.connect()
    }

    /// Adds a client that comes over a network, at the present instant. CLIENT LIST shows the two addresses.
    pub fn accept(&mut self, address: &str, local_address: &str) -> ClientId {
        self.tick();
        let client = self.connect();
        self.set_addresses(client, address, local_address);
        client
    }

    /// Removes a client, with the commands it queued, the keys it watches and the messages it has not read.
    pub fn disconnect(&mut self, client: ClientId) {
        self.engine.disconnect(client);
    }

    /// Whether there is memory for another client.
    pub fn has_room_for_client(&self) -> bool {
        // The client itself is small; the tables of all clients grow with their number.
        let bytes = self.engine.clients.len().saturating_add(1).saturating_mul(headroom::CLIENT_BYTES);
        headroom::ensure(bytes).and_then(|()| headroom::ensure_reserve()).is_ok()
    }

    /// Sets the protocol of a client's replies, as HELLO does.
    pub fn set_protocol(&mut self, client: ClientId, protocol: Protocol) {
        if let Some(client) = self.client_mut(client) {
            client.protocol = protocol;
        }
    }

    /// Sets the addresses of a client, as CLIENT LIST shows them.
    pub fn set_addresses(&mut self, client: ClientId, address: &str, local_address: &str) {
        if let Some(client) = self.client_mut(client) {
            client.address = address.into();
            client.local_address = local_address.into();
        }
    }

    /// Authenticates a client without a password.
    pub fn trust(&mut self, client: ClientId) {
        if let Some(client) = self.client_mut(client) {
            client.authenticated = true;
        }
    }

    /// Runs one request of a client and appends the reply to `out`, in the client's protocol.
    ///
    /// Nothing is appended for an empty request, for a client that is gone, and while the command is blocked (BLPOP). The
    /// clock is read only when the reply can depend on it.
    pub fn execute(&mut self, client: ClientId, argv: ArgvRef<'_>, out: &mut Vec<u8>) {
        self.turn().execute(client, argv, out);
    }

    /// Begins a turn: all requests of a turn happen at one instant.
    ///
    /// # Examples
    /// ```
    /// use keylatch::{Argv, Keylatch, Options, SystemClock};
    ///
    /// let mut db = Keylatch::new(Options::default(), SystemClock);
    /// let (client, mut out) = (db.connect(), Vec::new());
    /// let mut turn = db.turn();
    /// turn.execute(client, Argv::from_slices(&["SET", "k", "v", "EX", "60"]).as_ref(), &mut out);
    /// turn.execute(client, Argv::from_slices(&["PTTL", "k"]).as_ref(), &mut out);
    /// assert_eq!(out, b"+OK\r\n:60000\r\n");
    /// ```
    pub fn turn(&mut self) -> Turn<'_, C> {
        self.scripts().finish();
        self.engine.slices.is_streaming = false;
        Turn::new(&mut self.engine, &mut self.clock)
    }

    /// Begins a turn of a stream. Scripts of clients that were accepted may be suspended; those of other clients are calls of
    /// the program.
    pub(crate) fn stream_turn(&mut self, client: ClientId) -> Turn<'_, C> {
        let is_streaming = self.engine.clients.get(client).is_some_and(|client| !client.address.is_empty());
        if !is_streaming {
            self.scripts().finish();
        }
        self.engine.slices.is_streaming = is_streaming;
        Turn::new(&mut self.engine, &mut self.clock)
    }

    /// Returns what suspends scripts that run for long, and resumes them.
    pub fn scripts(&mut self) -> ScriptControl<'_> {
        ScriptControl::new(&mut self.engine)
    }

    /// Records the duration of a client's last command, for SLOWLOG, LATENCY and INFO. The engine measures nothing itself.
    pub fn took(&mut self, client: ClientId, argv: ArgvRef<'_>, elapsed_us: u64) {
        self.engine.took(client, argv, elapsed_us);
    }

    /// Takes the clients that need attention since the last call, each once: a message is in the outbox, a blocked command
    /// has replied, or the connection should be closed. A host feeds the stream of each an empty chunk.
    pub fn take_affected(&mut self) -> Vec<ClientId> {
        self.engine.clients.take_affected()
    }

    /// Takes the pushes and late replies for a client: whole messages in order.
    ///
    /// # Examples
    /// ```
    /// use keylatch::{Argv, Keylatch, ManualClock, Options};
    ///
    /// let mut db = Keylatch::new(Options::default(), ManualClock::default());
    /// let (worker, other, mut out) = (db.connect(), db.connect(), Vec::new());
    /// db.execute(worker, Argv::from_slices(&["BLPOP", "jobs", "0"]).as_ref(), &mut out);
    /// assert!(out.is_empty());
    /// db.execute(other, Argv::from_slices(&["RPUSH", "jobs", "a"]).as_ref(), &mut out);
    /// assert_eq!(db.take_affected(), [worker]);
    /// assert_eq!(db.take_outbox(worker), b"*2\r\n$4\r\njobs\r\n$1\r\na\r\n");
    /// ```
    pub fn take_outbox(&mut self, client: ClientId) -> Vec<u8> {
        self.client_mut(client).map(|client| core::mem::take(&mut client.outbox)).unwrap_or_default()
    }

    // --- Time.

    /// Removes keys and ends blocked commands that are due at the present instant: a bounded number in one call.
    pub fn tick(&mut self) {
        self.follow_clock();
        self.engine.tick();
    }

    /// Returns the first instant at which something is due. A host that sleeps until then and calls [`Keylatch::tick`]
    /// needs no polling.
    ///
    /// # Examples
    /// ```
    /// use keylatch::{Argv, Keylatch, ManualClock, Options, Timestamp};
    ///
    /// let mut db = Keylatch::new(Options::default(), ManualClock::default());
    /// let client = db.connect();
    /// db.execute(client, Argv::from_slices(&["SET", "k", "v", "PX", "10"]).as_ref(), &mut Vec::new());
    /// // The key is alive at its deadline, and due one millisecond later.
    /// assert_eq!(db.next_deadline(), Some(Timestamp::from_ms(11)));
    /// ```
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.engine.next_deadline()
    }

    /// Returns the clock, to move it.
    pub fn clock_mut(&mut self) -> &mut C {
        &mut self.clock
    }

    /// Returns the instant of the last command or tick; it does not read the clock.
    pub fn now(&self) -> Timestamp {
        self.engine.now()
    }

    // --- Events and configuration.

    /// Starts or stops the queue of events.
    ///
    /// # Examples
    /// ```
    /// use keylatch::{Argv, EventKind, Keylatch, ManualClock, Options};
    ///
    /// let mut db = Keylatch::new(Options::default(), ManualClock::default());
    /// db.listen(true);
    /// let client = db.connect();
    /// db.execute(client, Argv::from_slices(&["SET", "k", "v", "PX", "10"]).as_ref(), &mut Vec::new());
    /// db.clock_mut().advance(11);
    /// db.tick();
    /// let kinds: Vec<EventKind> = db.take_events().into_iter().map(|event| event.kind).collect();
    /// assert!(kinds.contains(&EventKind::Set) && kinds.contains(&EventKind::Expired));
    /// ```
    pub fn listen(&mut self, on: bool) {
        self.engine.keyspace.events.want(on);
    }

    /// Starts the queue of events for some kinds; without a kind it stops. Events of other kinds are never made.
    pub fn listen_to(&mut self, kinds: impl Iterator<Item = EventKind>) {
        self.engine.keyspace.events.want_kinds(kinds);
    }

    /// Takes the events since the last call, in the order of the changes.
    pub fn take_events(&mut self) -> Vec<Event> {
        // Those of a suspended script come out at its end.
        if self.engine.server.scripts.suspended.is_set() {
            return Vec::new();
        }
        self.engine.keyspace.events.take()
    }

    /// The queue of facts, see [`Fact`](crate::Fact).
    pub fn facts(&mut self) -> FactQueue<'_> {
        FactQueue::new(&mut self.engine)
    }

    /// Returns the value of a configuration parameter as text; empty for an unknown parameter.
    pub fn parameter(&self, name: &str) -> &str {
        self.engine.server.config.get(name)
    }

    /// Sets a parameter as a configuration file does, also one that CONFIG SET refuses while a server runs.
    ///
    /// # Errors
    /// The reason in Redis' words, for an unknown parameter or a value that does not parse. Nothing has changed then.
    ///
    /// # Examples
    /// ```
    /// use keylatch::{Keylatch, ManualClock, Options};
    ///
    /// let mut db = Keylatch::new(Options::default(), ManualClock::default());
    /// db.configure("maxmemory", "100mb").unwrap();
    /// assert_eq!(db.parameter("maxmemory"), "104857600");
    /// assert!(db.configure("maxmemory", "much").is_err());
    /// ```
    pub fn configure(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.engine.configure(name, value)
    }

    /// Returns whether the configuration changed since the last call.
    pub fn take_configured(&mut self) -> bool {
        core::mem::take(&mut self.engine.server.configured)
    }

    /// Returns the limits of requests, for new connections.
    pub fn limits(&self) -> Limits {
        self.engine.server.settings.limits
    }

    // --- Persistence.

    /// Starts or stops the log of effects.
    pub fn record(&mut self, on: bool) {
        self.engine.keyspace.effects.want(on);
    }

    /// Takes the effects since the last call as a piece of an append-only file; empty when nothing changed. Pieces joined in
    /// order are a log.
    ///
    /// # Examples
    /// ```
    /// use keylatch::{Argv, Keylatch, ManualClock, Options};
    ///
    /// let mut db = Keylatch::new(Options::default(), ManualClock::default());
    /// db.record(true);
    /// let client = db.connect();
    /// db.execute(client, Argv::from_slices(&["SET", "k", "v"]).as_ref(), &mut Vec::new());
    /// let log = db.take_effects();
    ///
    /// let mut restored = Keylatch::new(Options::default(), ManualClock::default());
    /// assert_eq!(restored.replay(&log).unwrap().dropped_bytes, 0);
    /// assert_eq!(restored.digest(), db.digest());
    /// ```
    pub fn take_effects(&mut self) -> Vec<u8> {
        let (now, last_token) = (self.engine.now(), self.engine.keyspace.last_token());
        self.engine.keyspace.effects.take(now, last_token)
    }

    /// Applies a log, or a piece of one. Deadlines are restored, and nothing expires before the next command or tick. The
    /// changes are neither events nor effects.
    ///
    /// A torn unit at the end is dropped whole: cut [`Replayed::dropped_bytes`] off before anything is appended. The last
    /// instant of the log becomes [`Keylatch::now`] if that is later: the floor of a [`Monotonic`](crate::Monotonic) clock.
    ///
    /// # Errors
    /// A log that is damaged before its end or was written by a newer version, or a shortage of memory. Units before the
    /// damage have been applied.
    pub fn replay(&mut self, log: &[u8]) -> Result<Replayed, LoadError> {
        self.scripts().finish();
        self.engine.replay(log, None)
    }

    /// Returns the whole keyspace as an RDB file (version 10, or 12 with deadlines of fields), which Redis 7.0 (7.4) and
    /// newer load. Clients, events and effects are not in it.
    ///
    /// # Errors
    /// A shortage of memory.
    ///
    /// # Examples
    /// ```
    /// use keylatch::{Argv, Keylatch, ManualClock, Options};
    ///
    /// let mut db = Keylatch::new(Options::default(), ManualClock::default());
    /// let client = db.connect();
    /// db.execute(client, Argv::from_slices(&["SET", "k", "v"]).as_ref(), &mut Vec::new());
    /// let snapshot = db.snapshot().unwrap();
    /// assert!(snapshot.starts_with(b"REDIS00"));
    ///
    /// let mut restored = Keylatch::new(Options::default(), ManualClock::default());
    /// restored.load(&snapshot).unwrap();
    /// assert_eq!(restored.digest(), db.digest());
    /// ```
    pub fn snapshot(&self) -> Result<Vec<u8>, OutOfMemory> {
        rdb::save(&self.engine.keyspace, &self.engine.server.scripts.libraries, self.engine.now())
    }

    /// Replaces the keyspace and its seed by those of a snapshot. Clients stay connected, watched keys count as changed, and
    /// nothing expires before the next command or tick. While effects are recorded the load is recorded too: FLUSHALL, then
    /// every key.
    ///
    /// # Errors
    /// A snapshot that is damaged or from a newer version, or a shortage of memory. Nothing has changed then.
    pub fn load(&mut self, snapshot: &[u8]) -> Result<(), LoadError> {
        self.scripts().finish();
        self.engine.load(snapshot, None)
    }

    /// Loads a snapshot as a fresh engine would: tokens of latches do not continue above those of before.
    #[cfg(feature = "wasm")]
    pub(crate) fn load_fresh(&mut self, snapshot: &[u8]) -> Result<(), LoadError> {
        self.engine.keyspace.forget_tokens();
        self.load(snapshot)
    }

    /// Returns a hash of all keys, values and deadlines: equal for equal keyspaces, whatever their histories.
    pub fn digest(&self) -> u64 {
        self.engine.keyspace.digest()
    }

    pub(super) fn client_mut(&mut self, client: ClientId) -> Option<&mut Client> {
        self.engine.clients.get_mut(client)
    }

    /// Moves the engine to the instant of the clock.
    pub(crate) fn follow_clock(&mut self) {
        self.engine.set_now(self.clock.now());
    }
}
