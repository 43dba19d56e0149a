//! Large form of a hash: blocks of a slab behind a hash index, and a heap of the fields' deadlines.
//!
//! ```text
//! value = 0, then the value of a field without a deadline
//!       | 1, position in the heap (u32, little-endian; NONE: reserved), then the value
//! ```

use alloc::vec::Vec;

use super::field::Field;
use super::new_deadline::NewDeadline;
use super::text::Text;
use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::base::random::Random;
use crate::store::deadline_heap::{DeadlineHeap, NODE_BYTES, Node, Positions};
use crate::store::hash_index::Slots;
use crate::store::slab::{Handle, Slab};
use crate::values::hashed::{Hashed, hash_of};
use crate::values::packed::{pair_len, value_range, write_pair};

const PLAIN: u8 = 0;
const DATED: u8 = 1;
const DATED_BYTES: usize = 5;
/// Position of a field that is not in the heap.
const NONE: u32 = u32::MAX;

/// Fields behind a hash index.
#[derive(Clone, Debug, Default)]
pub struct Large {
    seed: u64,
    pairs: Hashed,
    deadlines: DeadlineHeap<Handle>,
    /// Deadline of the key, stored here on behalf of the database.
    pub(super) whole: Option<Timestamp>,
}

/// New block of a field that replaces another or was added, not yet committed.
struct StagedField {
    hash: u32,
    old: Option<Handle>,
    new: Handle,
}

impl Large {
    pub(super) fn new(seed: u64) -> Large {
        Large { seed, ..Large::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.index.len()
    }

    pub(super) fn counted_bytes(&self) -> u64 {
        self.pairs.counted_bytes() + self.deadlines.len() as u64 * NODE_BYTES
    }

    /// Frees up to `pieces` allocations and returns how many were freed. Afterwards only [`Large::counted_bytes`] may
    /// be called.
    pub(super) fn free_step(&mut self, pieces: usize) -> usize {
        let freed = self.pairs.free_step(pieces);
        freed + self.deadlines.free_step(pieces - freed)
    }

    pub(super) fn first(&self) -> Option<Timestamp> {
        self.deadlines.minimum().map(|node| node.deadline)
    }

    /// Field with the earliest deadline.
    pub(super) fn first_field(&self) -> Option<Field<'_>> {
        self.deadlines.minimum().map(|node| self.field(node.owner))
    }

    pub(super) fn get(&self, name: &[u8]) -> Option<Field<'_>> {
        self.find(name).map(|handle| self.field(handle))
    }

    /// Slots of the fields in hash order.
    pub(super) fn slots(&self) -> Slots<'_> {
        self.pairs.index.iter()
    }

    pub(super) fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(Field<'_>)) -> u64 {
        self.pairs.index.page(cursor, count, &mut |slot| visit(self.field(slot.handle)))
    }

    pub(super) fn random(&self, random: &mut Random) -> Option<Field<'_>> {
        self.pairs.index.random(random).map(|slot| self.field(slot.handle))
    }

    pub(super) fn random_ones(&self, count: usize, random: &mut Random, visit: &mut dyn FnMut(Field<'_>)) {
        let mut draws = self.pairs.index.draws(count);
        (0..count).filter_map(|_| draws.next(random)).for_each(|slot| visit(self.field(slot.handle)));
    }

    /// Sets a field. Returns whether it is new. On an error nothing has changed.
    pub(super) fn set(&mut self, name: &[u8], value: &[u8], deadline: NewDeadline) -> Result<bool, OutOfMemory> {
        let step = self.stage(name, value, deadline, 0)?;
        self.commit(core::slice::from_ref(&step), deadline);
        Ok(step.old.is_none())
    }

    /// Sets fields and returns how many are new. On an error nothing has changed: replaced blocks are freed only after
    /// all new ones are in place.
    pub(super) fn set_all<'p>(
        &mut self,
        pairs: &mut dyn Iterator<Item = (&'p [u8], &'p [u8])>,
        deadline: NewDeadline,
    ) -> Result<usize, OutOfMemory> {
        let mut steps = Vec::new();
        for (name, value) in pairs {
            let reserved = steps.try_reserve(1).map_err(|_| OutOfMemory);
            match reserved.and_then(|()| self.stage(name, value, deadline, steps.len())) {
                Ok(step) => steps.push(step),
                Err(OutOfMemory) => {
                    self.roll_back(&steps);
                    return Err(OutOfMemory);
                }
            }
        }
        self.commit(&steps, deadline);
        Ok(steps.iter().filter(|step| step.old.is_none()).count())
    }

    /// Puts the new block of a field in place, after `staged` others. The heap and the old block are not changed.
    fn stage(
        &mut self,
        name: &[u8],
        value: &[u8],
        deadline: NewDeadline,
        staged: usize,
    ) -> Result<StagedField, OutOfMemory> {
        let hash = hash_of(self.seed, name);
        let old = self.pairs.find(hash, name);
        let position = old.and_then(|old| self.position(old));
        let coded = match deadline {
            NewDeadline::None => None,
            NewDeadline::Keep => position.map(dated),
            NewDeadline::At(_) => Some(dated(NONE)),
        };
        let new = match &coded {
            None => self.allocate(name, &[&[PLAIN], value])?,
            Some(coded) => self.allocate(name, &[coded, value])?,
        };
        let reserved = match old {
            None => self.pairs.index.reserve(hash),
            Some(_) => Ok(()),
        };
        if let Err(OutOfMemory) = reserved.and_then(|()| self.reserve_nodes(staged + 1, deadline, new)) {
            self.pairs.slab.free(new);
            return Err(OutOfMemory);
        }
        match old {
            None => self.pairs.index.insert(hash, new),
            Some(old) => self.pairs.index.replace(hash, old, new),
        }
        Ok(StagedField { hash, old, new })
    }

    fn reserve_nodes(&mut self, count: usize, deadline: NewDeadline, filler: Handle) -> Result<(), OutOfMemory> {
        match deadline {
            NewDeadline::None | NewDeadline::Keep => Ok(()),
            NewDeadline::At(_) => self.deadlines.reserve_many(count, filler),
        }
    }

    fn roll_back(&mut self, steps: &[StagedField]) {
        for step in steps.iter().rev() {
            match step.old {
                Some(old) => self.pairs.index.replace(step.hash, step.new, old),
                None => self.pairs.index.remove(step.hash, step.new),
            }
            self.pairs.slab.free(step.new);
        }
    }

    /// Frees the replaced blocks and updates the heap of deadlines.
    fn commit(&mut self, steps: &[StagedField], deadline: NewDeadline) {
        for step in steps {
            let position = step.old.and_then(|old| self.position(old));
            let mut heap_indices = HeapIndices(&mut self.pairs.slab);
            match (position, deadline) {
                (Some(position), NewDeadline::None) => self.deadlines.remove(position, &mut heap_indices),
                (Some(position), _) => {
                    heap_indices.moved(step.new, position);
                    match deadline {
                        NewDeadline::At(deadline) => {
                            self.deadlines.update(position, Node { deadline, owner: step.new }, &mut heap_indices);
                        }
                        _ => self.deadlines.set_owner(position, step.new),
                    }
                }
                (None, NewDeadline::At(deadline)) => self.deadlines.insert(deadline, step.new, &mut heap_indices),
                (None, _) => {}
            }
            if let Some(old) = step.old {
                self.pairs.slab.free(old);
            }
        }
    }

    /// Reserves nodes for the next `count` calls of `set_deadline`, and the bytes of a deadline in this field.
    pub(super) fn reserve_deadline(&mut self, name: &[u8], count: usize) -> Result<(), OutOfMemory> {
        let hash = hash_of(self.seed, name);
        let Some(old) = self.pairs.find(hash, name) else { return Ok(()) };
        self.deadlines.reserve_many(count, old)?;
        let value = match self.pairs.pair(old).1 {
            [PLAIN, value @ ..] => copied(value)?,
            _ => return Ok(()),
        };
        let new = self.allocate(name, &[&dated(NONE), &value])?;
        self.pairs.index.replace(hash, old, new);
        self.pairs.slab.free(old);
        Ok(())
    }

    /// Sets or clears a deadline. Returns false if the field is absent or nothing was reserved.
    pub(super) fn set_deadline(&mut self, name: &[u8], deadline: Option<Timestamp>) -> bool {
        let Some(handle) = self.find(name) else { return false };
        if self.pairs.pair(handle).1.first() != Some(&DATED) {
            return false;
        }
        match (self.position(handle), deadline) {
            (Some(position), Some(deadline)) => {
                let node = Node { deadline, owner: handle };
                self.deadlines.update(position, node, &mut HeapIndices(&mut self.pairs.slab));
            }
            (Some(_), None) => drop(self.remove_node(handle)),
            (None, Some(_)) if !self.deadlines.has_room() => return false,
            (None, Some(deadline)) => self.deadlines.insert(deadline, handle, &mut HeapIndices(&mut self.pairs.slab)),
            (None, None) => {}
        }
        true
    }

    pub(super) fn remove(&mut self, name: &[u8]) -> bool {
        let Some(handle) = self.find(name) else { return false };
        self.remove_node(handle);
        self.pairs.index.remove(hash_of(self.seed, name), handle);
        self.pairs.slab.free(handle);
        true
    }

    fn find(&self, name: &[u8]) -> Option<Handle> {
        self.pairs.find(hash_of(self.seed, name), name)
    }

    pub(super) fn field(&self, handle: Handle) -> Field<'_> {
        let (name, coded) = self.pairs.pair(handle);
        let start = if coded.first() == Some(&DATED) { DATED_BYTES } else { 1 };
        let node = self.position(handle).and_then(|position| self.deadlines.get(position));
        let value = coded.get(start..).unwrap_or_default();
        Field { name: Text::of(name), value: Text::of(value), deadline: node.map(|node| node.deadline) }
    }

    fn position(&self, handle: Handle) -> Option<u32> {
        match self.pairs.pair(handle).1 {
            [DATED, a, b, c, d, ..] => Some(u32::from_le_bytes([*a, *b, *c, *d])).filter(|&position| position != NONE),
            _ => None,
        }
    }

    /// Removes a field's node from the heap and returns its deadline.
    fn remove_node(&mut self, handle: Handle) -> Option<Timestamp> {
        let position = self.position(handle)?;
        let deadline = self.deadlines.get(position)?.deadline;
        let mut heap_indices = HeapIndices(&mut self.pairs.slab);
        self.deadlines.remove(position, &mut heap_indices);
        heap_indices.moved(handle, NONE);
        Some(deadline)
    }

    fn allocate(&mut self, name: &[u8], value: &[&[u8]]) -> Result<Handle, OutOfMemory> {
        let handle = self.pairs.slab.allocate(pair_len(name, value.iter().map(|piece| piece.len()).sum()))?;
        write_pair(self.pairs.slab.block_mut(handle), name, value);
        Ok(handle)
    }
}

/// Encodes the prefix of a value with a position in the heap.
fn dated(position: u32) -> [u8; DATED_BYTES] {
    let mut coded = [DATED; DATED_BYTES];
    coded[1..].copy_from_slice(&position.to_le_bytes());
    coded
}

/// Writer of heap positions into the fields' blocks.
struct HeapIndices<'a>(&'a mut Slab);

impl Positions<Handle> for HeapIndices<'_> {
    fn moved(&mut self, owner: Handle, position: u32) {
        let block = self.0.block_mut(owner);
        let Some(range) = value_range(block) else { return };
        let prefix = block.get_mut(range).and_then(|coded| coded.first_chunk_mut::<DATED_BYTES>());
        if let Some(prefix) = prefix
            && prefix[0] == DATED
        {
            *prefix = dated(position);
        }
    }
}
