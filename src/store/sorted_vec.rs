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
    pub fn try_reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
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

/// Number that decides most comparisons, and the index of an item. Items are compared only if numbers are equal.
pub type Ranked = (u64, usize);

/// Number in the order of `total_cmp`.
pub fn score_rank(score: f64) -> u64 {
    let bits = score.to_bits();
    if score.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

/// Length of the runs that are sorted by insertion.
const RUN_LEN: usize = 8;

/// Comparison of the items of two indices.
type IsBefore<'c> = &'c dyn Fn(usize, usize) -> bool;

/// Sorts items by their numbers, and by `is_before` if those are equal. Items that are equal in both keep their order. A
/// merge sort: it reads items one after the other, and takes a tenth of the code of the library's sort.
pub fn sort(items: &mut [Ranked], is_before: IsBefore<'_>) -> Result<(), OutOfMemory> {
    items.chunks_mut(RUN_LEN).for_each(|run| insertion_sort(run, is_before));
    // The second run of a pair is at most as long as the first.
    let mut copy: Vec<Ranked> = Vec::new();
    copy.try_reserve_exact(items.len() / 2).map_err(|_| OutOfMemory)?;
    let mut width = RUN_LEN;
    while width < items.len() {
        for pair in items.chunks_mut(2 * width).filter(|pair| pair.len() > width) {
            merge(pair, width, &mut copy, is_before);
        }
        width *= 2;
    }
    Ok(())
}

#[inline(always)]
fn comes_before(one: Ranked, other: Ranked, is_before: IsBefore<'_>) -> bool {
    one.0 < other.0 || one.0 == other.0 && is_before(one.1, other.1)
}

fn insertion_sort(run: &mut [Ranked], is_before: IsBefore<'_>) {
    for end in 1..run.len() {
        let (item, mut at) = (run[end], end);
        while at > 0 && comes_before(item, run[at - 1], is_before) {
            run[at] = run[at - 1];
            at -= 1;
        }
        run[at] = item;
    }
}

/// Merges two sorted runs, of which the first has `middle` items. The second one is copied to `copy`, which has room.
fn merge(items: &mut [Ranked], middle: usize, copy: &mut Vec<Ranked>, is_before: IsBefore<'_>) {
    copy.clear();
    if !comes_before(items[middle], items[middle - 1], is_before) {
        return;
    }
    let (mut left, mut right) = (middle, items.len() - middle);
    copy.extend_from_slice(&items[middle..]);
    // From the end: the larger of both last items goes to the last free place.
    while left > 0 && right > 0 {
        let is_left_larger = comes_before(copy[right - 1], items[left - 1], is_before);
        items[left + right - 1] = if is_left_larger { items[left - 1] } else { copy[right - 1] };
        left -= usize::from(is_left_larger);
        right -= usize::from(!is_left_larger);
    }
    items[..right].copy_from_slice(&copy[..right]);
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
    fn items_are_sorted_by_number_then_by_comparison() {
        let mut random = crate::base::random::Random::new(3);
        for len in (0..40).chain(250..260) {
            let weights: Vec<u64> = (0..len).map(|_| random.below(9)).collect();
            let mut items: Vec<Ranked> = (0..weights.len()).map(|at| (random.below(5), at)).collect();
            let mut expected = items.clone();
            sort(&mut items, &|one, other| weights[one] < weights[other]).unwrap();
            expected.sort_by_key(|&(number, at)| (number, weights[at], at));
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn ranks_have_the_order_of_scores() {
        let scores = [f64::NEG_INFINITY, -1e300, -2.0, -0.5, 0.0, 1e-300, 0.5, 3.0, f64::INFINITY];
        assert!(scores.is_sorted_by(|one, other| score_rank(*one) < score_rank(*other)));
    }
}
