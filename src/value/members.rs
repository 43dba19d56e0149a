//! Byte strings that are there once, each with a value: what hashes, sets and sorted sets are made of. Small ones lie
//! packed in one block, in the order of insertion; larger ones are blocks of a slab behind a hash index.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::copied;
use super::hashed::{Hashed, hash_of};
use super::packed::{Packed, PackedPairs};
use crate::random::Random;
use crate::slab::OutOfMemory;
use crate::table::Slots;

/// How many members may be packed, and how long each may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedLimit {
    pub members: usize,
    pub bytes: usize,
}

/// The limit of sets and of sorted sets as Redis has it.
impl Default for PackedLimit {
    fn default() -> PackedLimit {
        PackedLimit { members: 128, bytes: 64 }
    }
}

/// What a collection costs beside its members.
const BASE_BYTES: u64 = 32;

#[derive(Clone, Debug)]
pub struct Members {
    seed: u64,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Packed(Packed),
    Table(Box<Hashed>),
}

impl Members {
    /// `seed` decides the order of large collections.
    pub fn new(seed: u64) -> Members {
        Members { seed, form: Form::Packed(Packed::default()) }
    }

    /// A copy, or an error instead of an abort when memory is short.
    pub fn try_clone(&self) -> Result<Members, OutOfMemory> {
        let form = match &self.form {
            Form::Packed(packed) => Form::Packed(packed.try_clone()?),
            Form::Table(_) => Form::Table(Box::new(self.hashed()?)),
        };
        Ok(Members { seed: self.seed, form })
    }

    pub fn len(&self) -> usize {
        match &self.form {
            Form::Packed(packed) => packed.len(),
            Form::Table(hashed) => hashed.table.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the members lie in one block.
    pub fn is_packed(&self) -> bool {
        matches!(self.form, Form::Packed(_))
    }

    pub fn contains(&self, member: &[u8]) -> bool {
        self.get(member).is_some()
    }

    pub fn get(&self, member: &[u8]) -> Option<&[u8]> {
        match &self.form {
            Form::Packed(packed) => packed.get(member),
            Form::Table(hashed) => hashed.get(self.hash(member), member),
        }
    }

    /// Adds a member or replaces its value; true when it is new. On an error nothing has changed.
    pub fn insert(&mut self, member: &[u8], value: &[u8], limit: PackedLimit) -> Result<bool, OutOfMemory> {
        let new = !self.contains(member);
        let fits = self.len() + usize::from(new) <= limit.members && member.len().max(value.len()) <= limit.bytes;
        if self.is_packed() && !fits {
            self.form = Form::Table(Box::new(self.hashed()?));
        }
        let hash = self.hash(member);
        match &mut self.form {
            Form::Packed(packed) => packed.insert(member, &[value])?,
            Form::Table(hashed) => hashed.insert(hash, member, value).map(drop)?,
        }
        Ok(new)
    }

    /// Takes a member away; false when it was not there.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        let hash = self.hash(member);
        match &mut self.form {
            Form::Packed(packed) => packed.remove(member),
            Form::Table(hashed) => hashed.remove(hash, member),
        }
    }

    /// Members with their values: in the order of insertion while packed, in hash order otherwise.
    pub fn iter(&self) -> Pairs<'_> {
        match &self.form {
            Form::Packed(packed) => Pairs::Packed(packed.iter()),
            Form::Table(hashed) => Pairs::Hashed(hashed, hashed.table.iter()),
        }
    }

    /// Visits about `count` members from a cursor on and answers the next one; 0 begins and ends. A packed collection
    /// is one page.
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(&[u8], &[u8])) -> u64 {
        match &self.form {
            Form::Packed(packed) => {
                packed.iter().for_each(|(member, value)| visit(member, value));
                0
            }
            Form::Table(hashed) => hashed.table.page(cursor, count, &mut |slot| {
                let (member, value) = hashed.pair(slot.handle);
                visit(member, value);
            }),
        }
    }

    /// Any member, all equally likely.
    pub fn random(&self, random: &mut Random) -> Option<(&[u8], &[u8])> {
        match &self.form {
            Form::Packed(packed) if packed.len() == 0 => None,
            Form::Packed(packed) => packed.iter().nth(random.below(packed.len() as u64) as usize),
            Form::Table(hashed) => hashed.table.random(random).map(|slot| hashed.pair(slot.handle)),
        }
    }

    /// A formula over the members, the same on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES
            + match &self.form {
                Form::Packed(packed) => packed.byte_len() as u64,
                Form::Table(hashed) => hashed.counted_bytes(),
            }
    }

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
    pub fn shed(&mut self, pieces: usize) -> usize {
        match &mut self.form {
            Form::Packed(_) => 0,
            Form::Table(hashed) => hashed.shed(pieces),
        }
    }

    fn hash(&self, member: &[u8]) -> u32 {
        match self.form {
            // A packed collection is searched, not hashed.
            Form::Packed(_) => 0,
            Form::Table(_) => hash_of(self.seed, member),
        }
    }

    /// A hashed copy of all members.
    fn hashed(&self) -> Result<Hashed, OutOfMemory> {
        let mut hashed = Hashed::default();
        for (member, value) in self.iter() {
            hashed.insert(hash_of(self.seed, member), member, value)?;
        }
        Ok(hashed)
    }
}

/// Members with their values, one after another. One type with one `next`: adapters would be compiled anew for everybody
/// who walks.
#[allow(missing_debug_implementations)] // only within the crate
pub enum Pairs<'a> {
    Packed(PackedPairs<'a>),
    Hashed(&'a Hashed, Slots<'a>),
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Pairs::Packed(pairs) => pairs.next(),
            Pairs::Hashed(hashed, slots) => slots.next().map(|slot| hashed.pair(slot.handle)),
        }
    }
}

/// The members as owned byte strings, or an error when memory is short.
pub fn owned<'m>(members: impl Iterator<Item = &'m [u8]>) -> Result<Vec<Vec<u8>>, OutOfMemory> {
    let mut copies = Vec::new();
    for member in members {
        copies.try_reserve(1).map_err(|_| OutOfMemory)?;
        copies.push(copied(member)?);
    }
    Ok(copies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use alloc::format;

    const LIMIT: PackedLimit = PackedLimit { members: 20, bytes: 30 };

    #[test]
    fn agrees_with_a_map_whatever_the_form() {
        for keys in [15, 400] {
            let mut random = Random::new(keys);
            let mut members = Members::new(3);
            let mut model: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
            for _ in 0..6_000 {
                let member = format!("m{}", random.below(keys)).into_bytes();
                if random.below(3) == 0 {
                    assert_eq!(members.remove(&member), model.remove(&member).is_some());
                } else {
                    let value = alloc::vec![b'v'; random.below(25) as usize];
                    let new = members.insert(&member, &value, LIMIT).unwrap();
                    assert_eq!(new, model.insert(member.clone(), value).is_none());
                }
                assert_eq!(members.get(&member), model.get(&member).map(Vec::as_slice));
                assert_eq!(members.len(), model.len());
            }
            assert_eq!(members.is_packed(), keys < 20);
            let found: BTreeMap<Vec<u8>, Vec<u8>> =
                members.iter().map(|(member, value)| (member.to_vec(), value.to_vec())).collect();
            assert_eq!(found, model);
            let (mut paged, mut cursor) = (0, 0);
            loop {
                cursor = members.page(cursor, 10, &mut |_, _| paged += 1);
                if cursor == 0 {
                    break;
                }
            }
            assert_eq!(paged, model.len());
            assert!(members.random(&mut random).is_some_and(|(member, _)| model.contains_key(member)));
        }
    }

    #[test]
    fn packed_members_keep_the_order_they_came_in() {
        let mut members = Members::new(0);
        for (member, value) in [("b", "1"), ("a", "2"), ("b", "three")] {
            members.insert(member.as_bytes(), value.as_bytes(), LIMIT).unwrap();
        }
        let pairs: Vec<_> = members.iter().collect();
        assert_eq!(pairs, [(&b"b"[..], &b"three"[..]), (&b"a"[..], &b"2"[..])]);
    }

    #[test]
    fn a_long_member_ends_the_packed_form() {
        let mut members = Members::new(0);
        members.insert(b"short", b"", LIMIT).unwrap();
        assert!(members.is_packed());
        members.insert(&[b'x'; 31], b"", LIMIT).unwrap();
        assert!(!members.is_packed() && members.contains(b"short"));
        assert_eq!(Members::new(0).random(&mut Random::new(1)), None);
    }
}
