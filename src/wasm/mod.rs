//! JavaScript interface: one exported class, `Engine`, that the npm package wraps. Nothing else names wasm-bindgen.
//! Nothing is decided here: bytes and options come in, the engine runs, bytes go out.
//!
//! No input may trap, because a trap loses the whole instance. Bytes come in through one area that is reserved fallibly
//! before they are written (`Area::reserve`). Values from JavaScript are checked, never used as indices. Small
//! allocations come out of a reserve when memory is exhausted (`reserve`).

// For the code that wasm-bindgen generates; only the allocator has `unsafe` code of its own.
#![allow(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod allocator;
mod area;
mod call;
mod clock;
mod convert;
mod data;
mod engine;
mod facts;
mod frame;
mod host;
mod listening;
mod migrate;
mod outline;
mod report;
#[cfg(target_arch = "wasm32")]
mod reserve;
mod saves;
mod scripts;
mod stack;
mod stream;
mod streams;
mod text;
