//! Typed operations, one module per family. Each is a lookup, followed by verbs on the entry found.

pub mod bitfield;
pub mod bits;
pub mod dump;
pub mod expiry;
pub mod geo;
pub mod hashes;
pub mod keys;
pub mod latches;
pub mod lcs;
pub mod lists;
pub mod restore;
pub mod scan;
pub mod sets;
pub mod sketches;
pub mod sort;
pub mod sorted_sets;
pub mod streams;
pub mod strings;
