//! Change of the consumer of pending entries: the typed operations of XCLAIM and XAUTOCLAIM.

use alloc::vec::Vec;

use super::edit::{state_acknowledged, stream_of, update};
use super::groups::{GroupName, reserve_claims, see_consumer, state_pending, state_start};
use crate::base::headroom::try_reserve;
use crate::keyspace::txn::{Change, Txn, count_visits};
use crate::keyspace::{Error, EventKind};
use crate::values::{Group, Kind, Pending, StreamId};

/// Options of XCLAIM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Shortest time since the last delivery.
    pub min_idle_ms: i64,
    /// Time of the delivery from now on.
    pub delivered_ms: i64,
    /// Number of deliveries from now on; `None` counts one more, unless only ids are wanted.
    pub deliveries: Option<u64>,
    pub just_id: bool,
    /// Whether entries become pending that are not.
    pub force: bool,
    /// Last delivered id of the group, if that is smaller.
    pub last_id: StreamId,
}

/// Outcome of XAUTOCLAIM.
#[derive(Debug, Default)]
pub struct Claimed {
    pub ids: Vec<StreamId>,
    /// Ids of entries that were pending although they do not exist.
    pub missing: Vec<StreamId>,
    /// Pending entry from which the next call goes on; the smallest id at the end.
    pub next: StreamId,
}

/// Deliveries that XAUTOCLAIM looks at for each entry that it may claim.
const ATTEMPTS: usize = 10;

/// Claims entries of an existing group for a consumer, which is created if missing. Returns the claimed ids in order. Pending
/// entries that do not exist are no longer pending.
pub fn claim(
    txn: &mut Txn<'_>,
    name: GroupName<'_>,
    consumer: &[u8],
    ids: &[StreamId],
    claim: &Claim,
) -> Result<Vec<StreamId>, Error> {
    see_consumer(txn, name, consumer)?;
    let handle = txn.find_for_write(name.key, Kind::Stream)?.found().ok_or(Error::NoStream)?;
    reserve_claims(txn, name, consumer, ids.len())?;
    let (mut claimed, mut missing, mut is_moved) = (Vec::new(), Vec::new(), false);
    try_reserve(&mut claimed, ids.len())?;
    let mut exist: Vec<bool> = Vec::new();
    try_reserve(&mut exist, ids.len())?;
    let stream = stream_of(txn, handle).ok_or(Error::NoStream)?;
    exist.extend(ids.iter().map(|id| stream.get(*id).is_some()));
    try_reserve(&mut missing, exist.iter().filter(|exists| !**exists).count())?;
    let now_ms = txn.now().as_ms();
    update(txn, handle, EventKind::XPending, |stream| {
        let edited = stream.edit_group(name.group, |group| {
            group.ensure_room(ids.len())?;
            is_moved = claim.last_id > group.last_id;
            group.last_id = group.last_id.max(claim.last_id);
            for (id, exists) in ids.iter().zip(&exist) {
                if !exists {
                    missing.extend(group.remove_pending(*id).then_some(*id));
                } else if claim_one(group, *id, consumer, claim, now_ms) {
                    claimed.push(*id);
                }
            }
            Ok::<_, Error>(())
        });
        edited.transpose()?;
        let is_change = is_moved || !claimed.is_empty() || !missing.is_empty();
        Ok(if is_change { Change::Changed(()) } else { Change::Unchanged(()) })
    })?;
    if !missing.is_empty() {
        state_acknowledged(txn, name.key, name.group, &missing);
    }
    claimed.iter().for_each(|id| state_pending(txn, name, consumer, *id));
    if is_moved {
        let start = txn.db().value(handle).and_then(|_| stream_of(txn, handle)?.group(name.group));
        let start = start.map(|group| (group.last_id, group.entries_read));
        start.into_iter().for_each(|start| state_start(txn, name, start));
    }
    Ok(claimed)
}

/// Claims one entry that exists; returns whether it is claimed.
fn claim_one(group: &mut Group, id: StreamId, consumer: &[u8], claim: &Claim, now_ms: i64) -> bool {
    let Some(owner) = group.find_consumer(consumer) else { return false };
    let before = group.get(id).copied();
    let is_early = |pending: Pending| now_ms.saturating_sub(pending.delivered_ms) < claim.min_idle_ms;
    if before.map_or(!claim.force, |pending| claim.min_idle_ms > 0 && is_early(pending)) {
        return false;
    }
    let counted = before.map_or(1, |pending| pending.deliveries);
    let deliveries = match claim.deliveries {
        Some(deliveries) => deliveries,
        None if claim.just_id => counted,
        None => counted.wrapping_add(1),
    };
    let is_set = group.set_pending(id, Pending { consumer: owner, delivered_ms: claim.delivered_ms, deliveries });
    debug_assert!(is_set, "memory was checked");
    group.consumer_mut(owner).into_iter().for_each(|owner| owner.active_ms = Some(now_ms));
    true
}

/// Claims up to `count` entries of an existing group that are pending for long, from an id on.
pub fn claim_idle(
    txn: &mut Txn<'_>,
    name: GroupName<'_>,
    consumer: &[u8],
    from: StreamId,
    count: usize,
    options: &Claim,
) -> Result<Claimed, Error> {
    see_consumer(txn, name, consumer)?;
    let now_ms = txn.now().as_ms();
    let handle = txn.find_for_write(name.key, Kind::Stream)?.found().ok_or(Error::NoStream)?;
    let stream = stream_of(txn, handle).ok_or(Error::NoStream)?;
    let Some(group) = stream.group(name.group) else { return Ok(Claimed::default()) };
    let (mut ids, mut missing, mut visited) = (Vec::new(), Vec::new(), 0);
    let mut pending = group.pending_from(from, None);
    while visited < count.saturating_mul(ATTEMPTS) && ids.len() < count {
        let Some((id, delivery)) = pending.next() else { break };
        visited += 1;
        let is_missing = stream.get(id).is_none();
        if is_missing || now_ms.saturating_sub(delivery.delivered_ms) >= options.min_idle_ms {
            try_reserve(&mut ids, 1)?;
            ids.push(id);
        }
        if is_missing {
            try_reserve(&mut missing, 1)?;
            missing.push(id);
        }
    }
    let next = pending.next().map_or(StreamId::MIN, |(id, _)| id);
    drop(pending);
    count_visits(txn, visited);
    let ids = claim(txn, name, consumer, &ids, options)?;
    Ok(Claimed { ids, missing, next })
}
