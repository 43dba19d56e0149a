//! An engine with connected clients, its log, and what can be observed of it. Every step can be written down as a session.

use keylatch::internals::keyspace::{Queue, QueuePosition, Waiter};
use keylatch::internals::resp::cli_text;
use keylatch::internals::resp::read::{Value, read};
use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, MovableClock, Options, Timestamp};

/// Names of clients, and of owners, in sessions.
pub const NAMES: [&str; 3] = ["A", "B", "C"];
const SEED: u64 = 3;

/// Reply to a command, as far as models distinguish replies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// The command waits.
    Nothing,
    Null,
    Integer(i64),
    Text(String),
    Error(String),
    Array(Vec<Reply>),
}

impl Reply {
    /// Reads the replies in some bytes.
    pub fn all(mut bytes: &[u8]) -> Vec<Reply> {
        let mut replies = Vec::new();
        while let Ok(Some((value, len))) = read(bytes) {
            replies.push(Reply::of(&value));
            bytes = &bytes[len..];
        }
        assert!(bytes.is_empty(), "not a reply: {}", bytes.escape_ascii());
        replies
    }

    fn of(value: &Value<'_>) -> Reply {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match value {
            Value::Null | Value::NullArray => Reply::Null,
            Value::Integer(number) => Reply::Integer(*number),
            Value::Error(bytes) => Reply::Error(text(bytes)),
            Value::Simple(bytes) | Value::Bulk(bytes) => Reply::Text(text(bytes)),
            Value::Array(items) => Reply::Array(items.iter().map(Reply::of).collect()),
            other => panic!("RESP2 has no such reply: {other:?}"),
        }
    }

    pub fn integer(&self) -> Option<i64> {
        if let Reply::Integer(number) = self { Some(*number) } else { None }
    }

    pub fn is_error(&self, code: &str) -> bool {
        matches!(self, Reply::Error(text) if text.starts_with(code))
    }
}

/// Holder of a latch as its field says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Field {
    pub owner: String,
    pub mode: String,
    pub permits: i64,
    pub depth: i64,
    pub token: u64,
    /// Last instant of the lease.
    pub end_ms: i64,
}

impl Field {
    fn of(owner: &[u8], text: &[u8], deadline: Option<Timestamp>) -> Field {
        let text = String::from_utf8_lossy(text);
        let words: Vec<&str> = text.split(' ').collect();
        let [mode, permits, depth, delay_ms, token] = words[..] else { panic!("not a holder: {text}") };
        let number = |word: &str| word.parse::<i64>().expect("a number");
        let end_ms = deadline.expect("leases end").as_ms() - number(delay_ms);
        let (mode, owner) = (mode.to_owned(), String::from_utf8_lossy(owner).into_owned());
        let (permits, depth, token) = (number(permits), number(depth), number(token) as u64);
        Field { owner, mode, permits, depth, token, end_ms }
    }
}

/// Client in the line of a latch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InLine {
    pub owner: String,
    pub mode: String,
    pub is_upgrade: bool,
    pub until_ms: i64,
}

#[derive(Clone)]
pub struct World {
    pub engine: Keylatch<ManualClock>,
    clients: Vec<ClientId>,
    admin: ClientId,
    /// Effects so far.
    pub log: Vec<u8>,
    /// Steps so far as lines of a session, if they are written down.
    script: Option<Vec<String>>,
}

impl World {
    pub fn new(clients: usize) -> World {
        let mut engine = Keylatch::new(Options { seed: SEED }, ManualClock::new(SESSION_START));
        engine.record(true);
        engine.tick();
        let admin = engine.connect();
        let clients = (0..clients).map(|_| engine.connect()).collect();
        World { engine, clients, admin, log: Vec::new(), script: None }
    }

    /// Begins to write steps down.
    pub fn write_down(&mut self) {
        self.script = Some(Vec::new());
    }

    pub fn script(&self) -> String {
        self.script.as_ref().map_or(String::new(), |lines| lines.iter().map(|line| format!("{line}\n")).collect())
    }

    pub fn note(&mut self, line: &str) {
        if let Some(script) = &mut self.script {
            script.push(line.to_owned());
        }
    }

    pub fn now_ms(&self) -> i64 {
        self.engine.now().as_ms()
    }

    /// Runs a command of a client. A command that waits replies [`Reply::Nothing`].
    pub fn run(&mut self, client: usize, line: &str) -> Reply {
        self.run_as(self.clients[client], NAMES[client], line)
    }

    /// Runs a command of the administrator.
    pub fn manage(&mut self, line: &str) -> Reply {
        self.run_as(self.admin, "", line)
    }

    fn run_as(&mut self, id: ClientId, name: &str, line: &str) -> Reply {
        let words: Vec<&str> = line.split(' ').collect();
        let mut out = Vec::new();
        self.engine.execute(id, Argv::from_slices(&words).as_ref(), &mut out);
        if self.script.is_some() {
            self.note(&format!("{name}> {line}"));
            self.note_replies(&out);
        }
        Reply::all(&out).pop().unwrap_or(Reply::Nothing)
    }

    /// Takes the reply to a command that waited.
    pub fn late(&mut self, client: usize) -> Reply {
        let out = self.engine.take_outbox(self.clients[client]);
        if out.is_empty() {
            return Reply::Nothing;
        }
        if self.script.is_some() {
            self.note(&format!("{}<", NAMES[client]));
            self.note_replies(&out);
        }
        let mut replies = Reply::all(&out);
        assert_eq!(replies.len(), 1, "one reply to one command: {replies:?}");
        replies.pop().unwrap_or(Reply::Nothing)
    }

    fn note_replies(&mut self, mut out: &[u8]) {
        while let Ok(Some((value, len))) = read(out) {
            let mut lines = Vec::new();
            cli_text::print(&value, &mut lines);
            lines.iter().for_each(|line| self.note(line));
            out = &out[len..];
        }
    }

    /// Number by which an administrator names a client.
    pub fn id(&self, client: usize) -> u32 {
        self.clients[client].0
    }

    /// Replaces the connection of a client by a new one. The host calls the engine again if that is due at once.
    pub fn reconnect(&mut self, client: usize) {
        let old = self.open_another(client);
        self.close(old);
    }

    /// Opens another connection of a client; returns the former one, which stays open.
    pub fn open_another(&mut self, client: usize) -> ClientId {
        let id = self.engine.connect();
        std::mem::replace(&mut self.clients[client], id)
    }

    pub fn close(&mut self, connection: ClientId) {
        self.note(&format!("> CLIENT KILL ID {}", connection.0));
        self.engine.disconnect(connection);
        if self.engine.next_deadline().is_some_and(|due| due <= self.engine.now()) {
            self.engine.tick();
        }
    }

    pub fn advance(&mut self, ms: i64) {
        self.note(&format!("@ {}{}ms", if ms < 0 { '-' } else { '+' }, ms.abs()));
        self.engine.clock_mut().advance(ms);
        self.engine.tick();
    }

    /// Moves new effects into the log, and returns them.
    pub fn take_effects(&mut self) -> Vec<u8> {
        let piece = self.engine.take_effects();
        self.log.extend_from_slice(&piece);
        piece
    }

    /// Crash: another engine replays the log, and every client connects anew.
    pub fn crash(&mut self) {
        self.note("# crash and replay of the log: clients connect anew");
        self.note("> DEBUG RELOAD");
        let (log, now) = (std::mem::take(&mut self.log), self.engine.now());
        let mut world = World::new(self.clients.len());
        world.engine.clock_mut().set(now);
        let replayed = world.engine.replay(&log).expect("a log that can be read");
        assert_eq!(replayed.dropped_bytes, 0);
        world.engine.tick();
        *self = World { log, script: self.script.take(), ..world };
    }

    /// Holders of a latch, in the order of their names.
    pub fn holders(&self, key: &str) -> Vec<Field> {
        let mut holders = Vec::new();
        for entry in self.engine.keyspace_ref().database(0).entries().filter(|entry| entry.key == key.as_bytes()) {
            let keylatch::internals::keyspace::ValueRef::Hash(hash) = entry.value else { continue };
            holders.extend(hash.iter().map(|field| Field::of(&field.name, &field.value, field.deadline)));
        }
        holders.sort();
        holders
    }

    /// Waiters of one queue of a key, in order.
    fn waiters(&self, key: &str, queue: Queue) -> impl Iterator<Item = &Waiter> {
        let waiters = &self.engine.keyspace_ref().interest.waiters;
        let next = move |after| waiters.after(0, key.as_bytes(), queue, after);
        core::iter::successors(next(QueuePosition(0)), move |(position, _)| next(*position)).map(|(_, waiter)| waiter)
    }

    /// Line of a latch: upgrades first, then by arrival.
    pub fn line(&self, key: &str) -> Vec<InLine> {
        let mut line = Vec::new();
        for (queue, is_upgrade) in [(Queue::Upgrade, true), (Queue::Line, false)] {
            line.extend(self.waiters(key, queue).map(|waiter| InLine {
                owner: String::from_utf8_lossy(&waiter.owner).into_owned(),
                mode: waiter.mode.name().to_owned(),
                is_upgrade,
                until_ms: waiter.until.as_ms(),
            }));
        }
        line
    }

    /// Clients that wait at a barrier, with the ends of their waits.
    pub fn barrier_untils(&self, key: &str) -> Vec<(String, i64)> {
        let waiters = self.waiters(key, Queue::Barrier);
        waiters.map(|waiter| (String::from_utf8_lossy(&waiter.owner).into_owned(), waiter.until.as_ms())).collect()
    }

    /// Text of a string key, with its deadline.
    pub fn string(&self, key: &str) -> Option<(String, Option<i64>)> {
        let mut entries = self.engine.keyspace_ref().database(0).entries();
        let entry = entries.find(|entry| entry.key == key.as_bytes())?;
        let keylatch::internals::keyspace::ValueRef::String(text) = entry.value else { return None };
        Some((String::from_utf8_lossy(text).into_owned(), entry.deadline.map(Timestamp::as_ms)))
    }
}
