//! The exported class, continued: saves on request (SAVE, BGSAVE, BGREWRITEAOF) and a store that fails.

use alloc::string::String;

use wasm_bindgen::prelude::*;

use super::engine::Engine;
use crate::server::saving::SaveKind;

#[wasm_bindgen]
impl Engine {
    /// Tells whether the host has a store, so that SAVE and the like have something to do.
    #[wasm_bindgen(js_name = acceptSaves)]
    pub fn accept_saves(&mut self, on: bool) {
        self.keylatch.accept_saves(on);
    }

    /// Takes the next requested save, "snapshot" or "rewrite"; undefined if there is none, or while one is running.
    #[wasm_bindgen(js_name = takeSaveRequest)]
    pub fn take_save_request(&mut self) -> Option<String> {
        self.keylatch.take_save_request().map(|kind| kind.name().into())
    }

    /// Reports the end of a save, with the reason if it failed.
    #[wasm_bindgen(js_name = finishSave)]
    pub fn finish_save(&mut self, kind: &str, failure: Option<String>) -> Result<(), JsError> {
        let kind = SaveKind::named(kind).ok_or_else(|| JsError::new("there is no such kind of save"))?;
        self.keylatch.finish_save(kind, failure.as_deref());
        Ok(())
    }

    /// Reports why the host cannot write its log, or with undefined that it can. Writes are refused meanwhile.
    #[wasm_bindgen(js_name = reportLog)]
    pub fn report_log(&mut self, failure: Option<String>) {
        self.keylatch.report_log(failure.as_deref());
    }

    /// Refuses writes and saves from now on.
    #[wasm_bindgen(js_name = setReadOnly)]
    pub fn set_read_only(&mut self) {
        self.keylatch.set_read_only();
    }

    /// Number of effects since the last snapshot.
    #[wasm_bindgen(js_name = unsavedEffects)]
    pub fn unsaved_effects(&self) -> f64 {
        self.keylatch.unsaved_effects() as f64
    }
}
