//! Sorted set under construction: scores of members in any order, which change often. Members are ordered once, at the end.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::indexed::{Indexed, score_of};
use super::order::TreeItem;
use super::{Form, ZSet};
use crate::base::headroom::OutOfMemory;
use crate::store::sorted_vec::{score_rank, sort};
use crate::values::hashed::hash_of;

/// Members with scores that are not in order yet.
#[derive(Debug)]
pub struct UnorderedZSet(Indexed);

impl UnorderedZSet {
    /// Creates an empty set; see [`ZSet::new`].
    pub fn new(seed: u64) -> UnorderedZSet {
        UnorderedZSet(Indexed::new(seed))
    }

    /// Adds a member, or replaces its score by that of `combine`, called with the present score and the new one.
    pub fn add(&mut self, member: &[u8], score: f64, combine: impl FnOnce(f64, f64) -> f64) -> Result<(), OutOfMemory> {
        let Indexed { seed, hashed, .. } = &mut self.0;
        let hash = hash_of(*seed, member);
        let Some(handle) = hashed.find(hash, member) else {
            return hashed.add(hash, member, &score.to_le_bytes()).map(drop);
        };
        let combined = combine(score_of(hashed.pair(handle).1), score);
        hashed.overwrite(handle, &combined.to_le_bytes());
        Ok(())
    }

    /// Orders the members. The set is in its large form; [`ZSet::convert_encoding`] must follow.
    pub fn ordered(self) -> Result<ZSet, OutOfMemory> {
        let UnorderedZSet(mut indexed) = self;
        let len = indexed.hashed.index.len();
        let (mut handles, mut ranked) = (Vec::new(), Vec::new());
        handles.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
        ranked.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
        for slot in indexed.hashed.index.iter() {
            let score = score_of(indexed.hashed.pair(slot.handle).1);
            // A negative zero is equal to zero.
            ranked.push((score_rank(score + 0.0), handles.len()));
            handles.push(slot.handle);
        }
        sort(&mut ranked, &|one, other| indexed.member(handles[one]) < indexed.member(handles[other]))?;
        for (rank, (_, at)) in ranked.into_iter().enumerate() {
            let score = score_of(indexed.hashed.pair(handles[at]).1);
            indexed.order.insert(rank, TreeItem::new(score, handles[at]))?;
        }
        Ok(ZSet { seed: indexed.seed, form: Form::Indexed(Box::new(indexed)) })
    }
}
