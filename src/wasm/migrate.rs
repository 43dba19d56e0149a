//! The exported class, continued: migration to another instance.

use alloc::format;
use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::area::packed;
use super::engine::JsEngine;

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Exports clients and configuration for `importState` of a fresh instance. An error names the state that cannot
    /// migrate.
    #[wasm_bindgen(js_name = exportState)]
    pub fn export_state(&mut self) -> Result<Vec<u8>, JsError> {
        self.keylatch.scripts().finish();
        match self.keylatch.export_state() {
            Ok(words) => Ok(packed(words.as_ref())),
            Err(reason) => Err(JsError::new(&format!("compact() cannot run now: {reason}"))),
        }
    }

    /// Imports clients and configuration of another engine, after its snapshot has been loaded.
    #[wasm_bindgen(js_name = importState)]
    pub fn import_state(&mut self, length: usize) {
        let words = self.area.arguments(length);
        self.keylatch.import_state(words);
    }
}
