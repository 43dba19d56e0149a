//! Indexed 8-ary min-heap of deadlines. Each node's position is reported to its owner, so a deadline is moved or
//! removed without a search, and no stale nodes pile up.
//!
//! A small heap precedes the large one, for deadlines much earlier than the last ones of the large heap. Without it a
//! lock of seconds among sessions of hours would sift up over all levels when it is taken. When it is released, the
//! last session would sift down over all of them. The earliest deadline is the earlier of the two heaps' minima.

#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;

/// Children of a node. Seven of eight nodes have none, so a renewed session mostly keeps its position.
const CHILDREN: usize = 8;
/// Nodes of a chunk. Chunks are fixed, so that growth never copies nodes.
const CHUNK_NODES: usize = 1024;
/// Capacity of the small heap, which has the first positions; those from here on belong to the large one. When it is
/// full, all its nodes move to the large heap.
const EARLY_MAX: usize = 17 * CHILDREN - 1;
// The children of a node lie in one chunk: in the large heap they begin at multiples of `CHILDREN`.
const _: () = assert!(
    (EARLY_MAX + 1).is_multiple_of(CHILDREN) && CHUNK_NODES.is_multiple_of(CHILDREN) && EARLY_MAX < CHUNK_NODES
);
/// Number of nodes on the first three levels of the large heap.
const FIRST_LEVELS: usize = 1 + CHILDREN + CHILDREN * CHILDREN;

/// Deadline and its owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node<H> {
    pub deadline: Timestamp,
    pub owner: H,
}

/// Stored form of a node: twelve bytes with an owner of four, since the deadline needs no alignment.
#[derive(Clone, Copy, Debug)]
struct PackedNode<H> {
    deadline: [u8; 8],
    owner: H,
}

/// Bytes one deadline is counted as in used memory.
pub const NODE_BYTES: u64 = 12;
const _: () = assert!(size_of::<PackedNode<u32>>() == NODE_BYTES as usize);

/// Receiver of the nodes' positions.
pub trait Positions<H> {
    /// Records the current position of an owner's node.
    fn moved(&mut self, owner: H, position: u32);
}

impl<H> Node<H> {
    #[inline(always)]
    fn packed(self) -> PackedNode<H> {
        PackedNode { deadline: self.deadline.as_ms().to_ne_bytes(), owner: self.owner }
    }
}

impl<H: Copy> PackedNode<H> {
    #[inline(always)]
    fn deadline(&self) -> Timestamp {
        Timestamp::from_ms(i64::from_ne_bytes(self.deadline))
    }

    #[inline(always)]
    fn node(self) -> Node<H> {
        Node { deadline: self.deadline(), owner: self.owner }
    }
}

type Chunk<H> = Box<[PackedNode<H>; CHUNK_NODES]>;

/// Heap of deadlines: positions below `EARLY_MAX` are the small heap, those from there on the large one.
#[derive(Clone, Debug)]
pub struct DeadlineHeap<H> {
    chunks: Vec<Chunk<H>>,
    early_len: usize,
    late_len: usize,
    /// Earliest deadline, cached for every lookup; [`Timestamp::MAX`] without nodes.
    first: Timestamp,
}

/// Range of positions of one of the two heaps.
#[derive(Clone, Copy, Debug)]
struct Heap {
    start: usize,
    end: usize,
}

impl Heap {
    /// Returns the parent of a position, which must not be the first.
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

    /// Earliest deadline; [`Timestamp::MAX`] without nodes.
    #[inline(always)]
    pub fn first(&self) -> Timestamp {
        self.first
    }

    /// Whether any deadline is before `now`. If not, nothing has expired.
    #[inline(always)]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.first < now
    }

    /// Node with the earliest deadline.
    pub fn minimum(&self) -> Option<Node<H>> {
        match (self.get(0), self.get(EARLY_MAX as u32)) {
            (Some(early), Some(late)) => Some(if early.deadline < late.deadline { early } else { late }),
            (early, late) => early.or(late),
        }
    }

    /// Recomputes the cached earliest deadline after a change.
    #[inline(always)]
    fn update_first(&mut self) {
        self.first = self.minimum().map_or(Timestamp::MAX, |node| node.deadline);
    }

    #[inline(always)]
    pub fn get(&self, position: u32) -> Option<Node<H>> {
        let position = position as usize;
        self.heap_of(position).map(|_| self.node(position))
    }

    /// Returns the node of an index below [`DeadlineHeap::len`]; all nodes, in no order.
    pub fn nth(&self, index: usize) -> Option<Node<H>> {
        let is_late = index >= self.early_len;
        self.get((if is_late { index - self.early_len + EARLY_MAX } else { index }) as u32)
    }

    /// Earliest node and some of those that are likely to be due next.
    pub fn first_levels(&self) -> impl Iterator<Item = Node<H>> {
        (0..self.len().min(self.early_len + FIRST_LEVELS)).filter_map(|index| self.nth(index))
    }

    /// Whether the next `insert` needs no memory.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.has_room_for(1)
    }

    /// Whether `count` nodes fit. Counts the small heap twice, because its nodes may have to move to the large one.
    #[inline(always)]
    fn has_room_for(&self, count: usize) -> bool {
        (EARLY_MAX + self.len()).saturating_add(count) <= self.chunks.len() * CHUNK_NODES
    }

    /// Reserves memory for the next `insert`. `filler` is the owner of unused nodes.
    #[inline(always)]
    pub fn reserve(&mut self, filler: H) -> Result<(), OutOfMemory> {
        if self.has_room() { Ok(()) } else { self.reserve_many(1, filler) }
    }

    /// Reserves memory for the next `count` calls of `insert`, provided nothing is removed in between.
    #[inline(never)]
    pub fn reserve_many(&mut self, count: usize, filler: H) -> Result<(), OutOfMemory> {
        while !self.has_room_for(count) {
            self.add_chunk(filler)?;
        }
        Ok(())
    }

    /// Frees up to `pieces` chunks and returns how many were freed. Afterwards only the length may be read.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        let kept = self.chunks.len().saturating_sub(pieces);
        self.late_len = self.late_len.min((kept * CHUNK_NODES).saturating_sub(EARLY_MAX));
        self.early_len = self.early_len.min(kept * CHUNK_NODES);
        self.chunks.drain(kept..).count()
    }

    fn add_chunk(&mut self, filler: H) -> Result<(), OutOfMemory> {
        let mut chunk = Vec::new();
        chunk.try_reserve_exact(CHUNK_NODES).map_err(|_| OutOfMemory)?;
        chunk.resize(CHUNK_NODES, Node { deadline: Timestamp::MAX, owner: filler }.packed());
        let chunk = chunk.into_boxed_slice().try_into().map_err(|_| OutOfMemory)?;
        self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.chunks.push(chunk);
        Ok(())
    }

    /// Adds a deadline. `reserve` must have succeeded.
    pub fn insert(&mut self, deadline: Timestamp, owner: H, positions: &mut impl Positions<H>) {
        let node = Node { deadline, owner };
        self.first = self.first.min(deadline);
        let late = Heap { start: EARLY_MAX, end: EARLY_MAX + self.late_len };
        if !self.sifts_up_far(late, deadline) {
            return self.add_late(node, positions);
        }
        if self.early_len == EARLY_MAX {
            self.move_early(positions);
        }
        let early = Heap { start: 0, end: self.early_len };
        self.early_len += 1;
        let position = self.sift_up(early, early.end, node, positions);
        positions.moved(owner, position as u32);
    }

    #[inline(always)]
    fn add_late(&mut self, node: Node<H>, positions: &mut impl Positions<H>) {
        let late = Heap { start: EARLY_MAX, end: EARLY_MAX + self.late_len };
        self.late_len += 1;
        let position = self.sift_up(late, late.end, node, positions);
        positions.moved(node.owner, position as u32);
    }

    /// Whether a deadline added to a heap would sift up by at least two levels.
    #[inline(always)]
    fn sifts_up_far(&self, heap: Heap, deadline: Timestamp) -> bool {
        if heap.end - heap.start <= CHILDREN {
            return false;
        }
        let above = heap.parent(heap.parent(heap.end));
        deadline < self.node(above).deadline
    }

    /// Moves all nodes of the small heap to the large one.
    #[cold]
    fn move_early(&mut self, positions: &mut impl Positions<H>) {
        for position in 0..core::mem::take(&mut self.early_len) {
            self.add_late(self.node(position), positions);
        }
    }

    /// Replaces the owner of the node at `position`, if there is one, without reporting its position.
    pub fn set_owner(&mut self, position: u32, owner: H) {
        if let Some(node) = self.get(position) {
            self.put(position as usize, Node { owner, ..node });
        }
    }

    /// Replaces the node at `position`, if there is one, and restores the heap order. The position is reported to the
    /// new owner only if it changes. The old node is not read, because among many nodes it is rarely in a processor
    /// cache.
    pub fn update(&mut self, position: u32, node: Node<H>, positions: &mut impl Positions<H>) {
        let Some(heap) = self.heap_of(position as usize) else { return };
        let new_position = self.sift(heap, position as usize, node, positions) as u32;
        if new_position != position {
            positions.moved(node.owner, new_position);
        }
        match position as usize {
            0 | EARLY_MAX => self.update_first(),
            _ => self.first = self.first.min(node.deadline),
        }
    }

    /// Removes the node at `position`, if there is one.
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
            let new_position = self.sift(heap, position, last, positions);
            positions.moved(last.owner, new_position as u32);
        }
        if matches!(position, 0 | EARLY_MAX) {
            self.update_first();
        }
        // One spare chunk is kept, so that setting and clearing a deadline repeatedly allocates nothing.
        if self.has_room_for(2 * CHUNK_NODES) {
            self.chunks.pop();
        }
    }

    /// Returns the heap that has a node at this position.
    #[inline(always)]
    fn heap_of(&self, position: usize) -> Option<Heap> {
        let heap = match position < EARLY_MAX {
            true => Heap { start: 0, end: self.early_len },
            false => Heap { start: EARLY_MAX, end: EARLY_MAX + self.late_len },
        };
        (position < heap.end).then_some(heap)
    }

    /// Sifts a node up or down from `position` and returns its new position. The positions of the nodes it passes are
    /// reported.
    #[inline(always)]
    fn sift(&mut self, heap: Heap, position: usize, node: Node<H>, positions: &mut impl Positions<H>) -> usize {
        if position > heap.start && node.deadline < self.node(heap.parent(position)).deadline {
            self.sift_up(heap, position, node, positions)
        } else {
            self.sift_down(heap, position, node, positions)
        }
    }

    #[inline(always)]
    fn sift_up(&mut self, heap: Heap, mut position: usize, node: Node<H>, positions: &mut impl Positions<H>) -> usize {
        while position > heap.start {
            let parent = heap.parent(position);
            let above = self.node(parent);
            if above.deadline <= node.deadline {
                break;
            }
            self.put_and_report(position, above, positions);
            position = parent;
        }
        self.put(position, node);
        position
    }

    #[inline(never)]
    fn sift_down(
        &mut self,
        heap: Heap,
        mut position: usize,
        node: Node<H>,
        positions: &mut impl Positions<H>,
    ) -> usize {
        while let Some((child, below)) = self.earliest_child(heap, position) {
            if node.deadline <= below.deadline {
                break;
            }
            self.put_and_report(position, below, positions);
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

    /// Slice of the sibling nodes that begin at position `first`.
    #[inline(always)]
    fn children(&self, heap: Heap, first: usize) -> &[PackedNode<H>] {
        let count = heap.end.saturating_sub(first).min(CHILDREN);
        let chunk = self.chunks.get(first / CHUNK_NODES);
        chunk.and_then(|chunk| chunk.get(first % CHUNK_NODES..)?.get(..count)).unwrap_or_default()
    }

    #[inline(always)]
    fn put_and_report(&mut self, position: usize, node: Node<H>, positions: &mut impl Positions<H>) {
        self.put(position, node);
        positions.moved(node.owner, position as u32);
    }

    #[inline(always)]
    fn put(&mut self, position: usize, node: Node<H>) {
        self.chunks[position / CHUNK_NODES][position % CHUNK_NODES] = node.packed();
    }

    #[inline(always)]
    fn node(&self, position: usize) -> Node<H> {
        self.chunks[position / CHUNK_NODES][position % CHUNK_NODES].node()
    }
}
