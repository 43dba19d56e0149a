//! Few fields in one block, in the order they came in. Finding is a search.
//!
//! ```text
//! field    = part, part: its name, its value
//! part     = length * 2 + 1 if it is a number (seven bits a byte), then its bytes
//! number   = the fewest bytes that hold it, little-endian
//! deadline = 0, or 1 and milliseconds (i64, little-endian; NONE: room for one)
//! ```
//! Once a field had a deadline, each value has one before its bytes and within its length.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::text::{Coded, space};
use super::{Field, NewDeadline};
use crate::clock::Timestamp;
use crate::slab::OutOfMemory;

/// Bytes of a length at most.
const LENGTH_MAX: usize = 5;
const PLAIN: u8 = 0;
const DATED: u8 = 1;
const DATED_BYTES: usize = 9;
/// "No deadline yet", where there is room for one. No deadline is that early.
const NONE: i64 = i64::MIN;

#[derive(Clone, Debug, Default)]
pub(super) struct Small {
    bytes: Vec<u8>,
    len: usize,
    /// Absent while no field ever had a deadline.
    times: Option<Box<Times>>,
}

#[derive(Clone, Debug, Default)]
struct Times {
    /// The earliest deadline.
    first: Option<Timestamp>,
    /// That of the whole, kept for its owner.
    whole: Option<Timestamp>,
}

/// Where a field lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    start: usize,
    end: usize,
    /// Where the deadline lies, or the value's bytes if there is none.
    value: usize,
    deadline: Option<Timestamp>,
}

impl Small {
    /// A copy with room for `more` bytes.
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

    /// Whether a field ever had a deadline.
    pub(super) fn is_timed(&self) -> bool {
        self.times.is_some()
    }

    pub(super) fn first(&self) -> Option<Timestamp> {
        self.times.as_ref()?.first
    }

    pub(super) fn whole(&self) -> Option<Timestamp> {
        self.times.as_ref()?.whole
    }

    pub(super) fn note_whole(&mut self, deadline: Option<Timestamp>) {
        if let Some(times) = &mut self.times {
            times.whole = deadline;
        }
    }

    pub(super) fn get(&self, name: &[u8]) -> Option<Field<'_>> {
        let start = self.place_of(name)?.start;
        Fields { rest: self.bytes.get(start..)?, is_timed: self.is_timed() }.next()
    }

    pub(super) fn iter(&self) -> Fields<'_> {
        Fields { rest: &self.bytes, is_timed: self.is_timed() }
    }

    /// The field with the earliest deadline.
    pub(super) fn first_field(&self) -> Option<Field<'_>> {
        let first = self.first()?;
        self.iter().find(|field| field.deadline == Some(first))
    }

    pub(super) fn place_of(&self, name: &[u8]) -> Option<Place> {
        let mut space = space();
        let name = Coded::of(name, &mut space);
        let mut rest = self.bytes.as_slice();
        while !rest.is_empty() {
            let start = self.bytes.len() - rest.len();
            let found = take_part(&mut rest)? == name;
            let value = take_part(&mut rest)?;
            if found {
                let end = self.bytes.len() - rest.len();
                let (deadline, _) = self.divide(value);
                return Some(Place { start, end, value: end - value.bytes.len(), deadline });
            }
        }
        None
    }

    /// Sets a field that was looked up. On an error nothing has changed.
    pub(super) fn set(
        &mut self,
        mut place: Option<Place>,
        name: &[u8],
        value: &[u8],
        deadline: NewDeadline,
    ) -> Result<(), OutOfMemory> {
        let old = place.and_then(|place| place.deadline);
        let deadline = match deadline {
            NewDeadline::None => None,
            NewDeadline::Keep => old,
            NewDeadline::At(deadline) => Some(deadline),
        };
        if deadline.is_some() && !self.is_timed() {
            self.allow_deadlines()?;
            place = self.place_of(name);
        }
        let (mut name_space, mut value_space) = (space(), space());
        let (name, value) = (Coded::of(name, &mut name_space), Coded::of(value, &mut value_space));
        let coded = match (self.is_timed(), deadline) {
            (false, _) => field(name, value, &[])?,
            (true, None) => field(name, value, &[PLAIN])?,
            (true, Some(_)) => field(name, value, &dated(deadline))?,
        };
        self.replace(place, &coded)?;
        self.moved(old, deadline);
        Ok(())
    }

    /// Makes sure that `set_deadline` of a field that is there finds a place.
    pub(super) fn make_room(&mut self, name: &[u8]) -> Result<(), OutOfMemory> {
        self.allow_deadlines()?;
        let Some(place) = self.place_of(name) else { return Ok(()) };
        if self.bytes.get(place.value) == Some(&DATED) {
            return Ok(());
        }
        let mut rest = self.bytes.get(place.start..place.end).unwrap_or_default();
        let (Some(name), Some(value)) = (take_part(&mut rest), take_part(&mut rest)) else { return Ok(()) };
        let coded = field(name, self.divide(value).1, &dated(None))?;
        self.replace(Some(place), &coded)
    }

    /// Sets or clears a deadline; false for a field that is not there or has no room for one.
    pub(super) fn set_deadline(&mut self, name: &[u8], deadline: Option<Timestamp>) -> bool {
        let Some(found) = self.place_of(name).filter(|_| self.is_timed()) else { return false };
        let place = self.bytes.get_mut(found.value..found.end);
        match place.and_then(|bytes| bytes.first_chunk_mut::<DATED_BYTES>()) {
            Some(place) if place[0] == DATED => *place = dated(deadline),
            _ => return false,
        }
        self.moved(found.deadline, deadline);
        true
    }

    pub(super) fn remove(&mut self, name: &[u8]) -> bool {
        let Some(place) = self.place_of(name) else { return false };
        self.bytes.drain(place.start..place.end);
        self.len -= 1;
        self.moved(place.deadline, None);
        true
    }

    /// Puts the place for a deadline before every value.
    fn allow_deadlines(&mut self) -> Result<(), OutOfMemory> {
        if self.is_timed() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        // A byte for each, and perhaps one more of its length.
        bytes.try_reserve_exact(self.bytes.len() + 2 * self.len).map_err(|_| OutOfMemory)?;
        let mut rest = self.bytes.as_slice();
        while let (Some(name), Some(value)) = (take_part(&mut rest), take_part(&mut rest)) {
            bytes.extend_from_slice(&field(name, value, &[PLAIN])?);
        }
        self.bytes = bytes;
        self.times = Some(Box::default());
        Ok(())
    }

    /// Writes a field over another, or behind all. On an error nothing has changed.
    fn replace(&mut self, place: Option<Place>, coded: &[u8]) -> Result<(), OutOfMemory> {
        if self.bytes.capacity() - self.bytes.len() < coded.len() {
            // Small blocks are many, so they grow by an eighth and not to the double.
            self.bytes.try_reserve_exact(coded.len().max(self.bytes.len() / 8)).map_err(|_| OutOfMemory)?;
        }
        match place {
            // A new value leaves the field at its place.
            Some(place) => drop(self.bytes.splice(place.start..place.end, coded.iter().copied())),
            None => {
                self.bytes.extend_from_slice(coded);
                self.len += 1;
            }
        }
        Ok(())
    }

    /// Keeps the earliest deadline up to date when one was replaced.
    fn moved(&mut self, old: Option<Timestamp>, new: Option<Timestamp>) {
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

    /// The deadline before a value, and the value.
    fn divide<'v>(&self, value: Coded<'v>) -> (Option<Timestamp>, Coded<'v>) {
        divide(value, self.is_timed())
    }
}

/// Walks through the fields.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
    is_timed: bool,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let (name, value) = (take_part(&mut self.rest)?, take_part(&mut self.rest)?);
        let (deadline, value) = divide(value, self.is_timed);
        Some(Field { name: name.text(), value: value.text(), deadline })
    }
}

fn divide(value: Coded<'_>, is_timed: bool) -> (Option<Timestamp>, Coded<'_>) {
    match value.bytes.split_first_chunk::<DATED_BYTES>() {
        _ if !is_timed => (None, value),
        Some(([DATED, deadline @ ..], bytes)) => {
            let deadline = i64::from_le_bytes(*deadline);
            ((deadline != NONE).then_some(Timestamp::from_ms(deadline)), Coded { bytes, ..value })
        }
        _ => (None, Coded { bytes: value.bytes.get(1..).unwrap_or_default(), ..value }),
    }
}

fn dated(deadline: Option<Timestamp>) -> [u8; DATED_BYTES] {
    let mut coded = [DATED; DATED_BYTES];
    coded[1..].copy_from_slice(&deadline.map_or(NONE, Timestamp::as_ms).to_le_bytes());
    coded
}

/// A field as it lies in the block; `time` stands before the value.
fn field(name: Coded<'_>, value: Coded<'_>, time: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let mut coded = Vec::new();
    let len = name.bytes.len() + time.len() + value.bytes.len() + 2 * LENGTH_MAX;
    coded.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
    for (part, time) in [(name, &[][..]), (value, time)] {
        write_length(time.len() + part.bytes.len(), part.is_number, &mut coded);
        coded.extend_from_slice(time);
        coded.extend_from_slice(part.bytes);
    }
    Ok(coded)
}

fn write_length(len: usize, is_number: bool, out: &mut Vec<u8>) {
    let mut rest = (len as u64) << 1 | u64::from(is_number);
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Takes the part at the beginning of `rest`.
fn take_part<'a>(rest: &mut &'a [u8]) -> Option<Coded<'a>> {
    let (mut coded, mut used) = (0u64, 0);
    loop {
        let byte = *rest.get(used).filter(|_| used < LENGTH_MAX)?;
        coded |= u64::from(byte & 0x7f) << (7 * used);
        used += 1;
        if byte & 0x80 == 0 {
            break;
        }
    }
    let (bytes, behind) = rest.get(used..)?.split_at_checked((coded >> 1) as usize)?;
    *rest = behind;
    Some(Coded { is_number: coded & 1 == 1, bytes })
}
