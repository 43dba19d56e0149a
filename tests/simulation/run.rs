//! Runs a schedule: requests travel through a network that loses, delays and repeats them, and the rules are checked
//! after every step.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use keylatch::internals::resp::read::{Value, read};

use crate::schedule::{CLIENTS, Event, FIXED_LIMIT, Fate, Kind, LOCKS, PERMITS, SEMAPHORE};
use crate::server::{CONNECTIONS, Holder, NAMES, Server};

/// Outcome of a whole schedule.
#[derive(Clone, Copy, Default)]
pub struct Outcome {
    pub steps: u64,
    /// Fingerprint of all replies and of the keyspace at the end.
    pub digest: u64,
    pub grants: u64,
}

pub struct Failure {
    pub text: String,
    /// Steps as a session, if they were written down.
    pub session: String,
}

/// Request on its way or at work.
#[derive(Clone)]
struct Message {
    client: usize,
    connection: usize,
    line: String,
    key: &'static str,
    fate: Fate,
}

struct Client {
    /// Token by key.
    beliefs: BTreeMap<&'static str, u64>,
    /// Requests without reply, by connection.
    pending: [VecDeque<Message>; CONNECTIONS],
    paused_until: i64,
    /// Percentage of the speed of the host's clock.
    speed: i64,
}

impl Client {
    fn new(number: usize) -> Client {
        let speed = 90 + 10 * number as i64;
        Client { beliefs: BTreeMap::new(), pending: Default::default(), paused_until: i64::MIN, speed }
    }
}

/// Something that arrives at an instant: a request at the server, or a token at its client.
enum Arrival {
    Request(Message),
    Token { client: usize, key: &'static str, token: u64 },
}

struct Simulation {
    server: Server,
    clients: Vec<Client>,
    arrivals: BTreeMap<u64, Arrival>,
    due: BinaryHeap<Reverse<(i64, u64)>>,
    sent: u64,
    /// Time of the world, which the clock of the host follows except for its jumps.
    time: i64,
    outcome: Outcome,
    last_token: u64,
    /// Largest token before this step. Late replies of one step are read in any order.
    last_before: u64,
    /// Tokens that clients were granted, whether the reply reached them or not.
    granted: [BTreeSet<u64>; CLIENTS],
    /// Holders after the last step.
    held: BTreeMap<String, Vec<Holder>>,
    written: BTreeMap<&'static str, u64>,
    /// End of the fixed window, and what was admitted in it. `None` after the clock was set back, or all keys
    /// were deleted.
    window: Option<(i64, u64)>,
}

/// Runs events. With `is_written` the failure has a session.
pub fn run(events: &[Event], is_written: bool) -> Result<Outcome, Failure> {
    let mut simulation = Simulation {
        server: Server::new(),
        clients: (0..CLIENTS).map(Client::new).collect(),
        arrivals: BTreeMap::new(),
        due: BinaryHeap::new(),
        sent: 0,
        time: 0,
        outcome: Outcome { digest: 0xCBF2_9CE4_8422_2325, ..Outcome::default() },
        last_token: 0,
        last_before: 0,
        granted: Default::default(),
        held: BTreeMap::new(),
        written: BTreeMap::new(),
        window: Some((i64::MIN, 0)),
    };
    simulation.server.script = is_written.then(Vec::new);
    let outcome = events.iter().try_for_each(|event| simulation.happen(event)).and_then(|()| simulation.end());
    let session = || simulation.server.script.iter().flatten().map(|line| format!("{line}\n")).collect();
    match outcome {
        Ok(()) => Ok(simulation.outcome),
        Err(text) => Err(Failure { session: session(), text }),
    }
}

impl Simulation {
    fn happen(&mut self, event: &Event) -> Result<(), String> {
        self.pass(self.time + event.after_ms)?;
        match &event.kind {
            Kind::Request { line, key, fate } => self.send(event.client, line, key, *fate),
            Kind::Guard { key } => self.guard(event.client, key)?,
            Kind::Work { id, finish } => self.work(event.client, *id, *finish)?,
            Kind::Pause(ms) => self.clients[event.client].paused_until = self.time + ms,
            Kind::ClockJump(ms) => self.jump(*ms),
            Kind::Disconnect => {
                self.server.disconnect(event.client);
                self.clients[event.client].pending = Default::default();
            }
            Kind::Cancel { with_error } => self.server.unblock(event.client, *with_error),
            Kind::Crash => self.crash(255)?,
            Kind::Snapshot => self.server.save(),
        }
        self.check()
    }

    /// Lets time pass, with everything that arrives or is due meanwhile.
    fn pass(&mut self, until: i64) -> Result<(), String> {
        loop {
            let arrival = self.due.peek().map(|Reverse((time, _))| *time);
            let now = self.server.now_ms();
            let due = self.server.engine.next_deadline().map(|due| self.time + (due.as_ms() - now).max(0));
            let next = arrival.into_iter().chain(due).min().filter(|next| *next <= until);
            let Some(next) = next else { break };
            self.server.advance((next - self.time).max(0));
            self.time = self.time.max(next);
            if arrival.is_some_and(|time| time <= self.time)
                && let Some(Reverse((_, number))) = self.due.pop()
                && let Some(arrival) = self.arrivals.remove(&number)
            {
                self.arrive(arrival)?;
            }
            self.check()?;
        }
        self.server.advance(until - self.time);
        self.time = until;
        Ok(())
    }

    fn post(&mut self, after_ms: i64, arrival: Arrival) {
        self.sent += 1;
        self.due.push(Reverse((self.time + after_ms, self.sent)));
        self.arrivals.insert(self.sent, arrival);
    }

    fn send(&mut self, client: usize, line: &str, key: &'static str, fate: Fate) {
        let token = self.clients[client].beliefs.get(key).copied().unwrap_or(1);
        let line = line.replace('@', NAMES[client]).replace('$', &token.to_string());
        let speed = self.clients[client].speed;
        let message = |connection| Arrival::Request(Message { client, connection, line: line.clone(), key, fate });
        if let Some(copy_ms) = fate.copy_ms {
            self.post(copy_ms * speed / 100, message(1));
        }
        if !fate.is_lost {
            self.post(fate.delay_ms * speed / 100, message(0));
        }
    }

    fn arrive(&mut self, arrival: Arrival) -> Result<(), String> {
        match arrival {
            Arrival::Token { client, key, token } => {
                let paused_until = self.clients[client].paused_until;
                if self.time < paused_until {
                    self.post(paused_until - self.time, Arrival::Token { client, key, token });
                } else {
                    self.clients[client].beliefs.insert(key, token);
                }
                Ok(())
            }
            Arrival::Request(message) => self.serve(message),
        }
    }

    fn serve(&mut self, message: Message) -> Result<(), String> {
        let (client, connection) = (message.client, message.connection);
        // The fate may end the process between the command and its reply.
        let before = self.server.holders();
        if message.line == "FLUSHALL" {
            self.window = None;
        }
        if let Some(share) = message.fate.crash {
            self.server.persist();
            self.server.run(client, connection, &message.line);
            return self.crash(share);
        }
        let out = self.server.run(client, connection, &message.line);
        // Time that passed may have ended the wait of an earlier request.
        self.clients[client].pending[connection].push_back(message);
        let late = self.server.late(client, connection);
        self.replied(client, connection, &late, &before)?;
        self.replied(client, connection, &out, &before)
    }

    /// Handles replies in the order of the requests of their connection.
    fn replied(
        &mut self,
        client: usize,
        connection: usize,
        mut out: &[u8],
        before: &BTreeMap<String, Vec<Holder>>,
    ) -> Result<(), String> {
        self.outcome.digest = fingerprint(self.outcome.digest, out);
        while let Ok(Some((value, len))) = read(out) {
            let message = self.clients[client].pending[connection].pop_front().ok_or("a reply without a request")?;
            self.learn(&message, &value, before)?;
            out = &out[len..];
        }
        Ok(())
    }

    fn learn(
        &mut self,
        message: &Message,
        value: &Value<'_>,
        before: &BTreeMap<String, Vec<Holder>>,
    ) -> Result<(), String> {
        let Message { client, key, ref line, fate, .. } = *message;
        if let (true, Value::Array(numbers)) = (line.starts_with("LATCH.LIMIT"), value) {
            return self.admitted(numbers.first() == Some(&Value::Integer(1)));
        }
        let Value::Integer(number) = value else { return Ok(()) };
        if !line.starts_with("LATCH.ACQUIRE") {
            return Ok(());
        }
        let token = *number as u64;
        self.outcome.grants += 1;
        let held = |holder: &Holder| holder.owner == NAMES[client] && holder.token == token;
        let was_held = before.get(key).is_some_and(|holders| holders.iter().any(held));
        let is_repeated = self.granted[client].contains(&token);
        let is_shared =
            self.granted.iter().enumerate().any(|(other, tokens)| other != client && tokens.contains(&token));
        if is_shared || !was_held && !is_repeated && token <= self.last_before {
            return Err(format!("S2: token {token} after {}, for {line}", self.last_before));
        }
        self.last_token = self.last_token.max(token);
        self.granted[client].insert(token);
        if !fate.is_reply_lost {
            self.post(fate.reply_ms, Arrival::Token { client, key, token });
        }
        Ok(())
    }

    /// Counts what a fixed window admitted.
    fn admitted(&mut self, is_admitted: bool) -> Result<(), String> {
        let now = self.server.now_ms();
        let Some((end, used)) = self.window.filter(|_| is_admitted) else { return Ok(()) };
        let period = crate::schedule::FIXED_PERIOD as i64;
        let (end, used) = if now > end { (now + period, 1) } else { (end, used + 1) };
        self.window = Some((end, used));
        if used > FIXED_LIMIT { Err(format!("S13: {used} uses in a window that ends at {end}")) } else { Ok(()) }
    }

    /// A write that is guarded by the token, however old it is.
    fn guard(&mut self, client: usize, key: &'static str) -> Result<(), String> {
        let Some(&token) = self.clients[client].beliefs.get(key) else { return Ok(()) };
        if self.server.is_blocked(client, 0) {
            return Ok(());
        }
        let holders = self.server.holders();
        let holder = holders.get(key).and_then(|held| held.iter().find(|held| held.owner == NAMES[client]));
        let is_writer = holder.is_some_and(|holder| holder.mode == "x");
        let is_held = holder.is_some_and(|holder| holder.token == token);
        for line in [String::from("MULTI"), format!("LATCH.CHECK {key} {} {token}", NAMES[client])] {
            self.server.run(client, 0, &line);
        }
        self.server.run(client, 0, &format!("SET data:{key} {token}"));
        let out = self.server.run(client, 0, "EXEC");
        self.outcome.digest = fingerprint(self.outcome.digest, &out);
        let ran = out.starts_with(b"*2");
        if ran && !is_held {
            return Err(format!("S3: {} writes with {token} of {holders:?}", NAMES[client]));
        }
        if ran && is_writer {
            let written = self.written.insert(key, token).unwrap_or(0);
            if written > token {
                return Err(format!("S3: {token} is written over {written}"));
            }
        }
        Ok(())
    }

    /// Once-only work. The effect and its mark are one transaction.
    fn work(&mut self, client: usize, id: u64, finish: bool) -> Result<(), String> {
        let key = ["once:0", "once:1"][id as usize % 2];
        if self.server.is_blocked(client, 0) {
            return Ok(());
        }
        let token = self.clients[client].beliefs.get(key).copied().filter(|_| finish);
        let Some(token) = token else {
            let out = self.server.run(client, 0, &format!("LATCH.ONCE {key} {} TTL 15", NAMES[client]));
            if let Ok(Some((Value::Array(parts), _))) = read(&out)
                && let [Value::Bulk(b"run"), Value::Integer(token)] = &parts[..]
            {
                self.last_token = self.last_token.max(*token as u64);
                self.clients[client].beliefs.insert(key, *token as u64);
            }
            return Ok(());
        };
        let name = NAMES[client];
        self.server.run(client, 0, "MULTI");
        self.server.run(client, 0, &format!("LATCH.CHECK {key} {name} {token}"));
        self.server.run(client, 0, &format!("INCR effect:{id}"));
        self.server.run(client, 0, &format!("LATCH.DONE {key} {name} done TTL 100000 TOKEN {token}"));
        let out = self.server.run(client, 0, "EXEC");
        // A key with a result is no latch any more.
        let is_fenced = out.starts_with(b"-FENCED") || out.starts_with(b"-WRONGTYPE");
        let effects = self.server.run(client, 0, &format!("GET effect:{id}"));
        if !out.starts_with(b"*3") && !is_fenced || effects.starts_with(b"$1\r\n2") {
            return Err(format!("S14: {} after {}", effects.escape_ascii(), out.escape_ascii()));
        }
        Ok(())
    }

    fn jump(&mut self, ms: i64) {
        self.server.advance(ms);
        if ms < 0 {
            self.window = None;
        }
    }

    fn crash(&mut self, share: u8) -> Result<(), String> {
        // Only what is persistent was ever shown to a client.
        self.server.crash(share)?;
        for client in &mut self.clients {
            client.pending = Default::default();
        }
        Ok(())
    }

    /// Hands late replies out, and checks holders and lines.
    fn check(&mut self) -> Result<(), String> {
        self.outcome.steps += 1;
        self.server.persist();
        let holders = self.server.holders();
        for (client, connection) in (0..CLIENTS).flat_map(|client| (0..CONNECTIONS).map(move |other| (client, other))) {
            let out = self.server.late(client, connection);
            if !out.is_empty() {
                let before = std::mem::take(&mut self.held);
                self.replied(client, connection, &out, &before)?;
                self.held = before;
            }
        }
        let keys = LOCKS.iter().chain([&SEMAPHORE]);
        for key in keys {
            let held = holders.get(*key).map_or(&[][..], Vec::as_slice);
            exclude(key, held)?;
            let (is_over, is_line) = self.server.line(key);
            if is_over {
                return Err(format!("L1: a wait for {key} outlasts its time"));
            }
            if is_line && holders.keys().all(|key| key.starts_with("once")) {
                return Err(format!("L3: clients wait for {key}, although nothing is held"));
            }
        }
        (self.held, self.last_before) = (holders, self.last_token);
        Ok(())
    }

    /// Lets everything end: no holder and no line remain.
    fn end(&mut self) -> Result<(), String> {
        self.pass(self.time + 1000)?;
        let left = self.server.holders();
        if !left.is_empty() {
            return Err(format!("L1: holders remain: {left:?}"));
        }
        self.outcome.digest = fingerprint(self.outcome.digest, &self.server.engine.digest().to_le_bytes());
        Ok(())
    }
}

/// Modes that two holders may have at once.
fn go_together(one: &str, other: &str) -> bool {
    matches!((one, other), ("s", "s" | "is") | ("is", "s" | "is" | "ix") | ("ix", "is" | "ix") | ("p", "p"))
}

fn exclude(key: &str, held: &[Holder]) -> Result<(), String> {
    for (index, one) in held.iter().enumerate() {
        if held[index + 1..].iter().any(|other| !go_together(&one.mode, &other.mode)) {
            return Err(format!("S1: {key} is held by {held:?}"));
        }
    }
    let permits: i64 = held.iter().filter(|holder| holder.mode == "p").map(|holder| holder.permits).sum();
    if permits > PERMITS as i64 { Err(format!("S12: {held:?}")) } else { Ok(()) }
}

/// FNV-1a.
fn fingerprint(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3))
}
