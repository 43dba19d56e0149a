//! How a key gets another name, or goes to another database.

use alloc::vec::Vec;

use super::{Db, Slot};
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::keyspace::db::entry::{Layout, Payload};
use crate::values::{Hash, Value};

impl Db {
    /// Moves value and deadline to another key, replacing what that holds. On an error nothing has changed.
    pub fn rename(&mut self, from: Slot, target: Slot, to: &[u8]) -> Result<(), OutOfMemory> {
        debug_assert!(self.is_current(target, to), "a slot that is out of date");
        let Some(handle) = from.found() else { return Ok(()) };
        let block = copied(self.slab.block(handle))?;
        let Some(layout) = Layout::of(&block) else { return Ok(()) };
        self.write(target, to, layout.payload(&block), self.made(handle, layout))?;
        // The value lives on under the new name: only the old block goes.
        self.forget_block(from.hash, handle);
        Ok(())
    }

    /// Moves a key with its value and deadline to a database of the same seed that does not have it. On an error nothing
    /// has changed.
    pub fn move_to(&mut self, slot: Slot, other: &mut Db) -> Result<(), OutOfMemory> {
        let Some(handle) = slot.found() else { return Ok(()) };
        let block = copied(self.slab.block(handle))?;
        let Some(layout) = Layout::of(&block) else { return Ok(()) };
        let (key, made, target) = (layout.key(&block), self.made(handle, layout), slot.vacated());
        match layout.payload(&block) {
            Payload::Inline(bytes) => drop(other.write(target, key, Payload::Inline(bytes), made)?),
            Payload::Slot(slot) => {
                // The value leaves its slot when the other database has a place for it, so that it cannot get lost.
                let nothing = || match self.hash_in(slot) {
                    Some(_) => Value::Hash(Hash::new(0)),
                    None => Value::String(Vec::new()),
                };
                let (there, here) = (nothing(), nothing());
                other.deadlines.reserve(handle)?;
                let moved = other.write_slot(target, key, there, made)?;
                if let Some(value) = self.values.get_mut(slot) {
                    let here_bytes = here.counted_bytes();
                    let mut value = core::mem::replace(value, here);
                    self.slot_bytes = self.slot_bytes - value.counted_bytes() + here_bytes;
                    other.edit(moved, |place| core::mem::swap(place, &mut value));
                }
            }
        }
        self.remove(slot);
        Ok(())
    }
}
