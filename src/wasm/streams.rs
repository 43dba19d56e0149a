//! Streams of clients: data only.

use alloc::boxed::Box;

use wasm_bindgen::prelude::*;

use crate::ClientId;
use crate::connection::{Connection, Fed, Meter};
use crate::store::sorted_vec::SortedVecMap;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds, with fractions, since some fixed instant. Missing in some realms of test frameworks.
    #[wasm_bindgen(catch, js_namespace = performance, js_name = now)]
    fn performance_now() -> Result<f64, JsValue>;
}

/// Stopwatch of measured durations, in microseconds. SLOWLOG and INFO report them; nothing depends on them.
fn stopwatch_us() -> u64 {
    (performance_now().unwrap_or_default() * 1000.0) as u64
}

/// Streams of the clients, and the result of the last `feed` or `wake`.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) connections: SortedVecMap<ClientId, Box<Connection>>,
    /// Index of the connection used last, as a hint.
    pub(super) recent: usize,
    pub(super) meter: Meter,
    pub(super) last: Fed,
}

impl Default for Streams {
    fn default() -> Streams {
        Streams {
            connections: SortedVecMap::default(),
            recent: 0,
            meter: Meter::new(stopwatch_us),
            last: Fed::default(),
        }
    }
}

impl Streams {
    pub(super) fn forget(&mut self, client: ClientId) {
        self.connections.remove(client);
    }
}
