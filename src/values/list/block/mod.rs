//! Block of consecutive list elements in one allocation.
//!
//! ```text
//! unused | entry | entry | ...          entry: length, bytes, length backwards
//! ```
//!
//! A length has seven bits a byte, lowest first; the top bit means that another byte follows. After an element its
//! length is repeated with its bytes reversed, so that a block is read from both ends. Unused bytes at the start come
//! from removed elements, or are reserved so that inserting at the head costs as much as at the tail.

use alloc::vec::Vec;

use super::end::End;
use crate::base::headroom::{OutOfMemory, copied};
use crate::base::number::parse_integer;
use crate::values::search::{length_at, length_before, length_bytes, write_bytes, write_length};

/// Bytes of a listpack of Redis besides its entries.
const LISTPACK_FRAME_BYTES: usize = 7;
/// Capacity up to which a block is not reallocated when it shrinks.
const SHRINK_MIN_BYTES: usize = 128;

/// Entries of a list in one allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
    /// Offset of the first entry.
    start: usize,
    count: usize,
    /// Bytes the entries would take in a listpack of Redis.
    listpack_bytes: usize,
}

impl Block {
    /// Creates a block of one element.
    pub(super) fn of(element: &[u8]) -> Result<Block, OutOfMemory> {
        let mut block = Block::default();
        block.push(End::Tail, element)?;
        Ok(block)
    }

    pub(super) fn try_clone(&self) -> Result<Block, OutOfMemory> {
        Ok(Block { bytes: self.copied(self.start)?, start: 0, ..*self })
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of bytes of all entries: elements and their lengths.
    pub(super) fn entry_bytes(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Size of a listpack of Redis with the same elements, in bytes.
    pub(super) fn listpack_bytes(&self) -> usize {
        LISTPACK_FRAME_BYTES + self.listpack_bytes
    }

    /// Offset of the first entry.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Offset after the last entry.
    pub(super) fn end(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the element of the entry that begins at `at`, and the offset after the entry.
    pub(super) fn entry_at(&self, at: usize) -> Option<(&[u8], usize)> {
        let (len, from) = length_at(&self.bytes, at)?;
        Some((self.bytes.get(from..from + len)?, from + len + (from - at)))
    }

    /// Returns the element of the entry that ends at `at`, and the offset of the entry.
    pub(super) fn entry_before(&self, at: usize) -> Option<(&[u8], usize)> {
        if at <= self.start {
            return None;
        }
        let (len, to) = length_before(&self.bytes, at)?;
        let from = to.checked_sub(len)?;
        Some((self.bytes.get(from..to)?, from.checked_sub(at - to)?))
    }

    /// Returns the offset of an element's entry; the end of the block for an index equal to the length. Takes linear
    /// time from the nearer end.
    pub(super) fn offset_of(&self, index: usize) -> usize {
        let mut at = self.start;
        if index <= self.count / 2 {
            for _ in 0..index {
                at = self.entry_at(at).map_or(at, |(_, next)| next);
            }
            return at;
        }
        at = self.end();
        for _ in index..self.count {
            at = self.entry_before(at).map_or(at, |(_, previous)| previous);
        }
        at
    }

    pub(super) fn push(&mut self, end: End, element: &[u8]) -> Result<(), OutOfMemory> {
        match end {
            End::Head => self.insert(self.start, element),
            End::Tail => self.insert(self.end(), element),
        }
    }

    /// Inserts an element before the entry at `at`, or at the end.
    pub(super) fn insert(&mut self, at: usize, element: &[u8]) -> Result<(), OutOfMemory> {
        let at = self.open_gap(at, entry_bytes(element))?;
        self.write_entry(at, element);
        self.count += 1;
        self.listpack_bytes += listpack_entry_bytes(element);
        Ok(())
    }

    /// Replaces the element at `at`.
    pub(super) fn replace(&mut self, at: usize, element: &[u8]) -> Result<(), OutOfMemory> {
        let Some((old, next)) = self.entry_at(at) else { return Ok(()) };
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
                End::Head => self.entry_at(self.start),
                End::Tail => self.entry_before(self.end()),
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

    /// Copies the elements from the entry at `at` on into a new block.
    pub(super) fn copy_from(&self, at: usize) -> Result<Block, OutOfMemory> {
        let mut copy = Block { bytes: self.copied(at)?, ..Block::default() };
        let mut next = 0;
        while let Some((element, after)) = copy.entry_at(next) {
            copy.listpack_bytes += listpack_entry_bytes(element);
            copy.count += 1;
            next = after;
        }
        Ok(copy)
    }

    /// Appends a copy of another block's elements.
    pub(super) fn append(&mut self, other: &Block) -> Result<(), OutOfMemory> {
        self.reserve_tail(other.entry_bytes())?;
        self.bytes.extend_from_slice(&other.bytes[other.start..]);
        self.count += other.count;
        self.listpack_bytes += other.listpack_bytes;
        Ok(())
    }

    /// Number of elements equal to `element`.
    pub(super) fn count_of(&self, element: &[u8]) -> usize {
        let (mut at, mut found) = (self.start, 0);
        while let Some((candidate, next)) = self.entry_at(at) {
            found += usize::from(candidate == element);
            at = next;
        }
        found
    }

    /// Removes up to `max_count` elements equal to `element` after the first `skip` of them. Returns how many were
    /// removed.
    pub(super) fn remove_equal(&mut self, element: &[u8], mut skip: usize, max_count: usize) -> usize {
        let (mut from, mut to, mut removed) = (self.start, self.start, 0);
        while let Some((candidate, next)) = self.entry_at(from) {
            if candidate == element && skip == 0 && removed < max_count {
                removed += 1;
            } else {
                skip -= usize::from(candidate == element && skip > 0);
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

    /// Reallocates to the exact size, if memory allows.
    pub(super) fn shrink_to_fit(&mut self) {
        if self.bytes.capacity() > SHRINK_MIN_BYTES
            && self.bytes.capacity() > self.entry_bytes()
            && let Ok(bytes) = self.copied(self.start)
        {
            (self.bytes, self.start) = (bytes, 0);
        }
    }

    fn shrink_when_sparse(&mut self) {
        if self.entry_bytes() <= self.bytes.capacity() / 4 {
            self.shrink_to_fit();
        }
    }

    fn copied(&self, from: usize) -> Result<Vec<u8>, OutOfMemory> {
        copied(self.bytes.get(from..).unwrap_or_default())
    }

    /// Opens a gap of `len` bytes before the entry at `at` and returns the offset of the gap, since entries may have
    /// moved.
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

    /// Reserves unused bytes before the first entry, at least as many as the entries take, so that inserting at the
    /// head stays cheap.
    fn reserve_head(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if self.start >= len {
            return Ok(());
        }
        let entries = self.entry_bytes();
        let unused = len.max(entries);
        self.bytes.try_reserve_exact((unused + entries).saturating_sub(self.bytes.len())).map_err(|_| OutOfMemory)?;
        let old_end = self.end();
        self.bytes.resize(old_end.max(unused + entries), 0);
        self.bytes.copy_within(self.start..old_end, unused);
        self.bytes.truncate(unused + entries);
        self.start = unused;
        Ok(())
    }

    /// Reserves bytes after the last entry. Unused bytes at the start are reclaimed first if they are at least half of
    /// the block.
    fn reserve_tail(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let missing = len > self.bytes.capacity() - self.bytes.len();
        if missing && self.start > 0 && self.start >= self.entry_bytes() {
            self.bytes.copy_within(self.start.., 0);
            self.bytes.truncate(self.entry_bytes());
            self.start = 0;
        }
        self.bytes.try_reserve(len).map_err(|_| OutOfMemory)
    }

    /// Removes a range of bytes.
    fn cut(&mut self, from: usize, to: usize) {
        self.bytes.copy_within(to.., from);
        self.bytes.truncate(self.bytes.len() - (to - from));
    }

    fn write_entry(&mut self, at: usize, element: &[u8]) {
        let entry = &mut self.bytes[at..at + entry_bytes(element)];
        let trailer = write_bytes(write_length(entry, element.len()), element);
        write_length(trailer, element.len());
        trailer.reverse();
    }
}

fn entry_bytes(element: &[u8]) -> usize {
    element.len() + 2 * length_bytes(element.len())
}

/// Bytes of an element in a listpack of Redis, which encodes small integers in fewer bytes.
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
