//! Byte strings that are there once: what sets are made of. Small ones lie packed in one block, in the order of insertion;
//! larger ones are blocks of a slab behind a hash index.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::hashed::{Hashed, hash_of};
use super::packed::{Packed, PackedPairs};
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::base::random::Random;
use crate::store::hash_index::Slots;

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
    HashIndex(Box<Hashed>),
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
            Form::HashIndex(_) => Form::HashIndex(Box::new(self.hashed()?)),
        };
        Ok(Members { seed: self.seed, form })
    }

    pub fn len(&self) -> usize {
        match &self.form {
            Form::Packed(packed) => packed.len(),
            Form::HashIndex(hashed) => hashed.table.len(),
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
        match &self.form {
            Form::Packed(packed) => packed.find(member).is_some(),
            Form::HashIndex(hashed) => hashed.find(self.hash(member), member).is_some(),
        }
    }

    /// Adds a member; false when it was there. Only a new one asks for the limit. On an error nothing has changed.
    pub fn insert(&mut self, member: &[u8], limit: impl FnOnce() -> PackedLimit) -> Result<bool, OutOfMemory> {
        if self.contains(member) {
            return Ok(false);
        }
        if let Form::Packed(packed) = &mut self.form {
            let limit = limit();
            if packed.len() < limit.members && member.len() <= limit.bytes {
                packed.add(member)?;
                return Ok(true);
            }
            self.form = Form::HashIndex(Box::new(self.hashed()?));
        }
        if let Form::HashIndex(hashed) = &mut self.form {
            hashed.add(hash_of(self.seed, member), member, b"")?;
        }
        Ok(true)
    }

    /// Takes a member away; false when it was not there.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        let hash = self.hash(member);
        match &mut self.form {
            Form::Packed(packed) => packed.remove(member),
            Form::HashIndex(hashed) => hashed.remove(hash, member),
        }
    }

    /// Members: in the order of insertion while packed, in hash order otherwise.
    pub fn iter(&self) -> Iter<'_> {
        match &self.form {
            Form::Packed(packed) => Iter::Packed(packed.iter()),
            Form::HashIndex(hashed) => Iter::Hashed(hashed, hashed.table.iter()),
        }
    }

    /// Visits about `count` members from a cursor on and answers the next one; 0 begins and ends. A packed collection
    /// is one page.
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(&[u8])) -> u64 {
        match &self.form {
            Form::Packed(packed) => {
                packed.iter().for_each(|(member, _)| visit(member));
                0
            }
            Form::HashIndex(hashed) => hashed.table.page(cursor, count, &mut |slot| visit(hashed.pair(slot.handle).0)),
        }
    }

    /// Any member, all equally likely.
    pub fn random(&self, random: &mut Random) -> Option<&[u8]> {
        let (member, _) = match &self.form {
            Form::Packed(packed) if packed.len() == 0 => None,
            Form::Packed(packed) => packed.iter().nth(random.below(packed.len() as u64) as usize),
            Form::HashIndex(hashed) => hashed.table.random(random).map(|slot| hashed.pair(slot.handle)),
        }?;
        Some(member)
    }

    /// A formula over the members, the same on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES
            + match &self.form {
                Form::Packed(packed) => packed.byte_len() as u64,
                Form::HashIndex(hashed) => hashed.counted_bytes(),
            }
    }

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        match &mut self.form {
            Form::Packed(_) => 0,
            Form::HashIndex(hashed) => hashed.free_step(pieces),
        }
    }

    fn hash(&self, member: &[u8]) -> u32 {
        match self.form {
            // A packed collection is searched, not hashed.
            Form::Packed(_) => 0,
            Form::HashIndex(_) => hash_of(self.seed, member),
        }
    }

    /// A hashed copy of all members.
    fn hashed(&self) -> Result<Hashed, OutOfMemory> {
        let mut hashed = Hashed::default();
        for member in self.iter() {
            hashed.add(hash_of(self.seed, member), member, b"")?;
        }
        Ok(hashed)
    }
}

/// Members, one after another. One type with one `next`: adapters would be compiled anew for every caller.
#[allow(missing_debug_implementations)] // only within the crate
pub enum Iter<'a> {
    Packed(PackedPairs<'a>),
    Hashed(&'a Hashed, Slots<'a>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    #[inline(never)]
    fn next(&mut self) -> Option<&'a [u8]> {
        let (member, _) = match self {
            Iter::Packed(pairs) => pairs.next(),
            Iter::Hashed(hashed, slots) => slots.next().map(|slot| hashed.pair(slot.handle)),
        }?;
        Some(member)
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
    use alloc::collections::BTreeSet;

    const LIMIT: PackedLimit = PackedLimit { members: 20, bytes: 300 };
    const LENS: [usize; 10] = [0, 1, 7, 8, 9, 63, 64, 127, 128, 300];

    /// Long ones differ in one byte.
    fn member(random: &mut Random, members: u64) -> Vec<u8> {
        let number = random.below(members) as usize;
        let mut member = alloc::vec![b'm'; LENS[number % LENS.len()]];
        if let Some(byte) = member.get_mut(number / LENS.len() % 8) {
            *byte = (number / LENS.len()) as u8;
        }
        member
    }

    #[test]
    fn agrees_with_a_set_whatever_the_form() {
        for count in [19, 400] {
            let mut random = Random::new(count);
            let (mut members, mut model) = (Members::new(3), BTreeSet::new());
            for _ in 0..6_000 {
                let member = member(&mut random, count);
                if random.below(3) == 0 {
                    assert_eq!(members.remove(&member), model.remove(&member));
                } else {
                    assert_eq!(members.insert(&member, || LIMIT), Ok(model.insert(member.clone())));
                }
                assert_eq!(members.contains(&member), model.contains(&member));
                assert_eq!(members.len(), model.len());
            }
            assert_eq!(members.is_packed(), count < 20);
            assert_eq!(members.iter().map(<[u8]>::to_vec).collect::<BTreeSet<_>>(), model);
            let copy = members.try_clone().unwrap();
            assert!(copy.iter().eq(members.iter()));
            let (mut paged, mut cursor) = (0, 0);
            loop {
                cursor = members.page(cursor, 10, &mut |_| paged += 1);
                if cursor == 0 {
                    break;
                }
            }
            assert_eq!(paged, model.len());
            assert!(members.random(&mut random).is_some_and(|member| model.contains(member)));
        }
    }

    #[test]
    fn packed_members_keep_the_order_they_came_in() {
        let mut members = Members::new(0);
        for member in [&b"b"[..], b"a", b"b", b"c"] {
            members.insert(member, || LIMIT).unwrap();
        }
        members.remove(b"a");
        assert!(members.iter().eq([b"b", b"c"]));
    }

    #[test]
    fn a_long_member_ends_the_packed_form() {
        let mut members = Members::new(0);
        members.insert(b"short", || LIMIT).unwrap();
        members.insert(b"short", || PackedLimit { members: 0, bytes: 0 }).unwrap();
        assert!(members.is_packed(), "nothing is new");
        members.insert(&[b'x'; 301], || LIMIT).unwrap();
        assert!(!members.is_packed() && members.contains(b"short"));
        assert_eq!(Members::new(0).random(&mut Random::new(1)), None);
    }
}
