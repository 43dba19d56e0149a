//! Leases of holders: lookup, RENEW, RELEASE and CHECK.

use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::keyspace::ops::hashes::FIELD_DEADLINE_MS_MAX;
use crate::keyspace::txn::{Access, Change, Txn, has_released, note_released};
use crate::keyspace::{Error, EventKind, Lookup};
use crate::store::slab::Handle;
use crate::values::{Field, Hash, Holder, NewDeadline, Value, ValueRef};

/// Holder of a latch with the deadline of its field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lease {
    pub holder: Holder,
    /// End of the lease and of the delay after it; `None` after HPERSIST.
    pub deadline: Option<Timestamp>,
}

/// Reads the lease in a field. A field of any other kind is a value of the wrong type.
pub fn lease_of(field: &Field<'_>) -> Result<Lease, Error> {
    let holder = Holder::parse(&field.value).ok_or(Error::WrongType)?;
    Ok(Lease { holder, deadline: field.deadline })
}

impl Lease {
    /// Last instant of the lease; `None` if it has no end.
    pub fn end(&self) -> Option<Timestamp> {
        self.deadline.map(|deadline| Timestamp::from_ms(deadline.as_ms().saturating_sub(self.holder.delay_ms)))
    }

    /// Whether the lease has not ended. A field may exist longer, for the delay.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.end().is_none_or(|end| now <= end)
    }

    /// Milliseconds until the end of the lease: 0 during the delay after it, -1 without an end.
    pub fn remaining_ms(&self, now: Timestamp) -> i64 {
        self.end().map_or(-1, |end| end.as_ms().saturating_sub(now.as_ms()).max(0))
    }
}

/// Hash of a latch at a lookup; `None` if the key does not exist.
pub(super) fn latch_at<'t>(txn: &'t Txn<'_>, lookup: Lookup) -> Result<Option<&'t Hash>, Error> {
    match txn.value(lookup) {
        None => Ok(None),
        Some(ValueRef::Hash(hash)) => Ok(Some(hash)),
        Some(_) => Err(Error::WrongType),
    }
}

/// Lease of an owner; `None` if it has none, or one with another token.
fn find(
    txn: &mut Txn<'_>,
    key: &[u8],
    owner: &[u8],
    token: Option<u64>,
    access: Access,
) -> Result<Option<Lease>, Error> {
    let lookup = txn.entry(key, access);
    let field = latch_at(txn, lookup)?.and_then(|hash| hash.find(owner));
    let lease = field.map(|field| lease_of(&field)).transpose()?;
    Ok(lease.filter(|lease| token.is_none_or(|token| token == lease.holder.token)))
}

/// Returns the milliseconds that remain of the lease with this token. Fails with `Fenced` if there is none.
pub fn check(txn: &mut Txn<'_>, key: &[u8], owner: &[u8], token: u64) -> Result<i64, Error> {
    let now = txn.now();
    let lease = find(txn, key, owner, Some(token), Access::Read)?;
    let live = lease.filter(|lease| lease.is_live(now)).ok_or(Error::Fenced)?;
    Ok(live.remaining_ms(now))
}

/// Keys of a request: one, and further ones.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    pub key: &'a [u8],
    pub also: ArgvRef<'a>,
}

impl<'a> Keys<'a> {
    fn len(&self) -> usize {
        1 + self.also.len()
    }

    fn at(&self, index: usize) -> &'a [u8] {
        self.also.get(index.wrapping_sub(1)).unwrap_or(self.key)
    }
}

/// New end of leases.
#[derive(Clone, Copy, Debug)]
pub struct Renewal {
    pub ttl_ms: i64,
    pub token: Option<u64>,
    /// Whether a writer becomes a reader.
    pub shared: bool,
}

/// Renews the leases of an owner at all keys. A lease is neither shortened nor revived. Returns the least number of
/// milliseconds that remain, or `None` without any change if one lease is lost.
pub fn renew(txn: &mut Txn<'_>, keys: Keys<'_>, owner: &[u8], renewal: Renewal) -> Result<Option<i64>, Error> {
    let now = txn.now();
    for index in 0..keys.len() {
        let key = keys.at(index);
        if find(txn, key, owner, renewal.token, Access::Write)?.is_none_or(|lease| !lease.is_live(now)) {
            return Ok(None);
        }
    }
    let mut least_ms = None;
    for index in 0..keys.len() {
        let key = keys.at(index);
        let Some(lease) = find(txn, key, owner, None, Access::Peek)? else { continue };
        let mut holder = lease.holder;
        if renewal.shared {
            holder.mode = holder.mode.shared();
        }
        let renewed = Lease { holder, deadline: later_deadline(Some(lease), &holder, now, renewal.ttl_ms) };
        write(txn, key, owner, Some(lease), renewed)?;
        least_ms = least_ms.into_iter().chain(renewed.end().map(|_| renewed.remaining_ms(now))).min();
    }
    Ok(Some(least_ms.unwrap_or(-1)))
}

/// Ends the holds of an owner at all keys, or lowers their depth to `depth` if it is not 0. Returns the number of keys;
/// 0 without any change if one of them is not held. A release with its token that is repeated has released them all.
pub fn release(
    txn: &mut Txn<'_>,
    keys: Keys<'_>,
    owner: &[u8],
    token: Option<u64>,
    depth: i64,
) -> Result<usize, Error> {
    let released = end_all(txn, keys, owner, token, depth)?;
    let is_repeated = released == 0 && depth == 0 && token.is_some_and(|token| has_released(txn, token, owner));
    Ok(if is_repeated { keys.len() } else { released })
}

fn end_all(txn: &mut Txn<'_>, keys: Keys<'_>, owner: &[u8], token: Option<u64>, depth: i64) -> Result<usize, Error> {
    let now = txn.now();
    if depth == 0 && keys.len() == 1 {
        return Ok(release_at(txn, keys.key, owner, token)?.into());
    }
    for index in 0..keys.len() {
        // A hold in the delay after its lease can be released, so that the delay ends.
        let lease = find(txn, keys.at(index), owner, token, Access::Write)?;
        if lease.is_none_or(|lease| depth > 0 && !lease.is_live(now)) {
            return Ok(0);
        }
    }
    let mut released = 0;
    for index in 0..keys.len() {
        let key = keys.at(index);
        if depth == 0 {
            released += usize::from(release_at(txn, key, owner, token)?);
        } else if let Some(lease) = find(txn, key, owner, None, Access::Peek)? {
            let holder = Holder { depth: lease.holder.depth.min(depth), ..lease.holder };
            write(txn, key, owner, Some(lease), Lease { holder, ..lease })?;
            released += 1;
        }
    }
    Ok(released)
}

/// Removes a holder; the last one goes with its key. Returns false if the owner does not hold the key.
fn release_at(txn: &mut Txn<'_>, key: &[u8], owner: &[u8], token: Option<u64>) -> Result<bool, Error> {
    let lookup = txn.entry(key, Access::Write);
    let Some(hash) = latch_at(txn, lookup)? else { return Ok(false) };
    let (is_last, Some(field)) = (hash.len() == 1, hash.find(owner)) else { return Ok(false) };
    let holder = lease_of(&field)?.holder;
    if token.is_some_and(|token| token != holder.token) {
        return Ok(false);
    }
    if let Some(handle) = lookup.found() {
        txn.verb_facts().prepare_edit(handle)?;
    }
    match lookup.found().filter(|_| !is_last) {
        Some(handle) => edit(txn, handle, EventKind::HDel, &mut |hash| {
            hash.remove(owner);
            Ok(())
        })?,
        None => {
            txn.push_event(EventKind::HDel, key);
            txn.remove(lookup, key, EventKind::Del);
        }
    }
    note_released(txn, holder.token, owner);
    txn.verb_facts().fields(key, &mut core::iter::once(owner));
    txn.effect(|effect| {
        effect.bytes(b"HDEL").bytes(key).bytes(owner);
    });
    Ok(true)
}

/// Deadline of a field for a lease of at least `ttl_ms` more, and its delay. A lease without an end stays so.
pub(super) fn later_deadline(lease: Option<Lease>, holder: &Holder, now: Timestamp, ttl_ms: i64) -> Option<Timestamp> {
    let end = now.saturating_add_ms(ttl_ms);
    let end = match lease {
        Some(lease) => lease.end()?.max(end),
        None => end,
    };
    Some(end.saturating_add_ms(holder.delay_ms).min(Timestamp::from_ms(FIELD_DEADLINE_MS_MAX)))
}

/// Writes a holder with its deadline over a former one, or beside other holders. What did not change is left out of the
/// effects HSET and HPEXPIREAT.
pub(super) fn write(
    txn: &mut Txn<'_>,
    key: &[u8],
    owner: &[u8],
    former: Option<Lease>,
    lease: Lease,
) -> Result<(), Error> {
    let lookup = txn.entry(key, Access::Peek);
    let Some(handle) = lookup.found().filter(|_| former != Some(lease)) else {
        return txn.verb_facts().held(key, owner);
    };
    let is_same_holder = former.is_some_and(|former| former.holder == lease.holder);
    let (text, limit) = (lease.holder.text(), txn.limits().hash);
    if lease.deadline.is_some() {
        txn.db_mut().entries.reserve_deadline(handle)?;
    }
    let deadline = lease.deadline.map_or(NewDeadline::None, NewDeadline::At);
    let event = if is_same_holder { EventKind::HExpire } else { EventKind::HSet };
    edit(txn, handle, event, &mut |hash| Ok(hash.set(owner, &text, deadline, limit).map(drop)?))?;
    if !is_same_holder && lease.deadline.is_some() {
        txn.push_event(EventKind::HExpire, key);
    }
    state(txn, (key, owner), &text, lease.deadline, is_same_holder);
    Ok(())
}

/// Edits the hash of a latch.
fn edit(
    txn: &mut Txn<'_>,
    handle: Handle,
    event: EventKind,
    edit: &mut dyn FnMut(&mut Hash) -> Result<(), Error>,
) -> Result<(), Error> {
    txn.update(handle, event, |value| match value {
        Value::Hash(hash) => edit(hash).map(Change::Changed),
        _ => Err(Error::WrongType),
    })?;
    Ok(())
}

/// States the effects of a written holder.
pub(super) fn state(
    txn: &mut Txn<'_>,
    (key, owner): (&[u8], &[u8]),
    text: &[u8],
    deadline: Option<Timestamp>,
    is_same_holder: bool,
) {
    txn.verb_facts().fields(key, &mut core::iter::once(owner));
    if !is_same_holder {
        txn.effect(|effect| {
            effect.bytes(b"HSET").bytes(key).bytes(owner).bytes(text);
        });
    }
    if let Some(deadline) = deadline {
        txn.effect(|effect| {
            effect.bytes(b"HPEXPIREAT").bytes(key).integer(deadline.as_ms()).bytes(b"FIELDS").integer(1).bytes(owner);
        });
    }
}
