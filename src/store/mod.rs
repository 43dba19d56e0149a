//! Memory structures: blocks behind handles, the hash index, the heap of deadlines, sorted vectors. Independent of
//! values and of the meaning of keys.

pub mod deadline_heap;
pub mod hash_index;
pub mod name_index;
pub mod ordered;
pub mod slab;
pub mod slots;
pub mod sorted_vec;
