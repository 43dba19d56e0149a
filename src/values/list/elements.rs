//! Iterator over the elements of a list, from either end.

use super::{Cursor, List};

/// Borrowed elements of a list.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    list: &'a List,
    front: Cursor,
    back: Cursor,
    left: usize,
}

impl<'a> Elements<'a> {
    /// Iterates the `left` elements between two cursors.
    pub(super) fn new(list: &'a List, front: Cursor, back: Cursor, left: usize) -> Elements<'a> {
        Elements { list, front, back, left }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.left = self.left.checked_sub(1)?;
        let mut block = self.list.block(self.front.block)?;
        if self.front.at == block.end() {
            self.front.block += 1;
            block = self.list.block(self.front.block)?;
            self.front.at = block.start();
        }
        let (element, next) = block.entry_at(self.front.at)?;
        self.front.at = next;
        Some(element)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for Elements<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let mut block = self.list.block(self.back.block)?;
        if self.back.at == block.start() {
            self.back.block = self.back.block.checked_sub(1)?;
            block = self.list.block(self.back.block)?;
            self.back.at = block.end();
        }
        let (element, previous) = block.entry_before(self.back.at)?;
        self.back.at = previous;
        Some(element)
    }
}

impl ExactSizeIterator for Elements<'_> {}
