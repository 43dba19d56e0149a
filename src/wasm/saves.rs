//! The exported class, continued: saves on request (SAVE, BGSAVE, BGREWRITEAOF) and a store that fails.

use alloc::string::String;

use wasm_bindgen::prelude::*;

use super::engine::JsEngine;
use crate::server::saving::SaveKind;

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Requests a save, "snapshot" or "rewrite", as a command does.
    #[wasm_bindgen(js_name = requestSave)]
    pub fn request_save(&mut self, kind: &str) -> Result<(), JsError> {
        self.keylatch.store().request_save(kind_named(kind)?);
        Ok(())
    }

    /// Takes the request for a sync of the log: the number of effects that it must cover, or undefined.
    #[wasm_bindgen(js_name = takeSyncRequest)]
    pub fn take_sync_request(&mut self) -> Option<f64> {
        self.keylatch.store().take_sync_request().map(|effects| effects as f64)
    }

    /// Reports that the log is forced to the medium up to this number of effects.
    #[wasm_bindgen(js_name = logSynced)]
    pub fn log_synced(&mut self, effects: f64) {
        self.keylatch.log_synced(effects as u64);
    }

    /// Takes the next requested save, "snapshot" or "rewrite"; undefined if there is none, or while one is running.
    #[wasm_bindgen(js_name = takeSaveRequest)]
    pub fn take_save_request(&mut self) -> Option<String> {
        self.keylatch.store().take_save_request().map(|kind| kind.name().into())
    }

    /// Reports the end of a save, with the reason if it failed.
    #[wasm_bindgen(js_name = finishSave)]
    pub fn finish_save(&mut self, kind: &str, failure: Option<String>) -> Result<(), JsError> {
        self.keylatch.finish_save(kind_named(kind)?, failure.as_deref());
        Ok(())
    }

    /// Reports why the host cannot write its log, or with undefined that it can. Writes are refused meanwhile.
    #[wasm_bindgen(js_name = reportLog)]
    pub fn report_log(&mut self, failure: Option<String>) {
        self.keylatch.store().report_log(failure.as_deref());
    }

    /// Number of effects since the last snapshot.
    #[wasm_bindgen(js_name = unsavedEffects)]
    pub fn unsaved_effects(&mut self) -> f64 {
        self.keylatch.store().unsaved_effects() as f64
    }
}

fn kind_named(name: &str) -> Result<SaveKind, JsError> {
    SaveKind::named(name).ok_or_else(|| JsError::new("there is no such kind of save"))
}
