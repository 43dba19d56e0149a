//! Trimming: removal of the oldest entries. Whole blocks are taken out, so that they can be freed in slices.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{Block, Stream, StreamId};
use crate::base::headroom::try_reserve;

/// Entries that stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrimBound {
    /// The newest ones, so many.
    MaxLen(u64),
    /// Those from an id on.
    MinId(StreamId),
}

/// Fate of references that consumer groups hold to removed entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum References {
    Keep,
    Remove,
    /// Entries that a group has not acknowledged stay.
    Await,
}

/// How a stream is trimmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trim {
    pub bound: TrimBound,
    /// Whether only whole blocks are removed.
    pub approximate: bool,
    /// Largest number of entries removed; `None` without a limit.
    pub limit: Option<usize>,
    pub references: References,
}

/// Outcome of a trim.
#[derive(Debug, Default)]
pub struct Trimmed {
    /// Number of removed entries.
    pub entries: usize,
    /// Blocks that were taken out, as a stream to be freed.
    pub removed: Stream,
    /// Ids of entries that were removed one by one, since references matter.
    pub ids: Vec<StreamId>,
}

impl Stream {
    pub fn trim(&mut self, trim: &Trim) -> Trimmed {
        if trim.references != References::Keep && self.groups().len() > 0 {
            return self.trim_with_references(trim);
        }
        let (count, entries) = self.whole_blocks(trim);
        let mut trimmed = Trimmed { entries, removed: self.take_blocks(count), ids: Vec::new() };
        let is_within = |block: &Block| trim.limit.is_none_or(|limit| entries + block.live <= limit);
        if !trim.approximate && self.blocks.front().is_some_and(is_within) {
            trimmed.entries += self.trim_first_block(trim.bound);
        }
        trimmed
    }

    /// Trims entry by entry. Without memory for their ids fewer are removed.
    fn trim_with_references(&mut self, trim: &Trim) -> Trimmed {
        let (mut ids, mut from) = (Vec::new(), Some(StreamId::MIN));
        while let Some(id) = from.and_then(|from| self.range(from, StreamId::MAX, false).next()).map(|entry| entry.id) {
            let stays = match trim.bound {
                TrimBound::MaxLen(len) => self.len as u64 <= len,
                TrimBound::MinId(min) => id >= min,
            };
            if stays || trim.limit.is_some_and(|limit| ids.len() >= limit) || try_reserve(&mut ids, 1).is_err() {
                break;
            }
            from = id.next();
            match trim.references {
                References::Await if self.is_referenced(id) => continue,
                References::Remove => self.remove_references(id),
                _ => {}
            }
            self.delete(id);
            ids.push(id);
        }
        Trimmed { entries: ids.len(), removed: Stream::default(), ids }
    }

    /// Number of the first blocks that are removed whole, and of their entries.
    fn whole_blocks(&self, trim: &Trim) -> (usize, usize) {
        let (mut count, mut entries) = (0, 0);
        for (index, block) in self.blocks.iter().enumerate() {
            let left = (self.len - entries) as u64;
            let is_whole = match trim.bound {
                TrimBound::MaxLen(len) => left > len && left - block.live as u64 >= len,
                TrimBound::MinId(id) => match self.blocks.get(index + 1) {
                    Some(next) if next.first <= id => true,
                    _ => block.last() < id,
                },
            };
            if !is_whole || trim.limit.is_some_and(|limit| entries + block.live > limit) {
                break;
            }
            (count, entries) = (count + 1, entries + block.live);
        }
        (count, entries)
    }

    /// Takes the first blocks out. Without memory for them they are freed at once.
    fn take_blocks(&mut self, count: usize) -> Stream {
        let mut taken = Stream::default();
        let mut blocks = VecDeque::new();
        let is_kept = blocks.try_reserve_exact(count).is_ok();
        for block in self.blocks.drain(..count) {
            self.len -= block.live;
            self.block_bytes -= block.counted_bytes();
            if is_kept {
                taken.block_bytes += block.counted_bytes();
                blocks.push_back(block);
            }
        }
        taken.blocks = blocks;
        taken
    }

    /// Removes entries of the first block; returns their number.
    fn trim_first_block(&mut self, bound: TrimBound) -> usize {
        let (len, mut at, mut removed) = (self.len as u64, 0, 0);
        let Some(block) = self.blocks.front_mut() else { return 0 };
        while let Some(found) = block.entry_at(at) {
            let stays = match bound {
                TrimBound::MaxLen(max) => len - removed as u64 <= max,
                TrimBound::MinId(id) => found.entry.id >= id,
            };
            if stays {
                break;
            }
            let (start, is_deleted) = (found.start, found.is_deleted);
            at = found.end;
            if !is_deleted {
                block.delete_at(start);
                removed += 1;
            }
        }
        self.len -= removed;
        if block.live == 0
            && let Some(block) = self.blocks.pop_front()
        {
            self.block_bytes -= block.counted_bytes();
        }
        removed
    }
}
