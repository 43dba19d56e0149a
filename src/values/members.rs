//! Distinct byte strings, the members of sets. Small collections are packed in one block, in the order of insertion.
//! Larger ones are blocks of a slab behind a hash index.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::hashed::{Hashed, hash_of};
use super::packed::{Packed, PackedPairs};
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::base::random::Random;
use crate::store::hash_index::Slots;

/// Limit of the packed form: number of members, and length of each in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedLimit {
    pub members: usize,
    pub bytes: usize,
}

/// Default limit of Redis for sets and sorted sets.
impl Default for PackedLimit {
    fn default() -> PackedLimit {
        PackedLimit { members: 128, bytes: 64 }
    }
}

/// Bytes a collection is counted as besides its members.
const BASE_BYTES: u64 = 32;

/// Distinct members in their packed or hashed form.
#[derive(Clone, Debug)]
pub struct Members {
    seed: u64,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Packed(Packed),
    Hashed(Box<Hashed>),
}

impl Members {
    /// Creates an empty collection. `seed` determines the order of the hashed form.
    pub fn new(seed: u64) -> Members {
        Members { seed, form: Form::Packed(Packed::default()) }
    }

    /// Copies the members; an error replaces the abort when memory is exhausted.
    pub fn try_clone(&self) -> Result<Members, OutOfMemory> {
        let form = match &self.form {
            Form::Packed(packed) => Form::Packed(packed.try_clone()?),
            Form::Hashed(_) => Form::Hashed(Box::new(self.hashed()?)),
        };
        Ok(Members { seed: self.seed, form })
    }

    pub fn len(&self) -> usize {
        match &self.form {
            Form::Packed(packed) => packed.len(),
            Form::Hashed(hashed) => hashed.index.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the members are packed in one block.
    pub fn is_packed(&self) -> bool {
        matches!(self.form, Form::Packed(_))
    }

    pub fn contains(&self, member: &[u8]) -> bool {
        match &self.form {
            Form::Packed(packed) => packed.find(member).is_some(),
            Form::Hashed(hashed) => hashed.find(self.hash(member), member).is_some(),
        }
    }

    /// Adds a member. Returns false if it was present; `limit` is called only for a new one. On an error the members
    /// are unchanged.
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
            self.form = Form::Hashed(Box::new(self.hashed()?));
        }
        if let Form::Hashed(hashed) = &mut self.form {
            hashed.add(hash_of(self.seed, member), member, b"")?;
        }
        Ok(true)
    }

    /// Removes a member. Returns false if it was absent.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        let hash = self.hash(member);
        match &mut self.form {
            Form::Packed(packed) => packed.remove(member),
            Form::Hashed(hashed) => hashed.remove(hash, member),
        }
    }

    /// Members in the order of insertion while packed, otherwise in hash order.
    pub fn iter(&self) -> Iter<'_> {
        match &self.form {
            Form::Packed(packed) => Iter::Packed(packed.iter()),
            Form::Hashed(hashed) => Iter::Hashed(hashed, hashed.index.iter()),
        }
    }

    /// Visits about `count` members from a cursor on and returns the next cursor; a scan starts and ends with 0. A
    /// packed collection is one page.
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(&[u8])) -> u64 {
        match &self.form {
            Form::Packed(packed) => {
                packed.iter().for_each(|(member, _)| visit(member));
                0
            }
            Form::Hashed(hashed) => hashed.index.page(cursor, count, &mut |slot| visit(hashed.pair(slot.handle).0)),
        }
    }

    /// Returns a random member, uniformly distributed.
    pub fn random(&self, random: &mut Random) -> Option<&[u8]> {
        let (member, _) = match &self.form {
            Form::Packed(packed) if packed.len() == 0 => None,
            Form::Packed(packed) => packed.iter().nth(random.below(packed.len() as u64) as usize),
            Form::Hashed(hashed) => hashed.index.random(random).map(|slot| hashed.pair(slot.handle)),
        }?;
        Some(member)
    }

    /// Visits `count` random members, each drawn like [`Members::random`].
    pub fn random_ones(&self, count: usize, random: &mut Random, visit: &mut dyn FnMut(&[u8])) {
        match &self.form {
            Form::Packed(_) => (0..count).filter_map(|_| self.random(random)).for_each(visit),
            Form::Hashed(hashed) => {
                let mut draws = hashed.index.draws(count);
                (0..count).filter_map(|_| draws.next(random)).for_each(|slot| visit(hashed.pair(slot.handle).0));
            }
        }
    }

    /// Bytes counted in used memory: a formula over the members, equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES
            + match &self.form {
                Form::Packed(packed) => packed.byte_len() as u64,
                Form::Hashed(hashed) => hashed.counted_bytes(),
            }
    }

    /// Frees up to `pieces` allocations and returns how many were freed. Afterwards only [`Members::counted_bytes`] may
    /// be called.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        match &mut self.form {
            Form::Packed(_) => 0,
            Form::Hashed(hashed) => hashed.free_step(pieces),
        }
    }

    fn hash(&self, member: &[u8]) -> u32 {
        match self.form {
            // The packed form is searched without a hash.
            Form::Packed(_) => 0,
            Form::Hashed(_) => hash_of(self.seed, member),
        }
    }

    /// Copies all members into the hashed form.
    fn hashed(&self) -> Result<Hashed, OutOfMemory> {
        let mut hashed = Hashed::default();
        for member in self.iter() {
            hashed.add(hash_of(self.seed, member), member, b"")?;
        }
        Ok(hashed)
    }
}

/// Iterator over members. A single type, because iterator adapters would be compiled anew for every caller.
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

/// Copies members into owned byte strings; an error replaces the abort when memory is exhausted.
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

    /// Members of several lengths; those of equal length differ in one byte.
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
    fn packed_members_keep_the_order_of_insertion() {
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
