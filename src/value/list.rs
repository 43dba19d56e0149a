//! A list of byte strings.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::copied;
use crate::slab::OutOfMemory;

/// What one element costs beside its bytes.
const ELEMENT_BYTES: u64 = 16;

#[derive(Clone, Debug, Default)]
pub struct List {
    elements: VecDeque<Vec<u8>>,
    content_bytes: u64,
}

impl List {
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Appends all of `elements` at the tail, or none of them when memory is short.
    pub fn push_back<'a>(&mut self, elements: impl Iterator<Item = &'a [u8]>) -> Result<(), OutOfMemory> {
        let mut copies: Vec<Vec<u8>> = Vec::new();
        for element in elements {
            copies.try_reserve(1).map_err(|_| OutOfMemory)?;
            copies.push(copied(element)?);
        }
        self.elements.try_reserve(copies.len()).map_err(|_| OutOfMemory)?;
        self.content_bytes += copies.iter().map(|copy| copy.len() as u64).sum::<u64>();
        self.elements.extend(copies);
        Ok(())
    }

    /// From head to tail.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.elements.iter().map(Vec::as_slice)
    }

    pub fn counted_bytes(&self) -> u64 {
        self.content_bytes + self.len() as u64 * ELEMENT_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_their_order() {
        let mut list = List::default();
        list.push_back([&b"a"[..], b""].into_iter()).unwrap();
        list.push_back([&b"b"[..]].into_iter()).unwrap();
        assert_eq!(list.iter().collect::<Vec<_>>(), [&b"a"[..], b"", b"b"]);
        assert_eq!(list.counted_bytes(), 2 + 3 * ELEMENT_BYTES);
    }
}
