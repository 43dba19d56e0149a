//! Atomic write of several strings: all are set, or none if memory is short.

use alloc::vec::Vec;

use super::entries::slot_bytes_of;
use super::{Db, Lookup};
use crate::base::clock::Timestamp;
use crate::base::headroom::copied;
use crate::base::headroom::{OutOfMemory, try_reserve};
use crate::keyspace::db::entry::{INLINE_MAX, Layout, Payload};
use crate::store::slab::Handle;
use crate::values::Value;

/// String to be written, with the lookup of its key.
#[derive(Clone, Copy, Debug)]
pub struct Staged<'p> {
    pub lookup: Lookup,
    pub key: &'p [u8],
    pub value: &'p [u8],
    pub deadline: Option<Timestamp>,
    pub last_use: u32,
}

/// Step that can be undone: the new entry is in the index, and the old one is kept.
struct Step {
    hash: u32,
    old: Option<Handle>,
    new: Handle,
    deadline: Option<Timestamp>,
}

impl Db {
    /// Creates or replaces all keys. Of a key given twice the last value counts. On an error nothing has changed.
    pub fn put_all(&mut self, strings: &[Staged<'_>]) -> Result<(), OutOfMemory> {
        let mut steps = Vec::new();
        for string in strings {
            let room = try_reserve(&mut steps, 1);
            match room.and_then(|()| stage(self, *string, steps.len())) {
                Ok(step) => steps.push(step),
                Err(OutOfMemory) => {
                    steps.into_iter().rev().for_each(|step| undo(self, step));
                    return Err(OutOfMemory);
                }
            }
        }
        steps.into_iter().for_each(|step| commit(self, step));
        Ok(())
    }
}

/// Writes a new entry and points the index to it. `staged` is the number of steps before.
fn stage(db: &mut Db, string: Staged<'_>, staged: usize) -> Result<Step, OutOfMemory> {
    let Staged { lookup: Lookup { hash, .. }, key, value, deadline, last_use } = string;
    // If the key was given before, its staged entry is the old one here.
    let old = db.find_any(hash, key);
    let mut payload = Payload::Inline(value);
    if value.len() > INLINE_MAX {
        let copy = copied(value)?;
        db.entries.values.reserve()?;
        payload = Payload::Slot(db.entries.values.insert(Value::String(copy)));
    }
    let is_timed = deadline.is_some() || old.is_some_and(|old| db.entries.has_position(old));
    let layout = Layout::new(key, payload, is_timed, false);
    let new = match reserve_entry(db, layout.len(), hash, old.is_none(), deadline.map(|_| staged + 1)) {
        Ok(new) => new,
        Err(OutOfMemory) => {
            if let Payload::Slot(slot) = payload {
                db.entries.values.remove(slot);
            }
            return Err(OutOfMemory);
        }
    };
    layout.write(db.entries.slab.block_mut(new), key, payload, last_use);
    if let Payload::Slot(slot) = payload {
        db.entries.slot_bytes += db.entries.values.get(slot).map_or(0, slot_bytes_of);
    }
    match old {
        None => db.table.insert(hash, new),
        Some(old) => db.table.replace(hash, old, new),
    }
    Ok(Step { hash, old, new, deadline })
}

fn undo(db: &mut Db, step: Step) {
    match step.old {
        Some(old) => db.table.replace(step.hash, step.new, old),
        None => db.table.remove(step.hash, step.new),
    }
    db.drop_value(step.new);
    db.entries.slab.free(step.new);
}

fn commit(db: &mut Db, step: Step) {
    if let Some(old) = step.old {
        db.drop_value(old);
        db.entries.schedule(old, None, None);
        db.entries.slab.free(old);
    }
    db.entries.assign_deadline(step.new, step.deadline);
}

/// Reserves a block, an index entry if the key is new, and space for `deadlines` nodes in the heap.
fn reserve_entry(
    db: &mut Db,
    len: usize,
    hash: u32,
    is_new: bool,
    deadlines: Option<usize>,
) -> Result<Handle, OutOfMemory> {
    if is_new {
        db.table.reserve(hash)?;
    }
    let block = db.entries.slab.allocate(len)?;
    if let Some(count) = deadlines
        && db.entries.deadlines.reserve_many(count, block).is_err()
    {
        db.entries.slab.free(block);
        return Err(OutOfMemory);
    }
    Ok(block)
}
