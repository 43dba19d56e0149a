//! The streams of clients, as data.

use alloc::boxed::Box;

use wasm_bindgen::prelude::*;

use crate::ClientId;
use crate::connection::{Connection, Fed, Meter};
use crate::store::sorted_vec::SortedVecMap;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since some fixed instant, with fractions. Some realms of test frameworks have no such watch.
    #[wasm_bindgen(catch, js_namespace = performance, js_name = now)]
    fn performance_now() -> Result<f64, JsValue>;
}

/// The watch that durations are measured with: SLOWLOG and INFO show them, nothing depends on them.
fn watch() -> u64 {
    (performance_now().unwrap_or_default() * 1000.0) as u64
}

/// The streams of the clients that were fed, and how the last feeding ended.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) connections: SortedVecMap<ClientId, Box<Connection>>,
    /// Where the connection was that was asked for last.
    pub(super) recent: usize,
    pub(super) meter: Meter,
    pub(super) last: Fed,
}

impl Default for Streams {
    fn default() -> Streams {
        Streams { connections: SortedVecMap::default(), recent: 0, meter: Meter::new(watch), last: Fed::default() }
    }
}

impl Streams {
    pub(super) fn forget(&mut self, client: ClientId) {
        self.connections.remove(client);
    }
}
