//! Storage of one database: keys, values and deadlines. Time, events and observers are added by the verbs in `txn`.

mod blocks;
mod dated;
mod entries;
pub(super) mod entry;
pub(super) mod lazy_free;
mod moves;
mod probe;
mod removal;
mod staged;

pub use probe::Lookup;
pub use staged::Staged;

use alloc::vec::Vec;

use self::entries::{Entries, slot_bytes_of};
use self::entry::{Layout, Payload};
use self::lazy_free::LazyFree;
use crate::base::clock::Timestamp;
use crate::base::hash::hash_key;
use crate::base::headroom::{OutOfMemory, try_reserve};
use crate::base::random::Random;
use crate::store::deadline_heap::NODE_BYTES;
use crate::store::hash_index::{HashIndex, SLOT_BYTES};
use crate::store::slab::Handle;
use crate::values::{Value, ValueRef};

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
    table: HashIndex,
    pub(super) entries: Entries,
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
        Db { seed, table: HashIndex::default(), entries: Entries::default(), lazy_free: LazyFree::default() }
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Counted bytes of blocks, index, deadlines, values in slots and garbage. The number is equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        self.entries.counted_bytes() + self.table.counted_bytes() + self.lazy_free.counted_bytes()
    }

    /// Counted bytes of one key: block, index entry, heap node, and the value if it is in a slot.
    pub fn entry_bytes(&self, handle: Handle) -> u64 {
        let block = self.entries.slab.block(handle);
        let Some(layout) = Layout::of(block) else { return 0 };
        let value_bytes = match layout.payload(block) {
            Payload::Slot(slot) => self.entries.values.get(slot).map_or(0, slot_bytes_of),
            Payload::Inline(_) => 0,
        };
        let deadline_bytes = if layout.position(block).is_some() { NODE_BYTES } else { 0 };
        block.len() as u64 + SLOT_BYTES + deadline_bytes + value_bytes
    }

    /// The value of a live handle; `None` for a stale one.
    #[inline(always)]
    pub fn value(&self, handle: Handle) -> Option<ValueRef<'_>> {
        self.entries.value(handle)
    }

    /// The entry of a live handle; `None` for a stale one.
    pub fn entry(&self, handle: Handle) -> Option<Entry<'_>> {
        let block = self.entries.slab.block(handle);
        let layout = Layout::of(block)?;
        let deadline = self.entries.deadline_of(layout, block);
        Some(Entry { key: layout.key(block), value: self.entries.value(handle)?, deadline, is_raw: layout.is_raw() })
    }

    /// Copy of the key of a live handle; empty for a stale one.
    pub fn key_of(&self, handle: Handle) -> Vec<u8> {
        self.entry(handle).map(|entry| entry.key.to_vec()).unwrap_or_default()
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
        let block = self.entries.slab.block(handle);
        Layout::of(block).map_or(0, |layout| hash_key(self.seed, layout.key(block)))
    }

    /// Whether the index still contains the handle. The block is not read, because that of a stale handle may hold
    /// anything.
    pub fn holds(&self, hash: u32, handle: Handle) -> bool {
        self.table.find(hash, |found| found == handle).is_some()
    }
}
