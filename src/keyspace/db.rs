//! The storage of one database: keys, values and deadlines. It knows no time, no events and nobody who watches; the
//! verbs in `space` add those.

mod blocks;
mod dated;
mod quick;
mod staged;

pub use quick::Place;
pub use staged::Staged;

use alloc::vec::Vec;

use self::blocks::Made;
use self::dated::BlockPositions;
use super::entry::{self, INLINE_MAX, Layout, Payload, last_use, note_use, set_last_use};
use super::graveyard::Graveyard;
use crate::clock::Timestamp;
use crate::deadlines::{Deadlines, NODE_BYTES};
use crate::hash::{hash_bytes, hash_key};
use crate::memory::make_room;
use crate::random::Random;
use crate::slab::{Handle, OutOfMemory, Slab};
use crate::slots::{Slot, Slots};
use crate::table::{SLOT_BYTES, Table};
use crate::value::{Hash, Value, ValueRef, copied};

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

#[derive(Clone, Debug)]
pub struct Db {
    seed: u64,
    slab: Slab,
    table: Table,
    deadlines: Deadlines<Handle>,
    values: Slots<Value>,
    /// Bytes counted for values that live in slots.
    slot_bytes: u64,
    /// How many keys have a deadline of their own, and how many have fields with one.
    own_deadlines: usize,
    field_deadlines: usize,
    graveyard: Graveyard,
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

/// The hash of a key, and what is there.
#[derive(Clone, Copy)]
struct Sought {
    hash: u32,
    handle: Option<Handle>,
}

impl Db {
    pub fn new(seed: u64) -> Db {
        Db {
            seed,
            slab: Slab::new(),
            table: Table::default(),
            deadlines: Deadlines::default(),
            values: Slots::default(),
            slot_bytes: 0,
            own_deadlines: 0,
            field_deadlines: 0,
            graveyard: Graveyard::default(),
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
            + self.graveyard.counted_bytes()
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

    /// The handle of a key, looked for in the index, which stays as it is.
    pub fn find(&self, key: &[u8]) -> Option<Handle> {
        self.find_among(self.hash(key), key)
    }

    /// As [`Db::find`], for what most commands do: the index notes what was asked for, and finds it quicker the next time.
    #[inline(always)]
    pub fn look_up(&mut self, key: &[u8]) -> Option<Handle> {
        self.seek(key).handle
    }

    /// As [`Db::look_up`], with the hash that was needed for it.
    #[inline(never)]
    fn seek(&mut self, key: &[u8]) -> Sought {
        let hash = hash_key(self.seed, key);
        let handle = match self.any_of(hash) {
            Some(handle) => self.find_from(handle, hash, key),
            None => None,
        };
        Sought { hash, handle }
    }

    /// One of those that have this hash: nearly always there is no other. Whoever asks again is answered at once.
    #[inline(always)]
    fn any_of(&mut self, hash: u32) -> Option<Handle> {
        self.table.recent(hash).or_else(|| self.search(hash))
    }

    #[inline(never)]
    fn search(&mut self, hash: u32) -> Option<Handle> {
        let handle = self.table.any_of(hash)?;
        self.slab.read_ahead(handle);
        Some(handle)
    }

    /// Where one of the hash is known: that if it is of the key, otherwise as [`Db::find_among`].
    #[inline(always)]
    fn find_from(&self, handle: Handle, hash: u32, key: &[u8]) -> Option<Handle> {
        if self.is_of(handle, key) { Some(handle) } else { self.find_among(hash, key) }
    }

    /// Where only the hash is known: compares the key with each that the index has of this hash.
    #[cold]
    #[inline(never)]
    fn find_among(&self, hash: u32, key: &[u8]) -> Option<Handle> {
        self.table.find(hash, |handle| self.is_of(handle, key))
    }

    #[inline(always)]
    fn is_of(&self, handle: Handle, key: &[u8]) -> bool {
        match self.slab.block_and_more(handle) {
            Some(block) => entry::is_of(block, key),
            None => false,
        }
    }

    /// The value of a live handle; `None` for a stale one.
    #[inline(always)]
    pub fn value(&self, handle: Handle) -> Option<ValueRef<'_>> {
        value_in(self.slab.block_and_more(handle)?, &self.values)
    }

    /// The same, when the key is used by that: its last use becomes the one given, if any.
    pub fn value_in_use(&mut self, handle: Handle, last_use: Option<u32>) -> Option<ValueRef<'_>> {
        let block = self.slab.block_and_more_mut(handle)?;
        note_use(block, last_use);
        value_in(block, &self.values)
    }

    /// The entry of a live handle; `None` for a stale one.
    pub fn entry(&self, handle: Handle) -> Option<Entry<'_>> {
        let block = self.slab.block(handle);
        let layout = Layout::of(block)?;
        let deadline = self.deadline_of(layout, block);
        Some(Entry { key: layout.key(block), value: self.value(handle)?, deadline, is_raw: layout.is_raw() })
    }

    /// The value in a slot, when it is of the type whose parts have deadlines.
    fn hash_in(&self, slot: Slot) -> Option<&Hash> {
        match self.values.get(slot)? {
            Value::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    /// Creates the key, or replaces all of it where the caller found it. On an error nothing has changed.
    pub fn put(
        &mut self,
        existing: Option<Handle>,
        key: &[u8],
        value: NewValue<'_>,
        deadline: Option<Timestamp>,
        last_use: u32,
    ) -> Result<(), OutOfMemory> {
        let raw = matches!(value, NewValue::Edited(_));
        let made = Made { raw, deadline, last_use };
        match value {
            NewValue::Bytes(bytes) => self.put_string(existing, key, bytes, deadline, last_use),
            NewValue::Edited(bytes) | NewValue::Value(Value::String(bytes)) if bytes.len() <= INLINE_MAX => {
                self.write(existing, key, Payload::Inline(&bytes), made)
            }
            NewValue::Edited(bytes) => self.write_slot(existing, key, Value::String(bytes), made),
            NewValue::Value(value) => self.write_slot(existing, key, value, made),
        }
    }

    /// The same for a string as SET stores it.
    pub fn put_string(
        &mut self,
        existing: Option<Handle>,
        key: &[u8],
        bytes: &[u8],
        deadline: Option<Timestamp>,
        last_use: u32,
    ) -> Result<(), OutOfMemory> {
        let made = Made { raw: false, deadline, last_use };
        if bytes.len() > INLINE_MAX {
            return self.write_slot(existing, key, Value::String(copied(bytes)?), made);
        }
        match existing {
            None => self.write_new(self.hash(key), key, Payload::Inline(bytes), made),
            Some(_) => self.write(existing, key, Payload::Inline(bytes), made),
        }
    }

    /// Replaces a string by another for ever, if that fits into its place as it is: most writes do. False when
    /// nothing was done and [`Db::put`] has to do it. The last use stays as it is if none is given.
    #[inline(always)]
    pub fn overwrite(&mut self, handle: Handle, bytes: &[u8], last_use: Option<u32>) -> bool {
        match self.slab.block_and_more_mut(handle) {
            Some(block) => entry::overwrite(block, bytes, last_use),
            None => false,
        }
    }

    /// As [`Db::overwrite`], keeping the deadline and the last use.
    pub fn overwrite_dated(&mut self, handle: Handle, bytes: &[u8]) -> bool {
        match self.slab.block_and_more_mut(handle) {
            Some(block) => entry::overwrite_timed(block, bytes, false, None),
            None => false,
        }
    }

    /// Whether [`Db::overwrite`] would do it.
    #[inline(always)]
    pub fn can_overwrite(&self, handle: Handle, len: usize) -> bool {
        self.slab.block_and_more(handle).is_some_and(|block| entry::can_overwrite(block, len))
    }

    /// What is known about the last use of a key.
    pub fn last_use(&self, handle: Handle) -> u32 {
        last_use(self.slab.block(handle)).unwrap_or(0)
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
        let block = self.slab.block(handle);
        let Some(Payload::Slot(slot)) = Layout::of(block).map(|layout| layout.payload(block)) else { return false };
        let own = self.deadline(handle);
        let Some(value) = self.values.get_mut(slot) else { return false };
        let before = value.counted_bytes();
        edit(value);
        let is_emptied = value.is_emptied();
        self.slot_bytes = self.slot_bytes - before + value.counted_bytes();
        if matches!(value, Value::Hash(_)) {
            self.assign_deadline(handle, own);
        }
        is_emptied
    }

    /// Moves value and deadline to another key, replacing what that holds. On an error nothing has changed.
    pub fn rename(&mut self, handle: Handle, to: &[u8]) -> Result<(), OutOfMemory> {
        let block = copied(self.slab.block(handle))?;
        let Some(layout) = Layout::of(&block) else { return Ok(()) };
        let target = self.find(to);
        self.write(target, to, layout.payload(&block), self.made(handle, layout))?;
        // The value lives on under the new name: only the old block goes.
        self.forget_block(self.hash(layout.key(&block)), handle);
        Ok(())
    }

    /// Moves a key with its value and deadline to a database that does not have it. On an error nothing has changed.
    pub fn move_to(&mut self, handle: Handle, other: &mut Db) -> Result<(), OutOfMemory> {
        let block = copied(self.slab.block(handle))?;
        let Some(layout) = Layout::of(&block) else { return Ok(()) };
        let (key, made) = (layout.key(&block), self.made(handle, layout));
        match layout.payload(&block) {
            Payload::Inline(bytes) => other.write(None, key, Payload::Inline(bytes), made)?,
            Payload::Slot(slot) => {
                // The value leaves its slot when the other database has a place for it, so that it cannot get lost.
                let nothing = || match self.hash_in(slot) {
                    Some(_) => Value::Hash(Hash::new(0)),
                    None => Value::String(Vec::new()),
                };
                let (there, here) = (nothing(), nothing());
                other.deadlines.reserve(handle)?;
                other.write_slot(None, key, there, made)?;
                if let Some(value) = self.values.get_mut(slot)
                    && let Some(moved) = other.find(key)
                {
                    let here_bytes = here.counted_bytes();
                    let mut value = core::mem::replace(value, here);
                    self.slot_bytes = self.slot_bytes - value.counted_bytes() + here_bytes;
                    other.edit(moved, |place| core::mem::swap(place, &mut value));
                }
            }
        }
        self.remove(handle);
        Ok(())
    }

    /// Forgets the key, its value and its deadline.
    pub fn remove(&mut self, handle: Handle) {
        let Some(block) = self.slab.block_and_more(handle) else { return };
        let Some(layout) = Layout::of(block) else { return };
        self.remove_from(hash_key(self.seed, layout.key(block)), handle);
    }

    /// The same where the hash of the key is known.
    fn remove_from(&mut self, hash: u32, handle: Handle) {
        let Some(block) = self.slab.block_and_more(handle) else { return };
        let Some(layout) = Layout::of(block) else { return };
        if let Some(position) = layout.position(block) {
            self.own_deadlines -= usize::from(layout.has_own());
            self.field_deadlines -= usize::from(layout.has_field());
            self.deadlines.remove(position, &mut BlockPositions(&mut self.slab));
        }
        if layout.is_in_slot() {
            self.drop_value(handle);
        }
        self.table.remove(hash, handle);
        self.slab.free(handle);
    }

    /// Whether something deleted has not given its memory back yet.
    pub fn has_remains(&self) -> bool {
        !self.graveyard.is_empty()
    }

    /// Gives up to so many pieces of memory of what was deleted back; answers how many.
    pub fn free_remains(&mut self, pieces: usize) -> usize {
        self.graveyard.free(pieces)
    }

    /// Keeps what another database held until its memory is given back.
    pub(super) fn keep_remains(&mut self, other: Db) {
        self.graveyard.take_database(other);
    }

    /// Gives up to so many pieces of its own memory back; answers how many. Only what it counts as may be asked of it from
    /// then on.
    pub(super) fn shed(&mut self, pieces: usize) -> usize {
        let mut shed = self.slab.shed(pieces);
        shed += self.table.shed(pieces - shed);
        shed += self.deadlines.shed(pieces - shed);
        while shed < pieces {
            // Large values among them are graves of their own.
            shed += self.graveyard.free(pieces - shed).min(pieces - shed);
            if shed == pieces {
                break;
            }
            let Some(value) = self.values.pop() else { break };
            let given = value.map_or(1, |value| {
                let bytes = slot_bytes_of(&value);
                self.slot_bytes -= bytes;
                self.graveyard.take_value(value, bytes)
            });
            shed = (shed + given).min(pieces);
        }
        shed
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
        Layout::of(block).map_or(0, |layout| self.hash(layout.key(block)))
    }

    /// Whether this is still the handle of a key. The block of one that is not may hold anything, so it is not looked
    /// at.
    pub fn holds(&self, hash: u32, handle: Handle) -> bool {
        self.table.find(hash, |found| found == handle).is_some()
    }

    fn hash(&self, key: &[u8]) -> u32 {
        (hash_bytes(self.seed, key) >> 32) as u32
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
