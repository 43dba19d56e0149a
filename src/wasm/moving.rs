//! The exported class, continued: going on in another instance.

use alloc::format;
use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::area::packed;
use super::engine::Engine;

#[wasm_bindgen]
impl Engine {
    /// What belongs to this engine beside its keys, for `settleIn` of another; an error says what cannot go on elsewhere.
    pub fn belongings(&self) -> Result<Vec<u8>, JsError> {
        match self.keylatch.belongings() {
            Ok(words) => Ok(packed(words.as_ref())),
            Err(reason) => Err(JsError::new(&format!("compact() cannot run now: {reason}"))),
        }
    }

    /// Takes over what belonged to another engine, whose snapshot is loaded.
    #[wasm_bindgen(js_name = settleIn)]
    pub fn settle_in(&mut self, length: usize) {
        let words = self.area.arguments(length);
        self.keylatch.settle_in(words);
    }
}
