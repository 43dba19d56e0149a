//! Which deadline comes next: an indexed 8-ary heap. Each node's position is told to its owner, so a deadline can be
//! moved or taken out without a search, and no dead nodes pile up.
//!
//! A small heap stands in front of the large one, for deadlines that come much earlier than what lies at its end: a lock
//! of seconds among sessions of hours would rise over all levels of the large heap when it is taken, and the last session
//! would sink through all of them when it is given back. The earliest of all is the earlier of the two heaps' first.

#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;

/// So many that seven of eight nodes have none: a session that is renewed mostly stays where it is.
const CHILDREN: usize = 8;
/// Nodes lie in fixed chunks, so that growth never copies them.
const CHUNK_NODES: usize = 1024;
/// The positions of the small heap; those behind are of the large one. When it is full all of it moves to the large one.
const EARLY_MAX: usize = 17 * CHILDREN - 1;
// The children of a node lie in one chunk: those of the large heap begin at multiples of their number.
const _: () = assert!(
    (EARLY_MAX + 1).is_multiple_of(CHILDREN) && CHUNK_NODES.is_multiple_of(CHILDREN) && EARLY_MAX < CHUNK_NODES
);
/// The first three levels of the large heap.
const FIRST_LEVELS: usize = 1 + CHILDREN + CHILDREN * CHILDREN;

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
    #[inline(always)]
    fn kept(self) -> Kept<H> {
        Kept { deadline: self.deadline.as_ms().to_ne_bytes(), owner: self.owner }
    }
}

impl<H: Copy> Kept<H> {
    #[inline(always)]
    fn deadline(&self) -> Timestamp {
        Timestamp::from_ms(i64::from_ne_bytes(self.deadline))
    }

    #[inline(always)]
    fn node(self) -> Node<H> {
        Node { deadline: self.deadline(), owner: self.owner }
    }
}

type Chunk<H> = Box<[Kept<H>; CHUNK_NODES]>;

#[derive(Clone, Debug)]
pub struct DeadlineHeap<H> {
    chunks: Vec<Chunk<H>>,
    early_len: usize,
    late_len: usize,
    /// The deadline of the earliest node, which every lookup asks for; the latest there is while there is no node.
    first: Timestamp,
}

/// The positions of one heap.
#[derive(Clone, Copy, Debug)]
struct Heap {
    start: usize,
    end: usize,
}

impl Heap {
    /// The position above another, which must not be the first.
    #[inline(always)]
    fn parent(self, position: usize) -> usize {
        self.start + (position - self.start - 1) / CHILDREN
    }

    #[inline(always)]
    fn first_child(self, position: usize) -> usize {
        self.start + (position - self.start) * CHILDREN + 1
    }
}

impl<H> Default for DeadlineHeap<H> {
    fn default() -> DeadlineHeap<H> {
        DeadlineHeap { chunks: Vec::new(), early_len: 0, late_len: 0, first: Timestamp::MAX }
    }
}

impl<H: Copy> DeadlineHeap<H> {
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.early_len + self.late_len
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The deadline of the earliest node; the latest instant there is while there is no node.
    #[inline(always)]
    pub fn first(&self) -> Timestamp {
        self.first
    }

    /// Whether a deadline is before an instant. While none is, everything is alive.
    #[inline(always)]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.first < now
    }

    /// The earliest node.
    pub fn minimum(&self) -> Option<Node<H>> {
        match (self.get(0), self.get(EARLY_MAX as u32)) {
            (Some(early), Some(late)) => Some(if early.deadline < late.deadline { early } else { late }),
            (early, late) => early.or(late),
        }
    }

    /// Notes which deadline is the earliest, after a change.
    #[inline(always)]
    fn note_first(&mut self) {
        self.first = self.minimum().map_or(Timestamp::MAX, |node| node.deadline);
    }

    #[inline(always)]
    pub fn get(&self, position: u32) -> Option<Node<H>> {
        let position = position as usize;
        self.heap_of(position).map(|_| self.node(position))
    }

    /// All nodes in no order, by numbers below [`DeadlineHeap::len`].
    pub fn nth(&self, index: usize) -> Option<Node<H>> {
        let is_late = index >= self.early_len;
        self.get((if is_late { index - self.early_len + EARLY_MAX } else { index }) as u32)
    }

    /// The earliest and some that are likely to be next.
    pub fn first_levels(&self) -> impl Iterator<Item = Node<H>> {
        (0..self.len().min(self.early_len + FIRST_LEVELS)).filter_map(|index| self.nth(index))
    }

    /// Whether an `insert` finds a place.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.has_room_for(1)
    }

    /// The small heap may have to move to the large one.
    #[inline(always)]
    fn has_room_for(&self, count: usize) -> bool {
        (EARLY_MAX + self.len()).saturating_add(count) <= self.chunks.len() * CHUNK_NODES
    }

    /// Makes sure that the next `insert` finds a place.
    #[inline(always)]
    pub fn reserve(&mut self, filler: H) -> Result<(), OutOfMemory> {
        if self.has_room() { Ok(()) } else { self.reserve_many(1, filler) }
    }

    /// Makes sure that the next `count` calls of `insert` find places, if nothing is removed meanwhile.
    #[inline(never)]
    pub fn reserve_many(&mut self, count: usize, filler: H) -> Result<(), OutOfMemory> {
        while !self.has_room_for(count) {
            self.add_chunk(filler)?;
        }
        Ok(())
    }

    /// Gives up to so many pieces of memory back; answers how many. Only its length may be asked of it from then on.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        let kept = self.chunks.len().saturating_sub(pieces);
        self.late_len = self.late_len.min((kept * CHUNK_NODES).saturating_sub(EARLY_MAX));
        self.early_len = self.early_len.min(kept * CHUNK_NODES);
        self.chunks.drain(kept..).count()
    }

    fn add_chunk(&mut self, filler: H) -> Result<(), OutOfMemory> {
        let mut chunk = Vec::new();
        chunk.try_reserve_exact(CHUNK_NODES).map_err(|_| OutOfMemory)?;
        chunk.resize(CHUNK_NODES, Node { deadline: Timestamp::MAX, owner: filler }.kept());
        let chunk = chunk.into_boxed_slice().try_into().map_err(|_| OutOfMemory)?;
        self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.chunks.push(chunk);
        Ok(())
    }

    /// Adds a deadline; `reserve` must have succeeded.
    pub fn insert(&mut self, deadline: Timestamp, owner: H, positions: &mut impl Positions<H>) {
        let node = Node { deadline, owner };
        self.first = self.first.min(deadline);
        let late = Heap { start: EARLY_MAX, end: EARLY_MAX + self.late_len };
        if !self.would_rise_far(late, deadline) {
            return self.add_late(node, positions);
        }
        if self.early_len == EARLY_MAX {
            self.move_early(positions);
        }
        let early = Heap { start: 0, end: self.early_len };
        self.early_len += 1;
        let position = self.rise(early, early.end, node, positions);
        positions.moved(owner, position as u32);
    }

    #[inline(always)]
    fn add_late(&mut self, node: Node<H>, positions: &mut impl Positions<H>) {
        let late = Heap { start: EARLY_MAX, end: EARLY_MAX + self.late_len };
        self.late_len += 1;
        let position = self.rise(late, late.end, node, positions);
        positions.moved(node.owner, position as u32);
    }

    /// Whether a deadline would rise over two levels at least, if it was added to a heap.
    #[inline(always)]
    fn would_rise_far(&self, heap: Heap, deadline: Timestamp) -> bool {
        if heap.end - heap.start <= CHILDREN {
            return false;
        }
        let above = heap.parent(heap.parent(heap.end));
        deadline < self.node(above).deadline
    }

    /// Moves the small heap to the large one.
    #[cold]
    fn move_early(&mut self, positions: &mut impl Positions<H>) {
        for position in 0..core::mem::take(&mut self.early_len) {
            self.add_late(self.node(position), positions);
        }
    }

    /// Gives the node at a position, if there is one, another owner, who learns nothing of it.
    pub fn set_owner(&mut self, position: u32, owner: H) {
        if let Some(node) = self.get(position) {
            self.put(position as usize, Node { owner, ..node });
        }
    }

    /// Puts a node in the place of one, if there is one at that position. Its owner knows the position, and learns of another
    /// only. The one that was there is not looked at: among many it is far from whatever the processor has at hand.
    pub fn update(&mut self, position: u32, node: Node<H>, positions: &mut impl Positions<H>) {
        let Some(heap) = self.heap_of(position as usize) else { return };
        let settled = self.sift(heap, position as usize, node, positions) as u32;
        if settled != position {
            positions.moved(node.owner, settled);
        }
        match position as usize {
            0 | EARLY_MAX => self.note_first(),
            _ => self.first = self.first.min(node.deadline),
        }
    }

    pub fn remove(&mut self, position: u32, positions: &mut impl Positions<H>) {
        let position = position as usize;
        let Some(heap) = self.heap_of(position) else { return };
        let heap = Heap { end: heap.end - 1, ..heap };
        match heap.start {
            0 => self.early_len -= 1,
            _ => self.late_len -= 1,
        }
        if position != heap.end {
            let last = self.node(heap.end);
            let settled = self.sift(heap, position, last, positions);
            positions.moved(last.owner, settled as u32);
        }
        if matches!(position, 0 | EARLY_MAX) {
            self.note_first();
        }
        // One spare chunk is kept, so that a deadline set and cleared over and over costs no allocation.
        if self.has_room_for(2 * CHUNK_NODES) {
            self.chunks.pop();
        }
    }

    /// The heap that has a node at this position.
    #[inline(always)]
    fn heap_of(&self, position: usize) -> Option<Heap> {
        let heap = match position < EARLY_MAX {
            true => Heap { start: 0, end: self.early_len },
            false => Heap { start: EARLY_MAX, end: EARLY_MAX + self.late_len },
        };
        (position < heap.end).then_some(heap)
    }

    /// Puts a node where it belongs, beginning at a position; answers where that is. Those it passes learn of theirs.
    #[inline(always)]
    fn sift(&mut self, heap: Heap, position: usize, node: Node<H>, positions: &mut impl Positions<H>) -> usize {
        if position > heap.start && node.deadline < self.node(heap.parent(position)).deadline {
            self.rise(heap, position, node, positions)
        } else {
            self.sink(heap, position, node, positions)
        }
    }

    #[inline(always)]
    fn rise(&mut self, heap: Heap, mut position: usize, node: Node<H>, positions: &mut impl Positions<H>) -> usize {
        while position > heap.start {
            let parent = heap.parent(position);
            let above = self.node(parent);
            if above.deadline <= node.deadline {
                break;
            }
            self.place(position, above, positions);
            position = parent;
        }
        self.put(position, node);
        position
    }

    #[inline(never)]
    fn sink(&mut self, heap: Heap, mut position: usize, node: Node<H>, positions: &mut impl Positions<H>) -> usize {
        while let Some((child, below)) = self.earliest_child(heap, position) {
            if node.deadline <= below.deadline {
                break;
            }
            self.place(position, below, positions);
            position = child;
        }
        self.put(position, node);
        position
    }

    #[inline(always)]
    fn earliest_child(&self, heap: Heap, position: usize) -> Option<(usize, Node<H>)> {
        let first = heap.first_child(position);
        let children = self.children(heap, first).iter().enumerate();
        let (index, child) = children.min_by_key(|(_, child)| child.deadline())?;
        Some((first + index, child.node()))
    }

    /// Those that begin at a position.
    #[inline(always)]
    fn children(&self, heap: Heap, first: usize) -> &[Kept<H>] {
        let count = heap.end.saturating_sub(first).min(CHILDREN);
        let chunk = self.chunks.get(first / CHUNK_NODES);
        chunk.and_then(|chunk| chunk.get(first % CHUNK_NODES..)?.get(..count)).unwrap_or_default()
    }

    #[inline(always)]
    fn place(&mut self, position: usize, node: Node<H>, positions: &mut impl Positions<H>) {
        self.put(position, node);
        positions.moved(node.owner, position as u32);
    }

    #[inline(always)]
    fn put(&mut self, position: usize, node: Node<H>) {
        self.chunks[position / CHUNK_NODES][position % CHUNK_NODES] = node.kept();
    }

    #[inline(always)]
    fn node(&self, position: usize) -> Node<H> {
        self.chunks[position / CHUNK_NODES][position % CHUNK_NODES].node()
    }
}
