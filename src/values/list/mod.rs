//! Lists of byte strings: one block while small, a deque of blocks when large. Operations at both ends cost the same.
//! Access by index takes a step for each block between it and the nearer end.

mod block;
mod blocks;
mod elements;
mod end;

use alloc::collections::VecDeque;

use self::block::Block;
pub use self::elements::Elements;
use super::ListLimit;
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
pub use end::{End, Side};

/// Bytes a list, and each block of a large one, are counted as besides the elements.
const LIST_BYTES: u64 = 48;
const BLOCK_BYTES: u64 = 48;
/// Overhead that Redis assumes for an element before it adds it to a node.
const ELEMENT_OVERHEAD_BYTES: usize = 8;

/// List in its compact or chunked form.
#[derive(Clone, Debug, Default)]
pub struct List {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Compact(Block),
    Chunked(Chunks),
}

/// Non-empty blocks of a large list, with totals over all of them.
#[derive(Clone, Debug)]
struct Chunks {
    blocks: VecDeque<Block>,
    len: usize,
    entry_bytes: usize,
}

/// Position of an entry: index of its block, and offset in it.
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

    /// Whether all elements are in one block: encoding listpack in Redis, otherwise quicklist.
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

    /// Frees up to `pieces` blocks and returns how many were freed. Afterwards only [`List::counted_bytes`] may be
    /// called.
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

    /// Copies the list; an error replaces the abort when memory is exhausted.
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

    /// Elements from head to tail.
    pub fn iter(&self) -> Elements<'_> {
        self.range(0, self.len())
    }

    /// At most `count` elements from an index on.
    pub fn range(&self, start: usize, count: usize) -> Elements<'_> {
        let start = start.min(self.len());
        let count = count.min(self.len() - start);
        Elements::new(self, self.cursor_at(start), self.cursor_at(start + count), count)
    }

    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let cursor = (index < self.len()).then(|| self.cursor_at(index))?;
        self.block(cursor.block)?.entry_at(cursor.at).map(|(element, _)| element)
    }

    /// Returns the element at an index, which may be negative to count from the tail.
    pub fn at(&self, index: i64) -> Option<&[u8]> {
        self.get(self.resolve(index)?)
    }

    /// Converts an index that may count from the tail to one from the head; `None` if out of range.
    pub fn resolve(&self, index: i64) -> Option<usize> {
        // A length is far below the range of i64, so the sum does not overflow.
        let index = if index < 0 { index + self.len() as i64 } else { index };
        usize::try_from(index).ok().filter(|&index| index < self.len())
    }

    /// Element at an end.
    pub fn peek(&self, end: End) -> Option<&[u8]> {
        match end {
            End::Head => self.iter().next(),
            End::Tail => self.iter().next_back(),
        }
    }

    /// Adds elements at an end, one after another. On an error nothing has changed.
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

    /// Removes up to `count` elements from an end.
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

    /// Moves one element from an end to the other.
    pub fn rotate(&mut self, from: End, limit: ListLimit) -> Result<(), OutOfMemory> {
        let Some(element) = self.peek(from) else { return Ok(()) };
        let element = copied(element)?;
        let to = match from {
            End::Head => End::Tail,
            End::Tail => End::Head,
        };
        // The length stays the same, so the compact form is not left meanwhile.
        self.push_one(to, &element, limit)?;
        self.pop(from, 1);
        Ok(())
    }

    /// Replaces an element. Returns false if the index is out of range. On an error the elements are unchanged.
    pub fn set(&mut self, index: usize, element: &[u8], limit: ListLimit) -> Result<bool, OutOfMemory> {
        self.grow(1, element.len(), limit)?;
        if index >= self.len() {
            return Ok(false);
        }
        let cursor = self.cursor_at(index);
        let Some(block) = self.block(cursor.block) else { return Ok(false) };
        let Some((old, next)) = block.entry_at(cursor.at) else { return Ok(false) };
        // The old element's bytes are reused for the new one.
        let more_bytes = element.len().saturating_sub(old.len());
        if self.is_compact() || block.len() == 1 || self.has_room(cursor.block, 0, more_bytes, limit) {
            self.edit_block(cursor.block, |block| block.replace(cursor.at, element))?;
        } else {
            self.split_and_insert(cursor.block, cursor.at, next, element, limit)?;
        }
        Ok(true)
    }

    /// Inserts an element beside the first one equal to `pivot`. Returns false if there is none. On an error the
    /// elements are unchanged.
    pub fn insert(&mut self, side: Side, pivot: &[u8], element: &[u8], limit: ListLimit) -> Result<bool, OutOfMemory> {
        self.grow(1, element.len(), limit)?;
        let Some((before, after)) = self.find(pivot) else { return Ok(false) };
        let cursor = match side {
            Side::Before => before,
            Side::After => after,
        };
        self.insert_at(cursor, element, limit)?;
        Ok(true)
    }

    /// Removes up to `max_count` elements equal to `element`, starting at an end. Returns how many were removed.
    pub fn remove_equal(&mut self, from: End, element: &[u8], max_count: usize, limit: ListLimit) -> usize {
        let (mut removed, mut left) = (0, self.block_count());
        while left > 0 && removed < max_count {
            left -= 1;
            // From the head, an emptied block leaves its index to the next block.
            let index = match from {
                End::Head => self.block_count() - left - 1,
                End::Tail => left,
            };
            let remaining = max_count - removed;
            removed += self.edit_block(index, |block| {
                let kept = match from {
                    End::Head => 0,
                    End::Tail => block.count_of(element).saturating_sub(remaining),
                };
                block.remove_equal(element, kept, remaining)
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

    /// Returns a shrunken list to the compact form if it is within half the limit.
    pub fn convert_encoding(&mut self, limit: ListLimit) {
        if let Form::Chunked(chunks) = &self.form
            && let (Some(block), 1) = (chunks.blocks.front(), chunks.blocks.len())
            && limit.half_allows(block.listpack_bytes(), block.len())
        {
            self.make_compact();
        }
    }
}

#[cfg(test)]
mod tests;
