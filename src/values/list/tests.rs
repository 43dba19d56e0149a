//! Tests of lists against a deque as the model.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::iter::once;

use super::*;
use crate::base::random::Random;

/// List under test and its model.
struct Pair {
    list: List,
    model: VecDeque<Vec<u8>>,
    limit: ListLimit,
    random: Random,
}

impl Pair {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound as u64) as usize
    }

    fn end(&mut self) -> End {
        if self.below(2) == 0 { End::Head } else { End::Tail }
    }

    /// Returns an element that is mostly short and often equal to others, sometimes long.
    fn element(&mut self) -> Vec<u8> {
        let len = match self.below(12) {
            0 => self.below(300),
            1 if self.below(8) == 0 => 5_000 + self.below(10_000),
            _ => self.below(3),
        };
        let letter = b'0' + self.below(3) as u8;
        alloc::vec![letter; len]
    }

    fn step(&mut self) {
        match self.below(12) {
            0..=3 => self.push(),
            4 | 5 => self.pop(),
            6 => self.set(),
            7 | 8 => self.insert(),
            9 => self.remove(),
            10 => {
                let from = self.end();
                self.list.rotate(from, self.limit).unwrap();
                let popped = pop_from(&mut self.model, from);
                let to = if from == End::Head { End::Tail } else { End::Head };
                popped.into_iter().for_each(|element| push_to(&mut self.model, to, element));
            }
            _ => self.list.convert_encoding(self.limit),
        }
    }

    fn push(&mut self) {
        let (end, count) = (self.end(), self.below(4));
        let elements: Vec<Vec<u8>> = (0..count).map(|_| self.element()).collect();
        self.list.push(end, elements.iter().map(Vec::as_slice), self.limit).unwrap();
        elements.into_iter().for_each(|element| push_to(&mut self.model, end, element));
    }

    fn pop(&mut self) {
        let (end, count) = (self.end(), self.random.below(30) as usize / 4);
        self.list.pop(end, count);
        (0..count).for_each(|_| drop(pop_from(&mut self.model, end)));
    }

    fn set(&mut self) {
        let (index, element) = (self.random.below(self.model.len() as u64 + 2) as usize, self.element());
        assert_eq!(self.list.set(index, &element, self.limit), Ok(index < self.model.len()));
        if let Some(slot) = self.model.get_mut(index) {
            *slot = element;
        }
    }

    fn insert(&mut self) {
        let (pivot, element) = (self.element(), self.element());
        let side = if self.below(2) == 0 { Side::Before } else { Side::After };
        let index = self.model.iter().position(|candidate| *candidate == pivot);
        assert_eq!(self.list.insert(side, &pivot, &element, self.limit), Ok(index.is_some()));
        if let Some(index) = index {
            self.model.insert(index + usize::from(side == Side::After), element);
        }
    }

    fn remove(&mut self) {
        let (from, element, max_count) = (self.end(), self.element(), self.below(5));
        let before = self.model.len();
        let mut left = max_count;
        let mut keep = |candidate: &Vec<u8>| {
            let is_removed = left > 0 && *candidate == element;
            left -= usize::from(is_removed);
            !is_removed
        };
        match from {
            End::Head => self.model.retain(keep),
            End::Tail => {
                self.model = self.model.drain(..).rev().filter(|candidate| keep(candidate)).collect::<VecDeque<_>>()
            }
        }
        if from == End::Tail {
            self.model.make_contiguous().reverse();
        }
        assert_eq!(self.list.remove_equal(from, &element, max_count, self.limit), before - self.model.len());
    }

    fn check(&mut self) {
        assert_eq!(self.list.len(), self.model.len());
        assert!(self.list.iter().eq(self.model.iter().map(Vec::as_slice)));
        assert!(self.list.iter().rev().eq(self.model.iter().rev().map(Vec::as_slice)));
        let (start, count) = (self.random.below(self.model.len() as u64 + 2) as usize, self.below(9));
        let expected = self.model.iter().skip(start).take(count).map(Vec::as_slice);
        assert!(self.list.range(start, count).eq(expected.clone()));
        assert!(self.list.range(start, count).rev().eq(expected.collect::<Vec<_>>().into_iter().rev()));
        assert_eq!(self.list.get(start), self.model.get(start).map(Vec::as_slice));
        assert_eq!(self.list.peek(End::Head), self.model.front().map(Vec::as_slice));
        assert_eq!(self.list.peek(End::Tail), self.model.back().map(Vec::as_slice));
        self.check_form();
    }

    fn check_form(&self) {
        let blocks: Vec<&Block> = (0..self.list.block_count()).filter_map(|index| self.list.block(index)).collect();
        let entry_bytes: usize = blocks.iter().map(|block| block.entry_bytes()).sum();
        let extra = match &self.list.form {
            Form::Compact(block) => {
                assert!(self.limit.allows(block.listpack_bytes(), block.len()) || block.len() <= 1);
                0
            }
            Form::Chunked(chunks) => {
                for block in &blocks {
                    assert!(!block.is_empty());
                    assert!(self.limit.allows(block.listpack_bytes(), block.len()) || block.len() == 1);
                }
                chunks.blocks.len() as u64 * BLOCK_BYTES
            }
        };
        assert_eq!(self.list.counted_bytes(), LIST_BYTES + entry_bytes as u64 + extra);
    }
}

fn push_to(model: &mut VecDeque<Vec<u8>>, end: End, element: Vec<u8>) {
    match end {
        End::Head => model.push_front(element),
        End::Tail => model.push_back(element),
    }
}

fn pop_from(model: &mut VecDeque<Vec<u8>>, end: End) -> Option<Vec<u8>> {
    match end {
        End::Head => model.pop_front(),
        End::Tail => model.pop_back(),
    }
}

#[test]
fn agrees_with_a_deque() {
    for (seed, parameter) in [(1, -2), (2, -1), (3, 1), (4, 3), (5, 40), (6, -5)] {
        let (list, limit) = (List::default(), ListLimit::new(parameter));
        let mut pair = Pair { list, model: VecDeque::new(), limit, random: Random::new(seed) };
        for _ in 0..3_000 {
            pair.step();
            pair.check();
        }
        let copy = pair.list.try_clone().unwrap();
        assert!(copy.iter().eq(pair.list.iter()) && copy.counted_bytes() == pair.list.counted_bytes());
        pair.list.pop(End::Tail, usize::MAX);
        assert!(pair.list.is_empty());
    }
}

#[test]
fn a_list_grows_into_blocks_at_the_limit_and_shrinks_back_at_half_of_it() {
    let (mut list, limit) = (List::default(), ListLimit::default());
    // Each takes 66 bytes in a listpack; a push counts an element without its lengths.
    let element = [b'x'; 63];
    let mut pushed = 0;
    while list.is_compact() {
        list.push(End::Tail, once(&element[..]), limit).unwrap();
        pushed += 1;
    }
    assert_eq!(pushed, (8192 - 7 - 63) / 65 + 2);
    while !list.is_compact() {
        list.pop(End::Tail, 1);
        list.convert_encoding(limit);
    }
    assert_eq!(list.len(), (4096 - 7) / 65);
}

#[test]
fn blocks_are_merged_after_removals_in_the_middle() {
    let (mut list, limit) = (List::default(), ListLimit::default());
    let (long, short) = ([b'x'; 500], *b"y");
    for _ in 0..1_000 {
        list.push(End::Tail, [&long[..], &short].into_iter(), limit).unwrap();
    }
    assert!(list.block_count() > 50);
    assert_eq!(list.remove_equal(End::Tail, &long, usize::MAX, limit), 1_000);
    assert_eq!(list.block_count(), 1);
    list.convert_encoding(limit);
    assert!(list.is_compact() && list.iter().eq([&short[..]; 1_000]));
    // Inserts before a pivot in the middle of full blocks.
    for _ in 0..2_000 {
        assert_eq!(list.insert(Side::Before, &short, &long, limit), Ok(true));
    }
    let full: usize = 2_000 * 504 / 8_000;
    assert!(list.block_count() < 3 * full, "{}", list.block_count());
}

#[test]
fn elements_in_the_middle_of_a_large_list_are_found_by_index() {
    let (mut list, limit) = (List::default(), ListLimit::default());
    for number in 0..20_000u32 {
        list.push(End::Tail, once(&number.to_le_bytes()[..]), limit).unwrap();
    }
    assert!(list.block_count() > 10);
    for index in [0, 1, 777, 9_999, 10_000, 15_000, 19_999] {
        assert_eq!(list.get(index), Some(&(index as u32).to_le_bytes()[..]));
        assert_eq!(list.range(index, 3_000).len(), 3_000.min(20_000 - index));
        assert!(list.range(index, 3_000).all(|element| element.len() == 4));
    }
    assert_eq!(list.get(20_000), None);
    assert_eq!((list.resolve(-20_000), list.resolve(-20_001), list.resolve(20_000)), (Some(0), None, None));
    assert_eq!((list.at(i64::MIN), list.at(i64::MAX)), (None, None));
    assert_eq!(list.at(-1), Some(&19_999u32.to_le_bytes()[..]));
}
