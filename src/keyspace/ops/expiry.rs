//! Deadlines of keys, as absolute instants: EXPIRE, PERSIST and TTL.

use crate::base::clock::Timestamp;
use crate::keyspace::ops::keys;
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind};

/// Conditions under which a new deadline is set. All must hold. A key without a deadline counts as having an infinite
/// one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeadlineCondition {
    /// NX: only if the key has no deadline.
    pub without: bool,
    /// XX: only if the key has a deadline.
    pub with: bool,
    /// GT: only if later than the present one.
    pub later: bool,
    /// LT: only if earlier than the present one.
    pub earlier: bool,
}

impl DeadlineCondition {
    pub(in crate::keyspace) fn holds(self, current: Option<Timestamp>, new: Timestamp) -> bool {
        let blocked = match current {
            None => self.with || self.later,
            Some(current) => self.without || (self.later && new <= current) || (self.earlier && new >= current),
        };
        !blocked
    }
}

/// Time to live of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeToLive {
    NoKey,
    Forever,
    Until(Timestamp),
}

/// Sets the deadline if the condition holds. A deadline that is not after `now` deletes the key. Returns false if
/// nothing was done.
pub fn expire_at(
    txn: &mut Txn<'_>,
    key: &[u8],
    deadline: Timestamp,
    condition: DeadlineCondition,
) -> Result<bool, Error> {
    let lookup = txn.entry(key, Access::Write);
    let Some(handle) = lookup.found() else { return Ok(false) };
    if condition != DeadlineCondition::default() && !condition.holds(txn.db().deadline(handle), deadline) {
        return Ok(false);
    }
    if txn.is_past(deadline) {
        keys::delete(txn, lookup, key);
        return Ok(true);
    }
    txn.set_deadline(lookup, key, Some(deadline), EventKind::Expire)?;
    deadline_effect(txn, key, deadline);
    Ok(true)
}

pub(in crate::keyspace) fn deadline_effect(txn: &mut Txn<'_>, key: &[u8], deadline: Timestamp) {
    txn.effect(|effect| {
        effect.bytes(b"PEXPIREAT").bytes(key).integer(deadline.as_ms());
    });
}

/// Removes the deadline. Returns false if the key does not exist or has none.
pub fn persist(txn: &mut Txn<'_>, key: &[u8]) -> Result<bool, Error> {
    let lookup = txn.entry(key, Access::Write);
    if lookup.found().and_then(|handle| txn.db().deadline(handle)).is_none() {
        return Ok(false);
    }
    txn.set_deadline(lookup, key, None, EventKind::Persist)?;
    txn.effect(|effect| {
        effect.bytes(b"PERSIST").bytes(key);
    });
    Ok(true)
}

pub fn time_to_live(txn: &mut Txn<'_>, key: &[u8]) -> TimeToLive {
    let Some(handle) = txn.entry(key, Access::Probe).found() else { return TimeToLive::NoKey };
    txn.db().deadline(handle).map_or(TimeToLive::Forever, TimeToLive::Until)
}
