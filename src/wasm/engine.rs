//! The exported class: construction, clients, time.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::area::Area;
use super::clock::{EngineClock, HostTime, Now, timestamp};
use super::convert::to_js;
use super::frame::Frame;
use super::listening::Listening;
use super::streams::Streams;
use crate::engine::persistence::Skipped;
use crate::{ClientId, Keylatch, MovableClock, Options, Protocol, Timestamp};

/// Returned instead of a length if the clock failed and nothing ran.
pub(super) const CLOCK_FAILED: f64 = -1.0;

/// Returned instead of a client id if memory is exhausted.
pub(super) const NO_CLIENT: u32 = 0;

/// Largest output buffer, in bytes, that is kept for the next command.
const OUTPUT_KEPT_MAX: usize = 1 << 20;

#[wasm_bindgen]
extern "C" {
    /// Plain object, read field by field: a deserializer would take many times the code.
    pub type EngineOptions;

    /// A u64 in decimal, because a JavaScript number cannot hold it.
    #[wasm_bindgen(method, getter)]
    fn seed(this: &EngineOptions) -> String;

    #[wasm_bindgen(method, getter)]
    fn monotonic(this: &EngineOptions) -> bool;

    #[wasm_bindgen(method, getter, js_name = floorMs)]
    fn floor_ms(this: &EngineOptions) -> Option<f64>;

    #[wasm_bindgen(method, getter)]
    fn manual(this: &EngineOptions) -> bool;
}

/// Client in the form returned by `Engine::client`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClientView<'a> {
    name: Cow<'a, str>,
    db: u8,
    protocol: u8,
    in_transaction: bool,
    /// Whether the client is a subscriber or a monitor.
    listening: bool,
    blocked: bool,
}

/// Engine of one WebAssembly instance.
#[wasm_bindgen(js_name = Engine)]
#[derive(Debug)]
pub struct JsEngine {
    pub(super) keylatch: Keylatch<EngineClock>,
    pub(super) time: HostTime,
    pub(super) area: Area,
    pub(super) frame: Frame,
    pub(super) listening: Listening,
    pub(super) streams: Streams,
    pub(super) output: Vec<u8>,
    /// Parts that the last load left out.
    pub(super) skipped: Skipped,
}

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Creates an engine. Options are `{ seed, monotonic, floorMs?, manual }`. `now` returns milliseconds since the
    /// epoch, or NaN if it fails.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &EngineOptions, now: Now) -> Result<JsEngine, JsError> {
        // On other targets the allocator is the system's.
        #[cfg(target_arch = "wasm32")]
        super::allocator::keep_reserve();
        let floor = options.floor_ms().and_then(timestamp).unwrap_or(Timestamp::MIN);
        let (time, clock) = match (options.manual(), options.monotonic()) {
            (true, _) => HostTime::manual(),
            (false, true) => HostTime::monotonic(now, floor),
            (false, false) => HostTime::system(now),
        };
        let keylatch = Keylatch::new(Options { seed: options.seed().parse()? }, clock);
        Ok(JsEngine {
            keylatch,
            time,
            area: Area::default(),
            frame: Frame::new(),
            listening: Listening::default(),
            streams: Streams::default(),
            output: Vec::new(),
            skipped: Skipped::default(),
        })
    }

    /// Reserves `length` bytes of input and returns their address; 0 if memory is exhausted.
    pub fn reserve(&mut self, length: usize) -> usize {
        self.area.reserve(length)
    }

    /// Address of the last output, valid until the next call.
    pub fn output(&self) -> usize {
        self.output.as_ptr() as usize
    }

    /// Connects a client within the process, which needs no password. Returns its id, 0 if memory is exhausted.
    pub fn connect(&mut self) -> u32 {
        if !self.keylatch.has_room_for_client() {
            return NO_CLIENT;
        }
        let client = self.keylatch.connect();
        self.keylatch.trust(client);
        client.0
    }

    pub fn disconnect(&mut self, client: u32) {
        self.streams.forget(ClientId(client));
        self.keylatch.disconnect(ClientId(client));
    }

    /// Sets the protocol of a client: 2 or 3; anything else counts as 3.
    #[wasm_bindgen(js_name = setProtocol)]
    pub fn set_protocol(&mut self, client: u32, protocol: u8) {
        let protocol = if protocol == 2 { Protocol::Resp2 } else { Protocol::Resp3 };
        self.keylatch.set_protocol(ClientId(client), protocol);
    }

    /// Returns `{ name, db, protocol, inTransaction, listening, blocked }`, or undefined if there is no such client.
    pub fn client(&self, client: u32) -> Result<JsValue, JsError> {
        let view = self.keylatch.client(ClientId(client)).map(|client| ClientView {
            name: String::from_utf8_lossy(&client.name),
            db: client.database,
            protocol: if client.protocol == Protocol::Resp2 { 2 } else { 3 },
            in_transaction: client.in_transaction(),
            listening: client.is_subscribed() || client.is_monitor,
            blocked: client.is_blocked(),
        });
        to_js(&view)
    }

    /// Whether a client must be disconnected.
    pub fn closing(&self, client: u32) -> bool {
        self.keylatch.client(ClientId(client)).is_none_or(|client| client.closing)
    }

    /// Takes the messages queued for a client besides its replies, as whole RESP messages.
    pub fn outbox(&mut self, client: u32) -> Vec<u8> {
        self.keylatch.take_outbox(ClientId(client))
    }

    /// Removes due keys, a bounded number. Returns true if more is due; false also if the clock failed.
    pub fn tick(&mut self) -> bool {
        if !self.time.sample() {
            return false;
        }
        self.keylatch.tick();
        let now = self.keylatch.now();
        self.keylatch.next_deadline().is_some_and(|due| due <= now)
    }

    /// First instant at which something is due, in milliseconds since the epoch; or at which `tick` has something for a client, if
    /// only that is of interest.
    #[wasm_bindgen(js_name = nextDeadline)]
    pub fn next_deadline(&mut self, for_clients: bool) -> Option<f64> {
        let due = if for_clients { self.keylatch.served().next_wake() } else { self.keylatch.report_deadline() };
        due.map(|due| due.as_ms() as f64)
    }

    /// Moves a manual clock; has no effect on other clocks.
    #[wasm_bindgen(js_name = setClock)]
    pub fn set_clock(&mut self, ms: f64) {
        if let Some(now) = timestamp(ms) {
            self.keylatch.clock_mut().set(now);
        }
    }

    /// Current time in milliseconds since the epoch, or NaN if the clock failed.
    pub fn now(&mut self) -> f64 {
        use crate::Clock;
        if self.time.sample() { self.keylatch.clock_mut().now().as_ms() as f64 } else { f64::NAN }
    }
}

/// Clears an output and frees a large buffer.
pub(super) fn clear(output: &mut Vec<u8>) {
    if output.capacity() > OUTPUT_KEPT_MAX {
        *output = Vec::new();
    }
    output.clear();
}
