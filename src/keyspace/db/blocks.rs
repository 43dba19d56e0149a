//! How an entry comes into a block: into a new one, into the one its key has, or into another in place of that.

use super::dated::BlockPositions;
use super::{Db, Expiry, NewValue, Slot, slot_bytes_of};
use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::keyspace::db::entry::{self, INLINE_MAX, Layout, Payload, set_last_use};
use crate::store::deadline_heap::Node;
use crate::store::slab::{Handle, Slab};
use crate::values::Value;

/// What an entry has beside key and value.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) raw: bool,
    pub(super) deadline: Option<Timestamp>,
    pub(super) last_use: u32,
}

impl Db {
    /// Replaces a string where it lies, if it and the one it replaces take blocks of one size: most writes do no more.
    /// The last
    /// use stays as it is. False when nothing was done and [`Db::put`] has to do it.
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

    /// Whether [`Db::overwrite`] would do it with any expiry but a new deadline.
    #[inline(always)]
    pub fn can_overwrite(&self, slot: Slot, len: usize) -> bool {
        let block = slot.found().and_then(|handle| self.slab.block_and_more(handle));
        block.is_some_and(|block| entry::fitting(block, len).is_some())
    }

    /// Creates the key, or replaces all of it where the caller found it; answers its entry. On an error nothing has changed.
    pub fn put(
        &mut self,
        slot: Slot,
        key: &[u8],
        value: NewValue<'_>,
        deadline: Option<Timestamp>,
        last_use: u32,
    ) -> Result<Handle, OutOfMemory> {
        let raw = matches!(value, NewValue::Edited(_));
        let made = Made { raw, deadline, last_use };
        match value {
            NewValue::Bytes(bytes) => self.put_string(slot, key, bytes, deadline, last_use),
            NewValue::Edited(bytes) | NewValue::Value(Value::String(bytes)) if bytes.len() <= INLINE_MAX => {
                self.write(slot, key, Payload::Inline(&bytes), made)
            }
            NewValue::Edited(bytes) => self.write_slot(slot, key, Value::String(bytes), made),
            NewValue::Value(value) => self.write_slot(slot, key, value, made),
        }
    }

    /// As [`Db::put`], for a string as SET stores it.
    pub fn put_string(
        &mut self,
        slot: Slot,
        key: &[u8],
        bytes: &[u8],
        deadline: Option<Timestamp>,
        last_use: u32,
    ) -> Result<Handle, OutOfMemory> {
        debug_assert!(self.is_current(slot, key), "a slot that is out of date");
        let made = Made { raw: false, deadline, last_use };
        match bytes.len() {
            ..=INLINE_MAX => self.write(slot, key, Payload::Inline(bytes), made),
            _ => self.write_slot(slot, key, Value::String(copied(bytes)?), made),
        }
    }

    /// As [`Db::write`] for a value that is to lie in a slot: gives it the slot.
    #[inline(never)]
    pub(super) fn write_slot(
        &mut self,
        slot: Slot,
        key: &[u8],
        value: Value,
        made: Made,
    ) -> Result<Handle, OutOfMemory> {
        self.values.reserve()?;
        let counted_bytes = slot_bytes_of(&value);
        let place = self.values.insert(value);
        let written = self.write(slot, key, Payload::Slot(place), made);
        match written {
            Ok(_) => self.slot_bytes += counted_bytes,
            Err(OutOfMemory) => drop(self.values.remove(place)),
        }
        written
    }

    /// Writes any entry, over the one its key has if there is one: chooses among the three ways below.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        slot: Slot,
        key: &[u8],
        payload: Payload<'_>,
        made: Made,
    ) -> Result<Handle, OutOfMemory> {
        debug_assert!(self.is_current(slot, key), "a slot that is out of date");
        match (slot.found(), payload) {
            (None, Payload::Inline(_)) => write_new(self, slot.hash, key, payload, made),
            (Some(handle), Payload::Inline(bytes)) if rewrite(self, handle, bytes, made)? => Ok(handle),
            _ => write_over(self, slot, key, payload, made),
        }
    }

    /// What a block is made with, when it is to stand for this one.
    pub(super) fn made(&self, handle: Handle, layout: Layout) -> Made {
        Made { raw: layout.is_raw(), deadline: self.deadline(handle), last_use: self.last_use(handle) }
    }

    /// Lets the index name the block that an entry was moved to.
    pub(super) fn replace_block(&mut self, hash: u32, old: Handle, new: Handle) {
        self.table.replace(hash, old, new);
        self.slab.free(old);
    }

    /// Takes a block out of the index and the heap; its value stays where it is.
    pub(super) fn forget_block(&mut self, hash: u32, handle: Handle) {
        self.schedule(handle, None, None);
        self.table.remove(hash, handle);
        self.slab.free(handle);
    }

    /// Forgets a value in a slot; the block itself is about to be rewritten.
    pub(super) fn drop_value(&mut self, handle: Handle) {
        let block = self.slab.block(handle);
        if let Some(Payload::Slot(slot)) = Layout::of(block).map(|layout| layout.payload(block))
            && let Some(value) = self.values.remove(slot)
        {
            let bytes = slot_bytes_of(&value);
            self.slot_bytes -= bytes;
            self.lazy_free.take_value(value, bytes);
        }
    }
}

/// The way of a new key whose value is in its block: it gets a block and its place in the index.
#[inline(never)]
fn write_new(db: &mut Db, hash: u32, key: &[u8], payload: Payload<'_>, made: Made) -> Result<Handle, OutOfMemory> {
    let layout = Layout::new(key, payload, made.deadline.is_some(), made.raw);
    db.table.reserve(hash)?;
    let handle = db.slab.allocate(layout.len())?;
    if made.deadline.is_some() && db.deadlines.reserve(handle).is_err() {
        db.slab.free(handle);
        return Err(OutOfMemory);
    }
    let layout = if made.deadline.is_some() { layout.with_own() } else { layout };
    if let Some(block) = db.slab.block_and_more_mut(handle) {
        layout.write(block, key, payload, made.last_use);
    }
    db.table.insert(hash, handle);
    db.enter_new(handle, made.deadline);
    Ok(handle)
}

/// The way of a string that fits where the old one lies: the block stays, its deadline becomes the one given. False
/// when nothing was done.
#[inline(never)]
fn rewrite(db: &mut Db, handle: Handle, bytes: &[u8], made: Made) -> Result<bool, OutOfMemory> {
    if made.deadline.is_some() {
        if !db.has_position(handle) {
            return Ok(false);
        }
        db.deadlines.reserve(handle)?;
    }
    let Some(block) = db.slab.block_and_more_mut(handle) else { return Ok(false) };
    let Some(layout) = entry::fitting(block, bytes.len()) else { return Ok(false) };
    entry::overwrite(block, layout, bytes, made.raw);
    set_last_use(block, made.last_use);
    db.schedule(handle, made.deadline, None);
    Ok(true)
}

/// The way of everything else: the whole block is written anew, or another one if its size no longer fits.
#[inline(never)]
fn write_over(db: &mut Db, slot: Slot, key: &[u8], payload: Payload<'_>, made: Made) -> Result<Handle, OutOfMemory> {
    let existing = slot.found();
    // Room for a position, once made, is kept: a key renewed over and over does not change its block.
    let had_position = existing.is_some_and(|handle| db.has_position(handle));
    // Hashes have it from the start, so that a field may get a deadline without a change of the block.
    let hash = match payload {
        Payload::Slot(slot) => db.hash_in(slot),
        Payload::Inline(_) => None,
    };
    let is_dated = made.deadline.is_some() || hash.is_some_and(|hash| hash.first_deadline().is_some());
    let layout = Layout::new(key, payload, is_dated || had_position || hash.is_some(), made.raw);
    let fits = |handle: &Handle| db.slab.block(*handle).len() == Slab::rounded(layout.len());
    let reused = existing.filter(fits);
    if existing.is_none() {
        db.table.reserve(slot.hash)?;
    }
    let handle = match reused {
        Some(handle) => handle,
        None => db.slab.allocate(layout.len())?,
    };
    if is_dated && db.deadlines.reserve(handle).is_err() {
        if reused.is_none() {
            db.slab.free(handle);
        }
        return Err(OutOfMemory);
    }
    if let Some(old) = existing {
        db.drop_value(old);
        db.schedule(old, None, None);
    }
    layout.write(db.slab.block_mut(handle), key, payload, made.last_use);
    match existing {
        None => db.table.insert(slot.hash, handle),
        Some(old) if old != handle => db.replace_block(slot.hash, old, handle),
        Some(_) => {}
    }
    db.assign_deadline(handle, made.deadline);
    Ok(handle)
}
