//! Tests of the heap of deadlines: against a model, and of the number of moves.

use super::*;
use crate::base::random::Random;
use alloc::collections::BTreeMap;

impl Positions<u32> for BTreeMap<u32, u32> {
    fn moved(&mut self, owner: u32, position: u32) {
        self.insert(owner, position);
    }
}

#[test]
fn agrees_with_a_sorted_model() {
    let mut random = Random::new(11);
    let (mut heap, mut positions) = (DeadlineHeap::default(), BTreeMap::new());
    let mut model: BTreeMap<u32, i64> = BTreeMap::new();
    for _ in 0..20_000 {
        let (owner, deadline) = (random.below(3000) as u32, random.below(500) as i64);
        match (random.below(3), model.contains_key(&owner)) {
            (0, true) => {
                heap.remove(positions[&owner], &mut positions);
                model.remove(&owner);
            }
            (_, true) => {
                let deadline = Timestamp::from_ms(deadline);
                heap.update(positions[&owner], Node { deadline, owner }, &mut positions);
                model.insert(owner, deadline.as_ms());
            }
            (_, false) => {
                heap.reserve(0).unwrap();
                heap.insert(Timestamp::from_ms(deadline), owner, &mut positions);
                model.insert(owner, deadline);
            }
        }
        assert_eq!(heap.len(), model.len());
        let first = heap.minimum().map(|node| node.deadline);
        assert_eq!(first.map(Timestamp::as_ms), model.values().min().copied());
        assert_eq!(heap.first, first.unwrap_or(Timestamp::MAX));
    }
    for (owner, deadline) in model {
        let node = heap.get(positions[&owner]).unwrap();
        assert_eq!((node.owner, node.deadline.as_ms()), (owner, deadline));
    }
}

fn insert(heap: &mut DeadlineHeap<u32>, positions: &mut BTreeMap<u32, u32>, owner: u32, deadline: i64) {
    heap.reserve(0).unwrap();
    heap.insert(Timestamp::from_ms(deadline), owner, positions);
}

#[test]
fn early_deadlines_among_many_late_ones_are_in_order() {
    let (mut heap, mut positions) = (DeadlineHeap::default(), BTreeMap::new());
    (0..2000).for_each(|owner| insert(&mut heap, &mut positions, owner, 1_000_000 + i64::from(owner)));
    // More than the small heap holds, so it moves to the large one several times.
    let early = 5 * EARLY_MAX as u32;
    (0..early).for_each(|owner| insert(&mut heap, &mut positions, 5000 + owner, i64::from(owner * 7919 % 4999)));
    assert_eq!(heap.len(), 2000 + early as usize);
    assert!((0..heap.len()).all(|index| heap.nth(index).is_some()) && heap.nth(heap.len()).is_none());
    assert!(heap.first_levels().any(|node| Some(node) == heap.minimum()));
    let mut last = i64::MIN;
    while let Some(Node { deadline, owner }) = heap.minimum() {
        assert!(last <= deadline.as_ms());
        last = deadline.as_ms();
        heap.remove(positions[&owner], &mut positions);
    }
    assert_eq!((heap.len(), last), (0, 1_001_999));
}

#[test]
fn a_lock_among_sessions_moves_none_of_them() {
    struct Moves(usize);
    impl Positions<u32> for Moves {
        fn moved(&mut self, _: u32, _: u32) {
            self.0 += 1;
        }
    }
    let (mut heap, mut moves) = (DeadlineHeap::default(), Moves(0));
    for session in 0..10_000 {
        heap.reserve(0).unwrap();
        heap.insert(Timestamp::from_ms(3_600_000 + i64::from(session)), session, &mut moves);
    }
    moves.0 = 0;
    heap.insert(Timestamp::from_ms(30_000), 10_000, &mut moves);
    let position = (0..).find(|&position| heap.get(position).is_some_and(|node| node.owner == 10_000)).unwrap();
    heap.remove(position, &mut moves);
    assert_eq!(moves.0, 1);
    // A renewal of the last node, which keeps its position.
    let last = (EARLY_MAX + heap.len() - 1) as u32;
    let renewed = Node { deadline: Timestamp::from_ms(7_200_000), owner: heap.get(last).unwrap().owner };
    heap.update(last, renewed, &mut moves);
    assert_eq!((heap.get(last), moves.0), (Some(renewed), 1));
}
