//! Elements one after another in one piece of memory.
//!
//! ```text
//! room | entry | entry | ...          entry: length, bytes, length backwards
//! ```
//! A length has seven bits a byte, lowest first, the top bit saying that more follow. Behind an element it stands with
//! its bytes in reverse, so that a block is read from both ends. The room in front is what elements left there that
//! were taken away, or was made so that adding at the head costs what adding at the tail does.

use alloc::vec::Vec;

use super::end::End;
use crate::base::headroom::{OutOfMemory, copied};
use crate::base::number::parse_integer;
use crate::values::search::{length_at, length_before, length_bytes, write_bytes, write_length};

/// What Redis' listpack takes beside its entries.
const LISTPACK_FRAME_BYTES: usize = 7;
/// Blocks with less capacity are not worth moving when they shrink.
const SHRINK_MIN_BYTES: usize = 128;

#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
    /// Where the first entry begins.
    start: usize,
    count: usize,
    /// What the entries would take in a listpack of Redis.
    listpack_bytes: usize,
}

impl Block {
    /// A block of one element.
    pub(super) fn of(element: &[u8]) -> Result<Block, OutOfMemory> {
        let mut block = Block::default();
        block.push(End::Tail, element)?;
        Ok(block)
    }

    pub(super) fn try_clone(&self) -> Result<Block, OutOfMemory> {
        Ok(Block { bytes: self.copied(self.start)?, start: 0, ..*self })
    }

    /// How many elements there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes of all entries: elements and their lengths.
    pub(super) fn entry_bytes(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// The size of a listpack of Redis with the same elements.
    pub(super) fn listpack_bytes(&self) -> usize {
        LISTPACK_FRAME_BYTES + self.listpack_bytes
    }

    /// The offset of the first entry.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The offset behind the last entry.
    pub(super) fn end(&self) -> usize {
        self.bytes.len()
    }

    /// The element whose entry begins at `at`, and where the entry ends.
    pub(super) fn after(&self, at: usize) -> Option<(&[u8], usize)> {
        let (len, from) = length_at(&self.bytes, at)?;
        Some((self.bytes.get(from..from + len)?, from + len + (from - at)))
    }

    /// The element whose entry ends at `at`, and where the entry begins.
    pub(super) fn before(&self, at: usize) -> Option<(&[u8], usize)> {
        if at <= self.start {
            return None;
        }
        let (len, to) = length_before(&self.bytes, at)?;
        let from = to.checked_sub(len)?;
        Some((self.bytes.get(from..to)?, from.checked_sub(at - to)?))
    }

    /// Where the entry of an element begins; the end for the one behind the last.
    pub(super) fn offset_of(&self, index: usize) -> usize {
        let mut at = self.start;
        if index <= self.count / 2 {
            for _ in 0..index {
                at = self.after(at).map_or(at, |(_, next)| next);
            }
            return at;
        }
        at = self.end();
        for _ in index..self.count {
            at = self.before(at).map_or(at, |(_, previous)| previous);
        }
        at
    }

    pub(super) fn push(&mut self, end: End, element: &[u8]) -> Result<(), OutOfMemory> {
        match end {
            End::Head => self.insert(self.start, element),
            End::Tail => self.insert(self.end(), element),
        }
    }

    /// Puts an element before the entry at `at`, or behind the last at the end.
    pub(super) fn insert(&mut self, at: usize, element: &[u8]) -> Result<(), OutOfMemory> {
        let at = self.open_gap(at, entry_bytes(element))?;
        self.write_entry(at, element);
        self.count += 1;
        self.listpack_bytes += listpack_entry_bytes(element);
        Ok(())
    }

    /// Puts an element in the place of the one at `at`.
    pub(super) fn replace(&mut self, at: usize, element: &[u8]) -> Result<(), OutOfMemory> {
        let Some((old, next)) = self.after(at) else { return Ok(()) };
        let old_listpack_bytes = listpack_entry_bytes(old);
        let (old_bytes, new_bytes) = (next - at, entry_bytes(element));
        let at = if new_bytes > old_bytes {
            self.open_gap(next, new_bytes - old_bytes)? - old_bytes
        } else {
            self.cut(at + new_bytes, next);
            at
        };
        self.write_entry(at, element);
        self.listpack_bytes = self.listpack_bytes - old_listpack_bytes + listpack_entry_bytes(element);
        Ok(())
    }

    /// Removes up to `count` elements from an end.
    pub(super) fn pop(&mut self, end: End, count: usize) {
        if count >= self.count {
            *self = Block::default();
            return;
        }
        for _ in 0..count {
            let popped = match end {
                End::Head => self.after(self.start),
                End::Tail => self.before(self.end()),
            };
            let Some((element, at)) = popped else { return };
            self.listpack_bytes -= listpack_entry_bytes(element);
            self.count -= 1;
            match end {
                End::Head => self.start = at,
                End::Tail => self.bytes.truncate(at),
            }
        }
        self.shrink_when_sparse();
    }

    /// A block of the elements from the entry at `at` on; they stay here too.
    pub(super) fn copy_from(&self, at: usize) -> Result<Block, OutOfMemory> {
        let mut copy = Block { bytes: self.copied(at)?, ..Block::default() };
        let mut next = 0;
        while let Some((element, after)) = copy.after(next) {
            copy.listpack_bytes += listpack_entry_bytes(element);
            copy.count += 1;
            next = after;
        }
        Ok(copy)
    }

    /// Takes over the elements of a block behind this one.
    pub(super) fn absorb(&mut self, other: &Block) -> Result<(), OutOfMemory> {
        self.reserve_tail(other.entry_bytes())?;
        self.bytes.extend_from_slice(&other.bytes[other.start..]);
        self.count += other.count;
        self.listpack_bytes += other.listpack_bytes;
        Ok(())
    }

    /// How many elements equal `element`.
    pub(super) fn count_of(&self, element: &[u8]) -> usize {
        let (mut at, mut found) = (self.start, 0);
        while let Some((here, next)) = self.after(at) {
            found += usize::from(here == element);
            at = next;
        }
        found
    }

    /// Removes elements that equal `element`: leaves the first `kept` of them, removes at most `most`, answers how many.
    pub(super) fn remove_equal(&mut self, element: &[u8], mut kept: usize, most: usize) -> usize {
        let (mut from, mut to, mut removed) = (self.start, self.start, 0);
        while let Some((here, next)) = self.after(from) {
            if here == element && kept == 0 && removed < most {
                removed += 1;
            } else {
                kept -= usize::from(here == element && kept > 0);
                self.bytes.copy_within(from..next, to);
                to += next - from;
            }
            from = next;
        }
        self.bytes.truncate(to);
        self.count -= removed;
        self.listpack_bytes -= removed * listpack_entry_bytes(element);
        self.shrink_when_sparse();
        removed
    }

    /// Moves to a piece of memory of just the right size, if there is one.
    pub(super) fn give_back_room(&mut self) {
        if self.bytes.capacity() > SHRINK_MIN_BYTES
            && self.bytes.capacity() > self.entry_bytes()
            && let Ok(bytes) = self.copied(self.start)
        {
            (self.bytes, self.start) = (bytes, 0);
        }
    }

    fn shrink_when_sparse(&mut self) {
        if self.entry_bytes() <= self.bytes.capacity() / 4 {
            self.give_back_room();
        }
    }

    fn copied(&self, from: usize) -> Result<Vec<u8>, OutOfMemory> {
        copied(self.bytes.get(from..).unwrap_or_default())
    }

    /// Makes room for `len` bytes before the entry at `at`; answers where they are, as entries may have moved.
    fn open_gap(&mut self, at: usize, len: usize) -> Result<usize, OutOfMemory> {
        if at == self.start && !self.is_empty() {
            self.reserve_head(len)?;
            self.start -= len;
            return Ok(self.start);
        }
        let from_start = at - self.start;
        self.reserve_tail(len)?;
        let at = self.start + from_start;
        let old_end = self.end();
        self.bytes.resize(old_end + len, 0);
        self.bytes.copy_within(at..old_end, at + len);
        Ok(at)
    }

    /// Makes room in front of the first entry: as much again as there are entries, so that adding stays cheap.
    fn reserve_head(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if self.start >= len {
            return Ok(());
        }
        let entries = self.entry_bytes();
        let room = len.max(entries);
        self.bytes.try_reserve_exact((room + entries).saturating_sub(self.bytes.len())).map_err(|_| OutOfMemory)?;
        let old_end = self.end();
        self.bytes.resize(old_end.max(room + entries), 0);
        self.bytes.copy_within(self.start..old_end, room);
        self.bytes.truncate(room + entries);
        self.start = room;
        Ok(())
    }

    /// Makes room behind the last entry; room in front is used up first when it is at least half of all.
    fn reserve_tail(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let missing = len > self.bytes.capacity() - self.bytes.len();
        if missing && self.start > 0 && self.start >= self.entry_bytes() {
            self.bytes.copy_within(self.start.., 0);
            self.bytes.truncate(self.entry_bytes());
            self.start = 0;
        }
        self.bytes.try_reserve(len).map_err(|_| OutOfMemory)
    }

    /// Takes bytes out of the middle.
    fn cut(&mut self, from: usize, to: usize) {
        self.bytes.copy_within(to.., from);
        self.bytes.truncate(self.bytes.len() - (to - from));
    }

    fn write_entry(&mut self, at: usize, element: &[u8]) {
        let entry = &mut self.bytes[at..at + entry_bytes(element)];
        let behind = write_bytes(write_length(entry, element.len()), element);
        write_length(behind, element.len());
        behind.reverse();
    }
}

fn entry_bytes(element: &[u8]) -> usize {
    element.len() + 2 * length_bytes(element.len())
}

/// What an element takes in a listpack of Redis, which writes small integers shorter.
fn listpack_entry_bytes(element: &[u8]) -> usize {
    let integer = if element.len() <= 20 { parse_integer(element) } else { None };
    let body = match (integer, element.len()) {
        (Some(0..=127), _) => 1,
        (Some(-4096..=4095), _) => 2,
        (Some(-32_768..=32_767), _) => 3,
        (Some(-8_388_608..=8_388_607), _) => 4,
        (Some(-2_147_483_648..=2_147_483_647), _) => 5,
        (Some(_), _) => 9,
        (None, len @ 0..=63) => 1 + len,
        (None, len @ 64..=4095) => 2 + len,
        (None, len) => 5 + len,
    };
    body + length_bytes(body)
}

#[cfg(test)]
mod tests;
