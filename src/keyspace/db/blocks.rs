//! Writing entries to blocks: a new block, the present block of the key, or a replacement for it.

use super::dated::BlockPositions;
use super::entries::{Entries, slot_bytes_of};
use super::{Db, Expiry, Lookup, NewValue};
use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::keyspace::db::entry::{self, INLINE_MAX, Layout, Payload, set_last_use};
use crate::store::deadline_heap::Node;
use crate::store::slab::{Handle, Slab};
use crate::values::Value;

/// Metadata of an entry besides key and value.
#[derive(Clone, Copy)]
pub(super) struct EntryMeta {
    pub(super) raw: bool,
    pub(super) deadline: Option<Timestamp>,
    pub(super) last_use: u32,
}

impl Entries {
    /// Replaces a string in place if the new one needs a block of the same size. The last use stays. Returns false if
    /// nothing was changed and [`Db::put`] must be used.
    #[inline(always)]
    pub fn overwrite(&mut self, handle: Handle, bytes: &[u8], expiry: Expiry) -> bool {
        let Some(block) = self.slab.block_and_more_mut(handle) else { return false };
        let Some(layout) = entry::fitting(block, bytes.len()) else { return false };
        let position = layout.position(block);
        if matches!(expiry, Expiry::At(_)) && position.is_none() {
            return false;
        }
        entry::overwrite(block, layout, bytes, false);
        match (expiry, position) {
            (Expiry::At(deadline), Some(position)) => {
                let node = Node { deadline, owner: handle };
                self.deadlines.update(position, node, &mut BlockPositions(&mut self.slab));
            }
            (Expiry::Never, Some(_)) => self.schedule(handle, None, None),
            _ => {}
        }
        true
    }

    /// Whether [`Entries::overwrite`] of `len` bytes would succeed with any expiry but a new deadline.
    #[inline(always)]
    pub fn can_overwrite(&self, lookup: Lookup, len: usize) -> bool {
        let block = lookup.found().and_then(|handle| self.slab.block_and_more(handle));
        block.is_some_and(|block| entry::fitting(block, len).is_some())
    }

    /// Metadata of an entry, for a block that replaces its own.
    pub(super) fn meta_of(&self, handle: Handle, layout: Layout) -> EntryMeta {
        EntryMeta { raw: layout.is_raw(), deadline: self.deadline(handle), last_use: self.last_use(handle) }
    }

    /// Replaces a string in its present block, and sets deadline and last use. Returns false if nothing was changed.
    #[inline(never)]
    pub(super) fn rewrite(&mut self, handle: Handle, bytes: &[u8], meta: EntryMeta) -> Result<bool, OutOfMemory> {
        if meta.deadline.is_some() {
            if !self.has_position(handle) {
                return Ok(false);
            }
            self.deadlines.reserve(handle)?;
        }
        let Some(block) = self.slab.block_and_more_mut(handle) else { return Ok(false) };
        let Some(layout) = entry::fitting(block, bytes.len()) else { return Ok(false) };
        entry::overwrite(block, layout, bytes, meta.raw);
        set_last_use(block, meta.last_use);
        self.schedule(handle, meta.deadline, None);
        Ok(true)
    }
}

impl Db {
    /// Creates or replaces the key of `lookup`; returns the handle of its entry. On an error nothing has changed.
    pub fn put(
        &mut self,
        lookup: Lookup,
        key: &[u8],
        value: NewValue<'_>,
        deadline: Option<Timestamp>,
        last_use: u32,
    ) -> Result<Handle, OutOfMemory> {
        let raw = matches!(value, NewValue::Edited(_));
        let meta = EntryMeta { raw, deadline, last_use };
        match value {
            NewValue::Bytes(bytes) => self.put_string(lookup, key, bytes, deadline, last_use),
            NewValue::Edited(bytes) | NewValue::Value(Value::String(bytes)) if bytes.len() <= INLINE_MAX => {
                self.write(lookup, key, Payload::Inline(&bytes), meta)
            }
            NewValue::Edited(bytes) => self.write_slot(lookup, key, Value::String(bytes), meta),
            NewValue::Value(value) => self.write_slot(lookup, key, value, meta),
        }
    }

    /// Creates or replaces a string as SET stores it; returns the handle of its entry. On an error nothing has changed.
    pub fn put_string(
        &mut self,
        lookup: Lookup,
        key: &[u8],
        bytes: &[u8],
        deadline: Option<Timestamp>,
        last_use: u32,
    ) -> Result<Handle, OutOfMemory> {
        debug_assert!(self.is_current(lookup, key), "a lookup that is out of date");
        let meta = EntryMeta { raw: false, deadline, last_use };
        match bytes.len() {
            ..=INLINE_MAX => self.write(lookup, key, Payload::Inline(bytes), meta),
            _ => self.write_slot(lookup, key, Value::String(copied(bytes)?), meta),
        }
    }

    /// Writes an entry with its value in a value slot, and allocates the slot.
    #[inline(never)]
    pub(super) fn write_slot(
        &mut self,
        lookup: Lookup,
        key: &[u8],
        value: Value,
        meta: EntryMeta,
    ) -> Result<Handle, OutOfMemory> {
        self.entries.values.reserve()?;
        let counted_bytes = slot_bytes_of(&value);
        let value_slot = self.entries.values.insert(value);
        let written = self.write(lookup, key, Payload::Slot(value_slot), meta);
        match written {
            Ok(_) => self.entries.slot_bytes += counted_bytes,
            Err(OutOfMemory) => drop(self.entries.values.remove(value_slot)),
        }
        written
    }

    /// Writes an entry and replaces the present one: by [`write_new`], [`Entries::rewrite`] or [`write_over`].
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        lookup: Lookup,
        key: &[u8],
        payload: Payload<'_>,
        meta: EntryMeta,
    ) -> Result<Handle, OutOfMemory> {
        debug_assert!(self.is_current(lookup, key), "a lookup that is out of date");
        match (lookup.found(), payload) {
            (None, Payload::Inline(_)) => write_new(self, lookup.hash, key, payload, meta),
            (Some(handle), Payload::Inline(bytes)) if self.entries.rewrite(handle, bytes, meta)? => Ok(handle),
            _ => write_over(self, lookup, key, payload, meta),
        }
    }

    /// Points the index to the new block of an entry and frees the old one.
    pub(super) fn replace_block(&mut self, hash: u32, old: Handle, new: Handle) {
        self.table.replace(hash, old, new);
        self.entries.slab.free(old);
    }

    /// Removes a block from index and heap and frees it. A value in a slot stays.
    pub(super) fn forget_block(&mut self, hash: u32, handle: Handle) {
        self.entries.schedule(handle, None, None);
        self.table.remove(hash, handle);
        self.entries.slab.free(handle);
    }

    /// Removes the value slot of a block, if it has one. The caller rewrites or frees the block.
    pub(super) fn drop_value(&mut self, handle: Handle) {
        let block = self.entries.slab.block(handle);
        if let Some(Payload::Slot(slot)) = Layout::of(block).map(|layout| layout.payload(block))
            && let Some(value) = self.entries.values.remove(slot)
        {
            let bytes = slot_bytes_of(&value);
            self.entries.slot_bytes -= bytes;
            self.lazy_free.take_value(value, bytes);
        }
    }
}

/// Writes a new key with an inline value: allocates its block and its index entry.
#[inline(never)]
fn write_new(db: &mut Db, hash: u32, key: &[u8], payload: Payload<'_>, meta: EntryMeta) -> Result<Handle, OutOfMemory> {
    let layout = Layout::new(key, payload, meta.deadline.is_some(), meta.raw);
    db.table.reserve(hash)?;
    let handle = db.entries.slab.allocate(layout.len())?;
    if meta.deadline.is_some() && db.entries.deadlines.reserve(handle).is_err() {
        db.entries.slab.free(handle);
        return Err(OutOfMemory);
    }
    let layout = if meta.deadline.is_some() { layout.with_own() } else { layout };
    if let Some(block) = db.entries.slab.block_and_more_mut(handle) {
        layout.write(block, key, payload, meta.last_use);
    }
    db.table.insert(hash, handle);
    db.entries.enter_new(handle, meta.deadline);
    Ok(handle)
}

/// Writes a whole entry, in the present block of the key or in a new one if the size differs.
#[inline(never)]
fn write_over(
    db: &mut Db,
    lookup: Lookup,
    key: &[u8],
    payload: Payload<'_>,
    meta: EntryMeta,
) -> Result<Handle, OutOfMemory> {
    let existing = lookup.found();
    // Space for a position is kept, so that frequent renewals of the deadline do not change the block.
    let had_position = existing.is_some_and(|handle| db.entries.has_position(handle));
    // Blocks of hashes always have space for a position, so that a field can get a deadline in place.
    let hash = match payload {
        Payload::Slot(slot) => db.entries.hash_in(slot),
        Payload::Inline(_) => None,
    };
    let is_dated = meta.deadline.is_some() || hash.is_some_and(|hash| hash.first_deadline().is_some());
    let layout = Layout::new(key, payload, is_dated || had_position || hash.is_some(), meta.raw);
    let fits = |handle: &Handle| db.entries.slab.block(*handle).len() == Slab::rounded(layout.len());
    let reused = existing.filter(fits);
    if existing.is_none() {
        db.table.reserve(lookup.hash)?;
    }
    let handle = match reused {
        Some(handle) => handle,
        None => db.entries.slab.allocate(layout.len())?,
    };
    if is_dated && db.entries.deadlines.reserve(handle).is_err() {
        if reused.is_none() {
            db.entries.slab.free(handle);
        }
        return Err(OutOfMemory);
    }
    if let Some(old) = existing {
        db.drop_value(old);
        db.entries.schedule(old, None, None);
    }
    layout.write(db.entries.slab.block_mut(handle), key, payload, meta.last_use);
    match existing {
        None => db.table.insert(lookup.hash, handle),
        Some(old) if old != handle => db.replace_block(lookup.hash, old, handle),
        Some(_) => {}
    }
    db.entries.assign_deadline(handle, meta.deadline);
    Ok(handle)
}
