//! The exported class, continued: texts. Replies as redis-cli prints them, typed lines, sessions.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str;

use js_sys::{Array, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::convert::{out_of_memory, to_js};
use super::engine::Engine;
use super::report::ReportView;
use crate::base::argv::Argv;
use crate::base::headroom::ensure;
use crate::commands::split_line;
use crate::resp::cli_text::print;
use crate::resp::read::read;
use crate::session::{self, SessionError};

/// What a byte becomes: read, in a line, in the text of all lines; or once in quotes.
const SHOWN_BYTES: usize = 4;
/// What a line of input becomes beside its bytes, at most: a value, a line, what stands in front of it.
const LINE_BYTES: usize = 128;

/// Asks for the memory to show texts with. They are for people, and what becomes of them is made of small pieces.
fn ensure_room_for_text(input: &[u8]) -> Result<(), JsError> {
    let lines = 1 + input.iter().filter(|byte| **byte == b'\n').count();
    ensure(input.len().saturating_mul(SHOWN_BYTES).saturating_add(lines.saturating_mul(LINE_BYTES)))
        .map_err(|_| out_of_memory())
}

/// Why a line cannot be split.
#[derive(Serialize)]
struct LineErrorView {
    message: String,
    column: usize,
}

/// Why a session cannot be read.
#[derive(Serialize)]
struct SessionErrorView {
    message: String,
    line: usize,
    column: usize,
}

impl From<SessionError> for SessionErrorView {
    fn from(error: SessionError) -> SessionErrorView {
        SessionErrorView { message: error.message, line: error.line, column: error.column }
    }
}

#[wasm_bindgen]
impl Engine {
    /// The replies in the input as redis-cli prints them, lines joined by line feeds. What is no whole reply is left
    /// out.
    #[wasm_bindgen(js_name = printReply)]
    pub fn print_reply(&self, length: usize) -> Result<String, JsError> {
        let mut rest = self.area.bytes(length);
        ensure_room_for_text(rest)?;
        let mut lines = Vec::new();
        while let Ok(Some((value, used))) = read(rest) {
            print(&value, &mut lines);
            rest = rest.get(used..).unwrap_or(&[]);
        }
        Ok(lines.join("\n"))
    }

    /// The line in the input as an array of Uint8Array, or `{ message, column }` when its quotes do not balance.
    #[wasm_bindgen(js_name = splitLine)]
    pub fn split_line(&self, length: usize) -> Result<JsValue, JsError> {
        ensure_room_for_text(self.area.bytes(length))?;
        let mut argv = Argv::default();
        match split_line(self.area.bytes(length), &mut argv) {
            Ok(()) => Ok(argv.as_ref().iter().map(Uint8Array::from).collect::<Array>().into()),
            Err(error) => to_js(&LineErrorView { message: error.to_string(), column: error.column }),
        }
    }

    /// Runs the session in the input, to the end or up to a line, on this engine, whose clock should be manual. Answers
    /// a report, or `{ message, line, column }` for a session that cannot be read.
    #[wasm_bindgen(js_name = runSession)]
    pub fn run_session(&mut self, length: usize, until_line: Option<usize>) -> Result<JsValue, JsError> {
        ensure_room_for_text(self.area.bytes(length))?;
        let text = str::from_utf8(self.area.bytes(length))?;
        let report = session::parse(text).and_then(|session| session::run(&mut self.keylatch, &session, until_line));
        // The runner listens for itself and leaves the queue closed.
        self.follow_listeners();
        match report {
            Ok(report) => to_js(&ReportView::new(&report)),
            Err(error) => to_js(&SessionErrorView::from(error)),
        }
    }
}
