//! A hash: fields with values, some of them with a deadline of their own. It compares deadlines but knows no present:
//! a field whose deadline has passed is there until somebody removes it.

mod large;
mod timed;

#[cfg(test)]
mod tests;

use alloc::boxed::Box;

use self::large::Large;
use self::timed::Timed;
use super::members::PackedLimit;
use super::packed::Packed;
use crate::clock::Timestamp;
use crate::random::Random;
use crate::slab::OutOfMemory;

/// What a hash costs beside its fields.
const BASE_BYTES: u64 = 32;
/// One block is kept up to so many fields and bytes, also where Redis would call the hash large: a table takes whole
/// pages.
const PACKED_FIELDS_MAX: usize = 128;
const PACKED_BYTES_MAX: usize = 8 * 1024;

/// A field seen where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field<'a> {
    pub name: &'a [u8],
    pub value: &'a [u8],
    pub deadline: Option<Timestamp>,
}

/// What becomes of the deadline of a field that is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewDeadline {
    /// It goes.
    None,
    /// It stays, if there is one.
    Keep,
    At(Timestamp),
}

#[derive(Clone, Debug)]
pub struct Hash {
    seed: u64,
    form: Form,
    /// It had more fields, or longer ones, than the limit of the compact form allows.
    is_large: bool,
}

#[derive(Clone, Debug)]
enum Form {
    /// No field ever had a deadline.
    Plain(Packed),
    Timed(Box<Timed>),
    Large(Box<Large>),
}

impl Hash {
    /// `seed` decides the order of large hashes.
    pub fn new(seed: u64) -> Hash {
        Hash { seed, form: Form::Plain(Packed::default()), is_large: false }
    }

    /// A copy, or an error instead of an abort when memory is short.
    pub fn try_clone(&self) -> Result<Hash, OutOfMemory> {
        let form = match &self.form {
            Form::Plain(pairs) => Form::Plain(pairs.try_clone(0)?),
            Form::Timed(timed) => Form::Timed(Box::new(timed.try_clone(0)?)),
            Form::Large(_) => Form::Large(Box::new(self.enlarged()?)),
        };
        Ok(Hash { seed: self.seed, form, is_large: self.is_large })
    }

    pub fn len(&self) -> usize {
        match &self.form {
            Form::Plain(pairs) => pairs.len(),
            Form::Timed(timed) => timed.len(),
            Form::Large(large) => large.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn find(&self, name: &[u8]) -> Option<Field<'_>> {
        match &self.form {
            Form::Plain(pairs) => plain(pairs).find(|field| field.name == name),
            Form::Timed(timed) => timed.get(name),
            Form::Large(large) => large.get(name),
        }
    }

    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.find(name).map(|field| field.value)
    }

    pub fn contains(&self, name: &[u8]) -> bool {
        self.find(name).is_some()
    }

    /// Sets a field; true when it was not there before. On an error nothing has changed.
    pub fn set(
        &mut self,
        name: &[u8],
        value: &[u8],
        deadline: NewDeadline,
        limit: PackedLimit,
    ) -> Result<bool, OutOfMemory> {
        let pair = &mut core::iter::once((name, value));
        let added = match &mut self.form {
            Form::Large(large) => large.set_all(pair, deadline)?,
            // One field is set or not.
            _ => self.fill(pair, deadline, limit)?,
        };
        Ok(added > 0)
    }

    /// Sets fields; answers how many are new. On an error nothing has changed.
    pub fn set_all<'p>(
        &mut self,
        pairs: &mut dyn Iterator<Item = (&'p [u8], &'p [u8])>,
        deadline: NewDeadline,
        limit: PackedLimit,
    ) -> Result<usize, OutOfMemory> {
        if let Form::Large(large) = &mut self.form {
            return large.set_all(pairs, deadline);
        }
        let mut draft = self.try_clone()?;
        let added = draft.fill(pairs, deadline, limit)?;
        *self = draft;
        Ok(added)
    }

    /// Sets fields one by one: on an error some are set.
    fn fill<'p>(
        &mut self,
        pairs: &mut dyn Iterator<Item = (&'p [u8], &'p [u8])>,
        deadline: NewDeadline,
        limit: PackedLimit,
    ) -> Result<usize, OutOfMemory> {
        let mut added = 0;
        while let Some((name, value)) = pairs.next() {
            let old = self.find(name).map(|field| field.deadline);
            let len = self.len() + usize::from(old.is_none());
            let is_large =
                self.is_large || len > limit.members || name.len() > limit.bytes || value.len() > limit.bytes;
            let bytes = self.packed_bytes() + name.len() + value.len();
            if is_large && (len > PACKED_FIELDS_MAX || bytes > PACKED_BYTES_MAX) {
                let mut large = self.enlarged()?;
                added += large.set_all(&mut core::iter::once((name, value)).chain(pairs), deadline)?;
                (self.form, self.is_large) = (Form::Large(Box::new(large)), true);
                return Ok(added);
            }
            let deadline = match deadline {
                NewDeadline::None => None,
                NewDeadline::Keep => old.flatten(),
                NewDeadline::At(deadline) => Some(deadline),
            };
            self.set_packed(name, value, deadline)?;
            self.is_large = is_large;
            added += usize::from(old.is_none());
        }
        Ok(added)
    }

    fn packed_bytes(&self) -> usize {
        match &self.form {
            Form::Plain(pairs) => pairs.byte_len(),
            Form::Timed(timed) => timed.byte_len(),
            Form::Large(_) => 0,
        }
    }

    fn set_packed(&mut self, name: &[u8], value: &[u8], deadline: Option<Timestamp>) -> Result<(), OutOfMemory> {
        if deadline.is_some() {
            self.allow_deadlines()?;
        }
        match &mut self.form {
            Form::Plain(pairs) => pairs.insert(name, &[value]),
            Form::Timed(timed) => timed.set(name, value, deadline),
            Form::Large(_) => Ok(()),
        }
    }

    fn allow_deadlines(&mut self) -> Result<(), OutOfMemory> {
        if let Form::Plain(pairs) = &self.form {
            self.form = Form::Timed(Box::new(Timed::of(pairs)?));
        }
        Ok(())
    }

    /// A copy of all fields in the large form.
    fn enlarged(&self) -> Result<Large, OutOfMemory> {
        let mut large = Large::new(self.seed);
        large.whole = self.whole_deadline();
        for field in self.iter() {
            let deadline = field.deadline.map_or(NewDeadline::None, NewDeadline::At);
            large.set_all(&mut core::iter::once((field.name, field.value)), deadline)?;
        }
        Ok(large)
    }

    /// Makes sure that the next [`Hash::set_deadline`] of each of these fields that is there finds a place.
    pub fn make_room(&mut self, names: &mut dyn Iterator<Item = &[u8]>) -> Result<(), OutOfMemory> {
        self.allow_deadlines()?;
        for (before, name) in names.enumerate() {
            match &mut self.form {
                Form::Plain(_) => {}
                Form::Timed(timed) => timed.make_room(name)?,
                Form::Large(large) => large.make_room(name, before + 1)?,
            }
        }
        Ok(())
    }

    /// Sets or clears the deadline of a field; false when it is not there, or when there is no place for a deadline.
    pub fn set_deadline(&mut self, name: &[u8], deadline: Option<Timestamp>) -> bool {
        match &mut self.form {
            Form::Plain(_) => false,
            Form::Timed(timed) => timed.set_deadline(name, deadline),
            Form::Large(large) => large.set_deadline(name, deadline),
        }
    }

    /// Takes a field away; false when it was not there.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        match &mut self.form {
            Form::Plain(pairs) => pairs.remove(name),
            Form::Timed(timed) => timed.remove(name),
            Form::Large(large) => large.remove(name),
        }
    }

    /// Fields: in the order of insertion while packed, in hash order otherwise.
    pub fn iter(&self) -> impl Iterator<Item = Field<'_>> {
        let (pairs, timed, large) = match &self.form {
            Form::Plain(pairs) => (Some(plain(pairs)), None, None),
            Form::Timed(timed) => (None, Some(timed.iter()), None),
            Form::Large(large) => (None, None, Some(large.iter())),
        };
        let packed = pairs.into_iter().flatten().chain(timed.into_iter().flatten());
        packed.chain(large.into_iter().flatten())
    }

    /// Visits about `count` fields from a cursor on and answers the next one; 0 begins and ends. A packed hash is one
    /// page.
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(Field<'_>)) -> u64 {
        match &self.form {
            Form::Large(large) => large.page(cursor, count, visit),
            _ => {
                self.iter().for_each(visit);
                0
            }
        }
    }

    /// Any field, all equally likely.
    pub fn random(&self, random: &mut Random) -> Option<Field<'_>> {
        match &self.form {
            Form::Large(large) => large.random(random),
            _ if self.is_empty() => None,
            _ => self.iter().nth(random.below(self.len() as u64) as usize),
        }
    }

    /// The earliest deadline of a field.
    pub fn first_deadline(&self) -> Option<Timestamp> {
        match &self.form {
            Form::Plain(_) => None,
            Form::Timed(timed) => timed.first(),
            Form::Large(large) => large.first(),
        }
    }

    /// The field whose deadline is the earliest.
    pub fn first_to_die(&self) -> Option<&[u8]> {
        match &self.form {
            Form::Plain(_) => None,
            Form::Timed(timed) => timed.first_field(),
            Form::Large(large) => large.first_field(),
        }
    }

    /// The deadline of the whole hash, as its owner noted it.
    pub fn whole_deadline(&self) -> Option<Timestamp> {
        match &self.form {
            Form::Plain(_) => None,
            Form::Timed(timed) => timed.whole,
            Form::Large(large) => large.whole,
        }
    }

    /// Notes the deadline of the whole hash. Only a hash that has [`Hash::first_deadline`] keeps it.
    pub fn note_whole_deadline(&mut self, deadline: Option<Timestamp>) {
        match &mut self.form {
            Form::Plain(_) => {}
            Form::Timed(timed) => timed.whole = deadline,
            Form::Large(large) => large.whole = deadline,
        }
    }

    /// The name Redis gives such a representation.
    pub fn encoding(&self) -> &'static str {
        match &self.form {
            _ if self.is_large => "hashtable",
            Form::Plain(_) => "listpack",
            Form::Timed(_) => "listpackex",
            Form::Large(_) => "hashtable",
        }
    }

    /// A formula over the fields, the same on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES
            + match &self.form {
                Form::Large(large) => large.counted_bytes(),
                _ => self.packed_bytes() as u64,
            }
    }
}

fn plain(pairs: &Packed) -> impl Iterator<Item = Field<'_>> {
    pairs.iter().map(|(name, value)| Field { name, value, deadline: None })
}
