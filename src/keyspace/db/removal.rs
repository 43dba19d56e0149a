//! How keys go, and how what is left of large values and whole databases gives its memory back.

use super::dated::BlockPositions;
use super::{Db, Slot, slot_bytes_of};
use crate::keyspace::entry::Layout;
use crate::store::slab::Handle;

impl Db {
    /// Forgets the key, its value and its deadline.
    pub fn remove(&mut self, slot: Slot) {
        let Some(handle) = slot.found() else { return };
        debug_assert!(self.holds(slot.hash, handle), "a slot that is out of date");
        let Some(layout) = self.slab.block_and_more(handle).and_then(Layout::of) else { return };
        if layout.is_timed() {
            self.drop_deadline(handle, layout);
        }
        if layout.is_in_slot() {
            self.drop_value(handle);
        }
        self.table.remove(slot.hash, handle);
        self.slab.free(handle);
    }

    fn drop_deadline(&mut self, handle: Handle, layout: Layout) {
        let Some(position) = self.slab.block_and_more(handle).and_then(|block| layout.position(block)) else { return };
        self.own_deadlines -= usize::from(layout.has_own());
        self.field_deadlines -= usize::from(layout.has_field());
        self.deadlines.remove(position, &mut BlockPositions(&mut self.slab));
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
    pub(in crate::keyspace) fn keep_remains(&mut self, other: Db) {
        self.graveyard.take_database(other);
    }

    /// Gives up to so many pieces of its own memory back; answers how many. Only what it counts as may be asked of it from
    /// then on.
    pub(in crate::keyspace) fn shed(&mut self, pieces: usize) -> usize {
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
}
