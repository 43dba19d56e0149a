//! IndexSlot of the hash index.

use crate::store::slab::Handle;

/// Hash of a key, and handle of its block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct IndexSlot {
    pub hash: u32,
    pub handle: Handle,
}
