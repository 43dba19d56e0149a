//! Iterator over the pairs of a sorted set, in either form.

use super::order::TreeItems;
use super::packed::PackedPairs;
use crate::values::hashed::Hashed;

/// Members with their scores; an iterator from both ends.
#[derive(Clone, Debug)]
pub struct Pairs<'a>(pub(super) Walk<'a>);

/// Source of the pairs, by the form of the set.
#[derive(Clone, Debug)]
pub(super) enum Walk<'a> {
    Packed(PackedPairs<'a>),
    Indexed(&'a Hashed, TreeItems<'a>),
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], f64);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(pairs) => pairs.next(),
            Walk::Indexed(hashed, items) => items.next().map(|item| (hashed.pair(item.handle).0, item.score())),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Walk::Packed(pairs) => pairs.size_hint(),
            Walk::Indexed(_, items) => items.size_hint(),
        }
    }
}

impl DoubleEndedIterator for Pairs<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(pairs) => pairs.next_back(),
            Walk::Indexed(hashed, items) => items.next_back().map(|item| (hashed.pair(item.handle).0, item.score())),
        }
    }
}

impl ExactSizeIterator for Pairs<'_> {}
