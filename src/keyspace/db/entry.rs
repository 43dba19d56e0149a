//! How a key lies in its block: a header, the key, and a short value or the number of a slot.
//!
//! ```text
//! u32         bits 0-7: flags (form of the value, width of the lengths, room for a deadline, "raw" encoding, whose
//!             deadlines); bits 8-19 and 20-31: length of key and value, unless `WIDE`
//! u32         the last use (`uses`)
//! 2 x u32     length of key and value, when `WIDE`
//! u32         position in the heap of deadlines, when `TIMED`; `NO_POSITION` while there is none
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
/// What is in the heap of deadlines for this key: a deadline of its own, one of its fields; the earlier of both.
const OWN: u8 = 1 << 4;
const FIELD: u8 = 1 << 5;

/// Flags and lengths share a word, so that reading a header is one load.
const FLAGS_BITS: u32 = 8;
const LENGTH_BITS: u32 = 12;
const NARROW_MAX: usize = (1 << LENGTH_BITS) - 1;
/// Of the first word: the length of a key and the flag that tells that it is not there.
const KEY_LEN_MASK: u32 = (NARROW_MAX as u32) << FLAGS_BITS | WIDE as u32;
const USE_AT: usize = 4;
const NARROW_BYTES: usize = USE_AT + 4;
const WIDE_BYTES: usize = NARROW_BYTES + 8;
const POSITION_BYTES: usize = 4;
// The flag is as large as the room it stands for.
const _: () = assert!(TIMED as usize == POSITION_BYTES);
const SLOT_BYTES: usize = 4;
/// "Not in the heap of deadlines".
pub(in crate::keyspace) const NO_POSITION: u32 = u32::MAX;
/// Strings above this length live in a slot, where they can grow in place.
pub(crate) const INLINE_MAX: usize = 1024;
const _: () = assert!(INLINE_MAX <= NARROW_MAX);

/// The value's place.
#[derive(Clone, Copy, Debug)]
pub(in crate::keyspace) enum Payload<'a> {
    Inline(&'a [u8]),
    Slot(Slot),
}

/// The measures of a block.
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

    /// Reads the header of a block, whatever lies behind it; `None` when the block is too short for one, which no live
    /// entry is.
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

    /// The same for a key with a deadline of its own.
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

    /// Whether a field of its value has one.
    pub(in crate::keyspace) fn has_field(self) -> bool {
        self.flags & FIELD != 0
    }

    /// Notes whose deadlines are in the heap.
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

    /// Writes the first word of the header and the value: the rest stays.
    #[inline(always)]
    fn rewrite(self, block: &mut [u8], bytes: &[u8]) {
        if let Some(place) = block.get_mut(self.value_range()) {
            bytes::copy(place, bytes);
        }
        if let Some(head) = block.first_chunk_mut::<USE_AT>() {
            *head = self.head().to_le_bytes();
        }
    }

    /// Writes header, key and value; the position is left unset.
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

/// Whether the block that begins here is of this key.
#[inline(always)]
pub(in crate::keyspace) fn is_of(block: &[u8], key: &[u8]) -> bool {
    let Some(head) = read_u32(block, 0) else { return false };
    // The length, and that it stands there.
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

/// Writes where the deadline of a key stands in the heap into its block, if that has room for it.
#[inline(always)]
pub(in crate::keyspace) fn set_position(block: &mut [u8], position: u32) {
    let Some(head) = read_u32(block, 0) else { return };
    let at = if head & u32::from(WIDE) != 0 { WIDE_BYTES } else { NARROW_BYTES };
    if head & u32::from(TIMED) != 0
        && let Some(place) = block.get_mut(at..).and_then(<[u8]>::first_chunk_mut)
    {
        *place = position.to_le_bytes();
    }
}

/// The word about the last use that every block has.
pub(in crate::keyspace) fn last_use(block: &[u8]) -> Option<u32> {
    read_u32(block, USE_AT)
}

#[inline(always)]
pub(in crate::keyspace) fn set_last_use(block: &mut [u8], last_use: u32) {
    if let Some(head) = block.first_chunk_mut::<NARROW_BYTES>() {
        head[USE_AT..].copy_from_slice(&last_use.to_le_bytes());
    }
}

/// The measures with a string of another length in place of the one that lies in this block, when the block has the size
/// for it.
#[inline(always)]
pub(in crate::keyspace) fn fitting(block: &[u8], len: usize) -> Option<Layout> {
    let old = Layout::of(block)?;
    let new = Layout { flags: old.flags & !RAW, value_len: len, ..old };
    // Most are as long as what was there.
    let fits = len == old.value_len || len <= INLINE_MAX && Slab::rounded(new.len()) == Slab::rounded(old.len());
    (fits && new.flags & !(TIMED | OWN) == 0).then_some(new)
}

/// Puts another string in the place of one, with the measures that [`fitting`] answered. Last use and deadline are left to
/// the caller.
#[inline(always)]
pub(in crate::keyspace) fn overwrite(block: &mut [u8], layout: Layout, bytes: &[u8], raw: bool) {
    Layout { flags: layout.flags | if raw { RAW } else { 0 }, ..layout }.rewrite(block, bytes);
}

/// The string in a block, if it is as SET stores it: neither edited nor in a slot.
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
    if let Some(place) = block.get_mut(at..at + source.len()) {
        bytes::copy(place, source);
    }
}
