//! keylatch: a key-value engine that speaks Redis.
#![no_std]
#![forbid(clippy::dbg_macro, clippy::todo)]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod glob;
mod hash;
mod number;
mod random;
mod reply;
mod request;
