//! Values of keys: structures that know nothing of keys, time or replies.

mod hash;
mod hashed;
mod limits;
mod list;
mod members;
mod packed;
pub mod rdb;
mod search;
mod set;
mod sketch;
mod zset;

use alloc::vec::Vec;

pub use hash::{Field, Hash, NewDeadline};
pub use limits::{Limits, ListLimit};
pub use list::{Elements, End, List, Side};
pub use members::{PackedLimit, owned};
pub use set::{Set, SetLimit};
pub use sketch::{Registers, Sketch, SketchLimit, add_to_dense};
pub use zset::{Interval, MemberBound, MemberRange, ScoreBound, ScoreRange, Selection, ZSet};

use crate::base::hash::hash_bytes;

/// The types a key can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    String,
    List,
    Set,
    ZSet,
    Hash,
}

impl Kind {
    /// The name TYPE answers and SCAN's TYPE option takes.
    pub fn name(self) -> &'static str {
        match self {
            Kind::String => "string",
            Kind::List => "list",
            Kind::Set => "set",
            Kind::ZSet => "zset",
            Kind::Hash => "hash",
        }
    }
}

/// A value that does not fit into a key's own block.
#[derive(Clone, Debug)]
pub enum Value {
    /// A long string.
    String(Vec<u8>),
    List(List),
    Set(Set),
    ZSet(ZSet),
    Hash(Hash),
}

/// A value seen where it lies.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    String(&'a [u8]),
    List(&'a List),
    Set(&'a Set),
    ZSet(&'a ZSet),
    Hash(&'a Hash),
}

impl Value {
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Value::String(bytes) => ValueRef::String(bytes),
            Value::List(list) => ValueRef::List(list),
            Value::Set(set) => ValueRef::Set(set),
            Value::ZSet(zset) => ValueRef::ZSet(zset),
            Value::Hash(hash) => ValueRef::Hash(hash),
        }
    }

    /// A value with no element left takes its key away with it. An empty string is a value like any other.
    pub fn is_emptied(&self) -> bool {
        match self {
            Value::String(_) => false,
            Value::List(list) => list.is_empty(),
            Value::Set(set) => set.is_empty(),
            Value::ZSet(zset) => zset.is_empty(),
            Value::Hash(hash) => hash.is_empty(),
        }
    }

    /// Whether this is a hash some of whose fields have deadlines.
    pub fn has_dated_fields(&self) -> bool {
        matches!(self, Value::Hash(hash) if hash.first_deadline().is_some())
    }

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        match self {
            Value::String(_) => 0,
            Value::List(list) => list.free_step(pieces),
            Value::Set(set) => set.free_step(pieces),
            Value::ZSet(zset) => zset.free_step(pieces),
            Value::Hash(hash) => hash.free_step(pieces),
        }
    }

    /// Bytes this value is counted as: a formula over its elements, the same on every target.
    pub fn counted_bytes(&self) -> u64 {
        match self {
            Value::String(bytes) => bytes.len() as u64,
            Value::List(list) => list.counted_bytes(),
            Value::Set(set) => set.counted_bytes(),
            Value::ZSet(zset) => zset.counted_bytes(),
            Value::Hash(hash) => hash.counted_bytes(),
        }
    }
}

impl<'a> ValueRef<'a> {
    pub fn kind(self) -> Kind {
        match self {
            ValueRef::String(_) => Kind::String,
            ValueRef::List(_) => Kind::List,
            ValueRef::Set(_) => Kind::Set,
            ValueRef::ZSet(_) => Kind::ZSet,
            ValueRef::Hash(_) => Kind::Hash,
        }
    }

    /// Bytes of a string, elements of anything else.
    pub fn size(self) -> usize {
        match self {
            ValueRef::String(bytes) => bytes.len(),
            ValueRef::List(list) => list.len(),
            ValueRef::Set(set) => set.len(),
            ValueRef::ZSet(zset) => zset.len(),
            ValueRef::Hash(hash) => hash.len(),
        }
    }

    /// Feeds the value to `sink` in a form that is equal for equal values: lengths before bytes, order only where
    /// order is part of the value.
    pub fn canonical(self, sink: &mut dyn FnMut(&[u8])) {
        match self {
            ValueRef::String(bytes) => sink(bytes),
            ValueRef::List(list) => list.iter().for_each(|element| canonical_part(element, sink)),
            ValueRef::Set(set) => sink(&unordered_sum(set.iter().map(|member| hash_bytes(0, member))).to_le_bytes()),
            ValueRef::ZSet(zset) => zset.iter().for_each(|(member, score)| {
                canonical_part(member, sink);
                // A negative zero is a zero: whether its sign is kept depends on the form.
                sink(&(score + 0.0).to_le_bytes());
            }),
            ValueRef::Hash(hash) => sink(&unordered_sum(hash.iter().map(field_hash)).to_le_bytes()),
        }
    }
}

/// The same for the same hashes in any order.
fn unordered_sum(hashes: impl Iterator<Item = u64>) -> u64 {
    hashes.fold(0, u64::wrapping_add)
}

fn field_hash(field: Field<'_>) -> u64 {
    let pair = hash_bytes(hash_bytes(0, &field.name), &field.value);
    field.deadline.map_or(pair, |deadline| hash_bytes(pair, &deadline.as_ms().to_le_bytes()))
}

fn canonical_part(bytes: &[u8], sink: &mut dyn FnMut(&[u8])) {
    sink(&(bytes.len() as u64).to_le_bytes());
    sink(bytes);
}
