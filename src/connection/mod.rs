//! One client's stream of bytes: requests in, replies out, however the stream is cut. Sockets belong to the host.

mod meter;

use alloc::format;
use alloc::vec::Vec;

pub use self::meter::Meter;
use crate::base::clock::Clock;
use crate::base::headroom::try_reserve;
use crate::engine::ERROR_BYTES;
use crate::engine::Turn;
use crate::engine::keylatch::Keylatch;
use crate::resp::decode::{Decoder, Limits, Next, ProtocolError};
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::ErrorText;
use crate::server::clients::{Client, ClientId};

/// Bytes of output after which a call of [`Connection::feed`] stops between two requests, so that no pipeline makes the
/// output grow without bounds.
pub const OUTPUT_MAX: usize = 1 << 20;

/// Instructions of scripts after which a call of [`Connection::feed`] stops between two requests: a few milliseconds, so that
/// no pipeline of scripts holds up other streams.
const SCRIPT_INSTRUCTIONS_MAX: u64 = 100_000;

/// State of a stream after [`Connection::feed`].
///
/// # Examples
/// ```
/// use keylatch::{Connection, Fed, Keylatch, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// let mut connection = Connection::new(db.connect(), db.limits());
/// let fed = connection.feed(&mut db, b"BLPOP jobs 0\r\n", &mut Vec::new());
/// assert_eq!(fed, Fed { blocked: true, ..Fed::default() });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fed {
    /// Whole requests may be left: write the output, then feed again, an empty chunk if nothing else has arrived.
    pub more: bool,
    /// The client is blocked or a script is suspended, and requests wait: feed an empty chunk when
    /// [`Keylatch::take_affected`] names the client. Until then read a bounded amount only, and notice the end of the stream.
    pub blocked: bool,
    /// Write the output, close the stream without reading on, and disconnect the client.
    pub closed: bool,
    /// Requests of the call caused effects: a host with a log appends them before it writes the output. A key that expired
    /// while a request looked at it does not count: no output depends on its removal, which the log may have later.
    pub wrote: bool,
    /// A script of the call is suspended: call [`ScriptControl::resume`](crate::ScriptControl::resume) until it ends.
    pub suspended: bool,
}

/// The stream of one client.
///
/// # Examples
/// ```
/// use keylatch::{Connection, Keylatch, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// let client = db.accept("127.0.0.1:50000", "127.0.0.1:6379");
/// let mut connection = Connection::new(client, db.limits());
/// let mut out = Vec::new();
/// connection.feed(&mut db, b"*2\r\n$3\r\nGET\r\n$1", &mut out);
/// assert!(out.is_empty());
/// connection.feed(&mut db, b"\r\nk\r\nPING\r\n", &mut out);
/// assert_eq!(out, b"$-1\r\n+PONG\r\n");
/// ```
#[derive(Clone, Debug)]
pub struct Connection {
    client: ClientId,
    decoder: Decoder,
    closed: bool,
}

/// State of the client before the next request is read.
enum State {
    Ready,
    /// There is no memory for another reply behind the output.
    Full,
    Blocked,
    Over,
}

impl Connection {
    /// Makes the stream of a connected client.
    pub fn new(client: ClientId, limits: Limits) -> Connection {
        Connection { client, decoder: Decoder::new(limits), closed: false }
    }

    /// The client of this stream.
    pub fn client(&self) -> ClientId {
        self.client
    }

    /// Sets other limits for the requests that follow.
    pub fn set_limits(&mut self, limits: Limits) {
        self.decoder.set_limits(limits);
    }

    /// Bytes that have arrived and belong to no request that was run.
    pub fn waiting_bytes(&self) -> usize {
        self.decoder.waiting_bytes()
    }

    /// Takes in the next bytes of the stream, runs the requests that are whole, and appends their replies and the messages of
    /// the client's outbox to `out`, in order. The requests of one call happen at one instant; the clock is read only if a
    /// reply can depend on it.
    pub fn feed<C: Clock>(&mut self, keylatch: &mut Keylatch<C>, chunk: &[u8], out: &mut Vec<u8>) -> Fed {
        self.feed_measured(keylatch, chunk, &mut Meter::default(), out)
    }

    /// Feeds the stream like [`Connection::feed`], and measures the commands for SLOWLOG, LATENCY and INFO.
    pub fn feed_measured<C: Clock>(
        &mut self,
        keylatch: &mut Keylatch<C>,
        chunk: &[u8],
        meter: &mut Meter,
        out: &mut Vec<u8>,
    ) -> Fed {
        let stop_at = out.len().saturating_add(OUTPUT_MAX);
        self.decoder.feed(chunk);
        let mut turn = keylatch.stream_turn(self.client);
        let was_suspended = turn.is_suspended();
        meter.start(&turn);
        let effects = turn.effects();
        let scripts_until = turn.script_instructions().saturating_add(SCRIPT_INSTRUCTIONS_MAX);
        let mut fed = loop {
            match self.state(&mut turn, out) {
                State::Full => break Fed { more: true, ..Fed::default() },
                State::Over => break Fed { closed: true, ..Fed::default() },
                State::Blocked => break Fed { blocked: true, ..Fed::default() },
                State::Ready => {}
            }
            if let Some(fed) = self.serve(&mut turn, meter, stop_at, out) {
                break fed;
            }
            if turn.script_instructions() >= scripts_until && !turn.is_suspended() && self.decoder.waiting_bytes() > 0 {
                break Fed { more: true, ..Fed::default() };
            }
        };
        meter.stop(&mut turn);
        fed.wrote = turn.effects() != effects;
        fed.suspended = turn.is_suspended() && !was_suspended;
        fed
    }

    /// Runs requests until one may have changed the client's state, or none may follow.
    fn serve<C: Clock>(
        &mut self,
        turn: &mut Turn<'_, C>,
        meter: &mut Meter,
        stop_at: usize,
        out: &mut Vec<u8>,
    ) -> Option<Fed> {
        loop {
            // A request without room for its reply is not run: once the output has been written there is room again.
            let is_full = out.len() >= stop_at || !out.is_empty() && try_reserve(out, ERROR_BYTES).is_err();
            if is_full && self.decoder.waiting_bytes() > 0 {
                return Some(Fed { more: true, ..Fed::default() });
            }
            let run_bytes = meter.run_strings(turn, self.client, self.decoder.unread(), stop_at, out);
            if run_bytes > 0 {
                self.decoder.skip(run_bytes);
                continue;
            }
            match self.decoder.next() {
                Next::Command => {
                    meter.execute(turn, self.client, self.decoder.argv(), out);
                    return None;
                }
                Next::Incomplete => return Some(Fed::default()),
                Next::Error(error) => {
                    write_error(error, out);
                    self.closed = true;
                    return None;
                }
                Next::Close => {
                    self.closed = true;
                    return None;
                }
            }
        }
    }

    /// Appends the messages of the client's outbox to `out` and runs nothing: for a stream that stopped for its output.
    pub fn wake<C: Clock>(&mut self, keylatch: &mut Keylatch<C>, out: &mut Vec<u8>) -> Fed {
        match self.state(&mut keylatch.stream_turn(self.client), out) {
            State::Ready => Fed { more: self.decoder.waiting_bytes() > 0, ..Fed::default() },
            State::Full => Fed { more: true, ..Fed::default() },
            State::Blocked => Fed { blocked: true, ..Fed::default() },
            State::Over => Fed { closed: true, ..Fed::default() },
        }
    }

    /// Moves the client's messages to `out`, and returns whether its next request may run.
    fn state<C: Clock>(&mut self, turn: &mut Turn<'_, C>, out: &mut Vec<u8>) -> State {
        let must_wait = turn.must_wait(self.client);
        let Some(client) = turn.client(self.client).filter(|_| !self.closed) else { return State::Over };
        self.decoder.trust(client.authenticated);
        let state = match client {
            Client { closing: true, .. } => State::Over,
            client if client.is_blocked() || must_wait => State::Blocked,
            _ => State::Ready,
        };
        if !client.outbox.is_empty()
            && let Some(client) = turn.client_mut(self.client)
        {
            match try_reserve(out, client.outbox.len()) {
                Ok(()) => out.append(&mut client.outbox),
                Err(_) if out.is_empty() => *out = core::mem::take(&mut client.outbox),
                Err(_) => return State::Full,
            }
        }
        state
    }
}

/// Writes an error, which has the same form in every protocol.
fn write_error(error: ProtocolError, out: &mut Vec<u8>) {
    let mut writer = Writer::appending_to(core::mem::take(out), Protocol::default());
    writer.error(&ErrorText::made(format!("ERR {error}")));
    *out = writer.into_bytes();
}

#[cfg(test)]
mod tests;
