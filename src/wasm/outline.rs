//! Kinds of the lines of a text, a function over the exported class.

use alloc::string::{String, ToString};
use core::str;

use wasm_bindgen::prelude::*;

use super::engine::JsEngine;
use super::text::ensure_text_memory;
use crate::session;

/// Returns a line for each line of the text in the input: its kind, name, client, database and the length of its head, with tabs
/// between them. None of them contains a tab or a line feed. One text takes far less time than many objects.
#[wasm_bindgen(js_name = outline)]
pub fn outline(engine: &JsEngine, length: usize) -> Result<String, JsError> {
    let text = engine.area.bytes(length);
    ensure_text_memory(text)?;
    let mut written = String::new();
    for line in session::outline(str::from_utf8(text)?) {
        if !written.is_empty() {
            written.push('\n');
        }
        for part in [line.kind, line.name, line.client, line.database, &line.head.to_string()] {
            written.push_str(part);
            written.push('\t');
        }
    }
    Ok(written)
}
