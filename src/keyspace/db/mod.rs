//! Storage of one database: keys, values and deadlines. Time, events and observers are added by the verbs in `txn`.

mod blocks;
mod dated;
pub(super) mod entry;
pub(super) mod lazy_free;
mod moves;
mod probe;
mod removal;
mod staged;

pub use probe::Lookup;
pub use staged::Staged;

use alloc::vec::Vec;

use self::entry::{Layout, Payload, last_use, set_last_use};
use self::lazy_free::LazyFree;
use crate::base::clock::Timestamp;
use crate::base::hash::hash_key;
use crate::base::headroom::{OutOfMemory, try_reserve};
use crate::base::number::count_up;
use crate::base::random::Random;
use crate::store::deadline_heap::{DeadlineHeap, NODE_BYTES};
use crate::store::hash_index::{HashIndex, SLOT_BYTES};
use crate::store::slab::{Handle, Slab};
use crate::store::slots::{Slot as ValueSlot, Slots};
use crate::values::{Hash, Value, ValueRef};

/// Counted bytes of a value slot: its size in WebAssembly, on every target.
const VALUE_SLOT_BYTES: u64 = 44;

/// Value to be stored.
#[derive(Debug)]
pub enum NewValue<'a> {
    /// A string as SET stores it.
    Bytes(&'a [u8]),
    /// A string made by an edit (APPEND, SETRANGE): OBJECT ENCODING calls it `raw`.
    Edited(Vec<u8>),
    Value(Value),
}

/// Deadline of a key after a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Expiry {
    /// No deadline.
    #[default]
    Never,
    /// The present deadline, if there is one (KEEPTTL).
    Keep,
    At(Timestamp),
}

/// Storage of one database.
#[derive(Clone, Debug)]
pub struct Db {
    seed: u64,
    slab: Slab,
    table: HashIndex,
    deadlines: DeadlineHeap<Handle>,
    values: Slots<Value>,
    /// Counted bytes of values in slots.
    slot_bytes: u64,
    /// Number of keys with a deadline of their own.
    own_deadlines: usize,
    /// Number of keys that have fields with a deadline.
    field_deadlines: usize,
    lazy_free: LazyFree<Db>,
}

/// Borrowed view of a key with its value and deadline.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub key: &'a [u8],
    pub value: ValueRef<'a>,
    pub deadline: Option<Timestamp>,
    /// The string was edited in place.
    pub is_raw: bool,
}

impl Db {
    pub fn new(seed: u64) -> Db {
        Db {
            seed,
            slab: Slab::new(),
            table: HashIndex::default(),
            deadlines: DeadlineHeap::default(),
            values: Slots::default(),
            slot_bytes: 0,
            own_deadlines: 0,
            field_deadlines: 0,
            lazy_free: LazyFree::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Counted bytes of blocks, index, deadlines, values in slots and garbage. The number is equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        let deadline_bytes = self.deadlines.len() as u64 * NODE_BYTES;
        self.slab.used_bytes()
            + self.table.counted_bytes()
            + deadline_bytes
            + self.slot_bytes
            + self.lazy_free.counted_bytes()
    }

    /// Counted bytes of one key: block, index entry, heap node, and the value if it is in a slot.
    pub fn entry_bytes(&self, handle: Handle) -> u64 {
        let block = self.slab.block(handle);
        let Some(layout) = Layout::of(block) else { return 0 };
        let value_bytes = match layout.payload(block) {
            Payload::Slot(slot) => self.values.get(slot).map_or(0, slot_bytes_of),
            Payload::Inline(_) => 0,
        };
        let deadline_bytes = if layout.position(block).is_some() { NODE_BYTES } else { 0 };
        block.len() as u64 + SLOT_BYTES + deadline_bytes + value_bytes
    }

    /// The value of a live handle; `None` for a stale one.
    #[inline(always)]
    pub fn value(&self, handle: Handle) -> Option<ValueRef<'_>> {
        value_in(self.slab.block_and_more(handle)?, &self.values)
    }

    /// The entry of a live handle; `None` for a stale one.
    pub fn entry(&self, handle: Handle) -> Option<Entry<'_>> {
        let block = self.slab.block(handle);
        let layout = Layout::of(block)?;
        let deadline = self.deadline_of(layout, block);
        Some(Entry { key: layout.key(block), value: self.value(handle)?, deadline, is_raw: layout.is_raw() })
    }

    /// Hash in a value slot; `None` for other types. Only fields of hashes have deadlines.
    fn hash_in(&self, slot: ValueSlot) -> Option<&Hash> {
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
    /// deadline, [`Db::reserve_deadline`] must succeed. `None`: the value is not in a slot.
    pub fn edit<R>(&mut self, handle: Handle, mut edit: impl FnMut(&mut Value) -> R) -> Option<R> {
        let mut result = None;
        self.edit_in_place(handle, &mut |value| result = Some(edit(value)));
        result
    }

    /// Edits a value in a slot: calls `edit` at most once, and returns whether the value is empty afterwards. Takes
    /// `dyn` so that all edits share one copy of the code.
    pub(super) fn edit_in_place(&mut self, handle: Handle, edit: &mut dyn FnMut(&mut Value)) -> bool {
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

    /// Collects about `count` handles in hash order, beginning at `cursor`. Returns the next cursor, 0 at the end.
    pub fn page(&self, cursor: u64, count: usize, handles: &mut Vec<Handle>) -> Result<u64, OutOfMemory> {
        let mut reserved = try_reserve(handles, count.min(self.len()));
        let next = self.table.page(cursor, count, &mut |slot| {
            // Keys of equal hash are returned together, so there may be more than `count`.
            reserved = reserved.and_then(|()| try_reserve(handles, 1));
            if reserved.is_ok() {
                handles.push(slot.handle);
            }
        });
        reserved.map(|()| next)
    }

    /// All handles in hash order.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.table.iter().map(|slot| slot.handle)
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.handles().filter_map(|handle| self.entry(handle))
    }

    /// Random key, uniformly distributed.
    pub fn random(&self, random: &mut Random) -> Option<Handle> {
        self.table.random(random).map(|slot| slot.handle)
    }

    /// Samples up to `count` keys with approximately equal probability.
    pub fn sample(&self, count: usize, random: &mut Random, handles: &mut Vec<Handle>) {
        self.table.sample(count, random, |slot| handles.push(slot.handle));
    }

    /// Hash of the key of a live handle, for a later [`Db::holds`].
    pub fn hash_of(&self, handle: Handle) -> u32 {
        let block = self.slab.block(handle);
        Layout::of(block).map_or(0, |layout| hash_key(self.seed, layout.key(block)))
    }

    /// Whether the index still contains the handle. The block is not read, because that of a stale handle may hold
    /// anything.
    pub fn holds(&self, hash: u32, handle: Handle) -> bool {
        self.table.find(hash, |found| found == handle).is_some()
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
fn slot_bytes_of(value: &Value) -> u64 {
    value.counted_bytes() + VALUE_SLOT_BYTES
}
