//! Entries of a database by their handles: blocks with keys and small values, larger values in slots, and a heap of deadlines.
//! The index from keys to handles is the database's.

use super::entry::{self, Layout, Payload, last_use, set_last_use};
use crate::base::number::count_up;
use crate::store::deadline_heap::{DeadlineHeap, NODE_BYTES};
use crate::store::slab::{Handle, Slab};
use crate::store::slots::{Slot as ValueSlot, Slots};
use crate::values::{Hash, Value, ValueRef};

/// Counted bytes of a value slot: its size in WebAssembly, on every target.
const VALUE_SLOT_BYTES: u64 = 44;

/// Blocks, values and deadlines of all keys of a database.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    pub(super) slab: Slab,
    pub(super) values: Slots<Value>,
    /// Counted bytes of values in slots.
    pub(super) slot_bytes: u64,
    pub(super) deadlines: DeadlineHeap<Handle>,
    /// Number of keys with a deadline of their own.
    pub(super) own_deadlines: usize,
    /// Number of keys that have fields with a deadline.
    pub(super) field_deadlines: usize,
}

impl Entries {
    /// Counted bytes of blocks, deadlines and values in slots.
    pub fn counted_bytes(&self) -> u64 {
        self.slab.used_bytes() + self.deadlines.len() as u64 * NODE_BYTES + self.slot_bytes
    }

    /// Whether the entry of a handle is that of a key.
    #[inline(always)]
    pub(super) fn is_of(&self, handle: Handle, key: &[u8]) -> bool {
        self.slab.block_and_more(handle).is_some_and(|block| entry::is_of(block, key))
    }

    /// The value of a live handle; `None` for a stale one.
    #[inline(always)]
    pub fn value(&self, handle: Handle) -> Option<ValueRef<'_>> {
        value_in(self.slab.block_and_more(handle)?, &self.values)
    }

    /// Hash in a value slot; `None` for other types. Only fields of hashes have deadlines.
    pub(super) fn hash_in(&self, slot: ValueSlot) -> Option<&Hash> {
        match self.values.get(slot)? {
            Value::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    /// Last use of a key, as a word of `uses`; 0 for a stale handle.
    pub fn last_use(&self, handle: Handle) -> u32 {
        last_use(self.slab.block(handle)).unwrap_or(0)
    }

    /// Increments the number in a string in place; returns the new number. `None`: nothing was changed, and the string
    /// must be rewritten.
    #[inline(always)]
    pub fn count_up(&mut self, handle: Handle) -> Option<i64> {
        count_up(entry::plain_string(self.slab.block_and_more_mut(handle)?)?)
    }

    #[inline(always)]
    pub fn set_last_use(&mut self, handle: Handle, last_use: u32) {
        if let Some(block) = self.slab.block_and_more_mut(handle) {
            set_last_use(block, last_use);
        }
    }

    /// Edits a value in a slot and updates counted bytes and deadlines. Before an edit that may give a field its first
    /// deadline, [`Entries::reserve_deadline`] must succeed. `None`: the value is not in a slot.
    pub fn edit<R>(&mut self, handle: Handle, mut edit: impl FnMut(&mut Value) -> R) -> Option<R> {
        let mut result = None;
        self.edit_in_place(handle, &mut |value| result = Some(edit(value)));
        result
    }

    /// Edits a value in a slot: calls `edit` at most once, and returns whether the value is empty afterwards. Takes
    /// `dyn` so that all edits share one copy of the code.
    pub(in crate::keyspace) fn edit_in_place(&mut self, handle: Handle, edit: &mut dyn FnMut(&mut Value)) -> bool {
        let Some(block) = self.slab.block_and_more(handle) else { return false };
        let Some(layout) = Layout::of(block) else { return false };
        let Payload::Slot(slot) = layout.payload(block) else { return false };
        // A hash stores the key's deadline beside its dated fields, and the edit may remove those.
        let own_deadline = if layout.has_field() { self.deadline(handle) } else { None };
        let Some(value) = self.values.get_mut(slot) else { return false };
        let before = value.counted_bytes();
        edit(value);
        let is_emptied = value.is_emptied();
        self.slot_bytes = self.slot_bytes - before + value.counted_bytes();
        if layout.has_field() {
            self.assign_deadline(handle, own_deadline);
        } else if value.has_dated_fields() {
            self.assign_deadline(handle, self.deadline(handle));
        }
        is_emptied
    }
}

/// Value of the entry at the start of `block`.
#[inline(always)]
fn value_in<'a>(block: &'a [u8], values: &'a Slots<Value>) -> Option<ValueRef<'a>> {
    match Layout::of(block)?.payload(block) {
        Payload::Inline(bytes) => Some(ValueRef::String(bytes)),
        Payload::Slot(slot) => Some(values.get(slot)?.as_ref()),
    }
}

/// Counted bytes of a value with its slot.
pub(super) fn slot_bytes_of(value: &Value) -> u64 {
    value.counted_bytes() + VALUE_SLOT_BYTES
}
