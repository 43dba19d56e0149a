//! Tests of the index: growth and shrinking, order, random draws, and hashes chosen to degrade it.

use super::*;
use crate::store::slab::Slab;
use alloc::collections::BTreeMap;

/// Arbitrary handles; only a slab can make them.
pub(super) fn handles(count: usize) -> Vec<Handle> {
    let mut slab = Slab::new();
    (0..count).map(|_| slab.allocate(8).unwrap()).collect()
}

pub(super) fn filled(hashes: impl Iterator<Item = u32>, handles: &[Handle]) -> HashIndex {
    let mut index = HashIndex::default();
    for (hash, &handle) in hashes.zip(handles) {
        index.reserve(hash).unwrap();
        index.insert(hash, handle);
    }
    index
}

#[test]
fn samples_are_distinct_and_reach_every_slot() {
    let handles = handles(3_000);
    let mut random = Random::new(8);
    let hashes: Vec<u32> = handles.iter().map(|_| random.next_u64() as u32).collect();
    let index = filled(hashes.iter().copied(), &handles);
    let mut counts: BTreeMap<Handle, u32> = BTreeMap::new();
    for _ in 0..12_000 {
        let mut sample = Vec::new();
        index.sample(5, &mut random, |slot| sample.push(slot.handle));
        let distinct: alloc::collections::BTreeSet<&Handle> = sample.iter().collect();
        assert_eq!((sample.len(), distinct.len()), (5, 5));
        sample.into_iter().for_each(|handle| *counts.entry(handle).or_default() += 1);
    }
    // 20 times each on average; segments are not equally full.
    assert_eq!(counts.len(), handles.len());
    assert!(counts.values().all(|&count| count < 60), "{:?}", counts.values().max());
    let few = filled(hashes[..3].iter().copied(), &handles);
    let mut drawn = 0;
    few.sample(5, &mut random, |_| drawn += 1);
    assert_eq!(drawn, 3);
    HashIndex::default().sample(5, &mut random, |_| panic!("the index is empty"));
}

#[test]
fn finds_what_was_inserted_through_growth_and_shrinking() {
    let handles = handles(50_000);
    let mut random = Random::new(3);
    let hashes: Vec<u32> = handles.iter().map(|_| random.next_u64() as u32).collect();
    let mut index = filled(hashes.iter().copied(), &handles);
    assert_eq!(index.len(), handles.len());
    let grown = index.segments.len();
    assert!(grown > 64);
    for (&hash, &handle) in hashes.iter().zip(&handles) {
        assert_eq!(index.find(hash, |found| found == handle), Some(handle));
    }
    for (&hash, &handle) in hashes.iter().zip(&handles).skip(100) {
        index.remove(hash, handle);
        assert_eq!(index.find(hash, |found| found == handle), None);
    }
    assert_eq!(index.len(), 100);
    assert!(index.segments.len() < 8 && index.directory.len() <= 16, "{} segments stay", index.segments.len());
    let remaining: Vec<Handle> = index.iter().map(|slot| slot.handle).collect();
    assert!(handles[..100].iter().all(|handle| remaining.contains(handle)));
}

#[test]
fn order_is_hash_order_and_pages_cover_it() {
    let handles = handles(5_000);
    let mut random = Random::new(5);
    let index = filled(core::iter::repeat_with(|| random.next_u64() as u32), &handles);
    let order: Vec<IndexSlot> = index.iter().collect();
    assert!(order.is_sorted());
    let (mut paged, mut cursor) = (Vec::new(), 0);
    loop {
        cursor = index.page(cursor, 7, &mut |slot| paged.push(slot));
        if cursor == 0 {
            break;
        }
    }
    assert_eq!(paged, order);
}

#[test]
fn a_scan_returns_every_slot_that_stays_while_the_index_changes() {
    let handles = handles(40_000);
    let mut random = Random::new(9);
    let hashes: Vec<u32> = handles.iter().map(|_| random.next_u64() as u32).collect();
    let stable = 1_000;
    for growing in [true, false] {
        let present = if growing { stable } else { handles.len() };
        let mut index = filled(hashes[..present].iter().copied(), &handles);
        let (mut seen, mut cursor, mut next) = (BTreeMap::new(), 0, stable);
        loop {
            cursor = index.page(cursor, 10, &mut |slot| {
                seen.insert(slot.handle, ());
            });
            if cursor == 0 {
                break;
            }
            for _ in 0..300.min(handles.len() - next) {
                if growing {
                    index.reserve(hashes[next]).unwrap();
                    index.insert(hashes[next], handles[next]);
                } else {
                    index.remove(hashes[next], handles[next]);
                }
                next += 1;
            }
        }
        assert!(handles[..stable].iter().all(|handle| seen.contains_key(handle)));
    }
}

#[test]
fn equal_hashes_share_a_segment_and_a_page() {
    let handles = handles(3_000);
    let mut index = filled(core::iter::repeat(0xdead_beef), &handles);
    assert!(index.directory.len() <= DIRECTORY_FACTOR_MAX * 64);
    let mut visited = 0;
    assert_eq!(index.page(0, 1, &mut |_| visited += 1), 0);
    assert_eq!(visited, 3_000);
    index.replace(0xdead_beef, handles[7], handles[7]);
    handles.iter().for_each(|&handle| index.remove(0xdead_beef, handle));
    assert!(index.is_empty());
    assert_eq!(index.random(&mut Random::new(1)), None);
}

/// Hashes that share all but their last `bits` bits.
pub(super) fn hashes_with_prefix(bits: u32) -> impl Iterator<Item = u32> {
    let mut random = Random::new(21);
    core::iter::repeat_with(move || 0xabcd_0000 & (u32::MAX << bits) | random.below(1 << bits) as u32)
}

#[test]
fn keys_of_the_same_hash_are_distinguished() {
    let mut index = HashIndex::default();
    let mut slab = crate::store::slab::Slab::new();
    let handles: Vec<Handle> = (0..40).map(|_| slab.allocate(8).unwrap()).collect();
    for (number, &handle) in handles.iter().enumerate() {
        let hash = if number % 2 == 0 { 7 } else { number as u32 };
        index.reserve(hash).unwrap();
        index.insert(hash, handle);
    }
    for &handle in handles.iter().step_by(2) {
        assert_eq!(index.find(7, |found| found == handle), Some(handle));
    }
    let mut compared = Vec::new();
    assert_eq!(
        index.find(7, |found| {
            compared.push(found);
            false
        }),
        None
    );
    compared.sort_unstable();
    // Twenty handles of hash 7, and the handle at index 7, which has the same hash; each once.
    let mut expected: Vec<Handle> = handles.iter().step_by(2).copied().chain([handles[7]]).collect();
    expected.sort_unstable();
    assert_eq!(compared, expected);
}

#[test]
fn hashes_with_a_common_prefix_keep_directory_and_searches_small() {
    let handles = handles(20_000);
    for bits in [8, 12, 16, 20] {
        let mut index = filled(hashes_with_prefix(bits), &handles);
        // Every split adds one segment, whether or not it separates any slots.
        assert!(index.directory.len() <= 2 * DIRECTORY_FACTOR_MAX * index.segments.len(), "{bits}");
        assert!(index.segments.len() <= 64, "{bits}: {} segments", index.segments.len());
        let overlong = index.segments.iter().filter(|segment| segment.slots.len() > SEGMENT_SLOTS_MAX).count();
        assert_eq!(index.overlong, overlong);
        // Within a segment the rest of the hash decides: a search compares handles of an equal hash and hardly any
        // other.
        let (mut compared, mut equal) = (0, 0);
        for (hash, &handle) in hashes_with_prefix(bits).zip(&handles) {
            equal += 1 << (14 - bits.min(14));
            index.find(hash, |found| {
                compared += 1;
                found == handle
            });
        }
        assert!(compared <= 2 * equal, "{bits}: {compared} comparisons");
        let order: Vec<IndexSlot> = index.iter().collect();
        assert!(order.is_sorted() && order.len() == handles.len());
        let (mut paged, mut cursor) = (Vec::new(), 0);
        loop {
            cursor = index.page(cursor, 300, &mut |slot| paged.push(slot));
            if cursor == 0 {
                break;
            }
        }
        assert_eq!(paged, order, "{bits}");
        for (hash, &handle) in hashes_with_prefix(bits).zip(&handles) {
            index.remove(hash, handle);
        }
        assert_eq!((index.len(), index.overlong, index.segments.len(), index.directory.len()), (0, 0, 1, 1));
    }
}

#[test]
fn small_neighbours_are_merged_up_to_the_root() {
    let handles = handles(60_000);
    let mut random = Random::new(33);
    let hashes: Vec<u32> = handles.iter().map(|_| random.next_u64() as u32).collect();
    let mut index = filled(hashes.iter().copied(), &handles);
    // In hash order, so that each segment is emptied before its neighbour.
    let order: Vec<IndexSlot> = index.iter().collect();
    order.iter().skip(10).for_each(|slot| index.remove(slot.hash, slot.handle));
    assert_eq!((index.len(), index.segments.len(), index.directory.len()), (10, 1, 1));
}

/// Whether all slots were drawn about equally often: a chi-square test with five standard deviations either way.
fn is_uniform(index: &HashIndex, draws: u32, random: &mut Random) -> bool {
    let mut counts: BTreeMap<Handle, f64> = index.iter().map(|slot| (slot.handle, 0.0)).collect();
    for _ in 0..draws {
        *counts.get_mut(&index.random(random).unwrap().handle).unwrap() += 1.0;
    }
    let expected = f64::from(draws) / counts.len() as f64;
    let chi_square: f64 = counts.values().map(|count| (count - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    (chi_square - freedom).abs() < 5.0 * (2.0 * freedom).sqrt()
}

#[test]
fn many_draws_are_those_of_single_ones() {
    let handles = handles(5_000);
    let mut random = Random::new(19);
    for len in [0, 1, 600, 5_000] {
        let index = filled(core::iter::repeat_with(|| random.next_u64() as u32), &handles[..len]);
        for count in [0, 3, 2_000] {
            let (mut one, mut many) = (Random::new(23), Random::new(23));
            let mut draws = index.draws(count);
            for _ in 0..count {
                assert_eq!(draws.next(&mut many), index.random(&mut one), "{count} of {len}");
            }
            assert_eq!(one.state(), many.state());
        }
    }
}

#[test]
fn random_slots_are_uniform() {
    let handles = handles(20_000);
    let mut random = Random::new(13);
    let mut index = filled(core::iter::repeat_with(|| random.next_u64() as u32), &handles[..600]);
    assert!(index.segments.len() > 1);
    let mut random = Random::new(17);
    assert!(is_uniform(&index, 20_000, &mut random));
    // Segments of very different lengths, one of them overlong.
    let overlong = &handles[600..1_200];
    overlong.iter().zip(hashes_with_prefix(12)).for_each(|(&handle, hash)| {
        index.reserve(hash).unwrap();
        index.insert(hash, handle);
    });
    assert!(index.overlong > 0);
    assert!(is_uniform(&index, 30_000, &mut random));
}

#[test]
fn random_slots_are_uniform_after_mass_deletion() {
    let handles = handles(20_000);
    let mut random = Random::new(13);
    let mut index = filled(core::iter::repeat_with(|| random.next_u64() as u32), &handles);
    let order: Vec<IndexSlot> = index.iter().collect();
    // Removes nineteen of twenty in one half of the hashes, all but a few in the other.
    for (rank, slot) in order.iter().enumerate() {
        let kept = if rank < 10_000 { rank % 20 == 0 } else { rank % 997 == 0 };
        if !kept {
            index.remove(slot.hash, slot.handle);
        }
    }
    assert!(index.segments.len() > 1 && index.len() < 600);
    assert!(is_uniform(&index, 20_000, &mut random));
}
