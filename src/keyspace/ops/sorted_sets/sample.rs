//! Random members of sorted sets.

use alloc::vec::Vec;

use crate::base::headroom::OutOfMemory;
use crate::base::random::Random;
use crate::keyspace::Error;
use crate::keyspace::txn::{Access, Txn, count_visits};
use crate::values::{Set, SetLimit, ValueRef};

/// Divisor of the set's size up to which random draws with rejection are cheaper than a list of all ranks.
const REJECTION_DIVISOR: usize = 4;

/// Visits random pairs: up to `count` distinct ones, or exactly `count` with repetitions. Returns false if the set does
/// not exist.
pub fn sample(
    txn: &mut Txn<'_>,
    key: &[u8],
    count: usize,
    repeating: bool,
    visit: &mut dyn FnMut(&[u8], f64),
) -> Result<bool, Error> {
    if super::find(txn, key)?.is_none() {
        return Ok(false);
    }
    let Some(handle) = txn.entry(key, Access::Peek).found() else { return Ok(false) };
    count_visits(txn, count.saturating_mul(8));
    let (db, random) = txn.db_and_chance();
    let Some(ValueRef::ZSet(zset)) = db.entry(handle).map(|entry| entry.value) else { return Ok(false) };
    if repeating {
        (0..count).filter_map(|_| zset.random(random)).for_each(|(member, score)| visit(member, score));
    } else if count >= zset.len() {
        zset.iter().for_each(|(member, score)| visit(member, score));
    } else {
        let ranks = distinct_ranks(random, zset.len(), count)?;
        ranks.into_iter().filter_map(|rank| zset.at(rank)).for_each(|(member, score)| visit(member, score));
    }
    Ok(true)
}

/// Returns `count` distinct ranks below `len` in random order; `count` must be at most `len`.
fn distinct_ranks(random: &mut Random, len: usize, count: usize) -> Result<Vec<usize>, OutOfMemory> {
    let mut ranks = Vec::new();
    if count > len / REJECTION_DIVISOR {
        ranks.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
        ranks.extend(0..len);
        // A partial Fisher-Yates shuffle.
        for index in 0..count {
            ranks.swap(index, index + random.below((len - index) as u64) as usize);
        }
        ranks.truncate(count);
        return Ok(ranks);
    }
    ranks.try_reserve_exact(count).map_err(|_| OutOfMemory)?;
    let mut drawn = Set::new(0);
    while ranks.len() < count {
        let rank = random.below(len as u64) as usize;
        if drawn.insert(&(rank as u64).to_le_bytes(), SetLimit::default())? {
            ranks.push(rank);
        }
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_distinct_and_uniformly_distributed() {
        for (len, count) in [(40, 8), (40, 30), (40, 40), (1, 1), (5, 0)] {
            let (mut random, mut counts) = (Random::new(1), alloc::vec![0.0f64; len]);
            for _ in 0..4_000 {
                let mut ranks = distinct_ranks(&mut random, len, count).unwrap();
                ranks.iter().for_each(|&rank| counts[rank] += 1.0);
                ranks.sort_unstable();
                ranks.dedup();
                assert_eq!(ranks.len(), count);
            }
            let expected = 4_000.0 * count as f64 / len as f64;
            assert!(counts.iter().all(|&drawn| (drawn - expected).abs() <= expected * 0.2), "{len} {count}");
        }
    }
}
