//! Sorted map from pairs of numbers to a number. One instance of a tree for every use: each further instance of the
//! library's tree would add kilobytes of code.

use alloc::collections::BTreeMap;

/// Key of an entry: compared by the first number, then by the second.
pub type Key = (u64, u64);

/// Map with its entries in the order of their keys. Every operation takes logarithmic time.
#[derive(Clone, Debug, Default)]
pub struct Ordered {
    tree: BTreeMap<Key, u32>,
}

impl Ordered {
    pub const fn new() -> Ordered {
        Ordered { tree: BTreeMap::new() }
    }

    pub fn len(&self) -> usize {
        self.tree.len()
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// Inserts an entry; returns the value that it replaces.
    #[inline(never)]
    pub fn insert(&mut self, key: Key, value: u32) -> Option<u32> {
        self.tree.insert(key, value)
    }

    #[inline(never)]
    pub fn remove(&mut self, key: Key) -> Option<u32> {
        self.tree.remove(&key)
    }

    #[inline(never)]
    pub fn get(&self, key: Key) -> Option<u32> {
        self.tree.get(&key).copied()
    }

    /// Last entry.
    pub fn last(&self) -> Option<(Key, u32)> {
        self.tree.last_key_value().map(|(key, value)| (*key, *value))
    }

    /// Removes and returns the last entry.
    #[inline(never)]
    pub fn pop(&mut self) -> Option<(Key, u32)> {
        self.tree.pop_last()
    }

    /// First entry from a key on.
    #[inline(never)]
    pub fn next(&self, from: Key) -> Option<(Key, u32)> {
        self.tree.range(from..).next().map(|(key, value)| (*key, *value))
    }

    /// Entries from a key on, in order.
    pub fn entries(&self, from: Key) -> impl Iterator<Item = (Key, u32)> {
        let following = |((first, second), _): &(Key, u32)| match second.checked_add(1) {
            Some(second) => self.next((*first, second)),
            None => self.next((first.checked_add(1)?, 0)),
        };
        core::iter::successors(self.next(from), following)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn entries_are_in_the_order_of_both_numbers() {
        let mut map = Ordered::default();
        for key in [(2, 1), (1, 9), (1, 3), (2, 0)] {
            assert_eq!(map.insert(key, key.1 as u32), None);
        }
        assert_eq!(map.insert((1, 3), 5), Some(3));
        let entries: Vec<_> = map.entries((1, 4)).collect();
        assert_eq!(entries, [((1, 9), 9), ((2, 0), 0), ((2, 1), 1)]);
        assert_eq!((map.get((1, 3)), map.remove((1, 3)), map.get((1, 3))), (Some(5), Some(5), None));
        assert_eq!((map.len(), map.last(), map.pop(), map.len()), (3, Some(((2, 1), 1)), Some(((2, 1), 1)), 2));
        map.insert((1, u64::MAX), 7);
        assert_eq!(map.entries((1, 9)).count(), 3);
        assert_eq!((map.next((0, 0)), map.next((3, 0)), map.is_empty()), (Some(((1, 9), 9)), None, false));
    }
}
