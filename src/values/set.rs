//! A set of byte strings.

use super::members::{Members, PackedLimit};
use crate::base::headroom::OutOfMemory;
use crate::base::number::parse_integer;
use crate::base::random::Random;

/// `set-max-*`: how large a set may be and still be compact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SetLimit {
    pub packed: PackedLimit,
    /// Sets of nothing but integers may have this many members.
    pub integers: usize,
}

impl Default for SetLimit {
    fn default() -> SetLimit {
        SetLimit { packed: PackedLimit::default(), integers: 512 }
    }
}

#[derive(Clone, Debug)]
pub struct Set {
    members: Members,
    /// Nothing but integers was ever in it.
    integers_only: bool,
}

impl Set {
    pub fn new(seed: u64) -> Set {
        Set { members: Members::new(seed), integers_only: true }
    }

    /// A copy, or an error instead of an abort when memory is short.
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

    /// Adds a member; false when it was there.
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

    /// Takes a member away; false when it was not there.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        self.members.remove(member)
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.members.iter()
    }

    /// A page of members; see [`Members::page`].
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(&[u8])) -> u64 {
        self.members.page(cursor, count, visit)
    }

    /// Any member, all equally likely.
    pub fn random(&self, random: &mut Random) -> Option<&[u8]> {
        self.members.random(random)
    }

    /// The name Redis gives such a representation.
    pub fn encoding(&self) -> &'static str {
        match (self.members.is_packed(), self.integers_only) {
            (false, _) => "hashtable",
            (true, true) => "intset",
            (true, false) => "listpack",
        }
    }

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
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
    fn the_representation_follows_what_was_added() {
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
