//! The engine in its process: requests in, replies and effects out. The process may end at every byte of its log.

use std::collections::BTreeMap;

use keylatch::internals::keyspace::{Queue, QueuePosition, ValueRef};
use keylatch::internals::resp::cli_text;
use keylatch::internals::resp::read::read;
use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, MovableClock, Options};

use crate::schedule::CLIENTS;

pub const NAMES: [&str; CLIENTS] = ["A", "B", "C", "D"];
/// Connections of each client: the usual one, and one for requests that are sent again.
pub const CONNECTIONS: usize = 2;
const SEED: u64 = 11;

/// Holder as its field says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    pub owner: String,
    pub mode: String,
    pub permits: i64,
    pub token: u64,
}

pub struct Server {
    pub engine: Keylatch<ManualClock>,
    pub connections: [[ClientId; CONNECTIONS]; CLIENTS],
    admin: ClientId,
    snapshot: Vec<u8>,
    log: Vec<u8>,
    pub script: Option<Vec<String>>,
}

fn fresh() -> Keylatch<ManualClock> {
    let mut engine = Keylatch::new(Options { seed: SEED }, ManualClock::new(SESSION_START));
    engine.record(true);
    engine.tick();
    engine
}

fn connect(engine: &mut Keylatch<ManualClock>) -> [[ClientId; CONNECTIONS]; CLIENTS] {
    [(); CLIENTS].map(|()| [(); CONNECTIONS].map(|()| engine.connect()))
}

impl Server {
    pub fn new() -> Server {
        let mut engine = fresh();
        let admin = engine.connect();
        let connections = connect(&mut engine);
        Server { engine, connections, admin, snapshot: Vec::new(), log: Vec::new(), script: None }
    }

    pub fn now_ms(&self) -> i64 {
        self.engine.now().as_ms()
    }

    pub fn note(&mut self, line: impl FnOnce() -> String) {
        if let Some(script) = &mut self.script {
            script.push(line());
        }
    }

    fn note_reply(&mut self, mut out: &[u8]) {
        while let (Some(_), Ok(Some((value, len)))) = (&self.script, read(out)) {
            let mut lines = Vec::new();
            cli_text::print(&value, &mut lines);
            lines.into_iter().for_each(|line| self.note(|| line));
            out = &out[len..];
        }
    }

    /// Runs a request; the reply is empty while it waits.
    pub fn run(&mut self, client: usize, connection: usize, line: &str) -> Vec<u8> {
        let words: Vec<&str> = line.split(' ').collect();
        let mut out = Vec::new();
        self.engine.execute(self.connections[client][connection], Argv::from_slices(&words).as_ref(), &mut out);
        self.note(|| format!("{}{}> {line}", NAMES[client], ["", "2"][connection]));
        self.note_reply(&out);
        out
    }

    pub fn late(&mut self, client: usize, connection: usize) -> Vec<u8> {
        let out = self.engine.take_outbox(self.connections[client][connection]);
        if !out.is_empty() {
            self.note(|| format!("{}{}<", NAMES[client], ["", "2"][connection]));
            self.note_reply(&out);
        }
        out
    }

    pub fn is_blocked(&self, client: usize, connection: usize) -> bool {
        self.engine.client(self.connections[client][connection]).is_some_and(|client| client.blocked.is_some())
    }

    pub fn unblock(&mut self, client: usize, with_error: bool) {
        let line = format!(
            "CLIENT UNBLOCK {} {}",
            self.connections[client][0].0,
            if with_error { "ERROR" } else { "TIMEOUT" }
        );
        let words: Vec<&str> = line.split(' ').collect();
        self.engine.execute(self.admin, Argv::from_slices(&words).as_ref(), &mut Vec::new());
        self.note(|| format!("> {line}"));
    }

    pub fn disconnect(&mut self, client: usize) {
        for connection in 0..CONNECTIONS {
            let id = self.engine.connect();
            let old = std::mem::replace(&mut self.connections[client][connection], id);
            self.note(|| format!("> CLIENT KILL ID {}", old.0));
            self.engine.disconnect(old);
        }
        self.engine.tick();
    }

    pub fn advance(&mut self, ms: i64) {
        if ms != 0 {
            self.note(|| format!("@ {}{}ms", if ms < 0 { '-' } else { '+' }, ms.abs()));
            self.engine.clock_mut().advance(ms);
        }
        self.engine.tick();
    }

    /// Appends the new effects to the log.
    pub fn persist(&mut self) {
        let piece = self.engine.take_effects();
        self.log.extend_from_slice(&piece);
    }

    /// Replaces the log by a snapshot.
    pub fn save(&mut self) {
        self.persist();
        self.snapshot = self.engine.snapshot().expect("memory");
        self.log.clear();
    }

    /// The process ends after a share of the effects that are not written yet, in 255ths, and starts again. Checks that
    /// the keyspace is either the one before the last unit of effects or the present one, and tokens are not lost.
    pub fn crash(&mut self, share: u8) -> Result<(), String> {
        self.note(|| String::from("# the process ends and starts again\n> DEBUG RELOAD"));
        let written = self.log.len();
        self.persist();
        let piece_len = self.log.len() - written;
        let kept = written + piece_len * usize::from(share) / 255;
        let (before, after) =
            (self.restored(&self.log[..written])?, (self.engine.digest(), self.engine.keyspace_ref().last_token()));
        self.log.truncate(kept);
        let mut engine = self.load(&self.log)?;
        let found = (engine.digest(), engine.keyspace_ref().last_token());
        let is_expected = match kept == written + piece_len {
            true => found == after,
            // The register may be ahead of a unit that was dropped.
            false => found.0 == before.0 && found.1 >= before.1 || found.0 == after.0,
        };
        let several = share < 255 && piece_len > 0;
        if !is_expected && !several {
            return Err(format!("after a crash {found:?}, not {after:?} or {before:?}"));
        }
        engine.clock_mut().set(self.engine.now());
        engine.record(true);
        engine.tick();
        self.log = self.whole_units();
        self.admin = engine.connect();
        self.connections = connect(&mut engine);
        self.engine = engine;
        self.persist();
        Ok(())
    }

    /// Log without a torn unit at its end.
    fn whole_units(&self) -> Vec<u8> {
        let mut log = self.log.clone();
        let dropped = fresh().replay(&log).map_or(0, |replayed| replayed.dropped_bytes);
        log.truncate(log.len() - dropped);
        log
    }

    fn restored(&self, log: &[u8]) -> Result<(u64, u64), String> {
        let engine = self.load(log)?;
        Ok((engine.digest(), engine.keyspace_ref().last_token()))
    }

    fn load(&self, log: &[u8]) -> Result<Keylatch<ManualClock>, String> {
        let mut engine = Keylatch::new(Options { seed: SEED }, ManualClock::new(SESSION_START));
        if !self.snapshot.is_empty() {
            engine.load(&self.snapshot).map_err(|error| format!("{error:?}"))?;
        }
        engine.replay(log).map_err(|error| format!("{error:?}"))?;
        Ok(engine)
    }

    /// Holders of all latches by key.
    pub fn holders(&self) -> BTreeMap<String, Vec<Holder>> {
        let mut latches = BTreeMap::new();
        for entry in self.engine.keyspace_ref().database(0).entries() {
            let ValueRef::Hash(hash) = entry.value else { continue };
            let holders = hash.iter().map(|field| holder(&field.name, &field.value)).collect();
            latches.insert(String::from_utf8_lossy(entry.key).into_owned(), holders);
        }
        latches
    }

    /// Whether a wait for a key outlasts its time, and whether any client waits in its line.
    pub fn line(&self, key: &str) -> (bool, bool) {
        let (waiters, now) = (&self.engine.keyspace_ref().interest.waiters, self.engine.now());
        let next = |queue, after| waiters.after(0, key.as_bytes(), queue, after);
        let line = [Queue::Upgrade, Queue::Line].into_iter().flat_map(|queue| {
            core::iter::successors(next(queue, QueuePosition(0)), move |(position, _)| next(queue, *position))
        });
        line.fold((false, false), |(is_over, _), (_, waiter)| (is_over || waiter.until <= now, true))
    }
}

fn holder(owner: &[u8], text: &[u8]) -> Holder {
    let text = String::from_utf8_lossy(text);
    let words: Vec<&str> = text.split(' ').collect();
    let number = |index: usize| words[index].parse::<i64>().expect("a number");
    let owner = String::from_utf8_lossy(owner).into_owned();
    Holder { owner, mode: words[0].to_owned(), permits: number(1), token: number(4) as u64 }
}
