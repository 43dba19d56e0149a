//! The exported class, continued: what the host is, and SHUTDOWN.

use alloc::string::String;

use wasm_bindgen::prelude::*;

use super::engine::JsEngine;
use crate::server::shutdown::ShutdownRequest;

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Declares what the host does, or that it does so no more: `effects`, it takes them; `store`, it saves on request; `log`, its
    /// store has one; `reader`, the keys belong to another program, so writes and saves are refused; `server`, it ends by
    /// SHUTDOWN.
    pub fn declare(&mut self, role: &str, on: bool) -> Result<(), JsError> {
        match role {
            "effects" => self.keylatch.record(on),
            "store" => self.keylatch.store().accept_saves(on),
            "log" => self.keylatch.store().keep_log(on),
            "reader" => self.keylatch.store().set_read_only(on),
            "server" => self.keylatch.served().accept_shutdown(on),
            _ => return Err(JsError::new("a host has no such role")),
        }
        Ok(())
    }

    /// Takes the request of SHUTDOWN: its words SAVE, NOSAVE and FORCE, separated by blanks. Undefined if there is none. The host
    /// prepares its end, then calls `endsByShutdown`.
    #[wasm_bindgen(js_name = takeShutdown)]
    pub fn take_shutdown(&mut self) -> Option<String> {
        self.keylatch.served().take_shutdown().map(ShutdownRequest::words).map(String::from)
    }

    /// Whether the host ends. Otherwise it goes on serving, because the preparation failed or the request was withdrawn.
    #[wasm_bindgen(js_name = endsByShutdown)]
    pub fn ends_by_shutdown(&mut self, has_failed: bool) -> bool {
        self.keylatch.served().ends_by_shutdown(has_failed)
    }
}
