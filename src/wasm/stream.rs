//! The exported class, continued: RESP streams, for hosts that have a socket.

use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::engine::{CLOCK_FAILED, Engine};
use crate::connection::{Connection, Fed};
use crate::{ClientId, Limits};

/// The streams of the clients that were fed, and how the last feeding ended.
#[derive(Debug, Default)]
pub(super) struct Streams {
    connections: Vec<Connection>,
    last: Fed,
}

impl Streams {
    /// The stream of a client, begun if need be.
    fn of(&mut self, client: ClientId) -> &mut Connection {
        let known = self.connections.iter().position(|connection| connection.client() == client);
        let index = known.unwrap_or(self.connections.len());
        if known.is_none() {
            self.connections.push(Connection::new(client, Limits::default()));
        }
        // Either found there, or pushed there just now.
        &mut self.connections[index]
    }

    pub(super) fn forget(&mut self, client: ClientId) {
        self.connections.retain(|connection| connection.client() != client);
    }
}

#[wasm_bindgen]
impl Engine {
    /// Takes in the first `length` bytes of the input as the next bytes of a client's stream and runs the requests that
    /// are whole. Answers the length of their replies, which are at `output()`, or -1 when the clock failed and nothing
    /// was taken in.
    pub fn feed(&mut self, client: u32, length: usize) -> f64 {
        self.clear_output();
        if !self.time.sample() {
            return CLOCK_FAILED;
        }
        let Engine { keylatch, area, streams, output, .. } = self;
        streams.last = streams.of(ClientId(client)).feed(keylatch, area.bytes(length), output);
        output.len() as f64
    }

    /// Whether the last feeding stopped because so much output waits: feed again, nothing if nothing came.
    pub fn more(&self) -> bool {
        self.streams.last.more
    }

    /// Whether the client fed last is to be hung up on.
    pub fn closed(&self) -> bool {
        self.streams.last.closed
    }
}
