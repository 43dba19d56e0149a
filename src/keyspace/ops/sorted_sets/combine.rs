//! Union, intersection and difference of sorted sets and sets.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use crate::base::headroom::OutOfMemory;
use crate::keyspace::ops::sets::Combination;
use crate::keyspace::txn::{Access, Txn, count_visits};
use crate::keyspace::{Error, EventKind};
use crate::store::slab::Handle;
use crate::values::{PackedLimit, Set, UnorderedZSet, ValueRef, ZSet};

/// Aggregation of the scores of a member that is in several sets.
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
            // Infinity minus infinity is 0, as in Redis.
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

/// Weights and aggregation of the sources' scores.
#[derive(Clone, Debug, Default)]
pub struct Weighting {
    /// Factor of each source's scores. Missing weights are 1.
    pub weights: Vec<f64>,
    pub aggregate: Aggregate,
}

/// Source keys after their lookup: missing, sets or sorted sets.
#[derive(Clone, Debug)]
pub struct Sources(Vec<Option<Handle>>);

/// Set with scores. The scores of a plain set are 1.
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

/// Source with its weight.
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

    /// Name of the command that stores the result, for its effect.
    fn zset_command(self) -> &'static [u8] {
        match self {
            Combination::Intersection => b"ZINTERSTORE",
            Combination::Union => b"ZUNIONSTORE",
            Combination::Difference => b"ZDIFFSTORE",
        }
    }
}

/// Looks up all keys. A wrong type is an error at any position.
pub fn sources<'k>(txn: &mut Txn<'_>, keys: impl Iterator<Item = &'k [u8]>) -> Result<Sources, Error> {
    let mut handles = Vec::new();
    for key in keys {
        let handle = txn.entry(key, Access::Read).found();
        if handle.is_some_and(|handle| scored(txn, handle).is_none()) {
            return Err(Error::WrongType);
        }
        let len = handle.and_then(|handle| scored(txn, handle)).map_or(0, Scored::len);
        // Each member is looked up, and inserted into a tree.
        count_visits(txn, len.saturating_mul(4 + len.max(1).ilog2() as usize / 4));
        handles.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        handles.push(handle);
    }
    Ok(Sources(handles))
}

/// Combines sources. The result keeps the sign of zero scores in either encoding.
pub fn combine(
    txn: &Txn<'_>,
    combination: Combination,
    sources: &Sources,
    weighting: &Weighting,
) -> Result<ZSet, Error> {
    let mut result = GrowingZSet { zset: ZSet::new(txn.seed()), limit: txn.limits().zset };
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
    // In ascending order of size, as in Redis: sums of floats depend on the order.
    sources = from_smallest(sources);
    if combination == Combination::Union {
        return union(txn, sources, weighting.aggregate);
    }
    if let Some((smallest, others)) = sources.split_first() {
        for (member, score) in smallest.pairs() {
            let mut scores = others.iter().map(|other| other.score(member));
            if let Some(score) = scores.try_fold(score, |sum, score| Some(weighting.aggregate.of(sum, score?))) {
                result.insert(member, score)?;
            }
        }
    }
    Ok(result.zset)
}

/// Unites sources. Scores of a large union change in the index alone, and are ordered once.
fn union(txn: &Txn<'_>, sources: Vec<Source<'_>>, aggregate: Aggregate) -> Result<ZSet, Error> {
    let count: usize = sources.iter().map(Source::len).sum();
    let pairs = sources.into_iter().flat_map(Source::pairs);
    if count > txn.limits().zset.members {
        let mut union = UnorderedZSet::new(txn.seed());
        for (member, score) in pairs {
            union.add(member, score, |sum, score| aggregate.of(sum, score))?;
        }
        return Ok(union.ordered()?);
    }
    let mut union = GrowingZSet { zset: ZSet::new(txn.seed()), limit: txn.limits().zset };
    for (member, score) in pairs {
        let sum = union.zset.score(member).map_or(score, |sum| aggregate.of(sum, score));
        union.insert(member, sum)?;
    }
    Ok(union.zset)
}

/// Counts the members that are in all sources, up to `max_count`; 0 means no limit.
pub fn common(txn: &Txn<'_>, sources: &Sources, max_count: usize) -> usize {
    let sources = from_smallest(weighted(txn, sources, &Weighting::default()));
    let Some((smallest, others)) = sources.split_first() else { return 0 };
    let in_all = |member: &[u8]| others.iter().all(|other| other.score(member).is_some());
    let common = smallest.pairs().filter(|(member, _)| in_all(member));
    common.take(if max_count == 0 { usize::MAX } else { max_count }).count()
}

/// Combines sources and stores the result; returns its size. An empty result deletes the key.
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

/// Sorts sources by size, ascending. The sort is stable.
fn from_smallest(sources: Vec<Source<'_>>) -> Vec<Source<'_>> {
    // A binary heap takes a tenth of the code size of the library's sort.
    let lengths: BinaryHeap<(usize, usize)> =
        sources.iter().enumerate().map(|(index, source)| (source.len(), index)).collect();
    lengths.into_sorted_vec().into_iter().map(|(_, index)| sources[index]).collect()
}

/// Result that is converted to the large encoding when it exceeds the limits.
struct GrowingZSet {
    zset: ZSet,
    limit: PackedLimit,
}

impl GrowingZSet {
    fn insert(&mut self, member: &[u8], score: f64) -> Result<(), OutOfMemory> {
        self.zset.expect(self.zset.len() + 1, member.len(), self.limit)?;
        self.zset.insert_exact(member, score).map(drop)
    }
}
