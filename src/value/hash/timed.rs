//! Few fields in one block, some of them with a deadline.
//!
//! ```text
//! value = 0, then the value of a field without a deadline
//!       | 1, deadline in milliseconds (i64, little-endian; NONE: room for one), then the value
//! ```

use alloc::vec::Vec;

use super::Field;
use crate::clock::Timestamp;
use crate::slab::OutOfMemory;
use crate::value::packed::Packed;

const PLAIN: u8 = 0;
const DATED: u8 = 1;
const DATED_BYTES: usize = 9;
/// "No deadline yet", where there is room for one. No deadline is that early.
const NONE: i64 = i64::MIN;

#[derive(Clone, Debug, Default)]
pub(super) struct Timed {
    pairs: Packed,
    /// The earliest deadline.
    first: Option<Timestamp>,
    /// That of the whole, kept for its owner.
    pub(super) whole: Option<Timestamp>,
}

impl Timed {
    /// The same fields, none with a deadline.
    pub(super) fn of(plain: &Packed) -> Result<Timed, OutOfMemory> {
        let mut pairs = Packed::default();
        for (name, value) in plain.iter() {
            pairs.insert(name, &[&[PLAIN], value])?;
        }
        Ok(Timed { pairs, first: None, whole: None })
    }

    pub(super) fn try_clone(&self, more: usize) -> Result<Timed, OutOfMemory> {
        Ok(Timed { pairs: self.pairs.try_clone(more)?, first: self.first, whole: self.whole })
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn byte_len(&self) -> usize {
        self.pairs.byte_len()
    }

    pub(super) fn first(&self) -> Option<Timestamp> {
        self.first
    }

    pub(super) fn get(&self, name: &[u8]) -> Option<Field<'_>> {
        self.iter().find(|field| field.name == name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Field<'_>> {
        self.pairs.iter().map(|(name, coded)| {
            let (deadline, value) = decode(coded);
            Field { name, value, deadline }
        })
    }

    /// Sets a field, and its deadline with it. On an error nothing has changed.
    pub(super) fn set(&mut self, name: &[u8], value: &[u8], deadline: Option<Timestamp>) -> Result<(), OutOfMemory> {
        let old = self.deadline(name);
        match deadline {
            None => self.pairs.insert(name, &[&[PLAIN], value])?,
            Some(deadline) => self.pairs.insert(name, &[&dated(Some(deadline)), value])?,
        }
        self.moved(old, deadline);
        Ok(())
    }

    /// Makes sure that the next `set_deadline` of a field that is there cannot fail.
    pub(super) fn make_room(&mut self, name: &[u8]) -> Result<(), OutOfMemory> {
        match self.pairs.get(name) {
            Some([PLAIN, value @ ..]) => {
                let mut copy = Vec::new();
                copy.try_reserve_exact(value.len()).map_err(|_| OutOfMemory)?;
                copy.extend_from_slice(value);
                self.pairs.insert(name, &[&dated(None), &copy])
            }
            _ => Ok(()),
        }
    }

    /// Sets or clears a deadline; false for a field that is not there or has no room for one.
    pub(super) fn set_deadline(&mut self, name: &[u8], deadline: Option<Timestamp>) -> bool {
        let old = self.deadline(name);
        let Some(place) = self.pairs.value_mut(name).and_then(|coded| coded.first_chunk_mut::<DATED_BYTES>()) else {
            return false;
        };
        if place[0] != DATED {
            return false;
        }
        *place = dated(deadline);
        self.moved(old, deadline);
        true
    }

    pub(super) fn remove(&mut self, name: &[u8]) -> bool {
        let old = self.deadline(name);
        let removed = self.pairs.remove(name);
        self.moved(old, None);
        removed
    }

    /// The field with the earliest deadline.
    pub(super) fn first_field(&self) -> Option<&[u8]> {
        let first = self.first?;
        self.iter().find(|field| field.deadline == Some(first)).map(|field| field.name)
    }

    fn deadline(&self, name: &[u8]) -> Option<Timestamp> {
        self.get(name)?.deadline
    }

    /// Keeps the earliest deadline up to date when one was replaced.
    fn moved(&mut self, old: Option<Timestamp>, new: Option<Timestamp>) {
        if old.is_some() && old == self.first {
            self.first = self.iter().filter_map(|field| field.deadline).min();
        } else if let Some(new) = new {
            self.first = Some(self.first.map_or(new, |first| first.min(new)));
        }
    }
}

fn dated(deadline: Option<Timestamp>) -> [u8; DATED_BYTES] {
    let mut coded = [DATED; DATED_BYTES];
    coded[1..].copy_from_slice(&deadline.map_or(NONE, Timestamp::as_ms).to_le_bytes());
    coded
}

fn decode(coded: &[u8]) -> (Option<Timestamp>, &[u8]) {
    match coded.split_first_chunk::<DATED_BYTES>() {
        Some(([DATED, deadline @ ..], value)) => {
            let deadline = i64::from_le_bytes(*deadline);
            ((deadline != NONE).then_some(Timestamp::from_ms(deadline)), value)
        }
        _ => (None, coded.get(1..).unwrap_or_default()),
    }
}
