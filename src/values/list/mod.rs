//! A list of byte strings: one block while it is small, a deque of blocks when it is large. Both ends cost the same, and
//! an index costs as many steps as there are blocks before it, or behind it if those are fewer.

mod block;
mod elements;
mod end;

use alloc::collections::VecDeque;
use core::ops::Range;

use self::block::Block;
pub use self::elements::Elements;
use super::ListLimit;
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
pub use end::{End, Side};

/// What a list costs beside its elements, and what each block of a large one does.
const LIST_BYTES: u64 = 48;
const BLOCK_BYTES: u64 = 48;
/// What Redis reckons with for an element it is about to put into a node.
const ELEMENT_OVERHEAD_BYTES: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct List {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Compact(Block),
    Chunked(Chunks),
}

/// Blocks none of which is empty.
#[derive(Clone, Debug)]
struct Chunks {
    blocks: VecDeque<Block>,
    len: usize,
    entry_bytes: usize,
}

/// An entry: its block, and its offset in there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cursor {
    block: usize,
    at: usize,
}

impl Default for Form {
    fn default() -> Form {
        Form::Compact(Block::default())
    }
}

impl List {
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Compact(block) => block.len(),
            Form::Chunked(chunks) => chunks.len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all elements are in one block: what Redis calls a listpack, else a quicklist.
    pub fn is_compact(&self) -> bool {
        matches!(self.form, Form::Compact(_))
    }

    pub fn counted_bytes(&self) -> u64 {
        LIST_BYTES
            + match &self.form {
                Form::Compact(block) => block.entry_bytes() as u64,
                Form::Chunked(chunks) => chunks.entry_bytes as u64 + chunks.blocks.len() as u64 * BLOCK_BYTES,
            }
    }

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        match &mut self.form {
            Form::Compact(_) => 0,
            Form::Chunked(chunks) => {
                let kept = chunks.blocks.len().saturating_sub(pieces);
                let entry_bytes = &mut chunks.entry_bytes;
                chunks.blocks.drain(kept..).inspect(|block| *entry_bytes -= block.entry_bytes()).count()
            }
        }
    }

    /// A copy, or an error instead of an abort when memory is short.
    pub fn try_clone(&self) -> Result<List, OutOfMemory> {
        let form = match &self.form {
            Form::Compact(block) => Form::Compact(block.try_clone()?),
            Form::Chunked(chunks) => {
                let mut blocks = VecDeque::new();
                blocks.try_reserve_exact(chunks.blocks.len()).map_err(|_| OutOfMemory)?;
                for block in &chunks.blocks {
                    blocks.push_back(block.try_clone()?);
                }
                Form::Chunked(Chunks { blocks, ..*chunks })
            }
        };
        Ok(List { form })
    }

    /// From head to tail.
    pub fn iter(&self) -> Elements<'_> {
        self.range(0, self.len())
    }

    /// At most `count` elements from an index on.
    pub fn range(&self, start: usize, count: usize) -> Elements<'_> {
        let start = start.min(self.len());
        let count = count.min(self.len() - start);
        Elements::new(self, self.place_of(start), self.place_of(start + count), count)
    }

    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let place = (index < self.len()).then(|| self.place_of(index))?;
        self.block(place.block)?.after(place.at).map(|(element, _)| element)
    }

    /// The element at an index that may count from the end.
    pub fn at(&self, index: i64) -> Option<&[u8]> {
        self.get(self.resolve(index)?)
    }

    /// The index from the head for one that may count from the end; `None` outside.
    pub fn resolve(&self, index: i64) -> Option<usize> {
        // A length is far below the range of i64, so the sum does not overflow.
        let index = if index < 0 { index + self.len() as i64 } else { index };
        usize::try_from(index).ok().filter(|&index| index < self.len())
    }

    /// The element at an end.
    pub fn peek(&self, end: End) -> Option<&[u8]> {
        match end {
            End::Head => self.iter().next(),
            End::Tail => self.iter().next_back(),
        }
    }

    /// Adds elements one after another at an end: all, or none when memory is short.
    pub fn push<'e>(
        &mut self,
        end: End,
        elements: impl Iterator<Item = &'e [u8]> + Clone,
        limit: ListLimit,
    ) -> Result<(), OutOfMemory> {
        let was_compact = self.is_compact();
        let (count, bytes) =
            elements.clone().fold((0, 0), |(count, bytes), element| (count + 1, bytes + element.len()));
        self.grow(count, bytes, limit)?;
        for (done, element) in elements.enumerate() {
            if self.push_one(end, element, limit).is_err() {
                self.pop(end, done);
                if was_compact {
                    self.make_compact();
                }
                return Err(OutOfMemory);
            }
        }
        Ok(())
    }

    /// Takes up to `count` elements away from an end.
    pub fn pop(&mut self, end: End, mut count: usize) {
        while count > 0 && !self.is_empty() {
            let index = match end {
                End::Head => 0,
                End::Tail => self.block_count() - 1,
            };
            let len = self.block(index).map_or(0, Block::len);
            self.edit_block(index, |block| block.pop(end, count));
            count -= count.min(len);
        }
    }

    /// Takes one element from an end to the other.
    pub fn rotate(&mut self, from: End, limit: ListLimit) -> Result<(), OutOfMemory> {
        let Some(element) = self.peek(from) else { return Ok(()) };
        let element = copied(element)?;
        let to = match from {
            End::Head => End::Tail,
            End::Tail => End::Head,
        };
        // The size stays: no reason to leave the compact form on the way.
        self.push_one(to, &element, limit)?;
        self.pop(from, 1);
        Ok(())
    }

    /// Replaces an element; false without one at this index. On an error nothing has changed.
    pub fn set(&mut self, index: usize, element: &[u8], limit: ListLimit) -> Result<bool, OutOfMemory> {
        self.grow(1, element.len(), limit)?;
        if index >= self.len() {
            return Ok(false);
        }
        let place = self.place_of(index);
        let Some(block) = self.block(place.block) else { return Ok(false) };
        let Some((old, next)) = block.after(place.at) else { return Ok(false) };
        // The old element makes room for the new one.
        let more_bytes = element.len().saturating_sub(old.len());
        if self.is_compact() || block.len() == 1 || self.has_room(place.block, 0, more_bytes, limit) {
            self.edit_block(place.block, |block| block.replace(place.at, element))?;
        } else {
            self.put_between(place.block, place.at, next, element, limit)?;
        }
        Ok(true)
    }

    /// Puts an element next to the first that equals `pivot`; false when none does. On an error nothing has changed.
    pub fn insert(&mut self, side: Side, pivot: &[u8], element: &[u8], limit: ListLimit) -> Result<bool, OutOfMemory> {
        self.grow(1, element.len(), limit)?;
        let Some((before, after)) = self.find(pivot) else { return Ok(false) };
        let place = match side {
            Side::Before => before,
            Side::After => after,
        };
        self.insert_at(place, element, limit)?;
        Ok(true)
    }

    /// Removes at most `most` elements that equal `element`, beginning at an end; answers how many.
    pub fn remove_equal(&mut self, from: End, element: &[u8], most: usize, limit: ListLimit) -> usize {
        let (mut removed, mut left) = (0, self.block_count());
        while left > 0 && removed < most {
            left -= 1;
            // From the head an emptied block gives its index to the next.
            let index = match from {
                End::Head => self.block_count() - left - 1,
                End::Tail => left,
            };
            let wanted = most - removed;
            removed += self.edit_block(index, |block| {
                let kept = match from {
                    End::Head => 0,
                    End::Tail => block.count_of(element).saturating_sub(wanted),
                };
                block.remove_equal(element, kept, wanted)
            });
        }
        if removed > 0 {
            match from {
                End::Head => self.merge(0..self.block_count() - left, limit),
                End::Tail => self.merge(left..self.block_count(), limit),
            }
        }
        removed
    }

    /// Makes a list that has shrunk compact again when it is well below the limit.
    pub fn convert_encoding(&mut self, limit: ListLimit) {
        if let Form::Chunked(chunks) = &self.form
            && let (Some(block), 1) = (chunks.blocks.front(), chunks.blocks.len())
            && limit.half_allows(block.listpack_bytes(), block.len())
        {
            self.make_compact();
        }
    }

    /// Leaves the compact form when so much more would be too much for it.
    fn grow(&mut self, count: usize, bytes: usize, limit: ListLimit) -> Result<(), OutOfMemory> {
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

    fn make_compact(&mut self) {
        if let Form::Chunked(chunks) = &mut self.form
            && chunks.blocks.len() <= 1
        {
            self.form = Form::Compact(chunks.blocks.pop_front().unwrap_or_default());
        }
    }

    fn push_one(&mut self, end: End, element: &[u8], limit: ListLimit) -> Result<(), OutOfMemory> {
        let index = match end {
            End::Head => 0,
            End::Tail => self.block_count().saturating_sub(1),
        };
        if self.is_compact() || self.has_room(index, 1, element.len(), limit) {
            return self.edit_block(index, |block| block.push(end, element));
        }
        let new = Block::of(element)?;
        if !self.is_empty() {
            self.edit_block(index, Block::give_back_room);
        }
        let index = match end {
            End::Head => 0,
            End::Tail => self.block_count(),
        };
        self.add_block(index, new)
    }

    fn insert_at(&mut self, place: Cursor, element: &[u8], limit: ListLimit) -> Result<(), OutOfMemory> {
        let Cursor { block, at } = place;
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
        self.put_between(block, at, at, element, limit)
    }

    /// Whether a block of a large list may take `count` more elements of together `bytes`.
    fn has_room(&self, index: usize, count: usize, bytes: usize, limit: ListLimit) -> bool {
        self.block(index).is_some_and(|block| {
            limit.allows(block.listpack_bytes() + bytes + ELEMENT_OVERHEAD_BYTES, block.len() + count)
        })
    }

    /// Splits a block: the entries before `from` stay, an element in a block of its own comes behind them, then those
    /// from `to` on. On an error nothing has changed.
    fn put_between(
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
        let (new, behind) = (Block::of(element)?, block.copy_from(to)?);
        let going = behind.len() + usize::from(from < to);
        let next = if going < block.len() { index + 1 } else { index };
        self.edit_block(index, |block| block.pop(End::Tail, going));
        if !behind.is_empty() {
            self.add_block(next, behind)?;
        }
        self.add_block(next, new)?;
        self.merge(index..next + 2, limit);
        Ok(())
    }

    /// Joins neighbours that are together well below the limit, so that edits in the middle leave no crumbs. What there
    /// is no memory for stays apart.
    fn merge(&mut self, range: Range<usize>, limit: ListLimit) {
        let Form::Chunked(Chunks { blocks, .. }) = &mut self.form else { return };
        for index in range.rev().filter(|index| *index > 0) {
            let (Some(left), Some(right)) = (blocks.get(index - 1), blocks.get(index)) else { continue };
            let bytes = left.listpack_bytes() + right.listpack_bytes();
            if limit.half_allows(bytes, left.len() + right.len())
                && let Some(right) = blocks.remove(index)
                && blocks[index - 1].absorb(&right).is_err()
            {
                // Its place is still there.
                blocks.insert(index, right);
            }
        }
    }

    /// Edits a block that exists. An emptied block of a large list goes.
    fn edit_block<R>(&mut self, index: usize, edit: impl FnOnce(&mut Block) -> R) -> R {
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

    fn block_count(&self) -> usize {
        match &self.form {
            Form::Compact(_) => 1,
            Form::Chunked(chunks) => chunks.blocks.len(),
        }
    }

    fn block(&self, index: usize) -> Option<&Block> {
        match &self.form {
            Form::Compact(block) => (index == 0).then_some(block),
            Form::Chunked(chunks) => chunks.blocks.get(index),
        }
    }

    /// Where the element of an index begins, or where the last one ends. Counts blocks from the nearer end.
    fn place_of(&self, index: usize) -> Cursor {
        let (mut block, mut within) = (0, index);
        if let Form::Chunked(chunks) = &self.form {
            if index < chunks.len / 2 {
                while let Some(here) = chunks.blocks.get(block).filter(|here| within >= here.len()) {
                    within -= here.len();
                    block += 1;
                }
            } else {
                let mut first = chunks.len;
                block = chunks.blocks.len();
                while first > index || block == chunks.blocks.len() {
                    let Some(here) = block.checked_sub(1).and_then(|before| chunks.blocks.get(before)) else { break };
                    block -= 1;
                    first -= here.len();
                }
                within = index - first;
            }
        }
        Cursor { block, at: self.block(block).map_or(0, |block| block.offset_of(within)) }
    }

    /// The first element that equals `element`: where it begins and where it ends.
    fn find(&self, element: &[u8]) -> Option<(Cursor, Cursor)> {
        for index in 0..self.block_count() {
            let block = self.block(index)?;
            let mut at = block.start();
            while let Some((here, next)) = block.after(at) {
                if here == element {
                    return Some((Cursor { block: index, at }, Cursor { block: index, at: next }));
                }
                at = next;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
