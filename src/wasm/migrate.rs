//! The exported class, continued: migration of all clients, or of one, to another instance.

use alloc::format;
use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::area::packed;
use super::engine::{JsEngine, NO_CLIENT};
use crate::ClientId;

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Exports clients and configuration for `importState` of a fresh instance. An error names the state that cannot
    /// migrate. If a client is given, that client alone is exported, whatever its state; empty if it is gone, or memory is
    /// exhausted.
    #[wasm_bindgen(js_name = exportState)]
    pub fn export_state(&mut self, client: Option<u32>) -> Result<Vec<u8>, JsError> {
        if let Some(client) = client {
            let words = self.keylatch.served().carried(ClientId(client)).ok().flatten();
            return Ok(words.map(|words| packed(words.as_ref())).unwrap_or_default());
        }
        self.keylatch.scripts().finish();
        match self.keylatch.export_state() {
            Ok(words) => Ok(packed(words.as_ref())),
            Err(reason) => Err(JsError::new(&format!("compact() cannot run now: {reason}"))),
        }
    }

    /// Imports clients and configuration of another engine, after its snapshot has been loaded; or adds one client to those that
    /// are there. Returns the id of that client, 0 if memory is exhausted or the words are malformed.
    #[wasm_bindgen(js_name = importState)]
    pub fn import_state(&mut self, length: usize, is_client: bool) -> u32 {
        let words = self.area.arguments(length);
        if !is_client {
            self.keylatch.import_state(words);
            return NO_CLIENT;
        }
        self.time.sample();
        self.keylatch.follow_clock();
        self.keylatch.served().adopt(words).ok().flatten().map_or(NO_CLIENT, |client| client.0)
    }
}
