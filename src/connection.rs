//! One client's stream of bytes: requests in, replies out, however the stream is cut. It knows no sockets; whoever has
//! one hands over what arrived and writes what comes back.

use alloc::format;
use alloc::vec::Vec;

use crate::client::ClientId;
use crate::clock::Clock;
use crate::keylatch::{Keylatch, Turn};
use crate::reply::error::CommandError;
use crate::reply::writer::{Protocol, Writer};
use crate::request::{Decoder, Limits, Next, ProtocolError};

/// One call of [`Connection::feed`] stops between two requests once it has written so many bytes: who reads slowly is
/// served slowly, and no pipeline makes the output grow without bounds.
pub const OUTPUT_MAX: usize = 1 << 20;

/// How a call of [`Connection::feed`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fed {
    /// Whole requests may be waiting: write the output, then feed again, an empty chunk if nothing came meanwhile.
    pub more: bool,
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

impl Connection {
    pub fn new(client: ClientId, limits: Limits) -> Connection {
        Connection { client, decoder: Decoder::new(limits), closed: false }
    }

    pub fn client(&self) -> ClientId {
        self.client
    }

    /// Takes in the next bytes of the stream, runs the requests that are whole, and appends their replies to `out`,
    /// behind the pushes and late replies that waited in the client's outbox. The requests of one call happen at one
    /// instant; the clock is asked only if that can matter.
    pub fn feed<C: Clock>(&mut self, keylatch: &mut Keylatch<C>, chunk: &[u8], out: &mut Vec<u8>) -> Fed {
        let stop_at = out.len().saturating_add(OUTPUT_MAX);
        out.extend_from_slice(&keylatch.take_outbox(self.client));
        self.decoder.feed(chunk);
        let mut turn = keylatch.turn();
        self.closed |= is_over(&turn, self.client);
        while !self.closed {
            if out.len() >= stop_at && self.decoder.waiting_bytes() > 0 {
                return Fed { more: true, closed: false };
            }
            match self.decoder.next() {
                Next::Command => {
                    turn.execute(self.client, self.decoder.argv(), out);
                    self.closed = is_over(&turn, self.client);
                }
                Next::Incomplete => return Fed::default(),
                Next::Error(error) => {
                    write_error(error, out);
                    self.closed = true;
                }
                Next::Close => self.closed = true,
            }
        }
        Fed { more: false, closed: true }
    }
}

/// The client is gone, or a command asked to close its connection: its own, or another client's.
fn is_over<C: Clock>(turn: &Turn<'_, C>, client: ClientId) -> bool {
    turn.client(client).is_none_or(|client| client.closing)
}

/// Errors look the same in every protocol.
fn write_error(error: ProtocolError, out: &mut Vec<u8>) {
    let mut writer = Writer::appending_to(core::mem::take(out), Protocol::default());
    writer.error(&CommandError::Owned(format!("ERR {error}")));
    *out = writer.into_bytes();
}

#[cfg(test)]
mod tests;
