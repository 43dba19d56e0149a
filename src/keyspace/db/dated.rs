//! Deadlines of keys: a heap orders them, and the block of each key holds its position in the heap.

use alloc::vec::Vec;

use super::entries::Entries;
use super::{Db, Lookup};
use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::base::random::Random;
use crate::keyspace::db::entry::{self, Layout, NO_POSITION, Payload, last_use};
use crate::store::deadline_heap::{Node, Positions};
use crate::store::slab::{Handle, Slab};
use crate::store::slots::Slot as ValueSlot;
use crate::values::Value;

/// Number of additional heap nodes sampled when some keys have only fields with deadlines.
const EXTRA_NODES: usize = 64;

impl Db {
    /// Number of keys with a deadline of their own.
    pub fn deadline_count(&self) -> usize {
        self.entries.own_deadlines
    }

    /// Number of keys that have fields with a deadline.
    pub fn field_deadline_count(&self) -> usize {
        self.entries.field_deadlines
    }

    /// Whether any key has a deadline, or fields with one.
    #[inline(always)]
    pub fn is_timed(&self) -> bool {
        !self.entries.deadlines.is_empty()
    }

    /// Whether a key or a field is past its deadline.
    #[inline(always)]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.entries.deadlines.is_due(now)
    }

    /// Earliest deadline of a key or field; [`Timestamp::MAX`] if there is none.
    #[inline(always)]
    pub fn first_due(&self) -> Timestamp {
        self.entries.deadlines.first()
    }

    /// Heap node of the key with the earliest deadline, its own or one of its fields. Nothing is due while `now` is not
    /// after it.
    #[inline(always)]
    pub fn first_deadline(&self) -> Option<Node<Handle>> {
        self.entries.deadlines.minimum()
    }

    pub fn deadline(&self, handle: Handle) -> Option<Timestamp> {
        self.entries.deadline(handle)
    }

    /// Earlier of the key's own deadline and the first deadline of its fields.
    pub fn due(&self, handle: Handle) -> Option<Timestamp> {
        self.entries.due(handle)
    }

    /// Sets or clears the deadline. The handle may become stale: a block without space for a position is replaced.
    pub fn set_deadline(&mut self, lookup: Lookup, deadline: Option<Timestamp>) -> Result<(), OutOfMemory> {
        let Some(handle) = lookup.found() else { return Ok(()) };
        let Some(layout) = self.entries.slab.block_and_more(handle).and_then(Layout::of) else { return Ok(()) };
        // Reserved before the block is replaced, so that a failure changes nothing.
        if deadline.is_some() {
            self.entries.deadlines.reserve(handle)?;
        }
        let handle = match deadline {
            Some(_) if !layout.is_timed() => add_position(self, lookup.hash, handle, layout)?,
            _ => handle,
        };
        self.entries.assign_deadline(handle, deadline);
        Ok(())
    }
}

impl Entries {
    /// Heap node of the key with the earliest deadline of its own. If some keys have only field deadlines, only the
    /// first levels of the heap are searched.
    pub fn first_expiring(&self) -> Option<Node<Handle>> {
        if self.field_deadlines == 0 {
            return self.deadlines.minimum();
        }
        let nodes = self.deadlines.first_levels();
        let own = nodes.filter_map(|node| Some(Node { deadline: self.deadline(node.owner)?, ..node }));
        own.min_by_key(|node| node.deadline)
    }

    /// Samples up to `count` keys with a deadline of their own, at even distances in the heap. Each key has the same
    /// probability.
    pub fn sample_dated(&self, count: usize, random: &mut Random, handles: &mut Vec<Handle>) {
        let len = self.deadlines.len();
        let sampled = if self.field_deadlines == 0 { count } else { count + EXTRA_NODES }.min(len);
        let start = random.below(len as u64);
        let positions = (0..sampled as u64).map(|step| (start + step * len as u64 / sampled as u64) % len as u64);
        let owners = positions.filter_map(|position| Some(self.deadlines.nth(position as usize)?.owner));
        handles.extend(owners.filter(|&owner| self.deadline(owner).is_some()).take(count));
    }

    /// Own deadline of a key.
    pub fn deadline(&self, handle: Handle) -> Option<Timestamp> {
        let block = self.slab.block_and_more(handle)?;
        self.deadline_of(Layout::of(block)?, block)
    }

    /// Earlier of the key's own deadline and the first deadline of its fields.
    pub fn due(&self, handle: Handle) -> Option<Timestamp> {
        let block = self.slab.block(handle);
        self.deadlines.get(Layout::of(block)?.position(block)?).map(|node| node.deadline)
    }

    /// Returns the key's own deadline. The heap holds it, except for a hash with dated fields: its node holds the
    /// earlier of both, so the hash keeps the key's deadline.
    pub(super) fn deadline_of(&self, layout: Layout, block: &[u8]) -> Option<Timestamp> {
        match layout.payload(block) {
            _ if !layout.has_own() => None,
            Payload::Slot(slot) if layout.has_field() => self.hash_in(slot)?.whole_deadline(),
            _ => self.deadlines.get(layout.position(block)?).map(|node| node.deadline),
        }
    }

    /// Whether a block has space for a position.
    pub(super) fn has_position(&self, handle: Handle) -> bool {
        self.slab.block_and_more(handle).and_then(Layout::of).is_some_and(Layout::is_timed)
    }

    /// Reserves a heap node for an edit that may give a field its first deadline.
    pub fn reserve_deadline(&mut self, handle: Handle) -> Result<(), OutOfMemory> {
        self.deadlines.reserve(handle)
    }

    /// Inserts the deadline of a new entry into the heap, if it has one.
    #[inline(always)]
    pub(super) fn enter_new(&mut self, handle: Handle, deadline: Option<Timestamp>) {
        if let Some(deadline) = deadline {
            self.own_deadlines += 1;
            self.deadlines.insert(deadline, handle, &mut BlockPositions(&mut self.slab));
        }
    }

    /// Sets the heap deadline of an entry from its own deadline and the first of its fields. The block needs space for
    /// a position. If a node may be inserted, `deadlines.reserve` must have succeeded.
    pub(super) fn assign_deadline(&mut self, handle: Handle, own: Option<Timestamp>) {
        let Some(block) = self.slab.block_and_more(handle) else { return };
        let field = match Layout::of(block).map(|layout| layout.payload(block)) {
            Some(Payload::Slot(slot)) => self.note_whole_deadline(slot, own),
            _ => None,
        };
        self.schedule(handle, own, field);
    }

    /// Inserts, moves or removes the heap node of an entry. The heap holds the earlier of both deadlines.
    pub(super) fn schedule(&mut self, handle: Handle, own: Option<Timestamp>, field: Option<Timestamp>) {
        let deadline = own.into_iter().chain(field).min();
        let Some(block) = self.slab.block_and_more_mut(handle) else { return };
        let Some(layout) = Layout::of(block) else { return };
        let position = layout.position(block);
        if position.is_none() && deadline.is_some() && !self.deadlines.has_room() {
            return;
        }
        if (own.is_some(), field.is_some()) != (layout.has_own(), layout.has_field()) {
            layout.note_deadlines(block, own.is_some(), field.is_some());
            self.own_deadlines = self.own_deadlines + usize::from(own.is_some()) - usize::from(layout.has_own());
            self.field_deadlines =
                self.field_deadlines + usize::from(field.is_some()) - usize::from(layout.has_field());
        }
        let mut positions = BlockPositions(&mut self.slab);
        match (position, deadline) {
            (Some(position), Some(deadline)) => {
                self.deadlines.update(position, Node { deadline, owner: handle }, &mut positions);
            }
            (Some(position), None) => {
                self.deadlines.remove(position, &mut positions);
                positions.moved(handle, NO_POSITION);
            }
            (None, Some(deadline)) => self.deadlines.insert(deadline, handle, &mut positions),
            (None, None) => {}
        }
    }

    /// Stores the key's own deadline in its hash value; returns the first deadline of the fields. Returns `None` for other
    /// types.
    #[inline(never)]
    fn note_whole_deadline(&mut self, slot: ValueSlot, own: Option<Timestamp>) -> Option<Timestamp> {
        let Some(Value::Hash(hash)) = self.values.get_mut(slot) else { return None };
        hash.note_whole_deadline(own);
        hash.first_deadline()
    }

    /// Removes the heap node of an entry that is deleted.
    pub(super) fn drop_deadline(&mut self, handle: Handle, layout: Layout) {
        let Some(position) = self.slab.block_and_more(handle).and_then(|block| layout.position(block)) else { return };
        self.own_deadlines -= usize::from(layout.has_own());
        self.field_deadlines -= usize::from(layout.has_field());
        self.deadlines.remove(position, &mut BlockPositions(&mut self.slab));
    }
}

/// Stores a key's position in the heap in its block.
pub(super) struct BlockPositions<'a>(pub(super) &'a mut Slab);

impl Positions<Handle> for BlockPositions<'_> {
    #[inline(always)]
    fn moved(&mut self, owner: Handle, position: u32) {
        if let Some(block) = self.0.block_and_more_mut(owner) {
            entry::set_position(block, position);
        }
    }
}

/// Moves an entry to a block that has space for a position.
fn add_position(db: &mut Db, hash: u32, handle: Handle, layout: Layout) -> Result<Handle, OutOfMemory> {
    let old = copied(db.entries.slab.block(handle))?;
    let (key, payload) = (layout.key(&old), layout.payload(&old));
    let timed = Layout::new(key, payload, true, layout.is_raw());
    let new = db.entries.slab.allocate(timed.len())?;
    timed.write(db.entries.slab.block_mut(new), key, payload, last_use(&old).unwrap_or(0));
    db.replace_block(hash, handle, new);
    Ok(new)
}
