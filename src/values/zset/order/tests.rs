//! Tests of the counted tree: against a vector, and of its depth and counts.

use super::*;
use crate::base::random::Random;
use crate::store::slab::Slab;

fn item(score: f64) -> TreeItem {
    TreeItem::new(score, Slab::new().allocate(8).unwrap())
}

/// Checks counts, first items and equal depths, and returns the depth.
fn check(node: &Node) -> usize {
    let Node::Inner(branches) = node else { return 0 };
    let depths: Vec<usize> = branches.iter().map(|branch| check(&branch.node)).collect();
    assert!(!depths.is_empty() && depths.iter().all(|depth| *depth == depths[0]));
    for branch in branches {
        assert_eq!(branch.count, branch.node.count());
        assert_eq!(branch.node.first().map(TreeItem::score), Some(branch.first.score()));
    }
    depths[0] + 1
}

fn scores(order: &Order, range: Range<usize>) -> Vec<f64> {
    order.range(range).map(TreeItem::score).collect()
}

#[test]
fn agrees_with_a_vector_at_every_index() {
    let (mut order, mut model, mut random) = (Order::default(), Vec::new(), Random::new(1));
    for step in 0..60_000u64 {
        // Grows for two thirds of the time, then shrinks.
        if random.below(60_000) * 3 > step * 2 || model.is_empty() {
            let index = random.below(model.len() as u64 + 1) as usize;
            order.insert(index, item(step as f64)).unwrap();
            model.insert(index, step as f64);
        } else {
            let index = random.below(model.len() as u64) as usize;
            order.remove(index);
            model.remove(index);
        }
        assert_eq!(order.len(), model.len());
        if step % 5_000 == 0 {
            check(&order.root);
            assert_eq!(scores(&order, 0..model.len()), model);
            let reversed: Vec<f64> = order.range(0..model.len()).rev().map(TreeItem::score).collect();
            assert!(reversed.iter().rev().eq(&model));
        }
    }
    while order.len() > 0 {
        order.remove(order.len() / 3);
    }
    assert!(matches!(&order.root, Node::Leaf(items) if items.is_empty()));
}

#[test]
fn growing_at_one_end_fills_the_leaves() {
    for at_start in [false, true] {
        let mut order = Order::default();
        for number in 0..10_000 {
            let (index, score) = if at_start { (0, -number) } else { (order.len(), number) };
            order.insert(index, item(f64::from(score))).unwrap();
        }
        assert_eq!(check(&order.root), 2);
        let half = if at_start { -4_999.5 } else { 4_999.5 };
        assert_eq!(order.count_while(|item| item.score() < half), 5_000);
        assert_eq!(order.count_while(|_| true), 10_000);
        assert_eq!(order.count_while(|_| false), 0);
    }
}

#[test]
fn ranges_are_walked_from_both_ends_at_once() {
    let mut order = Order::default();
    for number in 0..1_000 {
        order.insert(order.len(), item(f64::from(number))).unwrap();
    }
    let mut items = order.range(100..900);
    let mut both = 0;
    while let (Some(first), Some(last)) = (items.next(), items.next_back()) {
        assert_eq!(first.score() + last.score(), 999.0);
        both += 1;
    }
    assert_eq!(both, 400);
    order.remove(5_000);
    assert_eq!(order.len(), 1_000);
}
