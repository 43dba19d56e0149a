//! Bytes, numbers, time, randomness and memory headroom; nothing that belongs to a database.

pub mod argv;
pub mod bytes;
pub mod clock;
pub mod geo;
pub mod glob;
pub mod hash;
pub mod headroom;
pub mod number;
pub mod random;
#[cfg(feature = "scripting")]
pub mod sha1;
