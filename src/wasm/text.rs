//! The exported class, continued: text. Replies in the format of redis-cli, typed lines, sessions.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str;

use js_sys::{Array, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::convert::{out_of_memory, to_js};
use super::engine::JsEngine;
use super::report::ReportView;
use crate::base::argv::Argv;
use crate::base::headroom::ensure;
use crate::commands::split_line;
use crate::resp::cli_text::print;
use crate::resp::read::read;
use crate::session::{self, SessionError};

/// Memory a byte of input may take: the parsed reply, the line, the joined lines, once in quotes, and the words of steps.
const BYTES_PER_BYTE: usize = 5;
/// Upper bound of the memory a line of input takes besides its bytes: a value, a line, its prefix.
const BYTES_PER_LINE: usize = 128;

/// Checks that memory for printed text is available. Text is built of small pieces that are not checked one by one.
pub(super) fn ensure_text_memory(input: &[u8]) -> Result<(), JsError> {
    let lines = 1 + input.iter().filter(|byte| **byte == b'\n').count();
    ensure(input.len().saturating_mul(BYTES_PER_BYTE).saturating_add(lines.saturating_mul(BYTES_PER_LINE)))
        .map_err(|_| out_of_memory())
}

/// Reason why a line cannot be split.
#[derive(Serialize)]
struct LineErrorView {
    message: String,
    column: usize,
}

/// Reason why a session cannot be read.
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

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Prints the replies in the input as redis-cli does, lines joined by line feeds. Incomplete or malformed replies
    /// are left out.
    #[wasm_bindgen(js_name = printReply)]
    pub fn print_reply(&self, length: usize) -> Result<String, JsError> {
        let mut rest = self.area.bytes(length);
        ensure_text_memory(rest)?;
        let mut lines = Vec::new();
        while let Ok(Some((value, used))) = read(rest) {
            print(&value, &mut lines);
            rest = rest.get(used..).unwrap_or(&[]);
        }
        Ok(lines.join("\n"))
    }

    /// Splits the line in the input into an array of Uint8Array; returns `{ message, column }` if its quotes do not
    /// balance.
    #[wasm_bindgen(js_name = splitLine)]
    pub fn split_line(&self, length: usize) -> Result<JsValue, JsError> {
        ensure_text_memory(self.area.bytes(length))?;
        let mut argv = Argv::default();
        match split_line(self.area.bytes(length), &mut argv) {
            Ok(()) => Ok(argv.as_ref().iter().map(Uint8Array::from).collect::<Array>().into()),
            Err(error) => to_js(&LineErrorView { message: error.to_string(), column: error.column }),
        }
    }

    /// Whether the step in the first bytes of the input, a session of one command or receive line, expects the reply in the
    /// others. False if there is no such step.
    #[wasm_bindgen(js_name = expectsReply)]
    pub fn expects_reply(&self, length: usize, step: usize) -> Result<bool, JsError> {
        let (text, reply) = self.area.bytes(length).split_at_checked(step).unwrap_or_default();
        ensure_text_memory(reply)?;
        let session = session::parse(str::from_utf8(text)?).unwrap_or_default();
        Ok(session.actions.first().is_some_and(|action| session::is_expected(action, reply)))
    }

    /// Runs the session in the input, to the end or up to a line, on this engine, which should have a manual clock.
    /// Returns a report, without its steps if it is to be brief, and with words, replies and facts if they are asked for, or
    /// `{ message, line, column }` for a session that cannot be read.
    #[wasm_bindgen(js_name = runSession)]
    pub fn run_session(
        &mut self,
        length: usize,
        until_line: Option<usize>,
        brief: bool,
        facts: bool,
    ) -> Result<JsValue, JsError> {
        ensure_text_memory(self.area.bytes(length))?;
        let text = str::from_utf8(self.area.bytes(length))?;
        self.keylatch.facts().collect(facts);
        let report = session::parse(text).and_then(|session| session::run(&mut self.keylatch, &session, until_line));
        self.keylatch.facts().collect(false);
        // The runner selects events of its own and leaves the queue closed.
        self.listening.apply(&mut self.keylatch);
        match report {
            Ok(mut report) => {
                if brief {
                    report.steps.clear();
                }
                to_js(&ReportView::new(&report))
            }
            Err(error) => to_js(&SessionErrorView::from(error)),
        }
    }
}
