//! Barriers: a set of the members that have arrived.

use crate::base::clock::Timestamp;
use crate::keyspace::ops::{expiry, sets};
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::values::{Set, Value};

/// Adds a member to a barrier that has fewer than `parties` members, and returns their number. The first member sets the
/// deadline.
pub fn arrive(txn: &mut Txn<'_>, key: &[u8], member: &[u8], parties: usize, ttl_ms: i64) -> Result<usize, Error> {
    let arrived = arrivals(txn, key)?;
    if arrived >= parties {
        return Ok(arrived);
    }
    if arrived > 0 {
        return Ok(arrived + sets::add(txn, key, core::iter::once(member))?);
    }
    open(txn, key, member, txn.now().saturating_add_ms(ttl_ms))?;
    Ok(1)
}

/// Number of members that have arrived.
pub fn arrivals(txn: &mut Txn<'_>, key: &[u8]) -> Result<usize, Error> {
    Ok(sets::find(txn, key)?.map_or(0, Set::len))
}

fn open(txn: &mut Txn<'_>, key: &[u8], member: &[u8], deadline: Timestamp) -> Result<(), Error> {
    let lookup = txn.entry(key, Access::Peek);
    let mut set = Set::new(txn.seed());
    set.insert(member, txn.limits().set)?;
    txn.put(lookup, key, NewValue::Value(Value::Set(set)), Some(deadline), EventKind::SAdd)?;
    txn.push_event(EventKind::Expire, key);
    txn.effect(|effect| {
        effect.bytes(b"SADD").bytes(key).bytes(member);
    });
    expiry::deadline_effect(txn, key, deadline);
    Ok(())
}
