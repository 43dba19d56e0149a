//! The exported class, continued: scripts of streams, which are suspended between their slices.

use wasm_bindgen::prelude::*;

use super::engine::JsEngine;

const US_PER_MS: f64 = 1000.0;

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Suspends scripts of accepted clients after about so many instructions; 0: never.
    #[wasm_bindgen(js_name = suspendScripts)]
    pub fn suspend_scripts(&mut self, instructions: f64) {
        self.keylatch.scripts().suspend_after(instructions as u64);
    }

    /// Runs the suspended script for another slice. `elapsed_ms` is the time since it started. With `refuses` clients that wait
    /// for it are refused from now on. Returns whether it is suspended again.
    #[wasm_bindgen(js_name = resumeScript)]
    pub fn resume_script(&mut self, elapsed_ms: f64, refuses: bool) -> bool {
        let mut scripts = self.keylatch.scripts();
        let is_suspended = scripts.resume((elapsed_ms * US_PER_MS) as u64);
        if refuses {
            scripts.refuse_others();
        }
        is_suspended
    }

    /// Ends the suspended script, if there is one. `way`: `finish`, it runs to its end; `kill`, it ends at once unless it has
    /// written; `abandon`, it is dropped with its effects, because the engine is dropped next.
    #[wasm_bindgen(js_name = endScript)]
    pub fn end_script(&mut self, way: &str) -> Result<(), JsError> {
        let mut scripts = self.keylatch.scripts();
        match way {
            "finish" => {}
            "kill" => {
                if scripts.kill() {
                    scripts.resume(0);
                }
            }
            "abandon" => scripts.abandon(),
            _ => return Err(JsError::new("a script has no such end")),
        }
        scripts.finish();
        Ok(())
    }
}
