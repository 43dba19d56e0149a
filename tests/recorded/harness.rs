//! An engine under one configuration with its clients; every byte, event and deadline that results from a step is
//! recorded.

use std::cell::Cell;

use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Connection, Keylatch, ManualClock, Meter, Options, Protocol};

use super::configurations::Configuration;
use super::dice::Dice;
use super::guests::{MONITORING, VISITS};
use super::observer::{LOOKS, SECTIONS, sorted_lines};
use super::recorder::{Block, Recorder};
use super::requests::Request;
use super::special::words;
use super::stream::{Step, WORKERS, keeps_parted};

/// Clients beside the workers.
const CONTROL: usize = WORKERS;
const SUBSCRIBER: usize = WORKERS + 1;
const MONITOR: usize = WORKERS + 2;
const GUEST: usize = WORKERS + 3;
const NAMES: [&str; GUEST + 1] = ["A", "B", "C", "D", "control", "subscriber", "monitor", "guest"];
/// Database of each worker at the start of a block.
const DATABASES: [u8; WORKERS] = [0, 0, 0, 1];
/// Effects are taken once in this many steps, so that a piece has several units.
const TAKES_EFFECTS: u64 = 6;
/// More cuts of one piece of a stream are rare.
const CUTS_MAX: u64 = 3;

/// The stopwatch advances a few microseconds at each reading, and once in this many far enough for a slow command.
const SLOW_ONE_IN: u64 = 600;

thread_local! {
    static READINGS: Cell<u64> = const { Cell::new(0) };
}

fn watch_us() -> u64 {
    let readings = READINGS.get() + 1;
    READINGS.set(readings);
    3 * readings + 12_000 * (readings / SLOW_ONE_IN)
}

struct Link {
    client: ClientId,
    connection: Connection,
    /// Requests are sent as bytes of a stream in this block, or one by one.
    by_stream: bool,
}

pub struct Harness {
    engine: Keylatch<ManualClock>,
    configuration: &'static Configuration,
    protocol: Protocol,
    links: Vec<Link>,
    meter: Meter,
    dice: Dice,
    recorder: Recorder,
}

impl Harness {
    pub fn new(configuration: &'static Configuration, protocol: Protocol, seed: u64) -> Harness {
        let mut engine = Keylatch::new(Options { seed }, ManualClock::new(SESSION_START));
        engine.listen(configuration.listens);
        engine.record(configuration.records);
        if let Some((bytes, policy)) = configuration.limit {
            engine.configure("maxmemory", &bytes.to_string()).expect("a limit");
            engine.configure("maxmemory-policy", policy).expect("a policy");
        }
        let links = NAMES.iter().map(|_| link(&mut engine, protocol)).collect();
        let recorder = Recorder::new(false);
        READINGS.set(0);
        let meter = if configuration.measures { Meter::new(watch_us) } else { Meter::default() };
        let mut harness = Harness { engine, configuration, protocol, links, meter, dice: Dice::new(!seed), recorder };
        harness.set_up_observers();
        harness
    }

    fn set_up_observers(&mut self) {
        if self.configuration.notifies {
            self.send(CONTROL, "CONFIG SET notify-keyspace-events KEA");
            self.send(SUBSCRIBER, "PSUBSCRIBE __key*__:*");
        }
        if self.configuration.tracks && self.protocol == Protocol::Resp2 {
            self.send(SUBSCRIBER, "SUBSCRIBE __redis__:invalidate");
        }
        if self.configuration.monitors {
            self.send(MONITOR, "MONITOR");
        }
    }

    /// Starts a block: workers leave blocking commands and subscriptions; keys and counts are kept.
    pub fn begin(&mut self, with_transcript: bool) {
        self.recorder = Recorder::new(with_transcript);
        for worker in 0..WORKERS {
            self.links[worker].by_stream = self.dice.roll(2) == 0;
        }
        self.send(CONTROL, "DEBUG SET-ACTIVE-EXPIRE 1");
        self.free("");
        let version = if self.protocol == Protocol::Resp2 { 2 } else { 3 };
        for (worker, database) in DATABASES.iter().enumerate() {
            self.send(worker, "RESET");
            self.send(worker, &format!("HELLO {version}"));
            self.send(worker, &format!("SELECT {database}"));
        }
        if self.configuration.tracks {
            let to = self.links[SUBSCRIBER].client.0;
            let redirect = if version == 2 { format!(" REDIRECT {to}") } else { String::new() };
            self.send(0, &format!("CLIENT TRACKING ON{redirect}"));
            self.send(1, &format!("CLIENT TRACKING ON BCAST PREFIX k PREFIX string{redirect}"));
        }
        self.receive_guest();
    }

    /// Connects a new guest in place of the one before.
    fn receive_guest(&mut self) {
        self.engine.disconnect(self.links[GUEST].client);
        self.links[GUEST] = link(&mut self.engine, self.protocol);
        let id = self.links[GUEST].client.0.to_string();
        let monitors = self.configuration.monitors && self.dice.roll(3) == 0;
        let visit = if monitors { MONITORING } else { *self.dice.pick(VISITS) };
        for piece in visit {
            let piece = piece.replace("{id}", &id);
            self.recorder.show(|| format!("guest sends {piece:?}"));
            self.feed(GUEST, piece.as_bytes());
            self.after_command();
        }
    }

    /// Runs a step and returns its number of requests.
    pub fn take(&mut self, step: Step) -> usize {
        match step {
            Step::Advance(ms) => {
                self.recorder.show(|| format!("time passes: {ms} ms"));
                self.engine.clock_mut().advance(ms);
            }
            Step::Tick => {
                self.recorder.show(|| "tick".to_owned());
                self.engine.tick();
                self.after_command();
            }
            Step::Free(how) => self.free(how),
            Step::Send { worker, mut requests } => {
                let sent = requests.len();
                if self.configuration.parts_deadlines {
                    requests.retain(|request| keeps_parted(worker, request));
                }
                self.perform(worker, &requests);
                return sent;
            }
        }
        0
    }

    fn free(&mut self, how: &str) {
        self.send(CONTROL, "CLIENT UNPAUSE");
        for worker in 0..WORKERS {
            let id = self.links[worker].client.0;
            self.send(CONTROL, &format!("CLIENT UNBLOCK {id}{how}"));
        }
    }

    fn send(&mut self, role: usize, text: &str) {
        self.perform(role, &[words(text)]);
    }

    fn perform(&mut self, role: usize, requests: &[Request]) {
        if !self.links[role].by_stream {
            return requests.iter().for_each(|request| drop(self.execute(role, request)));
        }
        let mut bytes = Vec::new();
        for request in requests {
            self.recorder.request(NAMES[role], request);
            encode(request, self.dice.roll(16) == 0, &mut bytes);
        }
        let mut rest = &bytes[..];
        for _ in 0..self.dice.roll(CUTS_MAX) {
            let (piece, behind) = rest.split_at(self.dice.roll(rest.len() as u64 + 1) as usize);
            self.feed(role, piece);
            self.after_command();
            rest = behind;
        }
        self.feed(role, rest);
        self.after_command();
    }

    fn execute(&mut self, role: usize, request: &Request) -> Vec<u8> {
        self.recorder.request(NAMES[role], request);
        let reply = self.run(role, request);
        self.recorder.note("reply", &reply);
        self.after_command();
        reply
    }

    fn run(&mut self, role: usize, request: &Request) -> Vec<u8> {
        let mut reply = Vec::new();
        let client = self.links[role].client;
        let argv = Argv::from_slices(request);
        if self.configuration.measures {
            self.meter.execute_alone(&mut self.engine, client, argv.as_ref(), &mut reply);
        } else {
            self.engine.execute(client, argv.as_ref(), &mut reply);
        }
        reply
    }

    fn feed(&mut self, role: usize, mut bytes: &[u8]) {
        loop {
            let mut out = Vec::new();
            let connection = &mut self.links[role].connection;
            let fed = connection.feed_measured(&mut self.engine, bytes, &mut self.meter, &mut out);
            self.recorder.note(NAMES[role], &out);
            self.recorder.figure("parked 1, closed 2", i64::from(fed.blocked) + 2 * i64::from(fed.closed));
            if !fed.more {
                return;
            }
            bytes = b"";
        }
    }

    /// Takes the outputs that a host takes after a command: messages, events, effects, clients to be disconnected.
    fn after_command(&mut self) {
        loop {
            let affected = self.engine.take_affected();
            if affected.is_empty() {
                break;
            }
            affected.into_iter().for_each(|client| self.serve(client));
        }
        if self.configuration.listens {
            for event in self.engine.take_events() {
                let key = event.key.escape_ascii();
                self.recorder.note("event", format!("{} db{} {key}", event.kind.name(), event.database).as_bytes());
            }
        }
        if self.configuration.records && self.dice.roll(TAKES_EFFECTS) == 0 {
            self.take_effects();
        }
        // Elsewhere expiry depends on the instant that a command last read.
        if self.configuration.parts_deadlines {
            self.recorder.figure("now", self.engine.now().as_ms());
        }
        self.recorder.figure("next deadline", self.engine.next_deadline().map_or(-1, |deadline| deadline.as_ms()));
    }

    /// Takes the outbox of a client, and continues with its pending requests.
    fn serve(&mut self, client: ClientId) {
        let Some(role) = self.links.iter().position(|link| link.client == client) else { return };
        let link = &self.links[role];
        if link.by_stream || link.connection.waiting_bytes() > 0 {
            self.feed(role, b"");
        } else {
            let outbox = self.engine.take_outbox(client);
            self.recorder.note(NAMES[role], &outbox);
        }
        if self.engine.client(client).is_some_and(|client| client.closing) {
            self.recorder.note("disconnected", NAMES[role].as_bytes());
            self.engine.disconnect(client);
        }
    }

    fn take_effects(&mut self) {
        let effects = self.engine.take_effects();
        self.recorder.note("effects", &effects);
    }

    /// Ends a block: records its counters and the remaining keys.
    pub fn end(&mut self) -> Block {
        for look in SECTIONS {
            let reply = self.run(CONTROL, &words(look));
            self.recorder.note(look, &sorted_lines(&reply));
        }
        for look in LOOKS {
            self.execute(CONTROL, &words(look));
        }
        for (role, name) in NAMES.iter().enumerate() {
            let outbox = self.engine.take_outbox(self.links[role].client);
            self.recorder.note(name, &outbox);
        }
        self.take_effects();
        self.recorder.figure("digest", self.engine.digest() as i64);
        let used_memory = self.engine.keyspace().counted_bytes();
        std::mem::take(&mut self.recorder).finish(used_memory)
    }
}

fn link(engine: &mut Keylatch<ManualClock>, protocol: Protocol) -> Link {
    let client = engine.connect();
    if protocol == Protocol::Resp3 {
        engine.set_protocol(client, protocol);
    }
    let connection = Connection::new(client, engine.limits());
    Link { client, connection, by_stream: false }
}

/// Appends a request to a stream, as an inline command where that is wanted and equivalent.
fn encode(request: &Request, as_line: bool, out: &mut Vec<u8>) {
    let is_plain = |word: &Vec<u8>| {
        !word.is_empty() && word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b':')
    };
    if as_line && request.iter().all(is_plain) {
        out.extend_from_slice(&request.join(&b' '));
        out.extend_from_slice(b"\r\n");
        return;
    }
    out.extend_from_slice(format!("*{}\r\n", request.len()).as_bytes());
    for word in request {
        out.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        out.extend_from_slice(word);
        out.extend_from_slice(b"\r\n");
    }
}
