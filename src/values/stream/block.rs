//! Block of consecutive entries: the listpack of a node of Redis, without its header and counts.
//!
//! ```text
//! number of shared fields | shared field ... | 0 | entry ...
//! entry: flags | id.ms - first.ms | id.seq - first.seq | values, or number of fields and pairs | number of elements before
//! ```
//! Fields of the first entry are shared: an entry with the same ones has values only. A deleted entry keeps its bytes.

use alloc::vec::Vec;

use super::StreamId;
use super::entry::{Entry, FieldPairs, Fields};
use crate::base::headroom::{OutOfMemory, copied, try_reserve};
use crate::values::listpack::{Element, checked_element_at, element_at, start_before};

const DELETED: i64 = 1;
const SAME_FIELDS: i64 = 2;
/// Elements of an entry besides its fields and values, without and with their number.
const SHARED_ELEMENTS: usize = 3;
const OWN_ELEMENTS: usize = 4;

/// Bytes of a listpack besides its elements: length, number of elements, end.
const LISTPACK_FRAME_BYTES: usize = 7;
/// Size from which a block takes no further entry, and number of its entries: defaults of Redis' `stream-node-max-bytes`
/// and `stream-node-max-entries`.
const BYTES_MAX: usize = 4096;
pub(super) const ENTRIES_MAX: usize = 100;
/// Counted bytes of a block besides its entries.
const BLOCK_BYTES: usize = 56;

/// Entries in one piece of memory. At least one of them is not deleted.
#[derive(Clone, Debug)]
pub struct Block {
    /// Id that others are relative to: that of the first entry.
    pub(super) first: StreamId,
    bytes: Vec<u8>,
    /// Numbers of entries that are left and that are deleted.
    pub(super) live: usize,
    pub(super) deleted: usize,
    /// Offset of the first entry.
    entries_at: usize,
}

/// Entry in a block, with the offsets around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) is_deleted: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Block {
    /// Creates a block with the fields of its first entry, which is appended next.
    pub(super) fn new(first: StreamId, pairs: FieldPairs<'_>) -> Result<Block, OutOfMemory> {
        let fields = || pairs.iter().map(|(field, _)| Element::of(field));
        let count = Element::Integer(pairs.len() as i64);
        let mut bytes = Vec::new();
        let end = Element::Integer(0);
        try_reserve(
            &mut bytes,
            count.packed_len() + fields().map(Element::packed_len).sum::<usize>() + end.packed_len(),
        )?;
        count.append_to(&mut bytes);
        fields().for_each(|field| field.append_to(&mut bytes));
        end.append_to(&mut bytes);
        let entries_at = bytes.len();
        Ok(Block { first, bytes, live: 0, deleted: 0, entries_at })
    }

    /// Restores a block from the listpack of a node; `None` if it is damaged.
    pub(super) fn from_listpack(first: StreamId, packed: &[u8]) -> Option<Result<Block, OutOfMemory>> {
        let (frame, body) = packed.split_first_chunk::<6>()?;
        let total_bytes = u32::from_le_bytes(*frame.first_chunk()?);
        let announced = u16::from_le_bytes(*frame.last_chunk()?);
        let body = body.strip_suffix(&[0xff])?;
        let (live, at) = checked_element_at(body, 0)?;
        let (deleted, start) = checked_element_at(body, at)?;
        let count = |element: Element<'_>| element.integer().and_then(|count| usize::try_from(count).ok());
        let bytes = body.get(start..)?;
        let (entries_at, shared) = checked_header(bytes)?;
        let unchecked = Unchecked { first, live: count(live)?, deleted: count(deleted)?, entries_at };
        let elements = check_entries(bytes, &unchecked, shared)?;
        let is_counted = announced == u16::MAX || usize::from(announced) == 2 + elements;
        if total_bytes as usize != packed.len() || !is_counted {
            return None;
        }
        let Unchecked { first, live, deleted, entries_at } = unchecked;
        Some(copied(bytes).map(|bytes| Block { first, bytes, live, deleted, entries_at }))
    }

    /// Passes the listpack of a node in parts.
    pub fn listpack(&self, write: &mut dyn FnMut(&[u8])) {
        let (mut elements, mut at) = (2, 0);
        while let Some((_, next)) = element_at(&self.bytes, at) {
            (elements, at) = (elements + 1, next);
        }
        let mut counts = Vec::new();
        for count in [self.live, self.deleted] {
            Element::Integer(count as i64).append_to(&mut counts);
        }
        write(&(self.listpack_len() as u32).to_le_bytes());
        write(&u16::try_from(elements).unwrap_or(u16::MAX).to_le_bytes());
        write(&counts);
        write(&self.bytes);
        write(&[0xff]);
    }

    /// Number of bytes of the listpack.
    pub fn listpack_len(&self) -> usize {
        let count = |count: usize| Element::Integer(count as i64).packed_len();
        LISTPACK_FRAME_BYTES + count(self.live) + count(self.deleted) + self.bytes.len()
    }

    /// Id that the ids of a node are relative to.
    pub fn master_id(&self) -> StreamId {
        self.first
    }

    pub(super) fn try_clone(&self) -> Result<Block, OutOfMemory> {
        let &Block { first, live, deleted, entries_at, .. } = self;
        Ok(Block { first, bytes: copied(&self.bytes)?, live, deleted, entries_at })
    }

    pub(super) fn counted_bytes(&self) -> u64 {
        (BLOCK_BYTES + self.bytes.len()) as u64
    }

    /// Whether an entry with `bytes` bytes of fields and values fits.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.listpack_len() + bytes < BYTES_MAX && self.live + self.deleted < ENTRIES_MAX
    }

    /// Reallocates to the exact size, if memory allows.
    pub(super) fn shrink_to_fit(&mut self) {
        if self.bytes.capacity() > self.bytes.len()
            && let Ok(bytes) = copied(&self.bytes)
        {
            self.bytes = bytes;
        }
    }

    /// Appends an entry with a larger id than all others. On an error nothing has changed.
    pub(super) fn append(&mut self, id: StreamId, pairs: FieldPairs<'_>) -> Result<(), OutOfMemory> {
        let is_same = self.has_fields(pairs);
        let base = if is_same { SHARED_ELEMENTS + pairs.len() } else { OWN_ELEMENTS + 2 * pairs.len() };
        let own_count = [Element::Integer(pairs.len() as i64)];
        let head = [
            if is_same { SAME_FIELDS } else { 0 },
            id.ms.wrapping_sub(self.first.ms) as i64,
            id.seq.wrapping_sub(self.first.seq) as i64,
        ];
        let counts = if is_same { &own_count[..0] } else { &own_count };
        let elements = || {
            let head = head.into_iter().map(Element::Integer);
            let parts = pairs.iter().flat_map(|(field, value)| [(!is_same).then_some(field), Some(value)]);
            let tail = core::iter::once(Element::Integer(base as i64));
            head.chain(counts.iter().copied()).chain(parts.flatten().map(Element::of)).chain(tail)
        };
        try_reserve(&mut self.bytes, elements().map(Element::packed_len).sum())?;
        elements().for_each(|element| element.append_to(&mut self.bytes));
        self.live += 1;
        Ok(())
    }

    /// Whether the shared fields are those of an entry.
    fn has_fields(&self, pairs: FieldPairs<'_>) -> bool {
        let (count, mut at) = self.shared();
        count == pairs.len()
            && pairs.iter().all(|(field, _)| {
                let Some((shared, next)) = element_at(&self.bytes, at) else { return false };
                at = next;
                shared == Element::of(field)
            })
    }

    /// Number of the shared fields, and the offset of the first one.
    fn shared(&self) -> (usize, usize) {
        let (count, at) = element_at(&self.bytes, 0).unwrap_or((Element::Integer(0), 0));
        (count.integer().unwrap_or(0) as usize, at)
    }

    /// Entry that begins at an offset; the first one for 0.
    pub(super) fn entry_at(&self, at: usize) -> Option<Located<'_>> {
        let start = at.max(self.entries_at);
        let (flags, [ms, seq], mut at) = head_at(&self.bytes, start)?;
        let (shared_count, shared_at) = self.shared();
        let id = id_of(self.first, ms, seq);
        let (count, names_at) = if flags & SAME_FIELDS != 0 {
            (shared_count, Some(shared_at))
        } else {
            let (count, next) = element_at(&self.bytes, at)?;
            at = next;
            (count.integer()? as usize, None)
        };
        let fields = Fields { bytes: &self.bytes, names_at, values_at: at, left: count };
        let end = skip(&self.bytes, at, 1 + if names_at.is_some() { count } else { 2 * count })?;
        Some(Located { entry: Entry { id, fields }, is_deleted: flags & DELETED != 0, start, end })
    }

    /// Entry that ends at an offset; the last one for the largest offset.
    pub(super) fn entry_before(&self, end: usize) -> Option<Located<'_>> {
        let end = end.min(self.bytes.len());
        if end <= self.entries_at {
            return None;
        }
        let mut at = start_before(&self.bytes, end)?;
        let (count, _) = element_at(&self.bytes, at)?;
        for _ in 0..count.integer()? {
            at = start_before(&self.bytes, at)?;
        }
        self.entry_at(at)
    }

    /// Id of the last entry, deleted or not.
    pub(super) fn last(&self) -> StreamId {
        self.entry_before(usize::MAX).map_or(self.first, |last| last.entry.id)
    }

    /// First entry from an id on, deleted or not.
    pub(super) fn find(&self, id: StreamId) -> Option<Located<'_>> {
        let mut at = 0;
        loop {
            let found = self.entry_at(at)?;
            if found.entry.id >= id {
                return Some(found);
            }
            at = found.end;
        }
    }

    /// Marks the entry at an offset, which is not deleted, as deleted.
    pub(super) fn delete_at(&mut self, start: usize) {
        // Flags are an integer of one byte.
        if let Some(flags) = self.bytes.get_mut(start) {
            *flags |= DELETED as u8;
            self.live -= 1;
            self.deleted += 1;
        }
    }
}

fn id_of(first: StreamId, ms: i64, seq: i64) -> StreamId {
    StreamId::new(first.ms.wrapping_add(ms as u64), first.seq.wrapping_add(seq as u64))
}

fn skip(bytes: &[u8], mut at: usize, count: usize) -> Option<usize> {
    for _ in 0..count {
        (_, at) = element_at(bytes, at)?;
    }
    Some(at)
}

/// Flags and relative id of the entry at an offset, and the offset behind them.
fn head_at(bytes: &[u8], at: usize) -> Option<(i64, [i64; 2], usize)> {
    let (flags, at) = element_at(bytes, at)?;
    let (ms, at) = element_at(bytes, at)?;
    let (seq, at) = element_at(bytes, at)?;
    Some((flags.integer()?, [ms.integer()?, seq.integer()?], at))
}

/// Counts that a listpack announces, and where its entries are.
struct Unchecked {
    first: StreamId,
    live: usize,
    deleted: usize,
    entries_at: usize,
}

/// Checks the shared fields; returns the offset behind them and their number.
fn checked_header(bytes: &[u8]) -> Option<(usize, usize)> {
    let (count, mut at) = checked_element_at(bytes, 0)?;
    let count = usize::try_from(count.integer()?).ok()?;
    for _ in 0..count {
        (_, at) = checked_element_at(bytes, at)?;
    }
    let (end, at) = checked_element_at(bytes, at)?;
    (end == Element::Integer(0)).then_some((at, count))
}

/// Checks every entry: elements, counts, and that ids increase. Returns the number of all elements.
fn check_entries(bytes: &[u8], block: &Unchecked, shared: usize) -> Option<usize> {
    let (mut at, mut elements) = (block.entries_at, shared + 2);
    let (mut live, mut deleted, mut last) = (0, 0, None);
    while at < bytes.len() {
        let (flags, [ms, seq], next) = head_at(bytes, at)?;
        // Flags are one byte, so that they can be changed.
        if i64::from(bytes[at]) != flags || flags > DELETED | SAME_FIELDS {
            return None;
        }
        let count = match flags & SAME_FIELDS {
            0 => 1 + usize::try_from(element_at(bytes, next)?.0.integer()?).ok()?.checked_mul(2)?,
            _ => shared,
        };
        for _ in 0..SHARED_ELEMENTS.checked_add(count)? {
            (_, at) = checked_element_at(bytes, at)?;
        }
        let (back, next) = checked_element_at(bytes, at)?;
        let id = id_of(block.first, ms, seq);
        if back != Element::Integer((SHARED_ELEMENTS + count) as i64) || last.is_some_and(|last| last >= id) {
            return None;
        }
        last = Some(id);
        elements += SHARED_ELEMENTS + count + 1;
        if flags & DELETED == 0 {
            live += 1
        } else {
            deleted += 1
        }
        at = next;
    }
    (live == block.live && deleted == block.deleted).then_some(elements)
}
