//! Layout of an entry in its block: header, key, and an inline value or the number of a value slot.
//!
//! ```text
//! u32         bits 0-7: flags (form of the value, width of the lengths, space for a position, "raw" encoding, kinds of
//!             deadlines in the heap); bits 8-19 and 20-31: lengths of key and value, unless `WIDE`
//! u32         the last use (`uses`)
//! 2 x u32     lengths of key and value, when `WIDE`
//! u32         position in the heap of deadlines, when `TIMED`; `NO_POSITION` when the key is not in the heap
//! key bytes, value bytes
//! ```

use core::ops::Range;

use crate::base::bytes;
use crate::store::slab::Slab;
use crate::store::slots::Slot;

const IN_SLOT: u8 = 1 << 0;
const WIDE: u8 = 1 << 1;
const TIMED: u8 = 1 << 2;
const RAW: u8 = 1 << 3;
/// Deadlines of this key in the heap: its own (`OWN`), the first of its fields (`FIELD`). With both, the heap holds the
/// earlier.
const OWN: u8 = 1 << 4;
const FIELD: u8 = 1 << 5;

/// Width of the flags. Flags and lengths share a word, so that a header is read with one load.
const FLAGS_BITS: u32 = 8;
const LENGTH_BITS: u32 = 12;
const NARROW_MAX: usize = (1 << LENGTH_BITS) - 1;
/// Bits of the first word that hold the key's length, and the flag `WIDE`, with which the length is elsewhere.
const KEY_LEN_MASK: u32 = (NARROW_MAX as u32) << FLAGS_BITS | WIDE as u32;
const USE_AT: usize = 4;
const NARROW_BYTES: usize = USE_AT + 4;
const WIDE_BYTES: usize = NARROW_BYTES + 8;
const POSITION_BYTES: usize = 4;
// `key_start` adds the masked flag as the number of position bytes.
const _: () = assert!(TIMED as usize == POSITION_BYTES);
const SLOT_BYTES: usize = 4;
/// Position of a key that is not in the heap of deadlines.
pub(in crate::keyspace) const NO_POSITION: u32 = u32::MAX;
/// Maximum length of an inline string. Longer ones are in a value slot, where they can grow in place.
pub(crate) const INLINE_MAX: usize = 1024;
const _: () = assert!(INLINE_MAX <= NARROW_MAX);

/// Location of a value: inline in the block, or in a value slot.
#[derive(Clone, Copy, Debug)]
pub(in crate::keyspace) enum Payload<'a> {
    Inline(&'a [u8]),
    Slot(Slot),
}

/// Decoded header of a block: flags and lengths.
#[derive(Clone, Copy, Debug)]
pub(in crate::keyspace) struct Layout {
    flags: u8,
    key_len: usize,
    value_len: usize,
}

impl Layout {
    pub(in crate::keyspace) fn new(key: &[u8], payload: Payload<'_>, timed: bool, raw: bool) -> Layout {
        let (form, value_len) = match payload {
            Payload::Inline(bytes) => (0, bytes.len()),
            Payload::Slot(_) => (IN_SLOT, SLOT_BYTES),
        };
        let wide = if key.len() > NARROW_MAX { WIDE } else { 0 };
        let flags = form | wide | if timed { TIMED } else { 0 } | if raw { RAW } else { 0 };
        Layout { flags, key_len: key.len(), value_len }
    }

    /// Reads the header of a block; bytes after the entry are ignored. `None`: the block is too short, which does not
    /// occur for a live entry.
    #[inline(always)]
    pub(in crate::keyspace) fn of(block: &[u8]) -> Option<Layout> {
        let head = read_u32(block, 0)?;
        let flags = head as u8;
        let (key_len, value_len) = if flags & WIDE != 0 {
            (read_u32(block, NARROW_BYTES)? as usize, read_u32(block, NARROW_BYTES + 4)? as usize)
        } else {
            ((head >> FLAGS_BITS) as usize & NARROW_MAX, (head >> (FLAGS_BITS + LENGTH_BITS)) as usize)
        };
        Some(Layout { flags, key_len, value_len })
    }

    /// Returns the layout with the flag for a deadline of the key itself.
    pub(in crate::keyspace) fn with_own(self) -> Layout {
        Layout { flags: self.flags | OWN, ..self }
    }

    pub(in crate::keyspace) fn len(self) -> usize {
        self.key_start() + self.key_len + self.value_len
    }

    #[inline(always)]
    pub(in crate::keyspace) fn is_timed(self) -> bool {
        self.flags & TIMED != 0
    }

    pub(in crate::keyspace) fn is_raw(self) -> bool {
        self.flags & RAW != 0
    }

    /// Whether the key itself has a deadline.
    pub(in crate::keyspace) fn has_own(self) -> bool {
        self.flags & OWN != 0
    }

    /// Whether a field of the value has a deadline.
    pub(in crate::keyspace) fn has_field(self) -> bool {
        self.flags & FIELD != 0
    }

    /// Stores which deadlines are in the heap: the key's own, those of fields.
    pub(in crate::keyspace) fn note_deadlines(self, block: &mut [u8], own: bool, field: bool) {
        let noted = if own { OWN } else { 0 } | if field { FIELD } else { 0 };
        write(block, 0, &[self.flags & !(OWN | FIELD) | noted]);
    }

    #[inline(always)]
    pub(in crate::keyspace) fn is_in_slot(self) -> bool {
        self.flags & IN_SLOT != 0
    }

    #[inline(always)]
    fn header_len(self) -> usize {
        if self.flags & WIDE != 0 { WIDE_BYTES } else { NARROW_BYTES }
    }

    #[inline(always)]
    fn key_start(self) -> usize {
        self.header_len() + (usize::from(self.flags) & POSITION_BYTES)
    }

    #[inline(always)]
    fn key_range(self) -> Range<usize> {
        self.key_start()..self.key_start() + self.key_len
    }

    #[inline(always)]
    pub(in crate::keyspace) fn value_range(self) -> Range<usize> {
        let start = self.key_start() + self.key_len;
        start..start + self.value_len
    }

    #[inline(always)]
    pub(in crate::keyspace) fn key(self, block: &[u8]) -> &[u8] {
        block.get(self.key_range()).unwrap_or_default()
    }

    #[inline(always)]
    pub(in crate::keyspace) fn payload(self, block: &[u8]) -> Payload<'_> {
        let bytes = block.get(self.value_range()).unwrap_or_default();
        match self.is_in_slot() {
            true => Payload::Slot(Slot(read_u32(bytes, 0).unwrap_or(u32::MAX))),
            false => Payload::Inline(bytes),
        }
    }

    /// Position in the heap of deadlines; `None` if the key is not in the heap.
    pub(in crate::keyspace) fn position(self, block: &[u8]) -> Option<u32> {
        if !self.is_timed() {
            return None;
        }
        read_u32(block, self.header_len()).filter(|&position| position != NO_POSITION)
    }

    /// The first word of the header.
    fn head(self) -> u32 {
        if self.flags & WIDE != 0 {
            return self.flags.into();
        }
        // Both are at most `NARROW_MAX`.
        let lengths = self.key_len as u32 | (self.value_len as u32) << LENGTH_BITS;
        u32::from(self.flags) | lengths << FLAGS_BITS
    }

    /// Writes the first word of the header and the value. The rest stays.
    #[inline(always)]
    fn rewrite(self, block: &mut [u8], bytes: &[u8]) {
        if let Some(value) = block.get_mut(self.value_range()) {
            bytes::copy(value, bytes);
        }
        if let Some(head) = block.first_chunk_mut::<USE_AT>() {
            *head = self.head().to_le_bytes();
        }
    }

    /// Writes header, key and value. The position becomes [`NO_POSITION`].
    pub(in crate::keyspace) fn write(self, block: &mut [u8], key: &[u8], payload: Payload<'_>, last_use: u32) {
        if self.flags & WIDE != 0 {
            write(block, NARROW_BYTES, &(self.key_len as u32).to_le_bytes());
            write(block, NARROW_BYTES + 4, &(self.value_len as u32).to_le_bytes());
        }
        if let Some(head) = block.first_chunk_mut::<NARROW_BYTES>() {
            *head = (u64::from(self.head()) | u64::from(last_use) << u32::BITS).to_le_bytes();
        }
        set_position(block, NO_POSITION);
        write(block, self.key_range().start, key);
        match payload {
            Payload::Inline(bytes) => write(block, self.value_range().start, bytes),
            Payload::Slot(slot) => write(block, self.value_range().start, &slot.0.to_le_bytes()),
        }
    }
}

/// Whether the entry at the start of `block` belongs to this key.
#[inline(always)]
pub(in crate::keyspace) fn is_of(block: &[u8], key: &[u8]) -> bool {
    let Some(head) = read_u32(block, 0) else { return false };
    // One comparison: the length, and that `WIDE` is not set.
    if head & KEY_LEN_MASK != (key.len() as u32) << FLAGS_BITS || key.len() > NARROW_MAX {
        return head & u32::from(WIDE) != 0 && is_wide_of(block, key);
    }
    let start = NARROW_BYTES + (head as usize & POSITION_BYTES);
    match block.get(start..start + key.len()) {
        Some(held) => bytes::equal(held, key),
        None => false,
    }
}

#[cold]
#[inline(never)]
fn is_wide_of(block: &[u8], key: &[u8]) -> bool {
    Layout::of(block).is_some_and(|layout| layout.key(block) == key)
}

/// Stores the position in the heap of deadlines, if the block has space for it.
#[inline(always)]
pub(in crate::keyspace) fn set_position(block: &mut [u8], position: u32) {
    let Some(head) = read_u32(block, 0) else { return };
    let at = if head & u32::from(WIDE) != 0 { WIDE_BYTES } else { NARROW_BYTES };
    if head & u32::from(TIMED) != 0
        && let Some(stored) = block.get_mut(at..).and_then(<[u8]>::first_chunk_mut)
    {
        *stored = position.to_le_bytes();
    }
}

/// Last use of the key, as a word of `uses`.
pub(in crate::keyspace) fn last_use(block: &[u8]) -> Option<u32> {
    read_u32(block, USE_AT)
}

#[inline(always)]
pub(in crate::keyspace) fn set_last_use(block: &mut [u8], last_use: u32) {
    if let Some(head) = block.first_chunk_mut::<NARROW_BYTES>() {
        head[USE_AT..].copy_from_slice(&last_use.to_le_bytes());
    }
}

/// Layout of a block after its string is replaced by one of `len` bytes. `None` if the block does not hold an inline
/// string, or another size of block is needed.
#[inline(always)]
pub(in crate::keyspace) fn fitting(block: &[u8], len: usize) -> Option<Layout> {
    let old = Layout::of(block)?;
    let new = Layout { flags: old.flags & !RAW, value_len: len, ..old };
    // Most new strings have the length of the old one.
    let fits = len == old.value_len || len <= INLINE_MAX && Slab::rounded(new.len()) == Slab::rounded(old.len());
    (fits && new.flags & !(TIMED | OWN) == 0).then_some(new)
}

/// Replaces the string in a block, with the layout that [`fitting`] returned. Last use and deadline are left to the
/// caller.
#[inline(always)]
pub(in crate::keyspace) fn overwrite(block: &mut [u8], layout: Layout, bytes: &[u8], raw: bool) {
    Layout { flags: layout.flags | if raw { RAW } else { 0 }, ..layout }.rewrite(block, bytes);
}

/// Inline string of a block, if it is not marked as edited. `None` otherwise.
#[inline(always)]
pub(in crate::keyspace) fn plain_string(block: &mut [u8]) -> Option<&mut [u8]> {
    let layout = Layout::of(block).filter(|layout| layout.flags & !(TIMED | OWN) == 0)?;
    block.get_mut(layout.value_range())
}

#[inline(always)]
fn read_u32(block: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(block.get(at..at + 4)?.try_into().ok()?))
}

fn write(block: &mut [u8], at: usize, source: &[u8]) {
    if let Some(target) = block.get_mut(at..at + source.len()) {
        bytes::copy(target, source);
    }
}
