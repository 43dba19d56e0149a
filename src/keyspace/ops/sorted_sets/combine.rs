//! Sorted sets, and sets, put together: union, intersection and difference.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use crate::base::headroom::OutOfMemory;
use crate::keyspace::ops::sets::Combination;
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind};
use crate::store::slab::Handle;
use crate::values::{PackedLimit, Set, ValueRef, ZSet};

/// What becomes of the scores of a member that is in several sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Aggregate {
    #[default]
    Sum,
    Least,
    Greatest,
}

impl Aggregate {
    fn of(self, one: f64, other: f64) -> f64 {
        match self {
            // Infinity less infinity counts as nothing.
            Aggregate::Sum => number_or_zero(one + other),
            Aggregate::Least if other < one => other,
            Aggregate::Greatest if other > one => other,
            _ => one,
        }
    }

    fn name(self) -> &'static [u8] {
        match self {
            Aggregate::Sum => b"SUM",
            Aggregate::Least => b"MIN",
            Aggregate::Greatest => b"MAX",
        }
    }
}

/// How the scores of the sources count.
#[derive(Clone, Debug, Default)]
pub struct Weighting {
    /// Of each source what its scores are multiplied with; 1 where nothing is said.
    pub weights: Vec<f64>,
    pub aggregate: Aggregate,
}

/// Keys that were looked at and found to be missing, sets or sorted sets.
#[derive(Clone, Debug)]
pub struct Sources(Vec<Option<Handle>>);

/// A set whose members have scores; those of a plain set are 1.
#[derive(Clone, Copy)]
enum Scored<'a> {
    ZSet(&'a ZSet),
    Set(&'a Set),
}

impl<'a> Scored<'a> {
    fn len(self) -> usize {
        match self {
            Scored::ZSet(zset) => zset.len(),
            Scored::Set(set) => set.len(),
        }
    }

    fn score(self, member: &[u8]) -> Option<f64> {
        match self {
            Scored::ZSet(zset) => zset.score(member),
            Scored::Set(set) => set.contains(member).then_some(1.0),
        }
    }

    fn iter(self) -> impl Iterator<Item = (&'a [u8], f64)> {
        let (zset, set) = match self {
            Scored::ZSet(zset) => (Some(zset.iter()), None),
            Scored::Set(set) => (None, Some(set.iter().map(|member| (member, 1.0)))),
        };
        zset.into_iter().flatten().chain(set.into_iter().flatten())
    }
}

/// A source, and what its scores are multiplied with.
#[derive(Clone, Copy)]
struct Source<'a> {
    scored: Option<Scored<'a>>,
    weight: f64,
}

impl<'a> Source<'a> {
    fn len(&self) -> usize {
        self.scored.map_or(0, Scored::len)
    }

    fn score(&self, member: &[u8]) -> Option<f64> {
        Some(self.scored?.score(member)? * self.weight)
    }

    fn pairs(self) -> impl Iterator<Item = (&'a [u8], f64)> {
        let pairs = self.scored.into_iter().flat_map(Scored::iter);
        pairs.map(move |(member, score)| (member, number_or_zero(score * self.weight)))
    }
}

fn number_or_zero(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score }
}

impl Combination {
    fn zset_event(self) -> EventKind {
        match self {
            Combination::Intersection => EventKind::ZInterStore,
            Combination::Union => EventKind::ZUnionStore,
            Combination::Difference => EventKind::ZDiffStore,
        }
    }

    /// The command that stores the result, which is also the effect.
    fn zset_command(self) -> &'static [u8] {
        match self {
            Combination::Intersection => b"ZINTERSTORE",
            Combination::Union => b"ZUNIONSTORE",
            Combination::Difference => b"ZDIFFSTORE",
        }
    }
}

/// Looks at every key, so that a wrong type is an error wherever it stands.
pub fn sources<'k>(txn: &mut Txn<'_>, keys: impl Iterator<Item = &'k [u8]>) -> Result<Sources, Error> {
    let mut handles = Vec::new();
    for key in keys {
        let handle = txn.entry(key, Access::Read).found();
        if handle.is_some_and(|handle| scored(txn, handle).is_none()) {
            return Err(Error::WrongType);
        }
        handles.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        handles.push(handle);
    }
    Ok(Sources(handles))
}

/// Puts sources together. The result keeps the sign of a zero whatever its form.
pub fn combine(
    txn: &Txn<'_>,
    combination: Combination,
    sources: &Sources,
    weighting: &Weighting,
) -> Result<ZSet, Error> {
    let mut result = Growing { zset: ZSet::new(txn.seed()), limit: txn.limits().zset };
    let mut sources = weighted(txn, sources, weighting);
    if combination == Combination::Difference {
        let Some((first, others)) = sources.split_first() else { return Ok(result.zset) };
        for (member, score) in first.pairs() {
            if !others.iter().any(|other| other.score(member).is_some()) {
                result.insert(member, score)?;
            }
        }
        return Ok(result.zset);
    }
    // From the smallest to the largest, as in Redis: sums of floats depend on the order.
    sources = from_smallest(sources);
    if combination == Combination::Union {
        for (member, score) in sources.into_iter().flat_map(Source::pairs) {
            let sum = result.zset.score(member).map_or(score, |sum| weighting.aggregate.of(sum, score));
            result.insert(member, sum)?;
        }
    } else if let Some((smallest, others)) = sources.split_first() {
        for (member, score) in smallest.pairs() {
            let mut scores = others.iter().map(|other| other.score(member));
            if let Some(score) = scores.try_fold(score, |sum, score| Some(weighting.aggregate.of(sum, score?))) {
                result.insert(member, score)?;
            }
        }
    }
    Ok(result.zset)
}

/// Counts the members that are in all sources, at most `most` of them; 0 means all.
pub fn common(txn: &Txn<'_>, sources: &Sources, most: usize) -> usize {
    let sources = from_smallest(weighted(txn, sources, &Weighting::default()));
    let Some((smallest, others)) = sources.split_first() else { return 0 };
    let in_all = |member: &[u8]| others.iter().all(|other| other.score(member).is_some());
    let common = smallest.pairs().filter(|(member, _)| in_all(member));
    common.take(if most == 0 { usize::MAX } else { most }).count()
}

/// Puts sorted sets together and stores the result; an empty one deletes the key. Answers how many members it has.
pub fn combine_into<'k>(
    txn: &mut Txn<'_>,
    combination: Combination,
    to: &[u8],
    keys: impl ExactSizeIterator<Item = &'k [u8]>,
    sources: &Sources,
    weighting: &Weighting,
) -> Result<usize, Error> {
    let mut result = combine(txn, combination, sources, weighting)?;
    result.convert_encoding(txn.limits().zset)?;
    super::store(txn, to, result, combination.zset_event(), |effect| {
        effect.bytes(combination.zset_command()).bytes(to).integer(keys.len() as i64);
        keys.for_each(|key| {
            effect.bytes(key);
        });
        if !weighting.weights.is_empty() {
            effect.bytes(b"WEIGHTS");
            weighting.weights.iter().for_each(|weight| {
                effect.double(*weight);
            });
        }
        if combination != Combination::Difference {
            effect.bytes(b"AGGREGATE").bytes(weighting.aggregate.name());
        }
    })
}

fn scored<'t>(txn: &'t Txn<'_>, handle: Handle) -> Option<Scored<'t>> {
    match txn.db().value(handle)? {
        ValueRef::ZSet(zset) => Some(Scored::ZSet(zset)),
        ValueRef::Set(set) => Some(Scored::Set(set)),
        _ => None,
    }
}

fn weighted<'t>(txn: &'t Txn<'_>, sources: &Sources, weighting: &Weighting) -> Vec<Source<'t>> {
    let weights = weighting.weights.iter().copied().chain(core::iter::repeat(1.0));
    let scored = sources.0.iter().map(|handle| scored(txn, (*handle)?));
    scored.zip(weights).map(|(scored, weight)| Source { scored, weight }).collect()
}

/// In the order of their lengths; those of equal length as they came.
fn from_smallest(sources: Vec<Source<'_>>) -> Vec<Source<'_>> {
    // A heap sorts with a tenth of the code of the library's sort.
    let lengths: BinaryHeap<(usize, usize)> =
        sources.iter().enumerate().map(|(index, source)| (source.len(), index)).collect();
    lengths.into_sorted_vec().into_iter().map(|(_, index)| sources[index]).collect()
}

/// A result that turns into a large set in time.
struct Growing {
    zset: ZSet,
    limit: PackedLimit,
}

impl Growing {
    fn insert(&mut self, member: &[u8], score: f64) -> Result<(), OutOfMemory> {
        self.zset.expect(self.zset.len() + 1, member.len(), self.limit)?;
        self.zset.insert_exact(member, score).map(drop)
    }
}
