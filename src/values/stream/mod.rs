//! Streams: entries in the order of their ids. Blocks of entries are the nodes of Redis, found by binary search.

mod block;
mod entry;
mod group;
mod groups;
mod id;
mod range;
mod trim;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

pub use block::Block;
pub use entry::{Entry, FieldPairs};
pub use group::{Consumer, Group, Pending};
pub use id::{ParsedId, StreamId};
pub use range::Entries;
pub use trim::{References, Trim, TrimBound, Trimmed};

use crate::base::headroom::{OutOfMemory, try_reserve};

/// Bytes a stream is counted as besides its blocks.
const BASE_BYTES: u64 = 128;

/// Stream of entries. Unlike other collections it may be empty.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    blocks: VecDeque<Block>,
    len: usize,
    /// Counted bytes of the blocks.
    block_bytes: u64,
    pub marks: StreamMarks,
    /// Consumer groups in the order of their names.
    groups: Vec<Group>,
    /// Counted bytes of the groups.
    group_bytes: u64,
}

/// Largest ids and number of all entries that a stream ever had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamMarks {
    pub last_id: StreamId,
    pub max_deleted_id: StreamId,
    pub entries_added: u64,
}

impl Stream {
    /// Copies the stream; an error replaces the abort when memory is exhausted.
    pub fn try_clone(&self) -> Result<Stream, OutOfMemory> {
        let mut blocks = VecDeque::new();
        blocks.try_reserve_exact(self.blocks.len()).map_err(|_| OutOfMemory)?;
        for block in &self.blocks {
            blocks.push_back(block.try_clone()?);
        }
        let mut groups = Vec::new();
        try_reserve(&mut groups, self.groups.len())?;
        for group in &self.groups {
            groups.push(group.try_clone()?);
        }
        let &Stream { len, block_bytes, marks, group_bytes, .. } = self;
        Ok(Stream { blocks, len, block_bytes, marks, groups, group_bytes })
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes counted in used memory: a formula over the entries, equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES + self.block_bytes + self.group_bytes
    }

    /// Blocks in the order of their ids.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = &Block> {
        self.blocks.iter()
    }

    /// Appends the listpack of a node, with larger ids than all before. `None` if it is damaged. The marks are set by the
    /// caller.
    pub fn append_listpack(&mut self, first: StreamId, packed: &[u8]) -> Option<Result<(), OutOfMemory>> {
        let block = match Block::from_listpack(first, packed)? {
            Ok(block) => block,
            Err(error) => return Some(Err(error)),
        };
        if self
            .blocks
            .back()
            .is_some_and(|last| block.find(StreamId::MIN).is_none_or(|found| found.entry.id <= last.last()))
        {
            return None;
        }
        // Redis keeps nodes of deleted entries only; they contain nothing.
        if block.live == 0 {
            return Some(Ok(()));
        }
        Some(self.push_block(block))
    }

    fn push_block(&mut self, block: Block) -> Result<(), OutOfMemory> {
        self.blocks.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.len += block.live;
        self.block_bytes += block.counted_bytes();
        self.blocks.push_back(block);
        Ok(())
    }

    /// Appends an entry with a larger id than the last one. On an error nothing has changed.
    pub fn append(&mut self, id: StreamId, pairs: FieldPairs<'_>) -> Result<(), OutOfMemory> {
        match self.blocks.back_mut() {
            Some(block) if block.has_room(pairs.byte_len()) => {
                let before = block.counted_bytes();
                block.append(id, pairs)?;
                self.block_bytes += block.counted_bytes() - before;
                self.len += 1;
            }
            last => {
                let mut new = Block::new(id, pairs)?;
                new.append(id, pairs)?;
                if let Some(last) = last {
                    last.shrink_to_fit();
                }
                self.push_block(new)?;
            }
        }
        self.marks.last_id = id;
        self.marks.entries_added = self.marks.entries_added.wrapping_add(1);
        Ok(())
    }

    /// Index of the block that an id belongs to: the last one that begins at or before it.
    fn block_of(&self, id: StreamId) -> usize {
        self.blocks.partition_point(|block| block.first <= id).saturating_sub(1)
    }

    /// Entry with this id.
    pub fn get(&self, id: StreamId) -> Option<Entry<'_>> {
        let found = self.blocks.get(self.block_of(id))?.find(id)?;
        (found.entry.id == id && !found.is_deleted).then_some(found.entry)
    }

    /// Deletes an entry. Returns whether it existed.
    pub fn delete(&mut self, id: StreamId) -> bool {
        let index = self.block_of(id);
        let Some(block) = self.blocks.get_mut(index) else { return false };
        let Some(start) = block.find(id).filter(|found| found.entry.id == id && !found.is_deleted) else {
            return false;
        };
        let start = start.start;
        self.len -= 1;
        self.marks.max_deleted_id = self.marks.max_deleted_id.max(id);
        if block.live > 1 {
            block.delete_at(start);
        } else if let Some(block) = self.blocks.remove(index) {
            self.block_bytes -= block.counted_bytes();
        }
        true
    }

    /// Id of the first entry; the smallest id of an empty stream.
    pub fn first_id(&self) -> StreamId {
        self.range(StreamId::MIN, StreamId::MAX, false).next().map_or(StreamId::MIN, |entry| entry.id)
    }

    /// Id of the last entry that is not deleted.
    pub fn last_valid_id(&self) -> Option<StreamId> {
        self.range(StreamId::MIN, StreamId::MAX, true).next().map(|entry| entry.id)
    }

    /// Entries between two ids, both inclusive, from the end if `reversed`.
    pub fn range(&self, start: StreamId, end: StreamId, reversed: bool) -> Entries<'_> {
        Entries::new(self, start, end, reversed)
    }

    /// Passes marks and entries to `sink`, independent of the division into blocks.
    pub fn canonical(&self, sink: &mut dyn FnMut(&[u8])) {
        let StreamMarks { last_id, max_deleted_id, entries_added } = self.marks;
        let mut number = |number: u64| sink(&number.to_le_bytes());
        [last_id.ms, last_id.seq, max_deleted_id.ms, max_deleted_id.seq, entries_added]
            .into_iter()
            .for_each(&mut number);
        for entry in self.range(StreamId::MIN, StreamId::MAX, false) {
            sink(&entry.id.ms.to_le_bytes());
            sink(&entry.id.seq.to_le_bytes());
            for (field, value) in entry.fields {
                field.with_text(&mut *sink);
                value.with_text(&mut *sink);
            }
        }
        self.groups.iter().for_each(|group| group.canonical(sink));
    }

    /// Frees up to `pieces` allocations and returns how many were freed. Afterwards only [`Stream::counted_bytes`] may be
    /// called.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        let mut freed = 0;
        while freed < pieces
            && let Some(block) = self.blocks.pop_back()
        {
            self.block_bytes -= block.counted_bytes();
            freed += 1;
        }
        while freed < pieces
            && let Some(group) = self.groups.last_mut()
        {
            let before = group.counted_bytes();
            let step = group.free_step(pieces - freed);
            self.group_bytes -= before - group.counted_bytes();
            if step < pieces - freed {
                self.group_bytes -= group.counted_bytes();
                self.groups.pop();
            }
            freed += step.max(1);
        }
        freed
    }
}

#[cfg(test)]
mod tests;
