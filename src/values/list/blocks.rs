//! The blocks of a list: changes of form, insertion into a block or between two, and the merging of neighbours.

use alloc::collections::VecDeque;
use core::ops::Range;

use super::block::Block;
use super::{Chunks, Cursor, ELEMENT_OVERHEAD_BYTES, End, Form, List};
use crate::base::headroom::OutOfMemory;
use crate::values::ListLimit;

impl List {
    /// Leaves the compact form if `count` more elements of together `bytes` bytes exceed its limit.
    pub(super) fn grow(&mut self, count: usize, bytes: usize, limit: ListLimit) -> Result<(), OutOfMemory> {
        let Form::Compact(block) = &mut self.form else { return Ok(()) };
        if limit.allows(block.listpack_bytes() + bytes, block.len() + count) {
            return Ok(());
        }
        let mut blocks = VecDeque::new();
        blocks.try_reserve(2).map_err(|_| OutOfMemory)?;
        let (len, entry_bytes) = (block.len(), block.entry_bytes());
        if len > 0 {
            blocks.push_back(core::mem::take(block));
        }
        self.form = Form::Chunked(Chunks { blocks, len, entry_bytes });
        Ok(())
    }

    pub(super) fn make_compact(&mut self) {
        if let Form::Chunked(chunks) = &mut self.form
            && chunks.blocks.len() <= 1
        {
            self.form = Form::Compact(chunks.blocks.pop_front().unwrap_or_default());
        }
    }

    pub(super) fn push_one(&mut self, end: End, element: &[u8], limit: ListLimit) -> Result<(), OutOfMemory> {
        let index = match end {
            End::Head => 0,
            End::Tail => self.block_count().saturating_sub(1),
        };
        if self.is_compact() || self.has_room(index, 1, element.len(), limit) {
            return self.edit_block(index, |block| block.push(end, element));
        }
        let new = Block::of(element)?;
        if !self.is_empty() {
            self.edit_block(index, Block::shrink_to_fit);
        }
        let index = match end {
            End::Head => 0,
            End::Tail => self.block_count(),
        };
        self.add_block(index, new)
    }

    pub(super) fn insert_at(&mut self, cursor: Cursor, element: &[u8], limit: ListLimit) -> Result<(), OutOfMemory> {
        let Cursor { block, at } = cursor;
        if self.is_compact() || self.has_room(block, 1, element.len(), limit) {
            return self.edit_block(block, |block| block.insert(at, element));
        }
        let is_start = self.block(block).is_some_and(|block| block.start() == at);
        let is_end = self.block(block).is_some_and(|block| block.end() == at);
        if is_start && block > 0 && self.has_room(block - 1, 1, element.len(), limit) {
            return self.edit_block(block - 1, |block| block.push(End::Tail, element));
        }
        if is_end && self.has_room(block + 1, 1, element.len(), limit) {
            return self.edit_block(block + 1, |block| block.push(End::Head, element));
        }
        self.split_and_insert(block, at, at, element, limit)
    }

    /// Whether a block of a large list may take `count` more elements of together `bytes` bytes.
    pub(super) fn has_room(&self, index: usize, count: usize, bytes: usize, limit: ListLimit) -> bool {
        self.block(index).is_some_and(|block| {
            limit.allows(block.listpack_bytes() + bytes + ELEMENT_OVERHEAD_BYTES, block.len() + count)
        })
    }

    /// Splits a block around a new element: entries before `from` stay, entries from `to` on follow in another block.
    /// The element gets a block of its own between them. On an error nothing has changed.
    pub(super) fn split_and_insert(
        &mut self,
        index: usize,
        from: usize,
        to: usize,
        element: &[u8],
        limit: ListLimit,
    ) -> Result<(), OutOfMemory> {
        let Form::Chunked(chunks) = &mut self.form else { return Ok(()) };
        chunks.blocks.try_reserve(2).map_err(|_| OutOfMemory)?;
        let block = &chunks.blocks[index];
        let (new, rest) = (Block::of(element)?, block.copy_from(to)?);
        let moved_count = rest.len() + usize::from(from < to);
        let next = if moved_count < block.len() { index + 1 } else { index };
        self.edit_block(index, |block| block.pop(End::Tail, moved_count));
        if !rest.is_empty() {
            self.add_block(next, rest)?;
        }
        self.add_block(next, new)?;
        self.merge(index..next + 2, limit);
        Ok(())
    }

    /// Merges neighbouring blocks of together at most half the limit, so that edits in the middle leave no tiny blocks.
    /// Blocks stay separate if memory is exhausted.
    pub(super) fn merge(&mut self, range: Range<usize>, limit: ListLimit) {
        let Form::Chunked(Chunks { blocks, .. }) = &mut self.form else { return };
        for index in range.rev().filter(|index| *index > 0) {
            let (Some(left), Some(right)) = (blocks.get(index - 1), blocks.get(index)) else { continue };
            let bytes = left.listpack_bytes() + right.listpack_bytes();
            if limit.half_allows(bytes, left.len() + right.len())
                && let Some(right) = blocks.remove(index)
                && blocks[index - 1].append(&right).is_err()
            {
                // The removal has left the capacity for it.
                blocks.insert(index, right);
            }
        }
    }

    /// Edits an existing block. An emptied block of a large list is removed.
    pub(super) fn edit_block<R>(&mut self, index: usize, edit: impl FnOnce(&mut Block) -> R) -> R {
        let chunks = match &mut self.form {
            Form::Compact(block) => return edit(block),
            Form::Chunked(chunks) => chunks,
        };
        let block = &mut chunks.blocks[index];
        let (len, entry_bytes) = (chunks.len - block.len(), chunks.entry_bytes - block.entry_bytes());
        let result = edit(block);
        chunks.len = len + block.len();
        chunks.entry_bytes = entry_bytes + block.entry_bytes();
        if block.is_empty() {
            chunks.blocks.remove(index);
        }
        result
    }

    fn add_block(&mut self, index: usize, block: Block) -> Result<(), OutOfMemory> {
        let Form::Chunked(chunks) = &mut self.form else { return Ok(()) };
        chunks.blocks.try_reserve(1).map_err(|_| OutOfMemory)?;
        chunks.len += block.len();
        chunks.entry_bytes += block.entry_bytes();
        chunks.blocks.insert(index, block);
        Ok(())
    }

    pub(super) fn block_count(&self) -> usize {
        match &self.form {
            Form::Compact(_) => 1,
            Form::Chunked(chunks) => chunks.blocks.len(),
        }
    }

    pub(super) fn block(&self, index: usize) -> Option<&Block> {
        match &self.form {
            Form::Compact(block) => (index == 0).then_some(block),
            Form::Chunked(chunks) => chunks.blocks.get(index),
        }
    }

    /// Returns the cursor of an index; the end of the last block for the length. Counts blocks from the nearer end.
    pub(super) fn cursor_at(&self, index: usize) -> Cursor {
        let (mut block, mut within) = (0, index);
        if let Form::Chunked(chunks) = &self.form {
            if index < chunks.len / 2 {
                while let Some(current) = chunks.blocks.get(block).filter(|current| within >= current.len()) {
                    within -= current.len();
                    block += 1;
                }
            } else {
                let mut first = chunks.len;
                block = chunks.blocks.len();
                while first > index || block == chunks.blocks.len() {
                    let Some(previous) = block.checked_sub(1).and_then(|before| chunks.blocks.get(before)) else {
                        break;
                    };
                    block -= 1;
                    first -= previous.len();
                }
                within = index - first;
            }
        }
        Cursor { block, at: self.block(block).map_or(0, |block| block.offset_of(within)) }
    }

    /// Finds the first element equal to `element`; returns the cursors before and after it.
    pub(super) fn find(&self, element: &[u8]) -> Option<(Cursor, Cursor)> {
        for index in 0..self.block_count() {
            let block = self.block(index)?;
            let mut at = block.start();
            while let Some((candidate, next)) = block.entry_at(at) {
                if candidate == element {
                    return Some((Cursor { block: index, at }, Cursor { block: index, at: next }));
                }
                at = next;
            }
        }
        None
    }
}
