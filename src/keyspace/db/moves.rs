//! Renaming a key, and moving it to another database.

use alloc::vec::Vec;

use super::{Db, Lookup};
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::keyspace::db::entry::{Layout, Payload};
use crate::values::{Hash, Value};

impl Db {
    /// Moves value and deadline to another key and replaces its old value. On an error nothing has changed.
    pub fn rename(&mut self, from: Lookup, target: Lookup, to: &[u8]) -> Result<(), OutOfMemory> {
        debug_assert!(self.is_current(target, to), "a lookup that is out of date");
        let Some(handle) = from.found() else { return Ok(()) };
        let block = copied(self.entries.slab.block(handle))?;
        let Some(layout) = Layout::of(&block) else { return Ok(()) };
        self.write(target, to, layout.payload(&block), self.entries.meta_of(handle, layout))?;
        // The value belongs to the new entry, so only the old block is freed.
        self.forget_block(from.hash, handle);
        Ok(())
    }

    /// Moves a key with its value and deadline to another database. Both must have the same seed, and the target must
    /// not contain the key. On an error nothing has changed.
    pub fn move_to(&mut self, lookup: Lookup, other: &mut Db) -> Result<(), OutOfMemory> {
        let Some(handle) = lookup.found() else { return Ok(()) };
        let block = copied(self.entries.slab.block(handle))?;
        let Some(layout) = Layout::of(&block) else { return Ok(()) };
        let (key, meta, target) = (layout.key(&block), self.entries.meta_of(handle, layout), lookup.vacated());
        match layout.payload(&block) {
            Payload::Inline(bytes) => drop(other.write(target, key, Payload::Inline(bytes), meta)?),
            Payload::Slot(slot) => {
                // The value is swapped in after the other database has allocated its entry: a failure cannot lose it.
                let empty_value = || match self.entries.hash_in(slot) {
                    Some(_) => Value::Hash(Hash::new(0)),
                    None => Value::String(Vec::new()),
                };
                let (target_value, left_value) = (empty_value(), empty_value());
                other.entries.deadlines.reserve(handle)?;
                let moved = other.write_slot(target, key, target_value, meta)?;
                if let Some(value) = self.entries.values.get_mut(slot) {
                    let left_bytes = left_value.counted_bytes();
                    let mut value = core::mem::replace(value, left_value);
                    self.entries.slot_bytes = self.entries.slot_bytes - value.counted_bytes() + left_bytes;
                    other.entries.edit(moved, |moved_value| core::mem::swap(moved_value, &mut value));
                }
            }
        }
        self.remove(lookup);
        Ok(())
    }
}
