//! Packed form of a hash: fields in one block, in the order of insertion. Lookup is a linear search.
//!
//! ```text
//! field    = part, part: its name, its value
//! part     = length * 2 + 1 if it is a number (seven bits a byte), then its bytes
//! number   = the fewest bytes that hold it, little-endian
//! deadline = 0, or 1 and milliseconds (i64, little-endian; NONE: reserved)
//! ```
//! Once a field had a deadline, each value has one before its bytes and within its length.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::field::Field;
use super::new_deadline::NewDeadline;
use super::text::{Coded, number_buffer};
use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::values::search::{SearchKey, length_at, length_bytes, reserve, resize_part, write_bytes, write_length};

const PLAIN: u8 = 0;
const DATED: u8 = 1;
const DATED_BYTES: usize = 9;
/// Placeholder of a reserved deadline. No deadline is that early.
const NONE: i64 = i64::MIN;

/// Fields in one block.
#[derive(Clone, Debug, Default)]
pub(super) struct Small {
    bytes: Vec<u8>,
    len: usize,
    /// Present once a field has had a deadline.
    times: Option<Box<Times>>,
}

/// Cached deadlines.
#[derive(Clone, Debug, Default)]
struct Times {
    /// Earliest deadline of a field.
    first: Option<Timestamp>,
    /// Deadline of the key, stored here on behalf of the database.
    whole: Option<Timestamp>,
}

/// Location of a field in the block.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldLoc {
    start: usize,
    /// End of the name, and offset of the value's length.
    name_end: usize,
    /// Offset of the deadline, or of the value's bytes if there is none.
    value: usize,
    end: usize,
    deadline: Option<Timestamp>,
}

impl Small {
    /// Copies the block with capacity for `more` bytes.
    pub(super) fn try_clone(&self, more: usize) -> Result<Small, OutOfMemory> {
        let mut bytes = Vec::new();
        bytes.try_reserve(self.bytes.len().saturating_add(more)).map_err(|_| OutOfMemory)?;
        bytes.extend_from_slice(&self.bytes);
        Ok(Small { bytes, len: self.len, times: self.times.clone() })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether a field has ever had a deadline.
    pub(super) fn is_timed(&self) -> bool {
        self.times.is_some()
    }

    pub(super) fn first(&self) -> Option<Timestamp> {
        self.times.as_ref()?.first
    }

    pub(super) fn whole(&self) -> Option<Timestamp> {
        self.times.as_ref()?.whole
    }

    pub(super) fn set_whole(&mut self, deadline: Option<Timestamp>) {
        if let Some(times) = &mut self.times {
            times.whole = deadline;
        }
    }

    pub(super) fn get(&self, name: &[u8]) -> Option<Field<'_>> {
        let start = self.locate(name)?.start;
        Fields { rest: self.bytes.get(start..)?, is_timed: self.is_timed() }.next()
    }

    pub(super) fn iter(&self) -> Fields<'_> {
        Fields { rest: &self.bytes, is_timed: self.is_timed() }
    }

    /// Field with the earliest deadline.
    pub(super) fn first_field(&self) -> Option<Field<'_>> {
        let first = self.first()?;
        self.iter().find(|field| field.deadline == Some(first))
    }

    /// Finds a field by a linear search.
    pub(super) fn locate(&self, name: &[u8]) -> Option<FieldLoc> {
        let mut buffer = number_buffer();
        let name = Coded::of(name, &mut buffer);
        let (bytes, key, own_coded, own_len) =
            (self.bytes.as_slice(), SearchKey::of(name.bytes), coded_len(name, 0), part_len(name, 0));
        let mut start = 0;
        loop {
            let (coded, from) = length_at(bytes, start)?;
            let is_likely = coded == own_coded;
            // The end of a part of equal length follows from the name alone. The search continues while the length read
            // is still being loaded.
            let name_end = if is_likely && key.ends_at(bytes, start + own_len) {
                let (value_len, value) = length_at(bytes, start + own_len)?;
                let deadline = self.deadline_at(value);
                return Some(FieldLoc {
                    start,
                    name_end: start + own_len,
                    value,
                    end: value + (value_len >> 1),
                    deadline,
                });
            } else if is_likely {
                start + own_len
            } else {
                from + (coded >> 1)
            };
            let (value_coded, value) = length_at(bytes, name_end)?;
            start = value + (value_coded >> 1);
        }
    }

    /// Sets a field at its location, `None` for an absent one. On an error nothing has changed.
    pub(super) fn set(
        &mut self,
        mut loc: Option<FieldLoc>,
        name: &[u8],
        value: &[u8],
        deadline: NewDeadline,
    ) -> Result<(), OutOfMemory> {
        let old = loc.and_then(|loc| loc.deadline);
        let deadline = match deadline {
            NewDeadline::None => None,
            NewDeadline::Keep => old,
            NewDeadline::At(deadline) => Some(deadline),
        };
        if deadline.is_some() && !self.is_timed() {
            self.add_deadline_prefixes()?;
            loc = self.locate(name);
        }
        let (mut name_buffer, mut value_buffer) = (number_buffer(), number_buffer());
        let (name, value) = (Coded::of(name, &mut name_buffer), Coded::of(value, &mut value_buffer));
        match (self.is_timed(), deadline) {
            (false, _) => self.write(loc, name, value, &[])?,
            (true, None) => self.write(loc, name, value, &[PLAIN])?,
            (true, Some(_)) => self.write(loc, name, value, &dated(deadline))?,
        }
        self.update_first(old, deadline);
        Ok(())
    }

    /// Reserves the bytes of a deadline in a field, so that `set_deadline` succeeds. Does nothing if the field is
    /// absent.
    pub(super) fn reserve_deadline(&mut self, name: &[u8]) -> Result<(), OutOfMemory> {
        self.add_deadline_prefixes()?;
        let Some(loc) = self.locate(name) else { return Ok(()) };
        if self.bytes.get(loc.value) == Some(&DATED) {
            return Ok(());
        }
        let Some((coded, _)) = length_at(&self.bytes, loc.name_end) else { return Ok(()) };
        // Only the bytes before the value's own bytes grow.
        let coded = coded + 2 * (DATED_BYTES - 1);
        let len = length_bytes(coded) + DATED_BYTES;
        let before = loc.name_end..loc.value + 1;
        reserve(&mut self.bytes, len - before.len())?;
        let rest = write_length(resize_part(&mut self.bytes, before, len), coded);
        write_bytes(rest, &dated(None));
        Ok(())
    }

    /// Sets or clears a deadline. Returns false if the field is absent or has no bytes reserved.
    pub(super) fn set_deadline(&mut self, name: &[u8], deadline: Option<Timestamp>) -> bool {
        let Some(found) = self.locate(name).filter(|_| self.is_timed()) else { return false };
        let value = self.bytes.get_mut(found.value..found.end);
        match value.and_then(|bytes| bytes.first_chunk_mut::<DATED_BYTES>()) {
            Some(prefix) if prefix[0] == DATED => *prefix = dated(deadline),
            _ => return false,
        }
        self.update_first(found.deadline, deadline);
        true
    }

    pub(super) fn remove(&mut self, name: &[u8]) -> bool {
        let Some(loc) = self.locate(name) else { return false };
        resize_part(&mut self.bytes, loc.start..loc.end, 0);
        self.len -= 1;
        self.update_first(loc.deadline, None);
        true
    }

    /// Adds the deadline prefix to every value.
    fn add_deadline_prefixes(&mut self) -> Result<(), OutOfMemory> {
        if self.is_timed() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        // One byte a field, and perhaps one more of its length.
        bytes.try_reserve_exact(self.bytes.len() + 2 * self.len).map_err(|_| OutOfMemory)?;
        let mut rest = self.bytes.as_slice();
        while let (Some(name), Some(value)) = (take_part(&mut rest), take_part(&mut rest)) {
            let (start, name_len, value_len) = (bytes.len(), part_len(name, 0), part_len(value, 1));
            bytes.resize(start + name_len + value_len, 0);
            let rest = write_part(&mut bytes[start..], name, &[]);
            write_part(rest, value, &[PLAIN]);
        }
        self.bytes = bytes;
        self.times = Some(Box::default());
        Ok(())
    }

    /// Appends a field, or overwrites the value at its location. `time` is the deadline prefix of the value. On an
    /// error nothing has changed.
    fn write(
        &mut self,
        loc: Option<FieldLoc>,
        name: Coded<'_>,
        value: Coded<'_>,
        time: &[u8],
    ) -> Result<(), OutOfMemory> {
        let value_len = part_len(value, time.len());
        if let Some(FieldLoc { name_end, end, .. }) = loc {
            reserve(&mut self.bytes, value_len.saturating_sub(end - name_end))?;
            write_part(resize_part(&mut self.bytes, name_end..end, value_len), value, time);
            return Ok(());
        }
        let (start, len) = (self.bytes.len(), part_len(name, 0) + value_len);
        reserve(&mut self.bytes, len)?;
        let rest = write_part(resize_part(&mut self.bytes, start..start, len), name, &[]);
        write_part(rest, value, time);
        self.len += 1;
        Ok(())
    }

    /// Updates the earliest deadline after one was replaced.
    fn update_first(&mut self, old: Option<Timestamp>, new: Option<Timestamp>) {
        let first = self.first();
        let first = match new {
            _ if old.is_some() && old == first => self.iter().filter_map(|field| field.deadline).min(),
            Some(new) => Some(first.map_or(new, |first| first.min(new))),
            None => return,
        };
        if let Some(times) = &mut self.times {
            times.first = first;
        }
    }

    /// Deadline in the prefix at `at`.
    fn deadline_at(&self, at: usize) -> Option<Timestamp> {
        if !self.is_timed() {
            return None;
        }
        match self.bytes.get(at..)?.first_chunk::<DATED_BYTES>()? {
            [DATED, deadline @ ..] => {
                Some(i64::from_le_bytes(*deadline)).filter(|&ms| ms != NONE).map(Timestamp::from_ms)
            }
            _ => None,
        }
    }
}

/// Iterator over the fields in the order of insertion.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
    is_timed: bool,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let (name, value) = (take_part(&mut self.rest)?, take_part(&mut self.rest)?);
        let (deadline, value) = split_deadline(value, self.is_timed);
        Some(Field { name: name.text(), value: value.text(), deadline })
    }
}

/// Splits a value into its deadline and its bytes.
fn split_deadline(value: Coded<'_>, is_timed: bool) -> (Option<Timestamp>, Coded<'_>) {
    match value.bytes.split_first_chunk::<DATED_BYTES>() {
        _ if !is_timed => (None, value),
        Some(([DATED, deadline @ ..], bytes)) => {
            let deadline = i64::from_le_bytes(*deadline);
            ((deadline != NONE).then_some(Timestamp::from_ms(deadline)), Coded { bytes, ..value })
        }
        _ => (None, Coded { bytes: value.bytes.get(1..).unwrap_or_default(), ..value }),
    }
}

/// Encodes the deadline prefix of a value; `None` reserves it.
fn dated(deadline: Option<Timestamp>) -> [u8; DATED_BYTES] {
    let mut coded = [DATED; DATED_BYTES];
    coded[1..].copy_from_slice(&deadline.map_or(NONE, Timestamp::as_ms).to_le_bytes());
    coded
}

/// Encodes the length of a part with its deadline prefix, and whether the part is a number.
#[inline(always)]
fn coded_len(part: Coded<'_>, time_len: usize) -> usize {
    (time_len + part.bytes.len()) << 1 | usize::from(part.is_number)
}

/// Number of bytes of a part.
fn part_len(part: Coded<'_>, time_len: usize) -> usize {
    length_bytes(coded_len(part, time_len)) + time_len + part.bytes.len()
}

/// Writes a part to the start of `target` and returns the rest of `target`.
fn write_part<'p>(target: &'p mut [u8], part: Coded<'_>, time: &[u8]) -> &'p mut [u8] {
    let rest = write_length(target, coded_len(part, time.len()));
    write_bytes(write_bytes(rest, time), part.bytes)
}

/// Reads the part at the start of `rest` and advances `rest`.
#[inline(always)]
fn take_part<'a>(rest: &mut &'a [u8]) -> Option<Coded<'a>> {
    let (coded, used) = length_at(rest, 0)?;
    let (bytes, after) = rest.get(used..)?.split_at_checked(coded >> 1)?;
    *rest = after;
    Some(Coded { is_number: coded & 1 == 1, bytes })
}

#[cfg(test)]
mod tests;
