//! The typed operations, one module a family: each is one lookup and then verbs on what was found.

pub(super) mod bitfield;
pub(super) mod bits;
pub(super) mod dump;
pub(super) mod expiry;
pub(super) mod geo;
pub(super) mod hashes;
pub(super) mod keys;
pub(super) mod lcs;
pub(super) mod lists;
pub(super) mod restore;
pub(super) mod scan;
pub(super) mod sets;
pub(super) mod sketches;
pub(super) mod sort;
pub(super) mod sorted_sets;
pub(super) mod strings;
