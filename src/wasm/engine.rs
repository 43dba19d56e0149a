//! The exported class: making an engine, its clients, and commands.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::area::Area;
use super::clock::{FaceClock, HostTime, Now, timestamp};
use super::convert::to_js;
use super::frame::Frame;
use super::streams::Streams;
use crate::{ClientId, Keylatch, MovableClock, Options, Protocol, Timestamp};

/// Answered in place of a length when the clock failed and nothing ran.
pub(super) const CLOCK_FAILED: f64 = -1.0;

/// Answered in place of a client when there is no memory for one.
pub(super) const NO_CLIENT: u32 = 0;

/// An output buffer larger than this is not kept for the next command.
const OUTPUT_KEPT_MAX: usize = 1 << 20;

#[wasm_bindgen]
extern "C" {
    /// A plain object, read field by field: a deserializer is many times the code of these four.
    pub type EngineOptions;

    /// A u64 in decimal: a JavaScript number cannot hold it.
    #[wasm_bindgen(method, getter)]
    fn seed(this: &EngineOptions) -> String;

    #[wasm_bindgen(method, getter)]
    fn monotonic(this: &EngineOptions) -> bool;

    #[wasm_bindgen(method, getter, js_name = floorMs)]
    fn floor_ms(this: &EngineOptions) -> Option<f64>;

    #[wasm_bindgen(method, getter)]
    fn manual(this: &EngineOptions) -> bool;
}

/// A client as `Engine::client` shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClientView<'a> {
    name: Cow<'a, str>,
    db: u8,
    protocol: u8,
    in_transaction: bool,
    /// Gets messages of others.
    listening: bool,
}

/// One engine in one WebAssembly instance.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    pub(super) keylatch: Keylatch<FaceClock>,
    pub(super) time: HostTime,
    pub(super) area: Area,
    pub(super) frame: Frame,
    /// Names of the events that are listened to.
    pub(super) listening: String,
    pub(super) streams: Streams,
    pub(super) output: Vec<u8>,
}

#[wasm_bindgen]
impl Engine {
    /// Options are `{ seed, monotonic, floorMs?, manual }`; `now` answers milliseconds since the epoch, or NaN when it
    /// cannot.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &EngineOptions, now: Now) -> Result<Engine, JsError> {
        // Elsewhere the allocator is the system's.
        #[cfg(target_arch = "wasm32")]
        super::allocator::keep_reserve();
        let floor = options.floor_ms().and_then(timestamp).unwrap_or(Timestamp::MIN);
        let (time, clock) = match (options.manual(), options.monotonic()) {
            (true, _) => HostTime::manual(),
            (false, true) => HostTime::monotonic(now, floor),
            (false, false) => HostTime::system(now),
        };
        let keylatch = Keylatch::new(Options { seed: options.seed().parse()? }, clock);
        Ok(Engine {
            keylatch,
            time,
            area: Area::default(),
            frame: Frame::new(),
            listening: String::new(),
            streams: Streams::default(),
            output: Vec::new(),
        })
    }

    /// Makes room for `length` bytes of input and says where to write them; 0 when there is no memory.
    pub fn reserve(&mut self, length: usize) -> usize {
        self.area.reserve(length)
    }

    /// Where the bytes of the last answer are, until the next call.
    pub fn output(&self) -> usize {
        self.output.as_ptr() as usize
    }

    /// A client within the process, which needs no password; 0 when there is no memory for one.
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

    /// 2 or 3; anything else counts as 3.
    #[wasm_bindgen(js_name = setProtocol)]
    pub fn set_protocol(&mut self, client: u32, protocol: u8) {
        let protocol = if protocol == 2 { Protocol::Resp2 } else { Protocol::Resp3 };
        self.keylatch.set_protocol(ClientId(client), protocol);
    }

    /// `{ name, db, protocol, inTransaction, listening }`, or undefined when there is no such client.
    pub fn client(&self, client: u32) -> Result<JsValue, JsError> {
        let view = self.keylatch.client(ClientId(client)).map(|client| ClientView {
            name: String::from_utf8_lossy(&client.name),
            db: client.database,
            protocol: if client.protocol == Protocol::Resp2 { 2 } else { 3 },
            in_transaction: client.in_transaction(),
            listening: client.is_subscribed() || client.is_monitor,
        });
        to_js(&view)
    }

    /// Whether a client is to be hung up on.
    pub fn closing(&self, client: u32) -> bool {
        self.keylatch.client(ClientId(client)).is_none_or(|client| client.closing)
    }

    /// What waits for a client beside its replies, as whole RESP messages.
    pub fn outbox(&mut self, client: u32) -> Vec<u8> {
        self.keylatch.take_outbox(ClientId(client))
    }

    /// Removes what is due, a bounded number of keys. True when more is due; false also when the clock failed.
    pub fn tick(&mut self) -> bool {
        if !self.time.sample() {
            return false;
        }
        self.keylatch.tick();
        let now = self.keylatch.now();
        self.keylatch.next_deadline().is_some_and(|due| due <= now)
    }

    /// The first instant at which something is due, in milliseconds since the epoch.
    #[wasm_bindgen(js_name = nextDeadline)]
    pub fn next_deadline(&mut self) -> Option<f64> {
        self.keylatch.report_deadline().map(|due| due.as_ms() as f64)
    }

    /// Moves a manual clock; other clocks stay as they are.
    #[wasm_bindgen(js_name = setClock)]
    pub fn set_clock(&mut self, ms: f64) {
        if let Some(now) = timestamp(ms) {
            self.keylatch.clock_mut().set(now);
        }
    }

    /// What the clock shows, or NaN when it failed.
    pub fn now(&mut self) -> f64 {
        use crate::Clock;
        if self.time.sample() { self.keylatch.clock_mut().now().as_ms() as f64 } else { f64::NAN }
    }

    /// Starts afresh with the answer; a huge one does not hold its memory for ever.
    pub(super) fn clear_output(&mut self) {
        if self.output.capacity() > OUTPUT_KEPT_MAX {
            self.output = Vec::new();
        }
        self.output.clear();
    }
}
