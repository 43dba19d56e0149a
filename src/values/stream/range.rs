//! Walks over the entries of a stream, in either direction.

use super::block::Located;
use super::{Entry, Stream, StreamId};

/// Iterator over the entries between two ids.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    stream: &'a Stream,
    start: StreamId,
    end: StreamId,
    reversed: bool,
    /// Index of the present block, and the offset at which the walk goes on in it.
    block: usize,
    at: usize,
    /// Number of entries that were passed, deleted ones included.
    pub visited: usize,
}

impl<'a> Entries<'a> {
    pub(super) fn new(stream: &'a Stream, start: StreamId, end: StreamId, reversed: bool) -> Entries<'a> {
        let block = stream.block_of(if reversed { end } else { start });
        Entries { stream, start, end, reversed, block, at: if reversed { usize::MAX } else { 0 }, visited: 0 }
    }

    fn step(&mut self) -> Option<Located<'a>> {
        loop {
            let block = self.stream.blocks.get(self.block)?;
            let found = if self.reversed { block.entry_before(self.at) } else { block.entry_at(self.at) };
            if let Some(found) = found {
                self.at = if self.reversed { found.start } else { found.end };
                self.visited += 1;
                return Some(found);
            }
            (self.block, self.at) = match self.reversed {
                true => (self.block.checked_sub(1)?, usize::MAX),
                false => (self.block + 1, 0),
            };
        }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        loop {
            let Located { entry, is_deleted, .. } = self.step()?;
            let (is_early, is_late) = match self.reversed {
                true => (entry.id > self.end, entry.id < self.start),
                false => (entry.id < self.start, entry.id > self.end),
            };
            if is_late {
                self.block = usize::MAX;
                return None;
            }
            if !is_early && !is_deleted {
                return Some(entry);
            }
        }
    }
}
