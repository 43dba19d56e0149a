//! The exported class, continued: RESP streams, for hosts that have a socket.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::engine::{CLOCK_FAILED, Engine, NO_CLIENT};
use super::streams::Streams;
use crate::ClientId;
use crate::connection::{Connection, Fed};

/// Stands among the affected clients for the configuration. No client has this number.
const CONFIGURATION: u32 = 0;

#[wasm_bindgen]
impl Engine {
    /// A client comes over a stream from one address to another; it speaks RESP2 until it says otherwise. 0 when there is
    /// no memory for one.
    pub fn accept(&mut self, address: &str, local_address: &str) -> u32 {
        if !self.keylatch.has_room_for_client() {
            return NO_CLIENT;
        }
        // A clock that fails leaves its age wrong, and nothing else.
        self.time.sample();
        self.keylatch.accept(address, local_address).0
    }

    /// Takes in the first `length` bytes of the input as the next bytes of a client's stream and runs the requests that
    /// are whole. `now` is what the clock shows, NaN when it failed; where it is moved by hand it need not be told. Answers
    /// the length of their replies, which are at `output()`, or -1 when the clock failed and nothing was taken in.
    pub fn feed(&mut self, client: u32, length: usize, now: f64) -> f64 {
        self.clear_output();
        if !self.time.set(now) {
            return CLOCK_FAILED;
        }
        let Engine { keylatch, area, streams, output, .. } = self;
        let (client, limits) = (ClientId(client), keylatch.limits());
        let Streams { connections, recent, meter, last } = streams;
        if connections.get_mut_near(client, recent).is_none() {
            connections.insert(client, Box::new(Connection::new(client, limits)));
        }
        let Some(connection) = connections.get_mut_near(client, recent) else { return 0.0 };
        connection.set_limits(limits);
        *last = connection.feed_measured(keylatch, area.bytes(length), meter, output);
        output.len() as f64
    }

    /// Hands on what reached a client and runs nothing, for when its output does not leave. Answers as `feed` does.
    pub fn wake(&mut self, client: u32) -> f64 {
        self.clear_output();
        let Engine { keylatch, streams: Streams { connections, recent, last, .. }, output, .. } = self;
        if let Some(connection) = connections.get_mut_near(ClientId(client), recent) {
            *last = connection.wake(keylatch, output);
        }
        output.len() as f64
    }

    /// How the last feeding ended, in bits: 1 there is more to do, 2 the client waits, 4 hang up.
    pub fn fed(&self) -> u32 {
        let Fed { more, blocked, closed } = self.streams.last;
        u32::from(more) | u32::from(blocked) << 1 | u32::from(closed) << 2
    }

    /// Clients that something reached from elsewhere since the last call: messages, a late reply, the end. Feed each of
    /// them nothing. A 0 stands for the configuration. Undefined when there is none; until then there may be more.
    pub fn affected(&mut self) -> Option<Vec<u32>> {
        let affected: Vec<u32> = self.keylatch.take_affected().into_iter().map(|client| client.0).collect();
        // Alone, because the list may be as long as there is memory for.
        if affected.is_empty() && self.keylatch.take_configured() {
            return Some(vec![CONFIGURATION]);
        }
        (!affected.is_empty()).then_some(affected)
    }

    /// The value of a configuration parameter; empty when there is no such parameter.
    pub fn parameter(&self, name: &str) -> String {
        self.keylatch.parameter(name).into()
    }

    /// Sets a parameter as a configuration file would; answers why not, if not.
    pub fn configure(&mut self, name: &str, value: &str) -> Option<String> {
        self.keylatch.configure(name, value).err()
    }

    /// From now on, `positions` tells where among the events each message for this client belongs.
    #[wasm_bindgen(js_name = notePositions)]
    pub fn note_positions(&mut self, client: u32) {
        self.keylatch.note_positions(ClientId(client));
    }

    /// For each message in the outbox: how many of the events that wait came before it.
    #[wasm_bindgen(js_name = takePositions)]
    pub fn take_positions(&mut self, client: u32) -> Vec<u32> {
        self.keylatch.take_positions(ClientId(client))
    }
}
