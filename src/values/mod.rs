//! Values of keys. Independent of keys, time and replies.

mod hash;
mod hashed;
mod holder;
mod limits;
mod list;
mod listpack;
mod members;
mod packed;
pub mod rdb;
mod search;
mod set;
mod sketch;
mod stream;
mod zset;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use hash::{Field, Hash, NewDeadline};
pub use holder::{Holder, Mode};
pub use limits::{EncodingLimits, ListLimit, STRING_MAX};
pub use list::{Elements, End, List, Side};
pub use listpack::Element;
pub use members::{PackedLimit, owned};
pub use set::{Set, SetLimit};
pub use sketch::{Registers, Sketch, SketchLimit, add_to_dense};
pub use stream::{
    Consumer, Entries, Entry, FieldPairs, Group, ParsedId, Pending, References, Stream, StreamId, StreamMarks, Trim,
    TrimBound, Trimmed,
};
pub use zset::{Interval, MemberBound, MemberRange, ScoreBound, ScoreRange, Selection, UnorderedZSet, ZSet};

use crate::base::clock::Timestamp;
use crate::base::hash::hash_bytes;

/// Type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    String,
    List,
    Set,
    ZSet,
    Hash,
    Stream,
}

impl Kind {
    /// Name in the reply of TYPE and in SCAN's TYPE option.
    pub fn name(self) -> &'static str {
        match self {
            Kind::String => "string",
            Kind::List => "list",
            Kind::Set => "set",
            Kind::ZSet => "zset",
            Kind::Hash => "hash",
            Kind::Stream => "stream",
        }
    }
}

/// Value that does not fit into its key's block.
#[derive(Clone, Debug)]
pub enum Value {
    /// A long string.
    String(Vec<u8>),
    List(List),
    Set(Set),
    ZSet(ZSet),
    Hash(Hash),
    Stream(Box<Stream>),
}

/// Borrowed value, in a key's block or in a slot.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    String(&'a [u8]),
    List(&'a List),
    Set(&'a Set),
    ZSet(&'a ZSet),
    Hash(&'a Hash),
    Stream(&'a Stream),
}

impl Value {
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Value::String(bytes) => ValueRef::String(bytes),
            Value::List(list) => ValueRef::List(list),
            Value::Set(set) => ValueRef::Set(set),
            Value::ZSet(zset) => ValueRef::ZSet(zset),
            Value::Hash(hash) => ValueRef::Hash(hash),
            Value::Stream(stream) => ValueRef::Stream(stream),
        }
    }

    /// Whether no element is left, so that the key must be removed. Strings and streams may be empty.
    pub fn is_emptied(&self) -> bool {
        match self {
            Value::String(_) | Value::Stream(_) => false,
            Value::List(list) => list.is_empty(),
            Value::Set(set) => set.is_empty(),
            Value::ZSet(zset) => zset.is_empty(),
            Value::Hash(hash) => hash.is_empty(),
        }
    }

    /// Whether the value is a hash with a field that has a deadline.
    pub fn has_dated_fields(&self) -> bool {
        matches!(self, Value::Hash(hash) if hash.first_deadline().is_some())
    }

    /// Frees up to `pieces` allocations and returns how many were freed. Afterwards only [`Value::counted_bytes`] may
    /// be called.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        match self {
            Value::String(_) => 0,
            Value::List(list) => list.free_step(pieces),
            Value::Set(set) => set.free_step(pieces),
            Value::ZSet(zset) => zset.free_step(pieces),
            Value::Hash(hash) => hash.free_step(pieces),
            Value::Stream(stream) => stream.free_step(pieces),
        }
    }

    /// Bytes the value is counted as in used memory: a formula over its elements, equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        match self {
            Value::String(bytes) => bytes.len() as u64,
            Value::List(list) => list.counted_bytes(),
            Value::Set(set) => set.counted_bytes(),
            Value::ZSet(zset) => zset.counted_bytes(),
            Value::Hash(hash) => hash.counted_bytes(),
            Value::Stream(stream) => stream.counted_bytes(),
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
            ValueRef::Stream(_) => Kind::Stream,
        }
    }

    /// Number of bytes of a string, of elements of any other type.
    pub fn size(self) -> usize {
        match self {
            ValueRef::String(bytes) => bytes.len(),
            ValueRef::List(list) => list.len(),
            ValueRef::Set(set) => set.len(),
            ValueRef::ZSet(zset) => zset.len(),
            ValueRef::Hash(hash) => hash.len(),
            ValueRef::Stream(stream) => stream.len(),
        }
    }

    /// Earliest deadline of a hash's field.
    pub fn first_field_deadline(self) -> Option<Timestamp> {
        match self {
            ValueRef::Hash(hash) => hash.first_deadline(),
            _ => None,
        }
    }

    /// Passes the value to `sink` in a form that is equal for equal values: lengths before bytes, and order only where
    /// it is part of the value.
    pub fn canonical(self, sink: &mut dyn FnMut(&[u8])) {
        match self {
            ValueRef::String(bytes) => sink(bytes),
            ValueRef::List(list) => list.iter().for_each(|element| canonical_part(element, sink)),
            ValueRef::Set(set) => sink(&unordered_sum(set.iter().map(|member| hash_bytes(0, member))).to_le_bytes()),
            ValueRef::ZSet(zset) => zset.iter().for_each(|(member, score)| {
                canonical_part(member, sink);
                // Turns a negative zero into zero, because only the indexed form keeps its sign.
                sink(&(score + 0.0).to_le_bytes());
            }),
            ValueRef::Hash(hash) => sink(&unordered_sum(hash.iter().map(field_hash)).to_le_bytes()),
            ValueRef::Stream(stream) => stream.canonical(&mut |part| canonical_part(part, sink)),
        }
    }
}

/// Sum of hashes, independent of their order.
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
