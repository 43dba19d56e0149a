//! How an entry comes into a block: into a new one, into the one its key has, or into another in place of that.

use super::{Db, slot_bytes_of};
use crate::clock::Timestamp;
use crate::deadlines::Deadlines;
use crate::keyspace::entry::{self, Layout, Payload};
use crate::slab::{Handle, OutOfMemory, Slab};
use crate::value::Value;

/// What an entry has beside key and value.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) raw: bool,
    pub(super) deadline: Option<Timestamp>,
    pub(super) last_use: u32,
}

impl Db {
    /// As [`Db::write`] for a value that is to lie in a slot: gives it the slot.
    pub(super) fn write_slot(
        &mut self,
        existing: Option<Handle>,
        key: &[u8],
        value: Value,
        made: Made,
    ) -> Result<(), OutOfMemory> {
        self.values.reserve()?;
        let counted_bytes = slot_bytes_of(&value);
        let slot = self.values.insert(value);
        let written = self.write(existing, key, Payload::Slot(slot), made);
        match written {
            Ok(()) => self.slot_bytes += counted_bytes,
            Err(OutOfMemory) => drop(self.values.remove(slot)),
        }
        written
    }

    /// Writes any entry, over the one its key has if there is one: chooses among the three ways below.
    #[inline(never)]
    pub(super) fn write(
        &mut self,
        existing: Option<Handle>,
        key: &[u8],
        payload: Payload<'_>,
        made: Made,
    ) -> Result<(), OutOfMemory> {
        match (existing, payload) {
            (None, Payload::Inline(_)) => self.write_new(self.hash(key), key, payload, made),
            (Some(handle), Payload::Inline(bytes)) if self.rewrite(handle, bytes, made)? => Ok(()),
            _ => self.write_over(existing, key, payload, made),
        }
    }

    /// The way of a new key whose value is in its block: it gets a block and its place in the index.
    #[inline(never)]
    pub(super) fn write_new(
        &mut self,
        hash: u32,
        key: &[u8],
        payload: Payload<'_>,
        made: Made,
    ) -> Result<(), OutOfMemory> {
        let layout = Layout::new(key, payload, made.deadline.is_some(), made.raw);
        self.table.reserve(hash)?;
        let handle = new_block(&mut self.slab, &mut self.deadlines, layout, key, payload, made)?;
        self.table.insert(hash, handle);
        self.enter_new(handle, made.deadline);
        Ok(())
    }

    /// The way of a string that fits where the old one lies: the block stays, its deadline becomes the one given. False
    /// when nothing was done.
    fn rewrite(&mut self, handle: Handle, bytes: &[u8], made: Made) -> Result<bool, OutOfMemory> {
        if made.deadline.is_some() {
            if !self.has_position(handle) {
                return Ok(false);
            }
            self.deadlines.reserve(handle)?;
        }
        let Some(block) = self.slab.block_and_more_mut(handle) else { return Ok(false) };
        let is_rewritten = entry::overwrite_timed(block, bytes, made.raw, Some(made.last_use));
        if is_rewritten {
            self.schedule(handle, made.deadline, None);
        }
        Ok(is_rewritten)
    }

    /// The way of everything else: the whole block is written anew, or another one if its size no longer fits.
    fn write_over(
        &mut self,
        existing: Option<Handle>,
        key: &[u8],
        payload: Payload<'_>,
        made: Made,
    ) -> Result<(), OutOfMemory> {
        // Room for a position, once made, is kept: a key renewed over and over does not change its block.
        let had_position = existing.is_some_and(|handle| self.has_position(handle));
        // Hashes have it from the start, so that a field may get a deadline without a change of the block.
        let hash = match payload {
            Payload::Slot(slot) => self.hash_in(slot),
            Payload::Inline(_) => None,
        };
        let is_dated = made.deadline.is_some() || hash.is_some_and(|hash| hash.first_deadline().is_some());
        let layout = Layout::new(key, payload, is_dated || had_position || hash.is_some(), made.raw);
        let fits = |handle: &Handle| self.slab.block(*handle).len() == Slab::rounded(layout.len());
        let reused = existing.filter(fits);
        if reused.is_none() && existing.is_none() {
            self.table.reserve(self.hash(key))?;
        }
        let handle = match reused {
            Some(handle) => handle,
            None => self.slab.allocate(layout.len())?,
        };
        if is_dated && self.deadlines.reserve(handle).is_err() {
            if reused.is_none() {
                self.slab.free(handle);
            }
            return Err(OutOfMemory);
        }
        if let Some(old) = existing {
            self.drop_value(old);
            self.schedule(old, None, None);
        }
        layout.write(self.slab.block_mut(handle), key, payload, made.last_use);
        match existing {
            None => self.table.insert(self.hash(key), handle),
            Some(old) if old != handle => self.replace_block(key, old, handle),
            Some(_) => {}
        }
        self.assign_deadline(handle, made.deadline);
        Ok(())
    }

    /// What a block is made with, when it is to stand for this one.
    pub(super) fn made(&self, handle: Handle, layout: Layout) -> Made {
        Made { raw: layout.is_raw(), deadline: self.deadline(handle), last_use: self.last_use(handle) }
    }

    /// Lets the index name the block that an entry was moved to.
    pub(super) fn replace_block(&mut self, key: &[u8], old: Handle, new: Handle) {
        self.table.replace(self.hash(key), old, new);
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
            self.graveyard.take_value(value, bytes);
        }
    }
}

/// A block with a new entry, and the room for its deadline.
#[inline(always)]
pub(super) fn new_block(
    slab: &mut Slab,
    deadlines: &mut Deadlines<Handle>,
    layout: Layout,
    key: &[u8],
    payload: Payload<'_>,
    made: Made,
) -> Result<Handle, OutOfMemory> {
    let handle = slab.allocate(layout.len())?;
    if made.deadline.is_some() && deadlines.reserve(handle).is_err() {
        slab.free(handle);
        return Err(OutOfMemory);
    }
    let layout = if made.deadline.is_some() { layout.with_own() } else { layout };
    if let Some(block) = slab.block_and_more_mut(handle) {
        layout.write(block, key, payload, made.last_use);
    }
    Ok(handle)
}
