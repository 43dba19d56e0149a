//! How keys go, and how what is left of large values and whole databases gives its memory back.

use super::dated::BlockPositions;
use super::lazy_free::FreeInSteps;
use super::{Db, Slot, slot_bytes_of};
use crate::keyspace::db::entry::Layout;
use crate::store::slab::Handle;

impl Db {
    /// Forgets the key, its value and its deadline.
    pub fn remove(&mut self, slot: Slot) {
        let Some(handle) = slot.found() else { return };
        debug_assert!(self.holds(slot.hash, handle), "a slot that is out of date");
        let Some(layout) = self.slab.block_and_more(handle).and_then(Layout::of) else { return };
        if layout.is_timed() {
            drop_deadline(self, handle, layout);
        }
        if layout.is_in_slot() {
            self.drop_value(handle);
        }
        self.table.remove(slot.hash, handle);
        self.slab.free(handle);
    }

    /// Whether something deleted has not given its memory back yet.
    pub fn has_garbage(&self) -> bool {
        !self.lazy_free.is_empty()
    }

    /// Gives up to so many pieces of memory of what was deleted back; answers how many.
    pub fn free_garbage(&mut self, pieces: usize) -> usize {
        self.lazy_free.free(pieces)
    }

    /// Keeps what another database held until its memory is given back.
    pub(in crate::keyspace) fn keep_garbage(&mut self, other: Db) {
        self.lazy_free.take_database(other);
    }
}

impl FreeInSteps for Db {
    /// Gives up to so many pieces of its own memory back; answers how many. Only what it counts as may be asked of it from
    /// then on.
    fn free_step(&mut self, pieces: usize) -> usize {
        let mut free_step = self.slab.free_step(pieces);
        free_step += self.table.free_step(pieces - free_step);
        free_step += self.deadlines.free_step(pieces - free_step);
        while free_step < pieces {
            // Large values among them are graves of their own.
            free_step += self.lazy_free.free(pieces - free_step).min(pieces - free_step);
            if free_step == pieces {
                break;
            }
            let Some(value) = self.values.pop() else { break };
            let given = value.map_or(1, |value| {
                let bytes = slot_bytes_of(&value);
                self.slot_bytes -= bytes;
                self.lazy_free.take_value(value, bytes)
            });
            free_step = (free_step + given).min(pieces);
        }
        free_step
    }

    fn counted_bytes(&self) -> u64 {
        Db::counted_bytes(self)
    }
}

fn drop_deadline(db: &mut Db, handle: Handle, layout: Layout) {
    let Some(position) = db.slab.block_and_more(handle).and_then(|block| layout.position(block)) else { return };
    db.own_deadlines -= usize::from(layout.has_own());
    db.field_deadlines -= usize::from(layout.has_field());
    db.deadlines.remove(position, &mut BlockPositions(&mut db.slab));
}
