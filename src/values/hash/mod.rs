//! A hash: fields with values, some of them with a deadline of their own. It compares deadlines but knows no present:
//! a field whose deadline has passed is there until somebody removes it.

mod field;
mod large;
mod new_deadline;
mod small;
mod text;

#[cfg(test)]
mod tests;

use alloc::boxed::Box;

pub use field::Field;
pub use new_deadline::NewDeadline;
pub use text::Text;

use self::large::Large;
use self::small::Small;
use super::members::PackedLimit;
use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::base::random::Random;
use crate::store::hash_index::Slots;

/// What a hash costs beside its fields.
const BASE_BYTES: u64 = 32;
/// One block is kept up to so many fields and bytes, also where Redis would call the hash large: a table takes whole
/// pages.
const PACKED_FIELDS_MAX: usize = 128;
const PACKED_BYTES_MAX: usize = 8 * 1024;

#[derive(Clone, Debug)]
pub struct Hash {
    seed: u64,
    form: Form,
    /// It had more fields, or longer ones, than the limit of the compact form allows.
    is_large: bool,
}

/// The fields of a hash, one after another: in one copy for all who walk.
#[allow(missing_debug_implementations)] // only within the crate
pub enum Fields<'a> {
    Small(small::Fields<'a>),
    Large(&'a Large, Slots<'a>),
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<Field<'a>> {
        match self {
            Fields::Small(fields) => fields.next(),
            Fields::Large(large, slots) => slots.next().map(|slot| large.field(slot.handle)),
        }
    }
}

#[derive(Clone, Debug)]
enum Form {
    Small(Small),
    Large(Box<Large>),
}

impl Hash {
    /// `seed` decides the order of large hashes.
    pub fn new(seed: u64) -> Hash {
        Hash { seed, form: Form::Small(Small::default()), is_large: false }
    }

    /// A copy, or an error instead of an abort when memory is short.
    pub fn try_clone(&self) -> Result<Hash, OutOfMemory> {
        let form = match &self.form {
            Form::Small(small) => Form::Small(small.try_clone(0)?),
            Form::Large(_) => Form::Large(Box::new(self.enlarged()?)),
        };
        Ok(Hash { seed: self.seed, form, is_large: self.is_large })
    }

    pub fn len(&self) -> usize {
        match &self.form {
            Form::Small(small) => small.len(),
            Form::Large(large) => large.len(),
        }
    }

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        match &mut self.form {
            Form::Small(_) => 0,
            Form::Large(large) => large.free_step(pieces),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn find(&self, name: &[u8]) -> Option<Field<'_>> {
        match &self.form {
            Form::Small(small) => small.get(name),
            Form::Large(large) => large.get(name),
        }
    }

    pub fn get(&self, name: &[u8]) -> Option<Text<'_>> {
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
        let small = match &mut self.form {
            Form::Small(small) => small,
            Form::Large(large) => return large.set(name, value, deadline),
        };
        let place = small.place_of(name);
        let len = small.len() + usize::from(place.is_none());
        let bytes = small.byte_len() + name.len() + value.len();
        let is_large = self.is_large || len > limit.members || name.len() > limit.bytes || value.len() > limit.bytes;
        if is_large && (len > PACKED_FIELDS_MAX || bytes > PACKED_BYTES_MAX) {
            let mut large = self.enlarged()?;
            let is_new = large.set(name, value, deadline)?;
            (self.form, self.is_large) = (Form::Large(Box::new(large)), true);
            return Ok(is_new);
        }
        small.set(place, name, value, deadline)?;
        self.is_large = is_large;
        Ok(place.is_none())
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
        let Some((name, value)) = pairs.next() else { return Ok(0) };
        let Some(second) = pairs.next() else { return self.set(name, value, deadline, limit).map(usize::from) };
        let mut draft = self.try_clone()?;
        let mut added = usize::from(draft.set(name, value, deadline, limit)?);
        for (name, value) in core::iter::once(second).chain(pairs) {
            added += usize::from(draft.set(name, value, deadline, limit)?);
        }
        *self = draft;
        Ok(added)
    }

    /// A copy of all fields in the large form.
    fn enlarged(&self) -> Result<Large, OutOfMemory> {
        let mut large = Large::new(self.seed);
        large.whole = self.whole_deadline();
        for field in self.iter() {
            let deadline = field.deadline.map_or(NewDeadline::None, NewDeadline::At);
            large.set_all(&mut core::iter::once((&*field.name, &*field.value)), deadline)?;
        }
        Ok(large)
    }

    /// Makes sure that the next [`Hash::set_deadline`] of each of these fields that is there finds a place.
    pub fn make_room(&mut self, names: &mut dyn Iterator<Item = &[u8]>) -> Result<(), OutOfMemory> {
        for (before, name) in names.enumerate() {
            match &mut self.form {
                Form::Small(small) => small.make_room(name)?,
                Form::Large(large) => large.make_room(name, before + 1)?,
            }
        }
        Ok(())
    }

    /// Sets or clears the deadline of a field; false when it is not there, or when there is no place for a deadline.
    pub fn set_deadline(&mut self, name: &[u8], deadline: Option<Timestamp>) -> bool {
        match &mut self.form {
            Form::Small(small) => small.set_deadline(name, deadline),
            Form::Large(large) => large.set_deadline(name, deadline),
        }
    }

    /// Takes a field away; false when it was not there.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        match &mut self.form {
            Form::Small(small) => small.remove(name),
            Form::Large(large) => large.remove(name),
        }
    }

    /// Fields: in the order of insertion while packed, in hash order otherwise.
    pub fn iter(&self) -> Fields<'_> {
        match &self.form {
            Form::Small(small) => Fields::Small(small.iter()),
            Form::Large(large) => Fields::Large(large, large.slots()),
        }
    }

    /// Visits about `count` fields from a cursor on and answers the next one; 0 begins and ends. A packed hash is one
    /// page.
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(Field<'_>)) -> u64 {
        match &self.form {
            Form::Large(large) => large.page(cursor, count, visit),
            Form::Small(small) => {
                small.iter().for_each(visit);
                0
            }
        }
    }

    /// Any field, all equally likely.
    pub fn random(&self, random: &mut Random) -> Option<Field<'_>> {
        match &self.form {
            Form::Large(large) => large.random(random),
            Form::Small(small) if small.len() == 0 => None,
            Form::Small(small) => small.iter().nth(random.below(small.len() as u64) as usize),
        }
    }

    /// The earliest deadline of a field.
    pub fn first_deadline(&self) -> Option<Timestamp> {
        match &self.form {
            Form::Small(small) => small.first(),
            Form::Large(large) => large.first(),
        }
    }

    /// The field whose deadline is the earliest.
    pub fn first_expiring(&self) -> Option<Field<'_>> {
        match &self.form {
            Form::Small(small) => small.first_field(),
            Form::Large(large) => large.first_field(),
        }
    }

    /// The deadline of the whole hash, as its owner noted it.
    pub fn whole_deadline(&self) -> Option<Timestamp> {
        match &self.form {
            Form::Small(small) => small.whole(),
            Form::Large(large) => large.whole,
        }
    }

    /// Notes the deadline of the whole hash. Only a hash that has [`Hash::first_deadline`] keeps it.
    pub fn note_whole_deadline(&mut self, deadline: Option<Timestamp>) {
        match &mut self.form {
            Form::Small(small) => small.note_whole(deadline),
            Form::Large(large) => large.whole = deadline,
        }
    }

    /// The name Redis gives such a representation.
    pub fn encoding(&self) -> &'static str {
        match &self.form {
            _ if self.is_large => "hashtable",
            Form::Small(small) if small.is_timed() => "listpackex",
            Form::Small(_) => "listpack",
            Form::Large(_) => "hashtable",
        }
    }

    /// A formula over the fields, the same on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES
            + match &self.form {
                Form::Small(small) => small.byte_len() as u64,
                Form::Large(large) => large.counted_bytes(),
            }
    }
}
