//! Rate limits: the generic cell rate algorithm in a string, a fixed window in a string, a sliding window in a sorted
//! set.

mod sliding;
mod usage;

pub use usage::{Algorithm, Usage, Verdict};

use crate::base::clock::Timestamp;
use crate::base::number::{IntegerText, parse_integer};
use crate::keyspace::ops::strings;
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, Expiry, Lookup};
use crate::values::ValueRef;

const US_PER_MS: i64 = 1000;

/// Uses a limit, if it allows the cost. A use that is refused changes nothing, unless the state is ahead of the clock.
pub fn limit(txn: &mut Txn<'_>, key: &[u8], usage: &Usage) -> Result<Verdict, Error> {
    let mut verdict = match usage.algorithm {
        Algorithm::Even { burst, interval_us } => use_evenly(txn, key, usage, (burst, interval_us))?,
        Algorithm::Fixed => use_window(txn, key, usage)?,
        Algorithm::Sliding => sliding::slide(txn, key, usage)?,
    };
    if usage.cost > usage.max_cost() {
        verdict.retry_ms = -1;
    }
    Ok(verdict)
}

/// Evaluates a bucket. The stored instant, in microseconds, is that at which the bucket is full again.
fn use_evenly(
    txn: &mut Txn<'_>,
    key: &[u8],
    usage: &Usage,
    (burst, interval_us): (i64, i64),
) -> Result<Verdict, Error> {
    let now_us = txn.now().as_ms().saturating_mul(US_PER_MS);
    let capacity_us = burst.saturating_mul(interval_us);
    let lookup = txn.entry(key, Access::Write);
    let stored_us = number_at(txn, lookup)?.unwrap_or(now_us);
    // An instant beyond an empty bucket is of a clock that was ahead, or of a larger bucket.
    let full_us = stored_us.clamp(now_us, now_us.saturating_add(capacity_us));
    let next_us = full_us.saturating_add(usage.cost.min(burst).saturating_mul(interval_us));
    let is_allowed = usage.cost <= burst && next_us - now_us <= capacity_us;
    let used_us = if is_allowed && !usage.peek { next_us } else { full_us };
    if !usage.peek && (is_allowed || used_us < stored_us) {
        store(txn, (lookup, key), used_us, Expiry::At(Timestamp::from_ms(ms_up(used_us))))?;
    }
    Ok(Verdict {
        is_allowed,
        remaining: (capacity_us - (used_us - now_us)) / interval_us,
        retry_ms: if is_allowed { 0 } else { ms_up(next_us - capacity_us - now_us) },
        reset_ms: ms_up(used_us - now_us),
    })
}

/// Evaluates the running window. The stored number is what was used of it; its deadline is the window's end.
fn use_window(txn: &mut Txn<'_>, key: &[u8], usage: &Usage) -> Result<Verdict, Error> {
    let lookup = txn.entry(key, Access::Write);
    let stored = number_at(txn, lookup)?;
    let (now, latest) = (txn.now(), txn.now().saturating_add_ms(usage.period_ms));
    let deadline = lookup.found().and_then(|handle| txn.db().deadline(handle));
    let end = if stored.is_some() { deadline.map(|deadline| deadline.min(latest)) } else { Some(latest) };
    let before = stored.unwrap_or(0).max(0);
    let after = before.saturating_add(usage.cost);
    let is_allowed = after <= usage.limit;
    let used = if is_allowed && !usage.peek { after } else { before };
    // A window that ends later than a new one is of a clock that was ahead, or of a longer period.
    if !usage.peek && (is_allowed || stored.is_some() && end != deadline) {
        // At its last instant, a deadline that is set anew would delete the key, and admit a second limit.
        let is_kept = stored.is_some() && end == deadline;
        let expiry = if is_kept { Expiry::Keep } else { end.map_or(Expiry::Never, Expiry::At) };
        store(txn, (lookup, key), used, expiry)?;
    }
    let left_ms = end.map_or(-1, |end| end.ms_since(now).saturating_add(1));
    Ok(Verdict {
        is_allowed,
        remaining: usage.limit.saturating_sub(used).max(0),
        retry_ms: if is_allowed { 0 } else { left_ms },
        reset_ms: if used == 0 { 0 } else { left_ms },
    })
}

fn number_at(txn: &Txn<'_>, lookup: Lookup) -> Result<Option<i64>, Error> {
    match txn.value(lookup) {
        None => Ok(None),
        Some(ValueRef::String(text)) => parse_integer(text).map(Some).ok_or(Error::NotAnInteger),
        Some(_) => Err(Error::WrongType),
    }
}

fn store(txn: &mut Txn<'_>, (lookup, key): (Lookup, &[u8]), number: i64, expiry: Expiry) -> Result<(), Error> {
    strings::put(txn, lookup, key, IntegerText::of(number).as_bytes(), expiry)?;
    txn.facts().found_deadline();
    Ok(())
}

/// Milliseconds of a number of microseconds, rounded up.
fn ms_up(us: i64) -> i64 {
    us.div_euclid(US_PER_MS) + i64::from(us.rem_euclid(US_PER_MS) > 0)
}
