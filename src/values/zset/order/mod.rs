//! Order of a large sorted set: a counted B+ tree of items, each a score and a member's handle.
//!
//! Insertion and removal by index, access by index, and the search for the end of a condition take logarithmic time.
//! The caller keeps the items sorted.

use alloc::vec::Vec;
use core::ops::Range;

use crate::base::headroom::OutOfMemory;
use crate::store::slab::Handle;

/// Items of a leaf: 1.5 KiB.
const LEAF_MAX: usize = 128;
/// Branches of an inner node. A tree of a million items has three levels of inner nodes.
const INNER_MAX: usize = 32;

/// Score, and handle of the member's block.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeItem {
    /// Stored as bytes, so that an item takes 12 bytes without padding.
    score: [u8; 8],
    pub(super) handle: Handle,
}

impl TreeItem {
    pub(super) fn new(score: f64, handle: Handle) -> TreeItem {
        TreeItem { score: score.to_le_bytes(), handle }
    }

    pub(super) fn score(self) -> f64 {
        f64::from_le_bytes(self.score)
    }
}

/// Node of the tree. All leaves are equally deep. No node but the root is empty, and two neighbours fill more than half
/// a node, so the depth is logarithmic.
#[derive(Clone, Debug)]
enum Node {
    Leaf(Vec<TreeItem>),
    Inner(Vec<Branch>),
}

/// Child of an inner node.
#[derive(Clone, Debug)]
struct Branch {
    /// First item below.
    first: TreeItem,
    /// Number of items below.
    count: usize,
    node: Node,
}

/// Sequence of items.
#[derive(Clone, Debug)]
pub(super) struct Order {
    root: Node,
    len: usize,
}

/// Position at which a full node is split. Splits near the end keep a tree that grows at one end densely filled.
#[derive(Clone, Copy, Debug)]
enum SplitPoint {
    Half,
    AfterFirst,
    BeforeLast,
}

impl Default for Order {
    fn default() -> Order {
        Order { root: Node::Leaf(Vec::new()), len: 0 }
    }
}

impl Order {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Frees up to `pieces` nodes and returns how many were freed. Afterwards only the length may be read.
    pub(super) fn free_step(&mut self, pieces: usize) -> usize {
        self.root.free_step(pieces, &mut self.len)
    }

    /// Number of items before the first that fails the condition, which must hold for a prefix only.
    pub(super) fn count_while(&self, condition: impl Fn(TreeItem) -> bool) -> usize {
        let (mut node, mut count) = (&self.root, 0);
        loop {
            match node {
                Node::Leaf(items) => return count + items.partition_point(|&item| condition(item)),
                Node::Inner(branches) => {
                    // The condition ends in the last branch with a first item that satisfies it, or right after that
                    // branch.
                    let at = branches.partition_point(|branch| condition(branch.first)).saturating_sub(1);
                    let Some((branch, before)) = branches.get(..=at).and_then(<[Branch]>::split_last) else {
                        return count;
                    };
                    count += before.iter().map(|branch| branch.count).sum::<usize>();
                    node = &branch.node;
                }
            }
        }
    }

    /// Inserts an item before `index`, at most the length. On an error nothing has changed.
    pub(super) fn insert(&mut self, index: usize, item: TreeItem) -> Result<(), OutOfMemory> {
        let split_point = match index {
            _ if index == self.len => SplitPoint::BeforeLast,
            0 => SplitPoint::AfterFirst,
            _ => SplitPoint::Half,
        };
        if self.root.is_full() {
            self.grow()?;
        }
        self.root.insert(index, item, split_point)?;
        self.len += 1;
        Ok(())
    }

    /// Removes the item at `index`; does nothing if there is none.
    pub(super) fn remove(&mut self, index: usize) {
        if index >= self.len {
            return;
        }
        self.root.remove(index);
        self.len -= 1;
        while let Node::Inner(branches) = &mut self.root
            && branches.len() <= 1
        {
            self.root = branches.pop().map_or(Node::Leaf(Vec::new()), |only| only.node);
        }
    }

    /// Items of a range of indices, at most the length.
    pub(super) fn range(&self, range: Range<usize>) -> TreeItems<'_> {
        TreeItems { order: self, range, front: &[], back: &[] }
    }

    /// Adds a level above the root, which is full and is split next.
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let Some(first) = self.root.first() else { return Ok(()) };
        let mut branches = with_capacity(INNER_MAX)?;
        let node = core::mem::replace(&mut self.root, Node::Leaf(Vec::new()));
        branches.push(Branch { first, count: self.len, node });
        self.root = Node::Inner(branches);
        Ok(())
    }

    /// Returns the leaf that holds the item at an index, and the index within it.
    fn leaf(&self, mut index: usize) -> (&[TreeItem], usize) {
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(items) => return (items, index),
                Node::Inner(branches) => {
                    let mut rest = branches.as_slice();
                    while let [branch, after @ ..] = rest
                        && index >= branch.count
                    {
                        index -= branch.count;
                        rest = after;
                    }
                    let Some(branch) = rest.first() else { return (&[], 0) };
                    node = &branch.node;
                }
            }
        }
    }
}

impl Node {
    fn is_full(&self) -> bool {
        match self {
            Node::Leaf(items) => items.len() >= LEAF_MAX,
            Node::Inner(branches) => branches.len() >= INNER_MAX,
        }
    }

    fn first(&self) -> Option<TreeItem> {
        match self {
            Node::Leaf(items) => items.first().copied(),
            Node::Inner(branches) => branches.first().map(|branch| branch.first),
        }
    }

    /// Inserts into a node that is not full. Full nodes are split on the way down, so that an error leaves a valid
    /// tree.
    fn insert(&mut self, mut index: usize, item: TreeItem, split_point: SplitPoint) -> Result<(), OutOfMemory> {
        let branches = match self {
            Node::Leaf(items) => {
                reserve(items, LEAF_MAX)?;
                items.insert(index, item);
                return Ok(());
            }
            Node::Inner(branches) => branches,
        };
        let at_start = index == 0;
        let mut at = 0;
        while index > branches[at].count && at + 1 < branches.len() {
            index -= branches[at].count;
            at += 1;
        }
        if branches[at].node.is_full() {
            split(branches, at, split_point)?;
            if index > branches[at].count {
                index -= branches[at].count;
                at += 1;
            }
        }
        let branch = &mut branches[at];
        branch.node.insert(index, item, split_point)?;
        branch.count += 1;
        if at_start {
            branch.first = item;
        }
        Ok(())
    }

    fn remove(&mut self, mut index: usize) {
        let branches = match self {
            Node::Leaf(items) => {
                items.remove(index);
                return;
            }
            Node::Inner(branches) => branches,
        };
        let mut at = 0;
        while index >= branches[at].count {
            index -= branches[at].count;
            at += 1;
        }
        let branch = &mut branches[at];
        branch.node.remove(index);
        branch.count -= 1;
        match branch.node.first() {
            None => drop(branches.remove(at)),
            Some(first) => {
                branch.first = first;
                merge(branches, at);
            }
        }
        if at > 0 {
            merge(branches, at - 1);
        }
    }

    /// Frees up to `nodes` nodes, the last first, and returns how many were freed. `len` is the number of items left.
    fn free_step(&mut self, nodes: usize, len: &mut usize) -> usize {
        let Node::Inner(branches) = self else { return 0 };
        let mut freed = 0;
        while freed < nodes
            && let Some(last) = branches.last_mut()
        {
            freed += last.node.free_step(nodes - freed, len);
            if freed < nodes {
                if let Some(Branch { node: Node::Leaf(items), .. }) = branches.pop() {
                    *len -= items.len();
                }
                freed += 1;
            }
        }
        freed
    }

    fn split(&mut self, split_point: SplitPoint) -> Result<Node, OutOfMemory> {
        match self {
            Node::Leaf(items) => split_off(items, LEAF_MAX, split_point).map(Node::Leaf),
            Node::Inner(branches) => split_off(branches, INNER_MAX, split_point).map(Node::Inner),
        }
    }

    fn count(&self) -> usize {
        match self {
            Node::Leaf(items) => items.len(),
            Node::Inner(branches) => branches.iter().map(|branch| branch.count).sum(),
        }
    }
}

/// Splits a full node below `branches`, which has capacity for one more.
fn split(branches: &mut Vec<Branch>, at: usize, split_point: SplitPoint) -> Result<(), OutOfMemory> {
    reserve(branches, INNER_MAX)?;
    let node = branches[at].node.split(split_point)?;
    if let Some(first) = node.first() {
        let count = node.count();
        branches[at].count -= count;
        branches.insert(at + 1, Branch { first, count, node });
    }
    Ok(())
}

/// Merges two neighbours that together fill at most half a node.
fn merge(branches: &mut Vec<Branch>, at: usize) {
    let Some([left, right]) = branches.get_mut(at..at + 2) else { return };
    match (&mut left.node, &mut right.node) {
        (Node::Leaf(left), Node::Leaf(right)) if left.len() + right.len() <= LEAF_MAX / 2 => left.append(right),
        (Node::Inner(left), Node::Inner(right)) if left.len() + right.len() <= INNER_MAX / 2 => left.append(right),
        _ => return,
    }
    left.count += right.count;
    branches.remove(at + 1);
}

fn split_off<T>(items: &mut Vec<T>, capacity: usize, split_point: SplitPoint) -> Result<Vec<T>, OutOfMemory> {
    let mut part = with_capacity(capacity)?;
    let kept = match split_point {
        SplitPoint::Half => items.len() / 2,
        SplitPoint::AfterFirst => 1,
        SplitPoint::BeforeLast => items.len() - 1,
    };
    part.extend(items.drain(kept..));
    Ok(part)
}

fn with_capacity<T>(capacity: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut items = Vec::new();
    reserve(&mut items, capacity)?;
    Ok(items)
}

/// Reserves capacity for one more item. Reserves `capacity` items at once, since a node is likely to fill up.
fn reserve<T>(items: &mut Vec<T>, capacity: usize) -> Result<(), OutOfMemory> {
    if items.len() < items.capacity() {
        return Ok(());
    }
    items.try_reserve_exact(capacity.saturating_sub(items.len()).max(1)).map_err(|_| OutOfMemory)
}

/// Iterator over items in order, from both ends.
#[derive(Clone, Debug)]
pub(super) struct TreeItems<'a> {
    order: &'a Order,
    range: Range<usize>,
    /// Items of the front's leaf, from the next one on.
    front: &'a [TreeItem],
    /// Items of the back's leaf, up to the next one from the back.
    back: &'a [TreeItem],
}

impl Iterator for TreeItems<'_> {
    type Item = TreeItem;

    fn next(&mut self) -> Option<TreeItem> {
        if self.range.is_empty() {
            return None;
        }
        if self.front.is_empty() {
            let (leaf, index) = self.order.leaf(self.range.start);
            self.front = leaf.get(index..).unwrap_or_default();
        }
        let (first, rest) = self.front.split_first()?;
        self.front = rest;
        self.range.start += 1;
        Some(*first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.range.len(), Some(self.range.len()))
    }
}

impl DoubleEndedIterator for TreeItems<'_> {
    fn next_back(&mut self) -> Option<TreeItem> {
        if self.range.is_empty() {
            return None;
        }
        if self.back.is_empty() {
            let (leaf, index) = self.order.leaf(self.range.end - 1);
            self.back = leaf.get(..=index).unwrap_or_default();
        }
        let (last, rest) = self.back.split_last()?;
        self.back = rest;
        self.range.end -= 1;
        Some(*last)
    }
}

#[cfg(test)]
mod tests;
