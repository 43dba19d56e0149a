//! An engine and a real server that receive the same requests from the same clients, and the comparison of their
//! replies. Requests of one client are sent in one batch, and no other client sends before all of its replies are read:
//! the server's order of execution is deterministic.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use keylatch::internals::Client;
use keylatch::internals::commands::flags;
use keylatch::internals::resp::read::{Value, read};
use keylatch::{Argv, ClientId, Keylatch, ManualClock, MovableClock, Options, Protocol, Timestamp};

use super::allowed::Tally;
use super::harness::{Harness, Request, Stored};
use super::redis::{self, Server};
use super::replies::{count, length_of, printed, same};
use super::scope::row_of;
use super::special;

/// Milliseconds after which a missing reply is checked with a request on another connection.
const PATIENCE: Duration = Duration::from_millis(20);
/// Maximum number of bytes that the server reads from a client in one turn.
const BYTES_PER_TURN: usize = 16 * 1024;
/// Additional turns of the server's event loop until its output is sent.
const TURNS: usize = 3;
/// Maximum size of a batch: a larger one could fill the buffers of both directions.
const BATCH_BYTES_MAX: usize = 32 * 1024;
/// Maximum number of payloads of DUMP that are kept.
const PAYLOADS_MAX: usize = 64;

/// A request with different replies on the two sides.
#[derive(Debug)]
pub struct Difference {
    pub request: Request,
    pub ours: String,
    pub theirs: String,
}

impl Difference {
    /// Key that is equal for differences that probably have one cause.
    pub fn kind(&self) -> String {
        let name = row_of(&self.request.argv).map_or("", |row| row.name);
        let begin = |text: &str| text.chars().take(24).collect::<String>();
        format!("{name}/{}/{}", begin(&self.ours), begin(&self.theirs))
    }
}

/// A client on both sides.
struct Peer {
    ours: ClientId,
    their_number: String,
    stream: TcpStream,
    /// Bytes from the server that were not compared yet.
    received: Vec<u8>,
    /// Requests queued since MULTI.
    queued: Vec<Vec<Vec<u8>>>,
    /// The request that blocks the client.
    blocked: Option<Request>,
}

pub struct Pair<'s> {
    engine: Keylatch<ManualClock>,
    peers: Vec<Peer>,
    server: &'s mut Server,
    allowed: &'s Tally,
    /// Requests of one client with our replies, which were not sent to the server yet.
    batch: Vec<(Request, Vec<u8>)>,
    wire: Vec<u8>,
    payloads: Vec<Vec<u8>>,
}

impl<'s> Pair<'s> {
    /// Empties both sides and connects new clients, one for each protocol.
    pub fn new(protocols: &[Protocol], server: &'s mut Server, allowed: &'s Tally) -> Pair<'s> {
        for line in ["CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub", "FLUSHALL"] {
            server.run_line(line);
        }
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(now()));
        let peers = protocols.iter().map(|protocol| Peer::connect(server, &mut engine, *protocol)).collect();
        Pair { engine, peers, server, allowed, batch: Vec::new(), wire: Vec::new(), payloads: Vec::new() }
    }

    fn would_wait(&self, request: &Request) -> bool {
        let is_blocking = row_of(&request.argv).is_some_and(|row| row.has(flags::BLOCKING));
        is_blocking && !self.client(request.client).in_transaction() && {
            let mut reply = Vec::new();
            let argv = Argv::from_slices(&request.argv);
            self.engine.clone().execute(self.peers[request.client].ours, argv.as_ref(), &mut reply);
            reply.is_empty()
        }
    }

    /// Runs a request in the engine and sends it to the server eventually. Skipped while its client is blocked, and
    /// when it would block although `special` forbids that.
    pub fn perform(&mut self, request: &Request) -> Result<(), Difference> {
        let is_other = self.batch.first().is_some_and(|(first, _)| first.client != request.client);
        if is_other || self.wire.len() > BATCH_BYTES_MAX {
            self.flush()?;
        }
        let may_run = special::may_wait(&request.argv) || !self.would_wait(request);
        if self.client(request.client).is_blocked() || !may_run {
            return Ok(());
        }
        let our_argv = self.with_numbers(&request.argv, |peer| peer.ours.0.to_string());
        let their_argv = self.with_numbers(&request.argv, |peer| peer.their_number.clone());
        let mut reply = Vec::new();
        self.engine.clock_mut().set(now());
        let client = self.peers[request.client].ours;
        self.engine.execute(client, Argv::from_slices(&our_argv).as_ref(), &mut reply);
        self.wire.extend(redis::request(&their_argv));
        let is_blocked = reply.is_empty();
        // Messages caused by the client's own request follow its reply.
        if !is_blocked {
            reply.extend(self.engine.take_outbox(client));
        }
        self.batch.push((request.clone(), reply));
        if is_blocked { self.flush() } else { Ok(()) }
    }

    /// Sends pending requests, and compares all their replies and their messages to other clients.
    pub fn flush(&mut self) -> Result<(), Difference> {
        let batch = std::mem::take(&mut self.batch);
        let wire = std::mem::take(&mut self.wire);
        let Some(client) = batch.first().map(|(request, _)| request.client) else { return Ok(()) };
        self.peers[client].stream.write_all(&wire).expect("the server reads");
        for (request, reply) in batch {
            if reply.is_empty() {
                self.block(request)?;
            } else {
                self.compare(&request, &reply)?;
            }
        }
        for other in 0..self.peers.len() {
            let late = self.engine.take_outbox(self.peers[other].ours);
            if !late.is_empty() {
                let blocked = self.peers[other].blocked.take();
                let request = blocked.unwrap_or_else(|| Request { client: other, argv: vec![b"(message)".to_vec()] });
                self.compare(&request, &late)?;
            }
        }
        Ok(())
    }

    /// The client is blocked in the engine: the server must block it too.
    fn block(&mut self, request: Request) -> Result<(), Difference> {
        // When this reply arrives, the server has run all earlier requests.
        pass_turns(self.server, 1);
        let peer = &mut self.peers[request.client];
        peer.receive_what_is_there();
        if !peer.received.is_empty() {
            return Err(difference(&request, b"", &peer.received));
        }
        peer.blocked = Some(request);
        Ok(())
    }

    fn compare(&mut self, request: &Request, ours: &[u8]) -> Result<(), Difference> {
        let peer = &mut self.peers[request.client];
        let theirs = match peer.receive_like(ours, self.server) {
            Some(theirs) => theirs,
            None => return Err(difference(request, ours, &peer.received)),
        };
        let queued = peer.note(request, ours);
        self.allowed.count(&request.argv, ours);
        if theirs != ours && !same(&request.argv, &queued, ours, &theirs, self.allowed) {
            return Err(difference(request, ours, &theirs));
        }
        if row_of(&request.argv).is_some_and(|row| row.name == "dump") {
            self.remember_payloads(&[ours, &theirs]);
        }
        Ok(())
    }

    fn remember_payloads(&mut self, replies: &[&[u8]]) {
        for reply in replies {
            if let Ok(Some((Value::Bulk(payload), _))) = read(reply) {
                self.payloads.push(payload.to_vec());
            }
        }
        let surplus = self.payloads.len().saturating_sub(PAYLOADS_MAX);
        self.payloads.drain(..surplus);
    }

    fn with_numbers(&self, argv: &[Vec<u8>], number: impl Fn(&Peer) -> String) -> Vec<Vec<u8>> {
        let placeholder =
            |word: &Vec<u8>| (0..self.peers.len()).find(|client| Request::number_of(*client).as_bytes() == word);
        let word = |word: &Vec<u8>| placeholder(word).map_or(word.clone(), |client| number(&self.peers[client]).into());
        argv.iter().map(word).collect()
    }
}

impl Harness for Pair<'_> {
    fn client(&self, client: usize) -> &Client {
        self.engine.client(self.peers[client].ours).expect("no client of the test is closed")
    }

    fn payload(&self, number: u64) -> Option<&[u8]> {
        let index = number.checked_rem(self.payloads.len() as u64)?;
        Some(&self.payloads[index as usize])
    }

    fn keys(&self) -> Vec<(u8, Vec<Stored>)> {
        let in_database = |database| {
            let inspection = self.engine.inspect(database, 0, 10_000).expect("there is memory");
            let stored = inspection.keys.iter();
            stored.map(|entry| Stored { key: entry.key.to_vec(), type_name: entry.kind.name() }).collect::<Vec<_>>()
        };
        (0..16).map(|database| (database, in_database(database))).filter(|(_, keys)| !keys.is_empty()).collect()
    }
}

impl Peer {
    fn connect(server: &mut Server, engine: &mut Keylatch<ManualClock>, protocol: Protocol) -> Peer {
        let stream = TcpStream::connect(server.stream.peer_addr().unwrap()).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let ours = engine.connect();
        let mut peer =
            Peer { ours, their_number: String::new(), stream, received: Vec::new(), queued: Vec::new(), blocked: None };
        if protocol == Protocol::Resp3 {
            engine.set_protocol(ours, protocol);
            peer.ask(&["HELLO", "3"], server);
        }
        let number = peer.ask(&["CLIENT", "ID"], server);
        peer.their_number = String::from_utf8_lossy(&number[1..number.len() - 2]).into_owned();
        peer
    }

    fn ask(&mut self, words: &[&str], server: &mut Server) -> Vec<u8> {
        self.stream.write_all(&redis::request(words)).unwrap();
        self.receive_like(b"+\r\n", server).expect("the server answers")
    }

    /// The server's messages, as many as ours. None when they do not arrive, or are no messages.
    fn receive_like(&mut self, ours: &[u8], server: &mut Server) -> Option<Vec<u8>> {
        // Most of the time they are equal and need not be parsed.
        while self.received.len() < ours.len() && ours.starts_with(&self.received) {
            self.receive(server)?;
        }
        if self.received.starts_with(ours) {
            return Some(self.received.drain(..ours.len()).collect());
        }
        let wanted = count(ours);
        let length = loop {
            if let Some(length) = length_of(&self.received, wanted)? {
                break length;
            }
            self.receive(server)?;
        };
        Some(self.received.drain(..length).collect())
    }

    /// Waits for more bytes; None when the server has sent everything for this client.
    fn receive(&mut self, server: &mut Server) -> Option<()> {
        let mut buffer = [0; 65536];
        match self.stream.read(&mut buffer) {
            Ok(0) => None,
            Ok(received) => {
                self.received.extend_from_slice(&buffer[..received]);
                Some(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                pass_turns(server, BATCH_BYTES_MAX.div_ceil(BYTES_PER_TURN) + TURNS);
                let before = self.received.len();
                self.receive_what_is_there();
                (self.received.len() > before).then_some(())
            }
            Err(_) => None,
        }
    }

    fn receive_what_is_there(&mut self) {
        self.stream.set_nonblocking(true).unwrap();
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer) {
            Ok(received) => self.received.extend_from_slice(&buffer[..received]),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
        }
        self.stream.set_nonblocking(false).unwrap();
    }

    /// Records queued requests; returns those that EXEC has run.
    fn note(&mut self, request: &Request, ours: &[u8]) -> Vec<Vec<Vec<u8>>> {
        if ours == b"+QUEUED\r\n" {
            self.queued.push(request.argv.clone());
            return Vec::new();
        }
        match row_of(&request.argv).map(|row| row.name) {
            Some("exec" | "discard" | "reset") => std::mem::take(&mut self.queued),
            _ => Vec::new(),
        }
    }
}

/// Waits for a number of turns of the server's event loop: the reply comes at the end of a turn.
fn pass_turns(server: &mut Server, turns: usize) {
    for _ in 0..turns {
        assert_eq!(server.run_line("PING"), "+PONG\r\n");
    }
}

pub fn now() -> Timestamp {
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970").as_millis();
    Timestamp::from_ms(now_ms as i64)
}

fn difference(request: &Request, ours: &[u8], theirs: &[u8]) -> Difference {
    Difference { request: request.clone(), ours: printed(ours), theirs: printed(theirs) }
}
