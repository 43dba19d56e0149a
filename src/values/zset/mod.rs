//! Sorted sets: members with scores, ordered by score and then by bytes. A small set is a packed block; a large one is
//! a hash index of members beside a tree that orders their handles.

mod indexed;
mod order;
mod packed;
mod pairs;
mod range;
mod sums;

use alloc::boxed::Box;
use core::ops::Range;

use indexed::{Indexed, score_of};
use packed::Packed;
pub use pairs::Pairs;
use pairs::Walk;
pub use range::{Interval, MemberBound, MemberRange, ScoreBound, ScoreRange, Selection};
pub use sums::UnorderedZSet;

use super::PackedLimit;
use crate::base::headroom::OutOfMemory;
use crate::base::random::Random;

/// Bytes a sorted set is counted as besides its pairs.
const BASE_BYTES: u64 = 32;
/// Bytes a member is counted as in the tree: 12 bytes, in leaves that are three quarters full.
const TREE_ITEM_BYTES: u64 = 16;

/// Sorted set in its packed or indexed form.
#[derive(Clone, Debug)]
pub struct ZSet {
    seed: u64,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Packed(Packed),
    Indexed(Box<Indexed>),
}

/// Computes a member's new score from its present one; `None` leaves the set unchanged.
type Choose<'c> = &'c mut dyn FnMut(Option<f64>) -> Option<f64>;

/// Result of [`ZSet::update`].
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Updated {
    /// Previous score of the member.
    pub old: Option<f64>,
    /// Whether the member is new or its score has changed.
    pub is_change: bool,
}

impl ZSet {
    /// Creates an empty set. `seed` determines the order in which large sets are scanned.
    pub fn new(seed: u64) -> ZSet {
        ZSet { seed, form: Form::Packed(Packed::default()) }
    }

    /// Copies the set; an error replaces the abort when memory is exhausted.
    pub fn try_clone(&self) -> Result<ZSet, OutOfMemory> {
        let form = match &self.form {
            Form::Packed(packed) => Form::Packed(packed.try_clone()?),
            Form::Indexed(_) => {
                let mut indexed = Indexed::new(self.seed);
                for (member, score) in self.iter() {
                    indexed.set(None, member, score)?;
                }
                Form::Indexed(Box::new(indexed))
            }
        };
        Ok(ZSet { seed: self.seed, form })
    }

    pub fn len(&self) -> usize {
        match &self.form {
            Form::Packed(packed) => packed.len(),
            Form::Indexed(indexed) => indexed.order.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn score(&self, member: &[u8]) -> Option<f64> {
        match &self.form {
            Form::Packed(packed) => packed.find(member).map(|pair| pair.score),
            Form::Indexed(indexed) => indexed.find(member).map(|(_, score)| score),
        }
    }

    /// Rank of a member, and its score.
    pub fn rank(&self, member: &[u8]) -> Option<(usize, f64)> {
        match &self.form {
            Form::Packed(packed) => packed.find(member).map(|pair| (pair.rank, pair.score)),
            Form::Indexed(indexed) => {
                let (_, score) = indexed.find(member)?;
                Some((indexed.rank(score, member), score))
            }
        }
    }

    /// Chooses the form for `members` expected members of at most `bytes` bytes each.
    pub fn expect(&mut self, members: usize, bytes: usize, limit: PackedLimit) -> Result<(), OutOfMemory> {
        if members > limit.members || bytes > limit.bytes { self.index() } else { Ok(()) }
    }

    /// Adds a member or changes its score, which must be a number. Returns the previous score. A negative zero equals
    /// zero, and only a large set keeps its sign, as in Redis. On an error the pairs are unchanged.
    pub fn insert(&mut self, member: &[u8], score: f64, limit: PackedLimit) -> Result<Option<f64>, OutOfMemory> {
        Ok(self.update(member, limit, &mut |_| Some(score))?.old)
    }

    /// Adds a member or changes its score to the result of `choose`, which is called once. Zeros and errors are treated
    /// as by [`ZSet::insert`].
    pub fn update(&mut self, member: &[u8], limit: PackedLimit, choose: Choose<'_>) -> Result<Updated, OutOfMemory> {
        let Form::Packed(packed) = &mut self.form else { return self.update_indexed(member, choose) };
        let found = packed.find(member);
        let old = found.map(|pair| pair.score);
        let Some(score) = choose(old).filter(|&score| old != Some(score)) else {
            return Ok(Updated { old, is_change: false });
        };
        if found.is_some() || (packed.len() < limit.members && member.len() <= limit.bytes) {
            // Adding zero turns a negative zero into a positive one and leaves other numbers unchanged.
            packed.set(found, member, score + 0.0)?;
        } else {
            self.index()?;
            self.update_indexed(member, &mut |_| Some(score))?;
        }
        Ok(Updated { old, is_change: true })
    }

    fn update_indexed(&mut self, member: &[u8], choose: Choose<'_>) -> Result<Updated, OutOfMemory> {
        let Form::Indexed(indexed) = &mut self.form else { return Ok(Updated::default()) };
        let found = indexed.find(member);
        let old = found.map(|(_, score)| score);
        let Some(score) = choose(old).filter(|&score| old != Some(score)) else {
            return Ok(Updated { old, is_change: false });
        };
        indexed.set(found, member, score)?;
        Ok(Updated { old, is_change: true })
    }

    /// Adds a member or changes its score without normalizing zeros or choosing the form. [`ZSet::convert_encoding`]
    /// must follow.
    pub fn insert_exact(&mut self, member: &[u8], score: f64) -> Result<Option<f64>, OutOfMemory> {
        let is_same = |old: f64| old.to_bits() == score.to_bits();
        match &mut self.form {
            Form::Packed(packed) => {
                let found = packed.find(member);
                if !found.is_some_and(|pair| is_same(pair.score)) {
                    packed.set(found, member, score)?;
                }
                Ok(found.map(|pair| pair.score))
            }
            Form::Indexed(indexed) => {
                let found = indexed.find(member);
                if !found.is_some_and(|(_, old)| is_same(old)) {
                    indexed.set(found, member, score)?;
                }
                Ok(found.map(|(_, old)| old))
            }
        }
    }

    /// Converts a set that was built by exact insertions to the form for its size.
    pub fn convert_encoding(&mut self, limit: PackedLimit) -> Result<(), OutOfMemory> {
        let longest = self.iter().map(|(member, _)| member.len()).max().unwrap_or(0);
        self.expect(self.len(), longest, limit)?;
        if self.len() <= limit.members && longest <= limit.bytes && !self.is_packed() {
            let mut packed = Packed::default();
            for (member, score) in self.iter() {
                packed.insert(member, score)?;
            }
            self.form = Form::Packed(packed);
        }
        if let Form::Packed(packed) = &mut self.form {
            packed.clear_negative_zeros();
        }
        Ok(())
    }

    /// Removes a member and returns its score.
    pub fn remove(&mut self, member: &[u8]) -> Option<f64> {
        match &mut self.form {
            Form::Packed(packed) => {
                let pair = packed.find(member)?;
                packed.remove_pair(pair, member);
                Some(pair.score)
            }
            Form::Indexed(indexed) => {
                let (_, score) = indexed.find(member)?;
                indexed.remove(indexed.rank(score, member));
                Some(score)
            }
        }
    }

    /// Removes the members of a range of ranks, at most the length.
    pub fn remove_ranks(&mut self, ranks: Range<usize>) {
        match &mut self.form {
            Form::Packed(packed) => packed.remove(ranks),
            Form::Indexed(indexed) => ranks.rev().for_each(|rank| indexed.remove(rank)),
        }
    }

    /// Members of a range of ranks, at most the length, with their scores.
    pub fn range(&self, ranks: Range<usize>) -> Pairs<'_> {
        match &self.form {
            Form::Packed(packed) => Pairs(Walk::Packed(packed.range(ranks))),
            Form::Indexed(indexed) => Pairs(Walk::Indexed(&indexed.hashed, indexed.order.range(ranks))),
        }
    }

    /// All members with their scores, in order.
    pub fn iter(&self) -> Pairs<'_> {
        self.range(0..self.len())
    }

    /// Member of a rank, with its score.
    pub fn at(&self, rank: usize) -> Option<(&[u8], f64)> {
        if rank < self.len() { self.range(rank..rank + 1).next() } else { None }
    }

    /// Ranks of a selection, counted from the lowest in either direction.
    pub fn select(&self, selection: &Selection<'_>) -> Range<usize> {
        let ranks = match &selection.interval {
            Interval::Ranks(start, stop) => self.ranks_between(*start, *stop, selection.reversed),
            Interval::Scores(scores) => self.ranks_of_scores(scores),
            Interval::Members(members) => self.ranks_of_members(members, selection.reversed),
        };
        let Ok(offset) = usize::try_from(selection.offset) else { return 0..0 };
        let (offset, limit) = (offset.min(ranks.len()), usize::try_from(selection.limit).unwrap_or(usize::MAX));
        let count = limit.min(ranks.len() - offset);
        match selection.reversed {
            false => ranks.start + offset..ranks.start + offset + count,
            true => ranks.end - offset - count..ranks.end - offset,
        }
    }

    fn ranks_between(&self, start: i64, stop: i64, reversed: bool) -> Range<usize> {
        // A length is far below the range of i64, so the sums do not overflow.
        let len = self.len() as i64;
        let from_end = |rank: i64| if rank < 0 { rank + len } else { rank };
        let (start, end) = (from_end(start).max(0), from_end(stop).min(len - 1) + 1);
        match (start < end, reversed) {
            (false, _) => 0..0,
            (true, false) => start as usize..end as usize,
            (true, true) => (len - end) as usize..(len - start) as usize,
        }
    }

    fn ranks_of_scores(&self, scores: &ScoreRange) -> Range<usize> {
        let start = self.count_while(&|score, _| scores.is_above(score));
        let end = self.count_while(&|score, _| scores.reaches(score));
        start..end.max(start)
    }

    /// Ranks of a range of members. If scores differ, members are not in the order of their bytes. The packed form is
    /// searched from the requested end, as Redis does, so that replies agree even then.
    fn ranks_of_members(&self, range: &MemberRange<'_>, reversed: bool) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        let Form::Packed(packed) = &self.form else {
            let start = self.count_while(&|_, member| !range.is_at_least(member));
            let end = self.count_while(&|_, member| range.is_at_most(member));
            return start..end.max(start);
        };
        let at_least = |(member, _): (&[u8], f64)| range.is_at_least(member);
        let at_most = |(member, _): (&[u8], f64)| range.is_at_most(member);
        if !packed.iter().next_back().is_some_and(at_least) || !packed.iter().next().is_some_and(at_most) {
            return 0..0;
        }
        let len = packed.len();
        if reversed {
            let (skipped, count) = run(&mut packed.iter().rev(), &at_most, &at_least);
            len - skipped - count..len - skipped
        } else {
            let (skipped, count) = run(&mut packed.iter(), &at_least, &at_most);
            skipped..skipped + count
        }
    }

    /// Number of members, from the lowest on, before the first that fails the condition.
    fn count_while(&self, condition: &dyn Fn(f64, &[u8]) -> bool) -> usize {
        match &self.form {
            Form::Packed(packed) => packed.iter().take_while(|(member, score)| condition(*score, member)).count(),
            Form::Indexed(indexed) => {
                indexed.order.count_while(|item| condition(item.score(), indexed.member(item.handle)))
            }
        }
    }

    /// Visits one page of members; see [`super::Set::page`].
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(&[u8], f64)) -> u64 {
        match &self.form {
            Form::Packed(packed) => {
                packed.iter().for_each(|(member, score)| visit(member, score));
                0
            }
            Form::Indexed(indexed) => indexed.hashed.index.page(cursor, count, &mut |slot| {
                let (member, value) = indexed.hashed.pair(slot.handle);
                visit(member, score_of(value));
            }),
        }
    }

    /// Returns a random member with its score, uniformly distributed.
    pub fn random(&self, random: &mut Random) -> Option<(&[u8], f64)> {
        if self.is_empty() { None } else { self.at(random.below(self.len() as u64) as usize) }
    }

    /// Encoding as reported by OBJECT ENCODING.
    pub fn encoding(&self) -> &'static str {
        if self.is_packed() { "listpack" } else { "skiplist" }
    }

    /// Bytes counted in used memory: a formula over the members, equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES
            + match &self.form {
                Form::Packed(packed) => packed.byte_len() as u64,
                Form::Indexed(indexed) => indexed.hashed.counted_bytes() + indexed.order.len() as u64 * TREE_ITEM_BYTES,
            }
    }

    /// Frees up to `pieces` allocations and returns how many were freed. Afterwards only [`ZSet::counted_bytes`] may be
    /// called.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        match &mut self.form {
            Form::Packed(_) => 0,
            Form::Indexed(indexed) => {
                let freed = indexed.hashed.free_step(pieces);
                freed + indexed.order.free_step(pieces - freed)
            }
        }
    }

    fn is_packed(&self) -> bool {
        matches!(self.form, Form::Packed(_))
    }

    /// Converts the set to the indexed form.
    pub fn index(&mut self) -> Result<(), OutOfMemory> {
        if let Form::Packed(packed) = &self.form {
            let mut indexed = Indexed::new(self.seed);
            for (member, score) in packed.iter() {
                indexed.set(None, member, score)?;
            }
            self.form = Form::Indexed(Box::new(indexed));
        }
        Ok(())
    }
}

type Condition<'c> = &'c dyn Fn((&[u8], f64)) -> bool;

/// Number of pairs before the first that satisfies `is_first`, and length of the run from there on that satisfies
/// `continues`.
fn run(
    pairs: &mut dyn Iterator<Item = (&[u8], f64)>,
    is_first: Condition<'_>,
    continues: Condition<'_>,
) -> (usize, usize) {
    let (mut skipped, mut count, mut has_begun) = (0, 0, false);
    for pair in pairs {
        has_begun = has_begun || is_first(pair);
        if !has_begun {
            skipped += 1;
        } else if continues(pair) {
            count += 1;
        } else {
            break;
        }
    }
    (skipped, count)
}

#[cfg(test)]
mod tests;
