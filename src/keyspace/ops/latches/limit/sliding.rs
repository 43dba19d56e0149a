//! The sliding window: one member of a sorted set for each unit that was used, with the instant as its score.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Usage, Verdict};
use crate::base::clock::Timestamp;
use crate::base::headroom::try_reserve;
use crate::keyspace::ops::{expiry, sorted_sets};
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind, NewValue, ScoreOptions};
use crate::values::{Interval, ScoreBound, ScoreRange, Selection, Value, ZSet};

/// Evaluates the window that ends now. Exact: the window holds every use of the last period.
pub(super) fn slide(txn: &mut Txn<'_>, key: &[u8], usage: &Usage) -> Result<Verdict, Error> {
    let now_ms = txn.now().as_ms();
    let oldest_ms = now_ms.saturating_sub(usage.period_ms);
    if !usage.peek {
        pull_back(txn, key, now_ms)?;
    }
    let zset = sorted_sets::find(txn, key)?;
    let over = zset.map_or(0, |zset| zset.select(&scores(f64::NEG_INFINITY, oldest_ms as f64, true)).end);
    let used = zset.map_or(0, ZSet::len) - over;
    let after = (used as i64).saturating_add(usage.cost);
    let is_allowed = after <= usage.limit;
    // The use at this rank has to leave the window before the cost fits in.
    let leaving = over + usize::try_from(after - usage.limit - 1).unwrap_or(0);
    let until_left = |rank: usize| {
        let score = zset.and_then(|zset| zset.at(rank)).map_or(now_ms, |(_, score)| score as i64);
        score.min(now_ms) - oldest_ms + 1
    };
    let retry_ms = if is_allowed { 0 } else { until_left(leaving) };
    let mut verdict = Verdict { is_allowed, remaining: 0, retry_ms, reset_ms: 0 };
    if used > 0 {
        verdict.reset_ms = until_left(over + used - 1);
    }
    let taken = is_allowed && !usage.peek;
    if taken {
        verdict.reset_ms = usage.period_ms + 1;
        let members = names(zset, now_ms, usage.cost)?;
        add(txn, key, usage, &members)?;
        if over > 0 {
            let interval = Interval::Scores(score_range(f64::NEG_INFINITY, oldest_ms as f64, true));
            sorted_sets::remove_interval(txn, key, interval)?;
        }
    }
    verdict.remaining = (usage.limit - if taken { after } else { used as i64 }).max(0);
    Ok(verdict)
}

/// Names for new members: the instant, and a number that is not taken.
fn names(zset: Option<&ZSet>, now_ms: i64, count: i64) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let mut number = 0;
    while (names.len() as i64) < count {
        let name = format!("{now_ms}-{number}");
        number += 1;
        if zset.is_none_or(|zset| zset.score(name.as_bytes()).is_none()) {
            try_reserve(&mut names, 1)?;
            names.push(name);
        }
    }
    Ok(names)
}

/// Adds members with the present instant, and sets the deadline of the key.
fn add(txn: &mut Txn<'_>, key: &[u8], usage: &Usage, names: &[String]) -> Result<(), Error> {
    let score = txn.now().as_ms() as f64;
    let deadline = txn.now().saturating_add_ms(usage.period_ms);
    let mut pairs = Vec::new();
    try_reserve(&mut pairs, names.len())?;
    pairs.extend(names.iter().map(|name| (score, name.as_bytes())));
    let lookup = txn.entry(key, Access::Peek);
    let Some(handle) = lookup.found() else { return create(txn, key, &pairs, deadline) };
    txn.db_mut().entries.reserve_deadline(handle)?;
    sorted_sets::add(txn, key, ScoreOptions::default(), &pairs)?;
    let lookup = txn.entry(key, Access::Peek);
    txn.set_deadline(lookup, key, Some(deadline), EventKind::Expire)?;
    txn.facts().found_deadline();
    expiry::deadline_effect(txn, key, deadline);
    Ok(())
}

fn create(txn: &mut Txn<'_>, key: &[u8], pairs: &[(f64, &[u8])], deadline: Timestamp) -> Result<(), Error> {
    let (lookup, limit) = (txn.entry(key, Access::Peek), txn.limits().zset);
    let mut zset = ZSet::new(txn.seed());
    for (score, member) in pairs {
        zset.insert(member, *score, limit)?;
    }
    txn.put(lookup, key, NewValue::Value(Value::ZSet(zset)), Some(deadline), EventKind::ZAdd)?;
    txn.push_event(EventKind::Expire, key);
    txn.effect(|effect| {
        effect.bytes(b"ZADD").bytes(key);
        for (score, member) in pairs {
            effect.double(*score).bytes(member);
        }
    });
    txn.facts().found_deadline();
    expiry::deadline_effect(txn, key, deadline);
    Ok(())
}

/// Gives uses of a clock that was ahead the present instant, so that they leave the window after one period.
fn pull_back(txn: &mut Txn<'_>, key: &[u8], now_ms: i64) -> Result<(), Error> {
    let Some(zset) = sorted_sets::find(txn, key)? else { return Ok(()) };
    let ahead = zset.select(&scores(now_ms as f64, f64::INFINITY, false));
    if ahead.is_empty() {
        return Ok(());
    }
    let mut members: Vec<Vec<u8>> = Vec::new();
    try_reserve(&mut members, ahead.len())?;
    members.extend(zset.range(ahead).map(|(member, _)| member.to_vec()));
    let mut pairs = Vec::new();
    try_reserve(&mut pairs, members.len())?;
    pairs.extend(members.iter().map(|member| (now_ms as f64, member.as_slice())));
    sorted_sets::add(txn, key, ScoreOptions::default(), &pairs).map(drop)
}

fn score_range(least: f64, most: f64, is_most_exclusive: bool) -> ScoreRange {
    let bound = |score: f64, exclusive| ScoreBound { score, exclusive };
    ScoreRange { least: bound(least, !is_most_exclusive), most: bound(most, is_most_exclusive) }
}

/// Selection of scores: below `most` or above `least`, whichever is exclusive.
fn scores(least: f64, most: f64, is_most_exclusive: bool) -> Selection<'static> {
    Interval::Scores(score_range(least, most, is_most_exclusive)).into()
}
