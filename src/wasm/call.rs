//! The exported class, continued: commands. All use one calling convention: arguments are in the frame, the reply is
//! the RESP bytes of a socket, and the returned number holds status bits.

use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::engine::{JsEngine, clear};
use crate::engine::Status;
use crate::engine::convention;
use crate::{Argv, ClientId};

/// Returned if nothing ran because the command needs the time. JavaScript calls again with it.
const NEED_TIME: i32 = -1;
/// Returned if nothing ran because a script is suspended. JavaScript calls again after it has let the script end, for which
/// the stack of a script is needed.
const SUSPENDED: i32 = -2;

#[wasm_bindgen(js_class = "Engine")]
impl JsEngine {
    /// Runs the command of a row, or of the name in the frame if there is no such row. `count` is the number of
    /// arguments in the frame, the name's slot included. `now` is the time, or NaN if the clock was not read.
    ///
    /// Returns the bits of [`crate::Status`], with the reply at the frame's header; -1 if nothing ran because the time
    /// is needed, -2 if a script is suspended. A blocked command has no reply.
    pub fn call(&mut self, client: u32, row: u32, count: usize, now: f64) -> i32 {
        clear(&mut self.output);
        let JsEngine { keylatch, time, frame, streams, output, .. } = self;
        if keylatch.scripts().is_suspended() {
            return SUSPENDED;
        }
        let client = ClientId(client);
        let request = keylatch.request_of(row, frame.arguments(row, count));
        let has_time = time.set(now);
        if has_time {
            keylatch.follow_clock();
        }
        let gates = keylatch.gates_for(client);
        if !has_time && keylatch.request_needs_time(gates, &request) {
            return NEED_TIME;
        }
        // With a manual clock nothing is measured, so that equal calls give equal replies even for commands that report
        // durations.
        let is_measured = !time.is_manual() && streams.meter.start_alone(keylatch, &request);
        keylatch.execute_request(client, request, gates, output);
        if is_measured {
            streams.meter.stop_alone(keylatch, client, request);
        }
        frame.set_reply(output);
        let ascii = if output.is_ascii() { Status::ASCII.bits() } else { 0 };
        (keylatch.status().bits() | ascii) as i32
    }

    /// Addresses and sizes of the frame, see `Frame::layout`.
    pub fn frame(&self) -> Vec<u32> {
        self.frame.layout().iter().map(|number| *number as u32).collect()
    }

    /// Resizes the frame. Returns false if memory is exhausted.
    #[wasm_bindgen(js_name = reserveFrame)]
    pub fn reserve_frame(&mut self, arguments: usize, room: usize) -> bool {
        self.frame.reserve(arguments, room)
    }

    /// Hash of the row numbers and bits that a script must have been generated from.
    pub fn convention(&self) -> u32 {
        convention::hash()
    }

    /// Discards a client's transaction, even while the clock fails: nothing in it depends on the time.
    pub fn discard(&mut self, client: u32) {
        let argv = Argv::from_slices(&["DISCARD"]);
        self.keylatch.execute(ClientId(client), argv.as_ref(), &mut Vec::new());
    }
}
