//! One client's stream of bytes: requests in, replies out, however the stream is cut. It knows no sockets; whoever has
//! one hands over what arrived and writes what comes back.

mod meter;

use alloc::format;
use alloc::vec::Vec;

pub use self::meter::Meter;
use crate::base::clock::Clock;
use crate::base::headroom::make_room;
use crate::engine::ERROR_BYTES;
use crate::engine::keylatch::{Keylatch, Turn};
use crate::resp::decode::{Decoder, Limits, Next, ProtocolError};
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::ErrorText;
use crate::server::clients::{Client, ClientId};

/// One call of [`Connection::feed`] stops between two requests once it has written so many bytes: who reads slowly is
/// served slowly, and no pipeline makes the output grow without bounds.
pub const OUTPUT_MAX: usize = 1 << 20;

/// How a call of [`Connection::feed`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fed {
    /// Whole requests may be waiting: write the output, then feed again, an empty chunk if nothing came meanwhile.
    pub more: bool,
    /// A command waits, and what came behind it waits too: feed an empty chunk when [`Keylatch::take_affected`] names
    /// the client. Until then read no more than a bounded rest, though an end of the stream should be noticed.
    pub blocked: bool,
    /// Write the output, then close; the rest of the stream is not read. The client is still to be disconnected.
    pub closed: bool,
}

/// The stream of one client.
#[derive(Clone, Debug)]
pub struct Connection {
    client: ClientId,
    decoder: Decoder,
    closed: bool,
}

/// What a client's state says before the next request is read.
enum State {
    Ready,
    /// There is no memory for another answer behind what is handed on already.
    Full,
    Blocked,
    Over,
}

impl Connection {
    pub fn new(client: ClientId, limits: Limits) -> Connection {
        Connection { client, decoder: Decoder::new(limits), closed: false }
    }

    pub fn client(&self) -> ClientId {
        self.client
    }

    /// Other limits from here on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.decoder.set_limits(limits);
    }

    /// Bytes that arrived and belong to no request that ran.
    pub fn waiting_bytes(&self) -> usize {
        self.decoder.waiting_bytes()
    }

    /// Takes in the next bytes of the stream, runs the requests that are whole, and appends their replies to `out`,
    /// each message that waits in the client's outbox behind the reply it came with. The requests of one call happen at
    /// one instant; the clock is asked only if that can matter.
    pub fn feed<C: Clock>(&mut self, keylatch: &mut Keylatch<C>, chunk: &[u8], out: &mut Vec<u8>) -> Fed {
        self.feed_measured(keylatch, chunk, &mut Meter::default(), out)
    }

    /// As [`Connection::feed`], and tells the engine how long the commands took.
    pub fn feed_measured<C: Clock>(
        &mut self,
        keylatch: &mut Keylatch<C>,
        chunk: &[u8],
        meter: &mut Meter,
        out: &mut Vec<u8>,
    ) -> Fed {
        let stop_at = out.len().saturating_add(OUTPUT_MAX);
        self.decoder.feed(chunk);
        let mut turn = keylatch.turn();
        meter.start(&turn);
        let fed = loop {
            match self.state(&mut turn, out) {
                State::Full => break Fed { more: true, ..Fed::default() },
                State::Over => break Fed { closed: true, ..Fed::default() },
                State::Blocked => break Fed { blocked: true, ..Fed::default() },
                State::Ready => {}
            }
            if let Some(fed) = self.serve(&mut turn, meter, stop_at, out) {
                break fed;
            }
        };
        meter.stop(&mut turn);
        fed
    }

    /// Runs requests until one may have changed the client's state, or none may follow: how that ended is answered.
    fn serve<C: Clock>(
        &mut self,
        turn: &mut Turn<'_, C>,
        meter: &mut Meter,
        stop_at: usize,
        out: &mut Vec<u8>,
    ) -> Option<Fed> {
        loop {
            // What cannot be answered is not run: once the answers before it have left, there is room again.
            let is_full = out.len() >= stop_at || !out.is_empty() && make_room(out, ERROR_BYTES).is_err();
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

    /// Hands on what reached the client, and runs nothing: for a stream that stopped for its output.
    pub fn wake<C: Clock>(&mut self, keylatch: &mut Keylatch<C>, out: &mut Vec<u8>) -> Fed {
        match self.state(&mut keylatch.turn(), out) {
            State::Ready => Fed { more: self.decoder.waiting_bytes() > 0, ..Fed::default() },
            State::Full => Fed { more: true, ..Fed::default() },
            State::Blocked => Fed { blocked: true, ..Fed::default() },
            State::Over => Fed { closed: true, ..Fed::default() },
        }
    }

    /// Looks after the client between two requests: hands on what reached it, and asks whether it may go on.
    fn state<C: Clock>(&mut self, turn: &mut Turn<'_, C>, out: &mut Vec<u8>) -> State {
        let Some(client) = turn.client(self.client).filter(|_| !self.closed) else { return State::Over };
        self.decoder.trust(client.authenticated);
        let state = match client {
            Client { closing: true, .. } => State::Over,
            client if client.is_blocked() => State::Blocked,
            _ => State::Ready,
        };
        if !client.outbox.is_empty()
            && let Some(client) = turn.client_mut(self.client)
        {
            match make_room(out, client.outbox.len()) {
                Ok(()) => out.append(&mut client.outbox),
                Err(_) if out.is_empty() => *out = core::mem::take(&mut client.outbox),
                Err(_) => return State::Full,
            }
        }
        state
    }
}

/// Errors look the same in every protocol.
fn write_error(error: ProtocolError, out: &mut Vec<u8>) {
    let mut writer = Writer::appending_to(core::mem::take(out), Protocol::default());
    writer.error(&ErrorText::made(format!("ERR {error}")));
    *out = writer.into_bytes();
}

#[cfg(test)]
mod tests;
