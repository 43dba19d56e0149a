//! Check of the stack before the engine runs. WebAssembly keeps its frames on the stack of JavaScript, and a program may
//! call the engine when next to nothing of it is left. An overflow within a command would leave the engine in the middle
//! of a change. Here it is harmless: these functions change nothing.

use core::hint::black_box;

use wasm_bindgen::prelude::*;

/// Frames, of 16 KiB each, that the deepest command without a script fits into: four times what was measured.
const FRAMES: u32 = 1;
/// Frames that the deepest script fits into: half as many again as were measured.
const SCRIPT_FRAMES: u32 = if cfg!(feature = "scripting") { 12 } else { FRAMES };

/// Frames for methods besides commands: JavaScript compiles its own part of a method at the first call, on the same stack.
const METHOD_FRAMES: u32 = 12;

/// Returns at once if a command (0), a script too (1), or any method (2) fits onto the rest of the stack. Overflows the
/// stack otherwise, which JavaScript throws as an error.
#[wasm_bindgen]
pub fn probe_stack(need: u32) -> f64 {
    frame(match need {
        0 => FRAMES,
        1 => SCRIPT_FRAMES,
        _ => METHOD_FRAMES,
    })
}

/// Puts 32 values on the stack, one below the other, and subtracts them in the end, last one first. The order of
/// subtractions of floating-point numbers is fixed, so that all values are needed until the last one is there.
#[rustfmt::skip]
macro_rules! on_top {
    ($value:expr, $rest:expr) => {
        $value - ($value - ($value - ($value - ($value - ($value - ($value - ($value
        - ($value - ($value - ($value - ($value - ($value - ($value - ($value - ($value
        - ($value - ($value - ($value - ($value - ($value - ($value - ($value - ($value
        - ($value - ($value - ($value - ($value - ($value - ($value - ($value - ($value
        - ($rest))))))))))))))))))))))))))))))))
    };
}

// The formatter takes a time exponential in the nesting of macros.
#[rustfmt::skip]
macro_rules! on_top_8 {
    ($value:expr, $rest:expr) => {
        on_top!($value, on_top!($value, on_top!($value, on_top!($value,
            on_top!($value, on_top!($value, on_top!($value, on_top!($value, $rest))))))))
    };
}

/// Function with a frame of 2,048 values, which calls itself `count` times. It returns before the values are computed, but
/// no compiler knows that, so all reserve their places. The call in front of them is needed: V8 delays a frame up to the
/// first call.
#[inline(never)]
#[rustfmt::skip]
fn frame(count: u32) -> f64 {
    if count == 0 {
        return black_box(0.0);
    }
    let below = frame(count - 1);
    if below == 0.0 {
        return below;
    }
    macro_rules! value {
        () => {
            frame(count - 1)
        };
    }
    on_top_8!(value!(), on_top_8!(value!(), on_top_8!(value!(), on_top_8!(value!(),
        on_top_8!(value!(), on_top_8!(value!(), on_top_8!(value!(), on_top_8!(value!(), 0.0))))))))
}
