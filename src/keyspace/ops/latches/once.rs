//! Work that runs once: a lock while it runs, a string with the result afterwards.

use alloc::vec::Vec;

use super::acquire::{Request, acquire};
use super::lease::{latch_at, lease_of};
use crate::base::headroom::copied;
use crate::keyspace::ops::strings;
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, Expiry, Queue, QueuePosition, SetOptions};
use crate::values::{Mode, ValueRef};

/// State of once-only work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Once {
    /// The owner is to do the work, with this token.
    Run(u64),
    /// Another owner does it, for at least these milliseconds more.
    Busy(Vec<u8>, i64),
    /// The work is done; its result.
    Done(Vec<u8>),
}

/// Returns the result of the work, or acquires the right to do it. With `is_over` nothing is acquired any more.
pub fn once(
    txn: &mut Txn<'_>,
    request: &Request<'_>,
    position: Option<QueuePosition>,
    is_over: bool,
) -> Result<Once, Error> {
    let lookup = txn.entry(request.key, Access::Write);
    if let Some(ValueRef::String(result)) = txn.value(lookup) {
        return Ok(Once::Done(copied(result)?));
    }
    match if is_over { None } else { acquire(txn, request, position)? } {
        Some(token) => Ok(Once::Run(token)),
        None => busy(txn, request),
    }
}

/// State of the work for an owner that has to wait: behind a holder, or behind others in line.
fn busy(txn: &mut Txn<'_>, request: &Request<'_>) -> Result<Once, Error> {
    let lookup = txn.entry(request.key, Access::Peek);
    let mut fields = latch_at(txn, lookup)?.into_iter().flat_map(|hash| hash.iter());
    if let Some(field) = fields.next() {
        return Ok(Once::Busy(copied(&field.name)?, lease_of(&field)?.remaining_ms(txn.now())));
    }
    let first = txn.waiters().after(txn.database(), request.key, Queue::Line, QueuePosition(0));
    Ok(Once::Busy(copied(first.map_or(&[], |(_, waiter)| &waiter.owner))?, 0))
}

/// Replaces the lock of once-only work by its result, which stays for `ttl_ms`. Fails with `Fenced` if the owner does
/// not hold the lock with this token. A repetition with the same result changes nothing.
pub fn done(
    txn: &mut Txn<'_>,
    key: &[u8],
    (owner, token): (&[u8], u64),
    result: &[u8],
    ttl_ms: i64,
) -> Result<(), Error> {
    let (lookup, now) = (txn.entry(key, Access::Write), txn.now());
    if let Some(ValueRef::String(stored)) = txn.value(lookup) {
        return if stored == result { Ok(()) } else { Err(Error::Fenced) };
    }
    let field = latch_at(txn, lookup)?.and_then(|hash| hash.find(owner));
    let lease = field.map(|field| lease_of(&field)).transpose()?.filter(|lease| lease.is_live(now));
    if lease.is_none_or(|lease| lease.holder.token != token || lease.holder.mode != Mode::Exclusive) {
        return Err(Error::Fenced);
    }
    let expiry = Expiry::At(now.saturating_add_ms(ttl_ms));
    strings::set(txn, key, result, &SetOptions { expiry, ..SetOptions::default() }).map(drop)
}
