//! The storage of one database: keys, values and deadlines. It knows no time, no events and nobody who watches; the
//! verbs in `txn` add those.

mod blocks;
mod dated;
pub(super) mod entry;
pub(super) mod lazy_free;
mod moves;
mod probe;
mod removal;
mod staged;

pub use probe::Slot;
pub use staged::Staged;

use alloc::vec::Vec;

use self::entry::{Layout, Payload, last_use, set_last_use};
use self::lazy_free::LazyFree;
use crate::base::clock::Timestamp;
use crate::base::hash::hash_key;
use crate::base::headroom::{OutOfMemory, make_room};
use crate::base::number::count_up;
use crate::base::random::Random;
use crate::store::deadline_heap::{DeadlineHeap, NODE_BYTES};
use crate::store::hash_index::{HashIndex, SLOT_BYTES};
use crate::store::slab::{Handle, Slab};
use crate::store::slots::{Slot as ValueSlot, Slots};
use crate::values::{Hash, Value, ValueRef};

/// What the place of a value in a slot is counted as: its size in WebAssembly.
const PLACE_BYTES: u64 = 44;

/// A value on its way in.
#[derive(Debug)]
pub enum NewValue<'a> {
    /// A string as SET stores it.
    Bytes(&'a [u8]),
    /// A string made by an edit (APPEND, SETRANGE): OBJECT ENCODING calls it `raw`.
    Edited(Vec<u8>),
    Value(Value),
}

/// What becomes of the deadline of a key that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Expiry {
    /// The key lives for ever.
    #[default]
    Never,
    /// The deadline it has, or none.
    Keep,
    At(Timestamp),
}

#[derive(Clone, Debug)]
pub struct Db {
    seed: u64,
    slab: Slab,
    table: HashIndex,
    deadlines: DeadlineHeap<Handle>,
    values: Slots<Value>,
    /// Bytes counted for values that live in slots.
    slot_bytes: u64,
    /// How many keys have a deadline of their own, and how many have fields with one.
    own_deadlines: usize,
    field_deadlines: usize,
    lazy_free: LazyFree<Db>,
}

/// A key seen where it lies.
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

    /// Bytes of live blocks, index, deadlines and values in slots: the same figure on every target.
    pub fn counted_bytes(&self) -> u64 {
        let deadline_bytes = self.deadlines.len() as u64 * NODE_BYTES;
        self.slab.used_bytes()
            + self.table.counted_bytes()
            + deadline_bytes
            + self.slot_bytes
            + self.lazy_free.counted_bytes()
    }

    /// Bytes counted for one key: its block, its places among index and deadlines, and its value when that is in a
    /// slot.
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

    /// The value in a slot, when it is of the type whose parts have deadlines.
    fn hash_in(&self, slot: ValueSlot) -> Option<&Hash> {
        match self.values.get(slot)? {
            Value::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    /// What is known about the last use of a key.
    pub fn last_use(&self, handle: Handle) -> u32 {
        last_use(self.slab.block(handle)).unwrap_or(0)
    }

    /// Adds one to the number that a string is, where its digits lie; answers the number it is now. `None` when the string
    /// has to become another first, and nothing was done.
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

    /// Edits a value that lives in a slot, keeping the count of its bytes and the deadlines right. An edit that may
    /// give a field its first deadline needs [`Db::reserve_deadline`] before.
    pub fn edit<R>(&mut self, handle: Handle, mut edit: impl FnMut(&mut Value) -> R) -> Option<R> {
        let mut result = None;
        self.edit_in_place(handle, &mut |value| result = Some(edit(value)));
        result
    }

    /// In one copy for all kinds of edits. Calls `edit` once, or not at all; answers whether the value is empty then.
    pub(super) fn edit_in_place(&mut self, handle: Handle, edit: &mut dyn FnMut(&mut Value)) -> bool {
        let Some(block) = self.slab.block_and_more(handle) else { return false };
        let Some(layout) = Layout::of(block) else { return false };
        let Payload::Slot(slot) = layout.payload(block) else { return false };
        // The edit may take away the fields beside which a hash keeps its own deadline.
        let kept = if layout.has_field() { self.deadline(handle) } else { None };
        let Some(value) = self.values.get_mut(slot) else { return false };
        let before = value.counted_bytes();
        edit(value);
        let is_emptied = value.is_emptied();
        self.slot_bytes = self.slot_bytes - before + value.counted_bytes();
        if layout.has_field() {
            self.assign_deadline(handle, kept);
        } else if value.has_dated_fields() {
            self.assign_deadline(handle, self.deadline(handle));
        }
        is_emptied
    }

    /// Handles in hash order: the smallest hashes from `cursor` on. Answers the next cursor, 0 at the end.
    pub fn page(&self, cursor: u64, count: usize, handles: &mut Vec<Handle>) -> Result<u64, OutOfMemory> {
        let mut room = make_room(handles, count.min(self.len()));
        let next = self.table.page(cursor, count, &mut |slot| {
            // Those of an equal hash may be more.
            room = room.and_then(|()| make_room(handles, 1));
            if room.is_ok() {
                handles.push(slot.handle);
            }
        });
        room.map(|()| next)
    }

    /// All handles in hash order.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.table.iter().map(|slot| slot.handle)
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.handles().filter_map(|handle| self.entry(handle))
    }

    /// Any key, all equally likely.
    pub fn random(&self, random: &mut Random) -> Option<Handle> {
        self.table.random(random).map(|slot| slot.handle)
    }

    /// Adds up to `count` keys, drawn with about the same probability each.
    pub fn sample(&self, count: usize, random: &mut Random, handles: &mut Vec<Handle>) {
        self.table.sample(count, random, |slot| handles.push(slot.handle));
    }

    /// The place of a live handle in the index, to ask [`Db::holds`] later.
    pub fn hash_of(&self, handle: Handle) -> u32 {
        let block = self.slab.block(handle);
        Layout::of(block).map_or(0, |layout| hash_key(self.seed, layout.key(block)))
    }

    /// Whether this is still the handle of a key. The block of one that is not may hold anything, so it is not looked
    /// at.
    pub fn holds(&self, hash: u32, handle: Handle) -> bool {
        self.table.find(hash, |found| found == handle).is_some()
    }
}

/// The value of the entry that begins here.
#[inline(always)]
fn value_in<'a>(block: &'a [u8], values: &'a Slots<Value>) -> Option<ValueRef<'a>> {
    match Layout::of(block)?.payload(block) {
        Payload::Inline(bytes) => Some(ValueRef::String(bytes)),
        Payload::Slot(slot) => Some(values.get(slot)?.as_ref()),
    }
}

/// What a value in a slot is counted as.
fn slot_bytes_of(value: &Value) -> u64 {
    value.counted_bytes() + PLACE_BYTES
}
