//! The exported class, continued: RESP streams, for hosts that have sockets.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::engine::{CLOCK_FAILED, JsEngine, NO_CLIENT, clear};
use super::streams::Streams;
use crate::ClientId;
use crate::connection::{Connection, Fed};

/// Id that stands for the server among the affected clients. No client has it.
const SERVER: u32 = 0;

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Accepts a client over a stream between two addresses. It starts with RESP2. Returns its id, 0 if memory is
    /// exhausted.
    pub fn accept(&mut self, address: &str, local_address: &str) -> u32 {
        if !self.keylatch.has_room_for_client() {
            return NO_CLIENT;
        }
        // If the clock fails, only the client's age is wrong.
        self.time.sample();
        self.keylatch.accept(address, local_address).0
    }

    /// Feeds the first `length` bytes of the input to a client's stream and runs the complete requests. `now` is the
    /// time, NaN if the clock failed; a manual clock ignores it. Returns the length of the replies, which are at
    /// `output()`; -1 if the clock failed and no byte was read.
    pub fn feed(&mut self, client: u32, length: usize, now: f64) -> f64 {
        clear(&mut self.output);
        if !self.time.set(now) {
            return CLOCK_FAILED;
        }
        let JsEngine { keylatch, area, streams, output, .. } = self;
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

    /// Delivers queued messages of a client without running requests, for use while the client does not read its
    /// output. Returns the length of the output, as `feed` does.
    pub fn wake(&mut self, client: u32) -> f64 {
        clear(&mut self.output);
        let JsEngine { keylatch, streams: Streams { connections, recent, last, .. }, output, .. } = self;
        if let Some(connection) = connections.get_mut_near(ClientId(client), recent) {
            *last = connection.wake(keylatch, output);
        }
        output.len() as f64
    }

    /// Result of the last `feed` or `wake`, in bits: 1 more to do, 2 the client is blocked, 4 disconnect it, 8 effects were
    /// caused, 16 a script was suspended.
    pub fn fed(&self) -> u32 {
        let Fed { more, blocked, closed, wrote, suspended } = self.streams.last;
        u32::from(more)
            | u32::from(blocked) << 1
            | u32::from(closed) << 2
            | u32::from(wrote) << 3
            | u32::from(suspended) << 4
    }

    /// Takes the ids of clients affected from elsewhere since the last call: by messages, a late reply, the end of the
    /// connection. The host must feed each of them no bytes. A 0 stands for the server: its configuration changed, or
    /// `takeShutdown` has a request. Undefined if there is none; otherwise there may be more.
    pub fn affected(&mut self) -> Option<Vec<u32>> {
        let affected: Vec<u32> = self.keylatch.take_affected().into_iter().map(|client| client.0).collect();
        // Returned alone, because memory may not suffice to extend the list.
        if affected.is_empty() && (self.keylatch.take_configured() || self.keylatch.served().has_shutdown()) {
            return Some(vec![SERVER]);
        }
        (!affected.is_empty()).then_some(affected)
    }

    /// Value of a configuration parameter; empty if there is no such parameter.
    pub fn parameter(&self, name: &str) -> String {
        self.keylatch.parameter(name).into()
    }

    /// Sets a parameter as a configuration file would; returns the error, if any.
    pub fn configure(&mut self, name: &str, value: &str) -> Option<String> {
        self.keylatch.configure(name, value).err()
    }

    /// Makes `takePositions` report where among the events each message for this client belongs.
    #[wasm_bindgen(js_name = notePositions)]
    pub fn note_positions(&mut self, client: u32) {
        self.keylatch.note_positions(ClientId(client));
    }

    /// Number of queued events that precede each message in the outbox.
    #[wasm_bindgen(js_name = takePositions)]
    pub fn take_positions(&mut self, client: u32) -> Vec<u32> {
        self.keylatch.take_positions(ClientId(client))
    }
}
