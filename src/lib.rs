//! keylatch: a key-value engine that speaks Redis.
#![no_std]
#![forbid(clippy::dbg_macro, clippy::todo)]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod argv;
mod clock;
mod deadlines;
mod glob;
mod hash;
mod keyspace;
mod number;
mod random;
mod reply;
mod request;
mod slab;
mod slots;
mod table;
mod value;
