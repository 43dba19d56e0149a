//! Which deadline comes next: an indexed 4-ary heap. Each node's position is told to its owner, so a deadline can be
//! moved or taken out without a search, and no dead nodes pile up.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::clock::Timestamp;
use crate::slab::OutOfMemory;

const CHILDREN: usize = 4;
/// Nodes lie in fixed chunks, so that growth never copies them.
const CHUNK_NODES: usize = 1024;

/// A deadline and who it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node<H> {
    pub deadline: Timestamp,
    pub owner: H,
}

/// A node as it is kept: twelve bytes with an owner of four, since the deadline needs no alignment.
#[derive(Clone, Copy, Debug)]
struct Kept<H> {
    deadline: [u8; 8],
    owner: H,
}

/// What a deadline is counted as.
pub const NODE_BYTES: u64 = 12;
const _: () = assert!(size_of::<Kept<u32>>() == NODE_BYTES as usize);

/// Learns where the node of an owner stands in the heap now.
pub trait Positions<H> {
    fn moved(&mut self, owner: H, position: u32);
}

impl<H> Node<H> {
    fn kept(self) -> Kept<H> {
        Kept { deadline: self.deadline.as_ms().to_ne_bytes(), owner: self.owner }
    }
}

#[derive(Clone, Debug)]
pub struct Deadlines<H> {
    chunks: Vec<Box<[Kept<H>]>>,
    len: usize,
}

impl<H> Default for Deadlines<H> {
    fn default() -> Deadlines<H> {
        Deadlines { chunks: Vec::new(), len: 0 }
    }
}

impl<H: Copy> Deadlines<H> {
    pub fn len(&self) -> usize {
        self.len
    }

    /// The earliest node. While `now <= minimum.deadline` everything is alive.
    #[inline(always)]
    pub fn minimum(&self) -> Option<Node<H>> {
        (self.len > 0).then(|| self.node(0))
    }

    pub fn get(&self, position: u32) -> Option<Node<H>> {
        ((position as usize) < self.len).then(|| self.node(position as usize))
    }

    /// Whether an `insert` finds a place.
    pub fn has_room(&self) -> bool {
        self.len < self.chunks.len() * CHUNK_NODES
    }

    /// Makes sure that the next `insert` finds a place.
    pub fn reserve(&mut self, filler: H) -> Result<(), OutOfMemory> {
        self.reserve_many(1, filler)
    }

    /// Makes sure that the next `count` calls of `insert` find places, if nothing is removed meanwhile.
    pub fn reserve_many(&mut self, count: usize, filler: H) -> Result<(), OutOfMemory> {
        while self.chunks.len() * CHUNK_NODES < self.len.saturating_add(count) {
            self.add_chunk(filler)?;
        }
        Ok(())
    }

    /// Gives up to so many pieces of memory back; answers how many. Only its length may be asked of it from then on.
    pub fn shed(&mut self, pieces: usize) -> usize {
        let kept = self.chunks.len().saturating_sub(pieces);
        self.len = self.len.min(kept * CHUNK_NODES);
        self.chunks.drain(kept..).count()
    }

    fn add_chunk(&mut self, filler: H) -> Result<(), OutOfMemory> {
        let mut chunk = Vec::new();
        chunk.try_reserve_exact(CHUNK_NODES).map_err(|_| OutOfMemory)?;
        chunk.resize(CHUNK_NODES, Node { deadline: Timestamp::MAX, owner: filler }.kept());
        self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.chunks.push(chunk.into_boxed_slice());
        Ok(())
    }

    /// Adds a deadline; `reserve` must have succeeded.
    pub fn insert(&mut self, deadline: Timestamp, owner: H, positions: &mut impl Positions<H>) {
        let position = self.len;
        self.len += 1;
        self.rise(position, Node { deadline, owner }, positions);
    }

    /// Gives the node at a position, if there is one, another owner, who learns nothing of it.
    pub fn set_owner(&mut self, position: u32, owner: H) {
        if (position as usize) < self.len {
            self.chunks[position as usize / CHUNK_NODES][position as usize % CHUNK_NODES].owner = owner;
        }
    }

    pub fn update(&mut self, position: u32, deadline: Timestamp, positions: &mut impl Positions<H>) {
        if let Some(node) = self.get(position) {
            self.settle(position as usize, Node { deadline, owner: node.owner }, positions);
        }
    }

    pub fn remove(&mut self, position: u32, positions: &mut impl Positions<H>) {
        if position as usize >= self.len {
            return;
        }
        self.len -= 1;
        let last = self.node(self.len);
        if position as usize != self.len {
            self.settle(position as usize, last, positions);
        }
        // One spare chunk is kept, so that a deadline set and cleared over and over costs no allocation.
        if self.len + 2 * CHUNK_NODES <= self.chunks.len() * CHUNK_NODES {
            self.chunks.pop();
        }
    }

    fn settle(&mut self, position: usize, node: Node<H>, positions: &mut impl Positions<H>) {
        if position > 0 && node.deadline < self.node(parent(position)).deadline {
            self.rise(position, node, positions);
        } else {
            self.sink(position, node, positions);
        }
    }

    fn rise(&mut self, mut position: usize, node: Node<H>, positions: &mut impl Positions<H>) {
        while position > 0 {
            let above = self.node(parent(position));
            if above.deadline <= node.deadline {
                break;
            }
            self.place(position, above, positions);
            position = parent(position);
        }
        self.place(position, node, positions);
    }

    fn sink(&mut self, mut position: usize, node: Node<H>, positions: &mut impl Positions<H>) {
        while let Some((child, below)) = self.earliest_child(position) {
            if node.deadline <= below.deadline {
                break;
            }
            self.place(position, below, positions);
            position = child;
        }
        self.place(position, node, positions);
    }

    fn earliest_child(&self, position: usize) -> Option<(usize, Node<H>)> {
        let first = position * CHILDREN + 1;
        (first..(first + CHILDREN).min(self.len))
            .map(|child| (child, self.node(child)))
            .min_by_key(|(_, node)| node.deadline)
    }

    fn place(&mut self, position: usize, node: Node<H>, positions: &mut impl Positions<H>) {
        self.chunks[position / CHUNK_NODES][position % CHUNK_NODES] = node.kept();
        positions.moved(node.owner, position as u32);
    }

    fn node(&self, position: usize) -> Node<H> {
        let Kept { deadline, owner } = self.chunks[position / CHUNK_NODES][position % CHUNK_NODES];
        Node { deadline: Timestamp::from_ms(i64::from_ne_bytes(deadline)), owner }
    }
}

fn parent(position: usize) -> usize {
    (position - 1) / CHILDREN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use alloc::collections::BTreeMap;

    impl Positions<u32> for BTreeMap<u32, u32> {
        fn moved(&mut self, owner: u32, position: u32) {
            self.insert(owner, position);
        }
    }

    #[test]
    fn agrees_with_a_sorted_model() {
        let mut random = Random::new(11);
        let (mut heap, mut positions) = (Deadlines::default(), BTreeMap::new());
        let mut model: BTreeMap<u32, i64> = BTreeMap::new();
        for _ in 0..20_000 {
            let (owner, deadline) = (random.below(3000) as u32, random.below(500) as i64);
            match (random.below(3), model.contains_key(&owner)) {
                (0, true) => {
                    heap.remove(positions[&owner], &mut positions);
                    model.remove(&owner);
                }
                (_, true) => {
                    heap.update(positions[&owner], Timestamp::from_ms(deadline), &mut positions);
                    model.insert(owner, deadline);
                }
                (_, false) => {
                    heap.reserve(0).unwrap();
                    heap.insert(Timestamp::from_ms(deadline), owner, &mut positions);
                    model.insert(owner, deadline);
                }
            }
            assert_eq!(heap.len(), model.len());
            assert_eq!(heap.minimum().map(|node| node.deadline.as_ms()), model.values().min().copied());
        }
        for (owner, deadline) in model {
            let node = heap.get(positions[&owner]).unwrap();
            assert_eq!((node.owner, node.deadline.as_ms()), (owner, deadline));
        }
    }
}
