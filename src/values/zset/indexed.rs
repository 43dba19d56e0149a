//! Indexed form of a sorted set: a hash index of members beside a tree that orders their handles.

use super::order::{Order, TreeItem};
use crate::base::headroom::OutOfMemory;
use crate::store::slab::Handle;
use crate::values::hashed::{Hashed, hash_of};

/// Members in hash order and in score order.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    pub(super) seed: u64,
    /// Pairs of a member and its score.
    pub(super) hashed: Hashed,
    pub(super) order: Order,
}

pub(super) fn score_of(value: &[u8]) -> f64 {
    value.first_chunk().map_or(0.0, |bytes| f64::from_le_bytes(*bytes))
}

impl Indexed {
    pub(super) fn new(seed: u64) -> Indexed {
        Indexed { seed, hashed: Hashed::default(), order: Order::default() }
    }

    pub(super) fn find(&self, member: &[u8]) -> Option<(Handle, f64)> {
        let handle = self.hashed.find(hash_of(self.seed, member), member)?;
        Some((handle, score_of(self.hashed.pair(handle).1)))
    }

    pub(super) fn member(&self, handle: Handle) -> &[u8] {
        self.hashed.pair(handle).0
    }

    pub(super) fn rank(&self, score: f64, member: &[u8]) -> usize {
        // A member's bytes are in another block, so they are read only if scores are equal.
        self.order
            .count_while(|item| item.score() < score || (item.score() == score && self.member(item.handle) < member))
    }

    /// Changes the score of a member that was found, or adds an absent one. On an error nothing has changed.
    pub(super) fn set(&mut self, found: Option<(Handle, f64)>, member: &[u8], score: f64) -> Result<(), OutOfMemory> {
        let Some((handle, old)) = found else {
            let hash = hash_of(self.seed, member);
            let handle = self.hashed.add(hash, member, &score.to_le_bytes())?;
            let inserted = self.order.insert(self.rank(score, member), TreeItem::new(score, handle));
            if inserted.is_err() {
                self.hashed.remove(hash, member);
            }
            return inserted;
        };
        let (from, to) = (self.rank(old, member), self.rank(score, member));
        self.order.insert(to, TreeItem::new(score, handle))?;
        self.order.remove(if to <= from { from + 1 } else { from });
        self.hashed.overwrite(handle, &score.to_le_bytes());
        Ok(())
    }

    pub(super) fn remove(&mut self, rank: usize) {
        let Some(item) = self.order.range(rank..rank + 1).next() else { return };
        self.order.remove(rank);
        let hash = hash_of(self.seed, self.member(item.handle));
        self.hashed.index.remove(hash, item.handle);
        self.hashed.slab.free(item.handle);
    }
}
