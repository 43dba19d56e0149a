//! The exported class, continued: commands. One convention for all of them: the arguments stand in the frame, the reply is
//! the bytes that a socket would carry, and a number tells what else there is to do.

use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::engine::Engine;
use crate::engine::Status;
use crate::engine::convention;
use crate::{Argv, ClientId};

/// Nothing was done: the command has to know the time. JavaScript calls again with it.
const NEED_TIME: i32 = -1;

#[wasm_bindgen]
impl Engine {
    /// Runs the command of a row, or of the name in the frame if there is no such row, with `count` arguments in the frame,
    /// the name's place among them. `now` is what the clock shows, or NaN where it was not asked.
    ///
    /// Answers the bits of [`crate::Status`], with the reply at the frame's header; or -1 when nothing was done, because the
    /// time has to be known. A blocked command has no reply.
    pub fn call(&mut self, client: u32, row: u32, count: usize, now: f64) -> i32 {
        self.clear_output();
        let Engine { keylatch, time, frame, streams, output, .. } = self;
        let client = ClientId(client);
        let request = keylatch.request_of(row, frame.arguments(row, count));
        let knows_time = time.set(now);
        if knows_time {
            keylatch.follow_clock();
        }
        let gates = keylatch.gates_for(client);
        if !knows_time && keylatch.request_needs_time(gates, &request) {
            return NEED_TIME;
        }
        // Where time stands still, the same calls give the same replies, also of those that tell durations.
        let is_measured = !time.is_manual() && streams.meter.start_alone(keylatch, &request);
        keylatch.execute_request(client, request, gates, output);
        if is_measured {
            streams.meter.stop_alone(keylatch, client, request);
        }
        frame.show(output);
        let ascii = if output.is_ascii() { Status::ASCII.bits() } else { 0 };
        (keylatch.status().bits() | ascii) as i32
    }

    /// Where the frame is (`Frame::places`).
    pub fn frame(&self) -> Vec<u32> {
        self.frame.places().iter().map(|place| *place as u32).collect()
    }

    /// Makes the frame larger, or small again; false when there is no memory for it.
    #[wasm_bindgen(js_name = reserveFrame)]
    pub fn reserve_frame(&mut self, arguments: usize, room: usize) -> bool {
        self.frame.reserve(arguments, room)
    }

    /// What a script must have been printed from to call this engine: numbers of rows and bits.
    pub fn convention(&self) -> u32 {
        convention::hash()
    }

    /// Ends a client's transaction, also while the clock fails: nothing in that depends on the time.
    pub fn discard(&mut self, client: u32) {
        let argv = Argv::from_slices(&["DISCARD"]);
        self.keylatch.execute(ClientId(client), argv.as_ref(), &mut Vec::new());
    }
}
