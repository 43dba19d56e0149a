//! The face towards JavaScript: one exported class, `Engine`, that the npm package wraps. Nothing else names
//! wasm-bindgen, and nothing here decides anything: bytes and options come in, the engine answers, bytes go out.
//!
//! No input may trap, for a trap loses the whole instance. So bytes come in through one area that is reserved fallibly
//! before they are written (`Area::reserve`), and what JavaScript hands over is checked, never indexed. Small pieces of memory
//! come out of a reserve when there is none left (`reserve`).

// wasm-bindgen's generated code is the reason; by hand only the allocator is.
#![allow(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod allocator;
mod area;
mod call;
mod clock;
mod convert;
mod data;
mod engine;
mod frame;
mod migrate;
mod report;
#[cfg(target_arch = "wasm32")]
mod reserve;
mod stream;
mod streams;
mod text;
