//! Sets of byte strings.

use super::members::{Members, PackedLimit};
use crate::base::headroom::OutOfMemory;
use crate::base::number::parse_integer;
use crate::base::random::Random;

/// Limits of the compact encodings of sets: `set-max-*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SetLimit {
    pub packed: PackedLimit,
    /// Number of members of a set that contains only integers.
    pub integers: usize,
}

impl Default for SetLimit {
    fn default() -> SetLimit {
        SetLimit { packed: PackedLimit::default(), integers: 512 }
    }
}

/// Set of byte strings with the encoding Redis would report.
#[derive(Clone, Debug)]
pub struct Set {
    members: Members,
    /// Whether only integers were ever added.
    integers_only: bool,
}

impl Set {
    pub fn new(seed: u64) -> Set {
        Set { members: Members::new(seed), integers_only: true }
    }

    /// Copies the set; an error replaces the abort when memory is exhausted.
    pub fn try_clone(&self) -> Result<Set, OutOfMemory> {
        Ok(Set { members: self.members.try_clone()?, integers_only: self.integers_only })
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub fn contains(&self, member: &[u8]) -> bool {
        self.members.contains(member)
    }

    /// Adds a member. Returns false if it was present. On an error the members are unchanged.
    pub fn insert(&mut self, member: &[u8], limit: SetLimit) -> Result<bool, OutOfMemory> {
        let mut integers_only = self.integers_only;
        let is_new = self.members.insert(member, || {
            integers_only = integers_only && parse_integer(member).is_some();
            let members = if integers_only { limit.integers } else { limit.packed.members };
            PackedLimit { members, ..limit.packed }
        })?;
        self.integers_only = integers_only;
        Ok(is_new)
    }

    /// Removes a member. Returns false if it was absent.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        self.members.remove(member)
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.members.iter()
    }

    /// Visits one page of members; see [`Members::page`].
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(&[u8])) -> u64 {
        self.members.page(cursor, count, visit)
    }

    /// Returns a random member, uniformly distributed.
    pub fn random(&self, random: &mut Random) -> Option<&[u8]> {
        self.members.random(random)
    }

    /// Visits `count` random members, with repetitions; see [`Members::random_ones`].
    pub fn random_ones(&self, count: usize, random: &mut Random, visit: &mut dyn FnMut(&[u8])) {
        self.members.random_ones(count, random, visit);
    }

    /// Encoding as reported by OBJECT ENCODING.
    pub fn encoding(&self) -> &'static str {
        match (self.members.is_packed(), self.integers_only) {
            (false, _) => "hashtable",
            (true, true) => "intset",
            (true, false) => "listpack",
        }
    }

    /// Frees up to `pieces` allocations and returns how many were freed. Afterwards only [`Set::counted_bytes`] may be
    /// called.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        self.members.free_step(pieces)
    }

    pub fn counted_bytes(&self) -> u64 {
        self.members.counted_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn the_encoding_follows_the_members_added() {
        let limit = SetLimit::default();
        let mut set = Set::new(1);
        for number in 0..512 {
            assert_eq!(set.insert(format!("{number}").as_bytes(), limit), Ok(true));
        }
        assert_eq!((set.encoding(), set.insert(b"7", limit)), ("intset", Ok(false)));
        set.insert(b"512", limit).unwrap();
        assert_eq!(set.encoding(), "hashtable");
        let mut small = Set::new(1);
        small.insert(b"1", limit).unwrap();
        small.insert(b"a", limit).unwrap();
        assert!(small.remove(b"a") && !small.remove(b"a"));
        assert_eq!(small.encoding(), "listpack", "Redis does not turn back either");
    }
}
