//! Small sorted map over a vector. Compiles to a fraction of a tree's code. Suits maps with one entry per client:
//! lookup is a binary search, and new keys are mostly the largest.

use alloc::vec::Vec;

use crate::base::headroom::OutOfMemory;

/// Map with its entries in a vector, in the order of their keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortedVecMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for SortedVecMap<K, V> {
    fn default() -> SortedVecMap<K, V> {
        SortedVecMap { entries: Vec::new() }
    }
}

impl<K: Ord + Copy, V> SortedVecMap<K, V> {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn contains(&self, key: K) -> bool {
        self.position(key).is_ok()
    }

    pub fn get(&self, key: K) -> Option<&V> {
        self.position(key).ok().map(|at| &self.entries[at].1)
    }

    /// Returns the value of the entry at an index, if it has this key.
    #[inline(always)]
    pub fn at(&self, key: K, index: usize) -> Option<&V> {
        self.entries.get(index).filter(|(found, _)| *found == key).map(|(_, value)| value)
    }

    /// Returns the value of a key; the entry at index `hint` is tried first.
    #[inline(always)]
    pub fn get_near(&self, key: K, hint: usize) -> Option<&V> {
        match self.entries.get(hint) {
            Some((found, value)) if *found == key => Some(value),
            _ => self.get(key),
        }
    }

    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.position(key).ok().map(|at| &mut self.entries[at].1)
    }

    /// Returns the mutable value of a key. The entry at index `hint` is tried first, and `hint` is set to the index
    /// found.
    #[inline(always)]
    pub fn get_mut_near(&mut self, key: K, hint: &mut usize) -> Option<&mut V> {
        if self.entries.get(*hint).is_none_or(|(found, _)| *found != key) {
            *hint = self.position(key).ok()?;
        }
        self.entries.get_mut(*hint).map(|(_, value)| value)
    }

    /// Reserves capacity for `len` entries in total.
    pub fn make_room(&mut self, len: usize) -> Result<(), OutOfMemory> {
        self.entries.try_reserve(len.saturating_sub(self.entries.len())).map_err(|_| OutOfMemory)
    }

    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.position(key) {
            Ok(at) => Some(core::mem::replace(&mut self.entries[at].1, value)),
            Err(at) => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }

    pub fn remove(&mut self, key: K) -> Option<V> {
        self.position(key).ok().map(|at| self.entries.remove(at).1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.entries.iter().map(|(key, value)| (*key, value))
    }

    /// Entries with keys larger than `key`, in order.
    pub fn iter_behind(&self, key: K) -> impl Iterator<Item = (K, &V)> {
        let start = self.entries.partition_point(|(entry, _)| *entry <= key);
        self.entries[start..].iter().map(|(key, value)| (*key, value))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        self.entries.iter_mut().map(|(key, value)| (*key, value))
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// Returns the value of a key; a missing one is inserted with its default.
    pub fn get_or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.get_or_insert_with(key, V::default)
    }

    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = match self.position(key) {
            Ok(at) => at,
            Err(at) => {
                self.entries.insert(at, (key, make()));
                at
            }
        };
        &mut self.entries[at].1
    }

    fn position(&self, key: K) -> Result<usize, usize> {
        self.entries.binary_search_by(|(candidate, _)| candidate.cmp(&key))
    }
}

/// Sorts the numbers below `len` by `is_before`, which must be a strict total order. A heap sort, because it takes a
/// tenth of the code of the library's sort, and one instance of it.
pub fn ranking(len: usize, is_before: &dyn Fn(usize, usize) -> bool) -> Result<Vec<usize>, OutOfMemory> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
    numbers.extend(0..len);
    for root in (0..len / 2).rev() {
        sift_down(&mut numbers, root, is_before);
    }
    for end in (1..len).rev() {
        numbers.swap(0, end);
        sift_down(&mut numbers[..end], 0, is_before);
    }
    Ok(numbers)
}

/// Sifts the number at `at` down until none of its children comes after it.
fn sift_down(heap: &mut [usize], mut at: usize, is_before: &dyn Fn(usize, usize) -> bool) {
    while let Some(&first) = heap.get(2 * at + 1) {
        let second = heap.get(2 * at + 2).is_some_and(|&second| is_before(first, second));
        let child = 2 * at + 1 + usize::from(second);
        if !is_before(heap[at], heap[child]) {
            return;
        }
        heap.swap(at, child);
        at = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_order_whatever_the_order_of_insertion() {
        let mut map = SortedVecMap::default();
        for key in [3, 1, 2] {
            assert_eq!(map.insert(key, key * 10), None);
        }
        assert_eq!(map.insert(2, 7), Some(20));
        assert_eq!(map.iter().map(|(key, value)| (key, *value)).collect::<Vec<_>>(), [(1, 10), (2, 7), (3, 30)]);
        assert_eq!((map.remove(1), map.len()), (Some(10), 2));
        *map.get_or_default(9) += 1;
        assert_eq!((map.get(9), map.get(8), map.contains(3)), (Some(&1), None, true));
        let mut hint = 7;
        assert_eq!((map.get_mut_near(3, &mut hint).copied(), hint), (Some(30), 1));
        assert_eq!((map.get_near(3, hint), map.get_near(9, hint), map.get_near(1, hint)), (Some(&30), Some(&1), None));
        assert_eq!((map.get_mut_near(1, &mut hint).copied(), map.get_mut_near(2, &mut hint).copied()), (None, Some(7)));
    }

    #[test]
    fn a_ranking_is_in_order() {
        let mut random = crate::base::random::Random::new(3);
        for len in 0..40 {
            let weights: Vec<u64> = (0..len).map(|_| random.below(9)).collect();
            let key = |at: usize| (weights[at], at);
            let ranking = ranking(weights.len(), &|one, other| key(one) < key(other)).unwrap();
            let mut expected: Vec<usize> = (0..weights.len()).collect();
            expected.sort_by_key(|&at| key(at));
            assert_eq!(ranking, expected);
        }
    }
}
