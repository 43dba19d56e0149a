//! An engine with a clock that stands still and one client.

pub use super::dice::Dice;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options, Timestamp};

pub type Engine = Keylatch<ManualClock>;

#[derive(Clone)]
pub struct Db {
    pub engine: Engine,
    pub client: ClientId,
}

impl Db {
    pub fn new(seed: u64, now_ms: i64) -> Db {
        let mut engine = Keylatch::new(Options { seed }, ManualClock::new(Timestamp::from_ms(now_ms)));
        let client = engine.connect();
        Db { engine, client }
    }

    /// A database that records a log.
    pub fn recording(seed: u64, now_ms: i64) -> Db {
        let mut db = Db::new(seed, now_ms);
        db.engine.record(true);
        db
    }

    pub fn run(&mut self, arguments: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut out = Vec::new();
        self.engine.execute(self.client, Argv::from_slices(arguments).as_ref(), &mut out);
        out
    }

    /// Runs a line, split at blanks; returns the reply as text.
    pub fn run_line(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        String::from_utf8_lossy(&self.run(&words)).into_owned()
    }

    pub fn advance(&mut self, ms: i64) {
        self.engine.clock_mut().advance(ms);
    }

    /// Ticks until nothing is due.
    pub fn run_until_idle(&mut self) {
        self.engine.tick();
        while self.engine.next_deadline().is_some_and(|due| due <= self.engine.now()) {
            self.engine.tick();
        }
    }

    pub fn snapshot(&self) -> Vec<u8> {
        self.engine.snapshot().unwrap()
    }
}

/// RESP of a command, as logs have it.
pub fn resp(line: &str) -> Vec<u8> {
    let words: Vec<&str> = line.split(' ').collect();
    let mut bytes = format!("*{}\r\n", words.len());
    words.iter().for_each(|word| bytes.push_str(&format!("${}\r\n{word}\r\n", word.len())));
    bytes.into_bytes()
}

/// A piece of log: its annotation and commands.
pub fn piece(now_ms: i64, lines: &[&str]) -> Vec<u8> {
    let mut bytes = format!("#KL:{now_ms} v1\r\n").into_bytes();
    lines.iter().for_each(|line| bytes.extend(resp(line)));
    bytes
}
