//! Removal of keys, and lazy free of large values and whole databases.

use super::entries::slot_bytes_of;
use super::lazy_free::FreeInSteps;
use super::{Db, Lookup};
use crate::keyspace::db::entry::Layout;
use crate::values::Value;

impl Db {
    /// Removes the key with its value and deadline. A large value is queued for lazy free.
    pub fn remove(&mut self, lookup: Lookup) {
        let Some(handle) = lookup.found() else { return };
        debug_assert!(self.holds(lookup.hash, handle), "a lookup that is out of date");
        let Some(layout) = self.entries.slab.block_and_more(handle).and_then(Layout::of) else { return };
        if layout.is_timed() {
            self.entries.drop_deadline(handle, layout);
        }
        if layout.is_in_slot() {
            self.drop_value(handle);
        }
        self.table.remove(lookup.hash, handle);
        self.entries.slab.free(handle);
    }

    /// Whether deleted values wait for lazy free.
    pub fn has_garbage(&self) -> bool {
        !self.lazy_free.is_empty()
    }

    /// Frees up to `pieces` pieces of garbage; returns the number freed.
    pub fn free_garbage(&mut self, pieces: usize) -> usize {
        self.lazy_free.free(pieces)
    }

    /// Queues a part that was taken out of a value for lazy free.
    pub(in crate::keyspace) fn keep_value_garbage(&mut self, part: Value) {
        let bytes = part.counted_bytes();
        self.lazy_free.take_value(part, bytes);
    }

    /// Queues the contents of another database for lazy free.
    pub(in crate::keyspace) fn keep_garbage(&mut self, other: Db) {
        self.lazy_free.take_database(other);
    }
}

impl FreeInSteps for Db {
    /// Frees up to `pieces` pieces of the database's own memory; returns the number freed. Afterwards only
    /// `counted_bytes` and further steps are valid.
    fn free_step(&mut self, pieces: usize) -> usize {
        let mut freed = self.entries.slab.free_step(pieces);
        freed += self.table.free_step(pieces - freed);
        freed += self.entries.deadlines.free_step(pieces - freed);
        while freed < pieces {
            // Large values are queued again, and freed in slices themselves.
            freed += self.lazy_free.free(pieces - freed).min(pieces - freed);
            if freed == pieces {
                break;
            }
            let Some(value) = self.entries.values.pop() else { break };
            let value_pieces = value.map_or(1, |value| {
                let bytes = slot_bytes_of(&value);
                self.entries.slot_bytes -= bytes;
                self.lazy_free.take_value(value, bytes)
            });
            freed = (freed + value_pieces).min(pieces);
        }
        freed
    }

    fn counted_bytes(&self) -> u64 {
        Db::counted_bytes(self)
    }
}
