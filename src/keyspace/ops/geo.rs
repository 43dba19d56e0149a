//! Sorted sets of places: what lies within a shape, nearest first if that is wanted.

use alloc::vec::Vec;

use crate::base::geo::{Position, Shape, cover};
use crate::base::headroom::copied;
use crate::keyspace::ops::{keys, restore, sorted_sets};
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::store::sorted_vec::ranking;
use crate::values::{Interval, ScoreBound, ScoreRange, Value, ZSet};

/// Which end of the distances comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nearness {
    Nearest,
    Farthest,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Vicinity {
    pub centre: Position,
    pub shape: Shape,
    pub order: Option<Nearness>,
    /// The search ends when it has met so many, wherever they are.
    pub any: Option<usize>,
}

/// A member within the shape.
#[derive(Clone, Debug)]
pub struct GeoPoint {
    pub member: Vec<u8>,
    pub score: f64,
    pub position: Position,
    /// Metres from the centre.
    pub distance: f64,
}

/// The place that is the score of a member.
pub fn position(txn: &mut Txn<'_>, key: &[u8], member: &[u8]) -> Result<Option<Position>, Error> {
    Ok(sorted_sets::find(txn, key)?.and_then(|zset| zset.score(member)).map(Position::of_score))
}

/// The members within a shape; in order if one is asked for.
pub fn search(txn: &mut Txn<'_>, key: &[u8], vicinity: &Vicinity) -> Result<Vec<GeoPoint>, Error> {
    let Some(zset) = sorted_sets::find(txn, key)? else { return Ok(Vec::new()) };
    let places = found(zset, vicinity)?;
    Ok(match vicinity.order {
        None => places,
        Some(order) => sorted(places, order)?,
    })
}

/// Stores places with scores as a sorted set; none of them deletes the key. Answers how many there are.
pub fn store(
    txn: &mut Txn<'_>,
    to: &[u8],
    places: &mut dyn ExactSizeIterator<Item = (f64, &[u8])>,
    event: EventKind,
) -> Result<usize, Error> {
    let limit = txn.limits().zset;
    let mut zset = ZSet::new(txn.seed());
    for (score, member) in places {
        zset.insert(member, score, limit)?;
    }
    let (slot, len) = (txn.entry(to, Access::Write), zset.len());
    if len == 0 {
        keys::delete(txn, slot, to);
        return Ok(0);
    }
    // Scores are told in up to as many characters as a part has beside its bytes.
    txn.ensure_room(2 * len, zset.counted_bytes() as usize)?;
    txn.put(slot, to, NewValue::Value(Value::ZSet(zset)), None, event)?;
    if !slot.is_vacant() {
        txn.effect(|effect| {
            effect.bytes(b"DEL").bytes(to);
        });
    }
    // Distances are not the same to the last bit everywhere: what is stored is stated.
    restore::state_made(txn, to);
    Ok(len)
}

fn found(zset: &ZSet, vicinity: &Vicinity) -> Result<Vec<GeoPoint>, Error> {
    let most = vicinity.any.unwrap_or(usize::MAX);
    let mut places = Vec::new();
    for cell in cover(vicinity.shape, vicinity.centre).into_iter().flatten() {
        let least = ScoreBound { score: cell.start as f64, exclusive: false };
        let end = ScoreBound { score: cell.end as f64, exclusive: true };
        let ranks = zset.select(&Interval::Scores(ScoreRange { least, most: end }).into());
        for (member, score) in zset.range(ranks) {
            let position = Position::of_score(score);
            let Some(distance) = vicinity.shape.distance(vicinity.centre, position) else { continue };
            places.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
            places.push(GeoPoint { member: copied(member)?, score, position, distance });
            if places.len() >= most {
                return Ok(places);
            }
        }
    }
    Ok(places)
}

/// Places as far away as each other stay in the order in which they were found.
fn sorted(mut places: Vec<GeoPoint>, order: Nearness) -> Result<Vec<GeoPoint>, Error> {
    let ranking = ranking(places.len(), &|one, other| {
        let distances = places[one].distance.total_cmp(&places[other].distance);
        let distances = if order == Nearness::Farthest { distances.reverse() } else { distances };
        distances.then(one.cmp(&other)).is_lt()
    })?;
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(places.len()).map_err(|_| Error::OutOfMemory)?;
    sorted.extend(ranking.into_iter().map(|at| {
        let member = core::mem::take(&mut places[at].member);
        GeoPoint { member, ..places[at] }
    }));
    Ok(sorted)
}
