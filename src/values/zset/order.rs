//! The order of a large sorted set: a sequence of places (a score, and a handle of the member) in a counted B+ tree. It
//! inserts, removes and finds by index, and finds the index at which a condition ends, each in logarithmic time; what
//! makes the places ordered is the caller's to know.

use alloc::vec::Vec;
use core::ops::Range;

use crate::base::headroom::OutOfMemory;
use crate::store::slab::Handle;

/// TreeItems of a leaf: 1.5 KiB.
const LEAF_MAX: usize = 128;
/// Branches of an inner node. A tree of a million places has three levels of them.
const INNER_MAX: usize = 32;

/// A score, and where its member lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeItem {
    /// As bytes, so that a place takes 12 of them.
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

/// All leaves are equally deep. No node but the root is empty, and two neighbours fill more than half a node, so the
/// depth is logarithmic.
#[derive(Clone, Debug)]
enum Node {
    Leaf(Vec<TreeItem>),
    Inner(Vec<Branch>),
}

#[derive(Clone, Debug)]
struct Branch {
    /// The first place below.
    first: TreeItem,
    /// How many places are below.
    count: usize,
    node: Node,
}

#[derive(Clone, Debug)]
pub(super) struct Order {
    root: Node,
    len: usize,
}

/// Where a full node is divided: a tree that grows at one end stays densely filled.
#[derive(Clone, Copy, Debug)]
enum Division {
    Half,
    BehindFirst,
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

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
    pub(super) fn free_step(&mut self, pieces: usize) -> usize {
        self.root.free_step(pieces, &mut self.len)
    }

    /// How many places from the first on fulfil a condition that those behind them do not.
    pub(super) fn count_while(&self, condition: impl Fn(TreeItem) -> bool) -> usize {
        let (mut node, mut count) = (&self.root, 0);
        loop {
            match node {
                Node::Leaf(places) => return count + places.partition_point(|&place| condition(place)),
                Node::Inner(branches) => {
                    // The condition ends in the last branch whose first place fulfils it, or right behind that.
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

    /// Puts a place before the one at `index`, at most the length. On an error nothing has changed.
    pub(super) fn insert(&mut self, index: usize, place: TreeItem) -> Result<(), OutOfMemory> {
        let division = match index {
            _ if index == self.len => Division::BeforeLast,
            0 => Division::BehindFirst,
            _ => Division::Half,
        };
        if self.root.is_full() {
            self.grow()?;
        }
        self.root.insert(index, place, division)?;
        self.len += 1;
        Ok(())
    }

    /// Takes the place at `index` away; nothing happens when there is none.
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

    /// The places at these indexes, at most the length.
    pub(super) fn range(&self, range: Range<usize>) -> TreeItems<'_> {
        TreeItems { order: self, range, front: &[], back: &[] }
    }

    /// Puts a root over the root, which is full and will be divided.
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let Some(first) = self.root.first() else { return Ok(()) };
        let mut branches = room_for(INNER_MAX)?;
        let node = core::mem::replace(&mut self.root, Node::Leaf(Vec::new()));
        branches.push(Branch { first, count: self.len, node });
        self.root = Node::Inner(branches);
        Ok(())
    }

    /// The leaf that holds the place at an index, and the index within it.
    fn leaf(&self, mut index: usize) -> (&[TreeItem], usize) {
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(places) => return (places, index),
                Node::Inner(branches) => {
                    let mut rest = branches.as_slice();
                    while let [branch, behind @ ..] = rest
                        && index >= branch.count
                    {
                        index -= branch.count;
                        rest = behind;
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
            Node::Leaf(places) => places.len() >= LEAF_MAX,
            Node::Inner(branches) => branches.len() >= INNER_MAX,
        }
    }

    fn first(&self) -> Option<TreeItem> {
        match self {
            Node::Leaf(places) => places.first().copied(),
            Node::Inner(branches) => branches.first().map(|branch| branch.first),
        }
    }

    /// Inserts into a node that is not full. Full nodes are divided on the way down, so that an error leaves a tree that
    /// is whole.
    fn insert(&mut self, mut index: usize, place: TreeItem, division: Division) -> Result<(), OutOfMemory> {
        let branches = match self {
            Node::Leaf(places) => {
                make_room(places, LEAF_MAX)?;
                places.insert(index, place);
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
            divide(branches, at, division)?;
            if index > branches[at].count {
                index -= branches[at].count;
                at += 1;
            }
        }
        let branch = &mut branches[at];
        branch.node.insert(index, place, division)?;
        branch.count += 1;
        if at_start {
            branch.first = place;
        }
        Ok(())
    }

    fn remove(&mut self, mut index: usize) {
        let branches = match self {
            Node::Leaf(places) => {
                places.remove(index);
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
                join(branches, at);
            }
        }
        if at > 0 {
            join(branches, at - 1);
        }
    }

    /// Gives up to so many nodes back, the last first; answers how many. `len` is how many places are left.
    fn free_step(&mut self, nodes: usize, len: &mut usize) -> usize {
        let Node::Inner(branches) = self else { return 0 };
        let mut free_step = 0;
        while free_step < nodes
            && let Some(last) = branches.last_mut()
        {
            free_step += last.node.free_step(nodes - free_step, len);
            if free_step < nodes {
                if let Some(Branch { node: Node::Leaf(places), .. }) = branches.pop() {
                    *len -= places.len();
                }
                free_step += 1;
            }
        }
        free_step
    }

    fn divide(&mut self, division: Division) -> Result<Node, OutOfMemory> {
        match self {
            Node::Leaf(places) => second_part(places, LEAF_MAX, division).map(Node::Leaf),
            Node::Inner(branches) => second_part(branches, INNER_MAX, division).map(Node::Inner),
        }
    }

    fn count(&self) -> usize {
        match self {
            Node::Leaf(places) => places.len(),
            Node::Inner(branches) => branches.iter().map(|branch| branch.count).sum(),
        }
    }
}

/// Divides a full node below `branches`, which has room for one more.
fn divide(branches: &mut Vec<Branch>, at: usize, division: Division) -> Result<(), OutOfMemory> {
    make_room(branches, INNER_MAX)?;
    let node = branches[at].node.divide(division)?;
    if let Some(first) = node.first() {
        let count = node.count();
        branches[at].count -= count;
        branches.insert(at + 1, Branch { first, count, node });
    }
    Ok(())
}

/// Makes one node of two neighbours that together fill no more than half of it.
fn join(branches: &mut Vec<Branch>, at: usize) {
    let Some([left, right]) = branches.get_mut(at..at + 2) else { return };
    match (&mut left.node, &mut right.node) {
        (Node::Leaf(left), Node::Leaf(right)) if left.len() + right.len() <= LEAF_MAX / 2 => left.append(right),
        (Node::Inner(left), Node::Inner(right)) if left.len() + right.len() <= INNER_MAX / 2 => left.append(right),
        _ => return,
    }
    left.count += right.count;
    branches.remove(at + 1);
}

fn second_part<T>(items: &mut Vec<T>, most: usize, division: Division) -> Result<Vec<T>, OutOfMemory> {
    let mut part = room_for(most)?;
    let kept = match division {
        Division::Half => items.len() / 2,
        Division::BehindFirst => 1,
        Division::BeforeLast => items.len() - 1,
    };
    part.extend(items.drain(kept..));
    Ok(part)
}

fn room_for<T>(most: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut items = Vec::new();
    make_room(&mut items, most)?;
    Ok(items)
}

/// Room for one more, and at once for as many as there may be.
fn make_room<T>(items: &mut Vec<T>, most: usize) -> Result<(), OutOfMemory> {
    if items.len() < items.capacity() {
        return Ok(());
    }
    items.try_reserve_exact(most.saturating_sub(items.len()).max(1)).map_err(|_| OutOfMemory)
}

/// TreeItems in order, from both ends.
#[derive(Clone, Debug)]
pub(super) struct TreeItems<'a> {
    order: &'a Order,
    range: Range<usize>,
    /// Of the leaf the front is in, what begins with the next place.
    front: &'a [TreeItem],
    /// Of the leaf the back is in, what ends with the next place from the back.
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
