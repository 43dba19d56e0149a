//! Bytes, numbers, time, chance and the headroom of memory: nothing of a database.

pub mod argv;
pub mod bytes;
pub mod clock;
pub mod geo;
pub mod glob;
pub mod hash;
pub mod headroom;
pub mod number;
pub mod random;
