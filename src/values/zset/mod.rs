//! A sorted set: members with scores, ordered by score and then by their bytes. A small one is a packed block; a large
//! one is a hash table of members beside a tree that orders their handles.

mod indexed;
mod order;
mod packed;
mod range;

use alloc::boxed::Box;
use core::ops::Range;

use indexed::{Indexed, score_of};
use order::TreeItems;
use packed::Packed;
pub use range::{Interval, MemberBound, MemberRange, ScoreBound, ScoreRange, Selection};

use super::PackedLimit;
use super::hashed::Hashed;
use crate::base::headroom::OutOfMemory;
use crate::base::random::Random;

/// What a sorted set costs beside its pairs.
const BASE_BYTES: u64 = 32;
/// What a member costs in the tree: 12 bytes, in leaves that are three quarters full.
const PLACE_BYTES: u64 = 16;

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

/// The score a member gets, made of the one it has; `None` where the set stays as it is.
type Choose<'c> = &'c mut dyn FnMut(Option<f64>) -> Option<f64>;

/// What [`ZSet::update`] found and did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Updated {
    /// The score the member had.
    pub old: Option<f64>,
    /// The member is new or has another score.
    pub is_change: bool,
}

impl ZSet {
    /// `seed` decides the order in which large sets are scanned.
    pub fn new(seed: u64) -> ZSet {
        ZSet { seed, form: Form::Packed(Packed::default()) }
    }

    /// A copy, or an error instead of an abort when memory is short.
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

    /// How many members come before this one, and its score.
    pub fn rank(&self, member: &[u8]) -> Option<(usize, f64)> {
        match &self.form {
            Form::Packed(packed) => packed.find(member).map(|pair| (pair.rank, pair.score)),
            Form::Indexed(indexed) => {
                let (_, score) = indexed.find(member)?;
                Some((indexed.rank(score, member), score))
            }
        }
    }

    /// Gives the set the form that suits so many members, the longest of so many bytes, before they come.
    pub fn expect(&mut self, members: usize, bytes: usize, limit: PackedLimit) -> Result<(), OutOfMemory> {
        if members > limit.members || bytes > limit.bytes { self.index() } else { Ok(()) }
    }

    /// Adds a member or gives it another score, which must be a number; answers the score it had. A negative zero keeps
    /// its sign only in a large set, as in Redis, and is no other score than zero. On an error nothing has changed.
    pub fn insert(&mut self, member: &[u8], score: f64, limit: PackedLimit) -> Result<Option<f64>, OutOfMemory> {
        Ok(self.update(member, limit, &mut |_| Some(score))?.old)
    }

    /// Adds a member or gives it another score, made of the one it has. `choose` is called once. Zeros and errors are those
    /// of [`ZSet::insert`].
    pub fn update(&mut self, member: &[u8], limit: PackedLimit, choose: Choose<'_>) -> Result<Updated, OutOfMemory> {
        let Form::Packed(packed) = &mut self.form else { return self.update_indexed(member, choose) };
        let found = packed.find(member);
        let old = found.map(|pair| pair.score);
        let Some(score) = choose(old).filter(|&score| old != Some(score)) else {
            return Ok(Updated { old, is_change: false });
        };
        if found.is_some() || (packed.len() < limit.members && member.len() <= limit.bytes) {
            // Adding zero to a negative zero makes it a positive one and leaves any other number alone.
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

    /// Adds a member or gives it another score as it is; [`ZSet::convert_encoding`] makes the set an ordinary one.
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

    /// Gives a set that was put together the form its size asks for.
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

    /// Takes a member away; answers the score it had.
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

    /// Takes the members of these ranks away, at most the length.
    pub fn remove_ranks(&mut self, ranks: Range<usize>) {
        match &mut self.form {
            Form::Packed(packed) => packed.remove(ranks),
            Form::Indexed(indexed) => ranks.rev().for_each(|rank| indexed.remove(rank)),
        }
    }

    /// The members of these ranks with their scores, at most the length.
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

    /// The member of a rank.
    pub fn at(&self, rank: usize) -> Option<(&[u8], f64)> {
        if rank < self.len() { self.range(rank..rank + 1).next() } else { None }
    }

    /// The ranks of what is asked for: counted from the lowest, whatever the direction.
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
        let start = self.count_while(&|score, _| scores.begins_behind(score));
        let end = self.count_while(&|score, _| scores.reaches(score));
        start..end.max(start)
    }

    /// Where scores differ the order of the members is not that of their bytes. The small form is walked from the end
    /// that is asked for, as Redis does, so that even then the answers are the same.
    fn ranks_of_members(&self, range: &MemberRange<'_>, reversed: bool) -> Range<usize> {
        if range.is_void() {
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
            let (passed, count) = run(&mut packed.iter().rev(), &at_most, &at_least);
            len - passed - count..len - passed
        } else {
            let (passed, count) = run(&mut packed.iter(), &at_least, &at_most);
            passed..passed + count
        }
    }

    /// How many members from the lowest on fulfil a condition that those above do not.
    fn count_while(&self, condition: &dyn Fn(f64, &[u8]) -> bool) -> usize {
        match &self.form {
            Form::Packed(packed) => packed.iter().take_while(|(member, score)| condition(*score, member)).count(),
            Form::Indexed(indexed) => {
                indexed.order.count_while(|place| condition(place.score(), indexed.member(place.handle)))
            }
        }
    }

    /// A page of members; see [`super::Members::page`].
    pub fn page(&self, cursor: u64, count: usize, visit: &mut dyn FnMut(&[u8], f64)) -> u64 {
        match &self.form {
            Form::Packed(packed) => {
                packed.iter().for_each(|(member, score)| visit(member, score));
                0
            }
            Form::Indexed(indexed) => indexed.hashed.table.page(cursor, count, &mut |slot| {
                let (member, value) = indexed.hashed.pair(slot.handle);
                visit(member, score_of(value));
            }),
        }
    }

    /// Any member, all equally likely.
    pub fn random(&self, random: &mut Random) -> Option<(&[u8], f64)> {
        if self.is_empty() { None } else { self.at(random.below(self.len() as u64) as usize) }
    }

    /// The name Redis gives such a representation.
    pub fn encoding(&self) -> &'static str {
        if self.is_packed() { "listpack" } else { "skiplist" }
    }

    /// A formula over the members, the same on every target.
    pub fn counted_bytes(&self) -> u64 {
        BASE_BYTES
            + match &self.form {
                Form::Packed(packed) => packed.byte_len() as u64,
                Form::Indexed(indexed) => indexed.hashed.counted_bytes() + indexed.order.len() as u64 * PLACE_BYTES,
            }
    }

    /// Gives up to so many pieces of memory back; answers how many. Only what it counts as may be asked of it from then on.
    pub fn free_step(&mut self, pieces: usize) -> usize {
        match &mut self.form {
            Form::Packed(_) => 0,
            Form::Indexed(indexed) => {
                let free_step = indexed.hashed.free_step(pieces);
                free_step + indexed.order.free_step(pieces - free_step)
            }
        }
    }

    fn is_packed(&self) -> bool {
        matches!(self.form, Form::Packed(_))
    }

    /// Makes the set a large one.
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

/// How many pairs are passed until one is the first, and for how many from it on the run lasts.
fn run(
    pairs: &mut dyn Iterator<Item = (&[u8], f64)>,
    is_first: Condition<'_>,
    goes_on: Condition<'_>,
) -> (usize, usize) {
    let (mut passed, mut count, mut has_begun) = (0, 0, false);
    for pair in pairs {
        has_begun = has_begun || is_first(pair);
        if !has_begun {
            passed += 1;
        } else if goes_on(pair) {
            count += 1;
        } else {
            break;
        }
    }
    (passed, count)
}

/// Members with their scores, from both ends.
#[derive(Clone, Debug)]
pub struct Pairs<'a>(Walk<'a>);

#[derive(Clone, Debug)]
enum Walk<'a> {
    Packed(packed::Pairs<'a>),
    Indexed(&'a Hashed, TreeItems<'a>),
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], f64);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(pairs) => pairs.next(),
            Walk::Indexed(hashed, places) => places.next().map(|place| (hashed.pair(place.handle).0, place.score())),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Walk::Packed(pairs) => pairs.size_hint(),
            Walk::Indexed(_, places) => places.size_hint(),
        }
    }
}

impl DoubleEndedIterator for Pairs<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(pairs) => pairs.next_back(),
            Walk::Indexed(hashed, places) => {
                places.next_back().map(|place| (hashed.pair(place.handle).0, place.score()))
            }
        }
    }
}

impl ExactSizeIterator for Pairs<'_> {}

#[cfg(test)]
mod tests;
