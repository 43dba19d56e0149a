//! Hashes: fields with values, and optional deadlines of fields. Deadlines are stored and compared, but the present
//! time is unknown here: an expired field stays until it is removed.

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

/// Bytes a hash is counted as besides its fields.
const BASE_BYTES: u64 = 32;
/// Limits of the packed form, which is used up to them even if Redis would report a hashtable. A hash index would
/// occupy whole pages.
const PACKED_FIELDS_MAX: usize = 128;
const PACKED_BYTES_MAX: usize = 8 * 1024;

/// Hash in its packed or large form.
#[derive(Clone, Debug)]
pub struct Hash {
    seed: u64,
    form: Form,
    /// Whether the hash has exceeded the limit of the compact encoding, in number or length of its fields.
    is_large: bool,
}

/// Iterator over the fields of a hash. A single type, so that it is compiled once.
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
    /// Creates an empty hash. `seed` determines the order of the large form.
    pub fn new(seed: u64) -> Hash {
        Hash { seed, form: Form::Small(Small::default()), is_large: false }
    }

    /// Copies the hash; an error replaces the abort when memory is exhausted.
    pub fn try_clone(&self) -> Result<Hash, OutOfMemory> {
        let form = match &self.form {
            Form::Small(small) => Form::Small(small.try_clone(0)?),
            Form::Large(_) => Form::Large(Box::new(self.to_large()?)),
        };
        Ok(Hash { seed: self.seed, form, is_large: self.is_large })
    }

    pub fn len(&self) -> usize {
        match &self.form {
            Form::Small(small) => small.len(),
            Form::Large(large) => large.len(),
        }
    }

    /// Frees up to `pieces` allocations and returns how many were freed. Afterwards only [`Hash::counted_bytes`] may be
    /// called.
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

    /// Sets a field. Returns whether it is new. On an error nothing has changed.
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
        let loc = small.locate(name);
        let len = small.len() + usize::from(loc.is_none());
        let bytes = small.byte_len() + name.len() + value.len();
        let is_large = self.is_large || len > limit.members || name.len() > limit.bytes || value.len() > limit.bytes;
        if is_large && (len > PACKED_FIELDS_MAX || bytes > PACKED_BYTES_MAX) {
            let mut large = self.to_large()?;
            let is_new = large.set(name, value, deadline)?;
            (self.form, self.is_large) = (Form::Large(Box::new(large)), true);
            return Ok(is_new);
        }
        small.set(loc, name, value, deadline)?;
        self.is_large = is_large;
        Ok(loc.is_none())
    }

    /// Sets fields and returns how many are new. On an error nothing has changed.
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
        let mut copy = self.try_clone()?;
        let mut added = usize::from(copy.set(name, value, deadline, limit)?);
        for (name, value) in core::iter::once(second).chain(pairs) {
            added += usize::from(copy.set(name, value, deadline, limit)?);
        }
        *self = copy;
        Ok(added)
    }

    /// Copies all fields into the large form.
    fn to_large(&self) -> Result<Large, OutOfMemory> {
        let mut large = Large::new(self.seed);
        large.whole = self.whole_deadline();
        for field in self.iter() {
            let deadline = field.deadline.map_or(NewDeadline::None, NewDeadline::At);
            large.set_all(&mut core::iter::once((&*field.name, &*field.value)), deadline)?;
        }
        Ok(large)
    }

    /// Reserves memory for the next [`Hash::set_deadline`] of each of these fields. Absent fields are skipped.
    pub fn try_reserve(&mut self, names: &mut dyn Iterator<Item = &[u8]>) -> Result<(), OutOfMemory> {
        for (index, name) in names.enumerate() {
            match &mut self.form {
                Form::Small(small) => small.reserve_deadline(name)?,
                Form::Large(large) => large.reserve_deadline(name, index + 1)?,
            }
        }
        Ok(())
    }

    /// Sets or clears the deadline of a field. Returns false if the field is absent or no memory was reserved.
    pub fn set_deadline(&mut self, name: &[u8], deadline: Option<Timestamp>) -> bool {
        match &mut self.form {
            Form::Small(small) => small.set_deadline(name, deadline),
            Form::Large(large) => large.set_deadline(name, deadline),
        }
    }

    /// Removes a field. Returns false if it was absent.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        match &mut self.form {
            Form::Small(small) => small.remove(name),
            Form::Large(large) => large.remove(name),
        }
    }

    /// Fields in the order of insertion while packed, otherwise in hash order.
    pub fn iter(&self) -> Fields<'_> {
        match &self.form {
            Form::Small(small) => Fields::Small(small.iter()),
            Form::Large(large) => Fields::Large(large, large.slots()),
        }
    }

    /// Visits about `count` fields from a cursor on and returns the next cursor; a scan starts and ends with 0. A
    /// packed hash is one page.
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(Field<'_>)) -> u64 {
        match &self.form {
            Form::Large(large) => large.page(cursor, count, visit),
            Form::Small(small) => {
                small.iter().for_each(visit);
                0
            }
        }
    }

    /// Returns a random field, uniformly distributed.
    pub fn random(&self, random: &mut Random) -> Option<Field<'_>> {
        match &self.form {
            Form::Large(large) => large.random(random),
            Form::Small(small) if small.len() == 0 => None,
            Form::Small(small) => small.iter().nth(random.below(small.len() as u64) as usize),
        }
    }

    /// Visits `count` random fields, each drawn like [`Hash::random`].
    pub fn random_ones(&self, count: usize, random: &mut Random, visit: &mut dyn FnMut(Field<'_>)) {
        match &self.form {
            Form::Large(large) => large.random_ones(count, random, visit),
            Form::Small(_) => (0..count).filter_map(|_| self.random(random)).for_each(visit),
        }
    }

    /// Earliest deadline of a field.
    pub fn first_deadline(&self) -> Option<Timestamp> {
        match &self.form {
            Form::Small(small) => small.first(),
            Form::Large(large) => large.first(),
        }
    }

    /// Field with the earliest deadline.
    pub fn first_expiring(&self) -> Option<Field<'_>> {
        match &self.form {
            Form::Small(small) => small.first_field(),
            Form::Large(large) => large.first_field(),
        }
    }

    /// Deadline of the key, as stored by [`Hash::note_whole_deadline`].
    pub fn whole_deadline(&self) -> Option<Timestamp> {
        match &self.form {
            Form::Small(small) => small.whole(),
            Form::Large(large) => large.whole,
        }
    }

    /// Stores the deadline of the key. A packed hash keeps it only once a field has had a deadline.
    pub fn note_whole_deadline(&mut self, deadline: Option<Timestamp>) {
        match &mut self.form {
            Form::Small(small) => small.set_whole(deadline),
            Form::Large(large) => large.whole = deadline,
        }
    }

    /// Encoding as reported by OBJECT ENCODING.
    pub fn encoding(&self) -> &'static str {
        match &self.form {
            _ if self.is_large => "hashtable",
            Form::Small(small) if small.is_timed() => "listpackex",
            Form::Small(_) => "listpack",
            Form::Large(_) => "hashtable",
        }
    }

    /// Bytes counted in used memory: a formula over the fields, equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES
            + match &self.form {
                Form::Small(small) => small.byte_len() as u64,
                Form::Large(large) => large.counted_bytes(),
            }
    }
}
