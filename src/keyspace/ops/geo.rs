//! Geo sets: sorted sets with positions as scores. Search within a shape, optionally ordered by distance.

use alloc::vec::Vec;

use crate::base::geo::{Position, Shape, cover};
use crate::base::headroom::copied;
use crate::keyspace::ops::{keys, restore, sorted_sets};
use crate::keyspace::txn::{Access, Txn, count_visits};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::store::sorted_vec::{score_rank, sort};
use crate::values::{Interval, ScoreBound, ScoreRange, Value, ZSet};

/// Cells that a search looks for, at least: those around its centre.
const CELLS: usize = 9;
/// Visits that a distance counts as.
const DISTANCE_VISITS: usize = 4;

/// Order by distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nearness {
    Nearest,
    Farthest,
}

/// Area and order of a search.
#[derive(Clone, Copy, Debug)]
pub struct Vicinity {
    pub centre: Position,
    pub shape: Shape,
    pub order: Option<Nearness>,
    /// Maximum number of members found, in no order (`COUNT n ANY`).
    pub any: Option<usize>,
}

/// Member found by a search.
#[derive(Clone, Debug)]
pub struct GeoPoint {
    pub member: Vec<u8>,
    pub score: f64,
    pub position: Position,
    /// Distance from the centre in metres.
    pub distance: f64,
}

/// Position of a member; `None` if key or member does not exist.
pub fn position(txn: &mut Txn<'_>, key: &[u8], member: &[u8]) -> Result<Option<Position>, Error> {
    Ok(sorted_sets::find(txn, key)?.and_then(|zset| zset.score(member)).map(Position::of_score))
}

/// Returns the members within a shape, ordered by distance if `order` is set.
pub fn search(txn: &mut Txn<'_>, key: &[u8], vicinity: &Vicinity) -> Result<Vec<GeoPoint>, Error> {
    let Some(zset) = sorted_sets::find(txn, key)? else { return Ok(Vec::new()) };
    let mut visited = CELLS;
    let points = points_within(zset, vicinity, &mut visited)?;
    count_visits(txn, visited.saturating_mul(DISTANCE_VISITS));
    Ok(match vicinity.order {
        None => points,
        Some(order) => sorted(points, order)?,
    })
}

/// Stores members with scores as a sorted set; returns their number. An empty result deletes the key.
pub fn store(
    txn: &mut Txn<'_>,
    to: &[u8],
    points: &mut dyn ExactSizeIterator<Item = (f64, &[u8])>,
    event: EventKind,
) -> Result<usize, Error> {
    let limit = txn.limits().zset;
    let mut zset = ZSet::new(txn.seed());
    for (score, member) in points {
        zset.insert(member, score, limit)?;
    }
    let (lookup, len) = (txn.entry(to, Access::Write), zset.len());
    if len == 0 {
        keys::delete(txn, lookup, to);
        return Ok(0);
    }
    // The text of a score is no longer than the overhead counted per part.
    txn.reserve_headroom(2 * len, zset.counted_bytes() as usize)?;
    txn.put(lookup, to, NewValue::Value(Value::ZSet(zset)), None, event)?;
    if !lookup.is_vacant() {
        txn.effect(|effect| {
            effect.bytes(b"DEL").bytes(to);
        });
    }
    // The last bits of distances may differ by platform, so the effect holds the stored result.
    restore::state_made(txn, to);
    Ok(len)
}

/// Collects the members within a shape. `visited` is raised for each member of the cells that cover it.
fn points_within(zset: &ZSet, vicinity: &Vicinity, visited: &mut usize) -> Result<Vec<GeoPoint>, Error> {
    let max_count = vicinity.any.unwrap_or(usize::MAX);
    let mut points = Vec::new();
    for cell in cover(vicinity.shape, vicinity.centre).into_iter().flatten() {
        let start = ScoreBound { score: cell.start as f64, exclusive: false };
        let end = ScoreBound { score: cell.end as f64, exclusive: true };
        let ranks = zset.select(&Interval::Scores(ScoreRange { least: start, most: end }).into());
        for (member, score) in zset.range(ranks) {
            *visited += 1;
            let position = Position::of_score(score);
            let Some(distance) = vicinity.shape.distance(vicinity.centre, position) else { continue };
            points.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
            points.push(GeoPoint { member: copied(member)?, score, position, distance });
            if points.len() >= max_count {
                return Ok(points);
            }
        }
    }
    Ok(points)
}

/// Sorts points by distance. The sort is stable.
fn sorted(mut points: Vec<GeoPoint>, order: Nearness) -> Result<Vec<GeoPoint>, Error> {
    let mut ranked = Vec::new();
    ranked.try_reserve_exact(points.len()).map_err(|_| Error::OutOfMemory)?;
    for (index, point) in points.iter().enumerate() {
        let rank = score_rank(point.distance);
        ranked.push((if order == Nearness::Farthest { !rank } else { rank }, index));
    }
    sort(&mut ranked, &|_, _| false)?;
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(points.len()).map_err(|_| Error::OutOfMemory)?;
    sorted.extend(ranked.into_iter().map(|(_, at)| {
        let member = core::mem::take(&mut points[at].member);
        GeoPoint { member, ..points[at] }
    }));
    Ok(sorted)
}
