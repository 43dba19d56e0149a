//! Consumer groups: the typed operations of XGROUP, XACK and XREADGROUP. A missing group is `None` or false: commands word
//! that error with its name.

use alloc::boxed::Box;

use super::edit::{state_acknowledged, stream_of, update};
use crate::keyspace::observers::effect::EffectWriter;
use crate::keyspace::txn::{Change, Txn, count_visits};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::store::slab::Handle;
use crate::values::{Group, Kind, Pending, Stream, StreamId, Value};

/// Parts of an effect that makes one entry pending.
const CLAIM_PARTS: usize = 14;
/// Bytes of ids and numbers in it.
const CLAIM_BYTES: usize = 160;

/// Group at a key.
#[derive(Clone, Copy, Debug)]
pub struct GroupName<'a> {
    pub key: &'a [u8],
    pub group: &'a [u8],
}

/// Position of a new group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupStart {
    /// `None` for the last id of the stream.
    pub last_id: Option<StreamId>,
    pub entries_read: Option<u64>,
}

impl GroupStart {
    fn of(self, stream: &Stream) -> (StreamId, Option<u64>) {
        let read = self.entries_read.map(|read| read.min(stream.marks.entries_added));
        (self.last_id.unwrap_or(stream.marks.last_id), read)
    }
}

/// Creates a group, and a missing stream if `creates`.
pub fn create(txn: &mut Txn<'_>, name: GroupName<'_>, start: GroupStart, creates: bool) -> Result<(), Error> {
    let lookup = txn.find_for_write(name.key, Kind::Stream)?;
    let mut made = (StreamId::MIN, None);
    let mut add = |stream: &mut Stream| {
        made = start.of(stream);
        match stream.add_group(Group::new(name.group, made.0, made.1)?)? {
            true => Ok(Change::Changed(())),
            false => Err(Error::GroupExists),
        }
    };
    match lookup.found() {
        Some(handle) => drop(update(txn, handle, EventKind::XGroupCreate, add)?),
        None if !creates => return Err(Error::NoStream),
        None => {
            let mut stream = Box::<Stream>::default();
            add(&mut stream)?;
            let value = NewValue::Value(Value::Stream(stream));
            txn.put(lookup, name.key, value, None, EventKind::XGroupCreate)?;
        }
    }
    txn.effect(|effect| {
        effect.bytes(b"XGROUP").bytes(b"CREATE").bytes(name.key).bytes(name.group).bytes(&made.0.text());
        effect.bytes(b"MKSTREAM");
        write_entries_read(made.1, effect);
    });
    Ok(())
}

fn write_entries_read(entries_read: Option<u64>, effect: &mut EffectWriter<'_>) {
    if let Some(read) = entries_read {
        effect.bytes(b"ENTRIESREAD").integer(read as i64);
    }
}

fn find_existing(txn: &mut Txn<'_>, name: GroupName<'_>) -> Result<Handle, Error> {
    txn.find_for_write(name.key, Kind::Stream)?.found().ok_or(Error::NoStream)
}

/// Edits a group of an existing stream; `None` if there is no such group.
fn edit<R>(
    txn: &mut Txn<'_>,
    handle: Handle,
    event: EventKind,
    name: &[u8],
    mut change: impl FnMut(&mut Group) -> Result<Change<R>, Error>,
) -> Result<Option<Change<R>>, Error> {
    let mut outcome = None;
    update(txn, handle, event, |stream| {
        outcome = stream.edit_group(name, &mut change).transpose()?;
        let is_change = outcome.as_ref().is_some_and(Change::is_change);
        Ok(if is_change { Change::Changed(()) } else { Change::Unchanged(()) })
    })?;
    Ok(outcome)
}

/// Sets the last id of a group.
pub fn set_start(txn: &mut Txn<'_>, name: GroupName<'_>, start: GroupStart) -> Result<bool, Error> {
    let handle = find_existing(txn, name)?;
    let Some(start) = stream_of(txn, handle).map(|stream| start.of(stream)) else { return Ok(false) };
    let set = edit(txn, handle, EventKind::XGroupSetId, name.group, |group| {
        (group.last_id, group.entries_read) = start;
        Ok(Change::Changed(()))
    })?;
    if set.is_some() {
        state_start(txn, name, start);
    }
    Ok(set.is_some())
}

/// States the last id of a group and its number of entries read.
pub(super) fn state_start(txn: &mut Txn<'_>, name: GroupName<'_>, (last_id, read): (StreamId, Option<u64>)) {
    txn.effect(|effect| {
        effect.bytes(b"XGROUP").bytes(b"SETID").bytes(name.key).bytes(name.group).bytes(&last_id.text());
        write_entries_read(read, effect);
    });
}

/// Removes a group; returns whether it existed.
pub fn destroy(txn: &mut Txn<'_>, name: GroupName<'_>) -> Result<bool, Error> {
    let handle = find_existing(txn, name)?;
    let mut taken = None;
    update(txn, handle, EventKind::XGroupDestroy, |stream| {
        taken = stream.take_group(name.group);
        Ok(if taken.is_some() { Change::Changed(()) } else { Change::Unchanged(()) })
    })?;
    let Some(taken) = taken else { return Ok(false) };
    txn.db_mut().keep_value_garbage(Value::Stream(Box::new(taken)));
    txn.effect(|effect| {
        effect.bytes(b"XGROUP").bytes(b"DESTROY").bytes(name.key).bytes(name.group);
    });
    Ok(true)
}

/// Creates a consumer; returns whether it is new.
pub fn create_consumer(txn: &mut Txn<'_>, name: GroupName<'_>, consumer: &[u8]) -> Result<Option<bool>, Error> {
    let (handle, now_ms) = (find_existing(txn, name)?, txn.now().as_ms());
    let created = edit(txn, handle, EventKind::XGroupCreateConsumer, name.group, |group| {
        if group.find_consumer(consumer).is_some() {
            return Ok(Change::Unchanged(false));
        }
        group.create_consumer(consumer, now_ms)?;
        Ok(Change::Changed(true))
    })?;
    let created = created.map(Change::result);
    if created == Some(true) {
        txn.effect(|effect| {
            effect.bytes(b"XGROUP").bytes(b"CREATECONSUMER").bytes(name.key).bytes(name.group).bytes(consumer);
        });
    }
    Ok(created)
}

/// Deletes a consumer; returns the number of its pending entries.
pub fn delete_consumer(txn: &mut Txn<'_>, name: GroupName<'_>, consumer: &[u8]) -> Result<Option<usize>, Error> {
    let handle = find_existing(txn, name)?;
    let deleted = edit(txn, handle, EventKind::XGroupDelConsumer, name.group, |group| {
        Ok(match group.delete_consumer(consumer) {
            Some(pending) => Change::Changed(pending),
            None => Change::Unchanged(0),
        })
    })?;
    if deleted.as_ref().is_some_and(Change::is_change) {
        txn.effect(|effect| {
            effect.bytes(b"XGROUP").bytes(b"DELCONSUMER").bytes(name.key).bytes(name.group).bytes(consumer);
        });
    }
    let pending = deleted.map(Change::result);
    count_visits(txn, pending.unwrap_or(0));
    Ok(pending)
}

/// Acknowledges entries; returns the number of those that were pending.
pub fn acknowledge(txn: &mut Txn<'_>, name: GroupName<'_>, ids: &[StreamId]) -> Result<usize, Error> {
    let Some(handle) = txn.find_for_write(name.key, Kind::Stream)?.found() else { return Ok(0) };
    let acknowledged = edit(txn, handle, EventKind::XPending, name.group, |group| {
        let count = ids.iter().filter(|id| group.remove_pending(**id)).count();
        Ok(if count == 0 { Change::Unchanged(0) } else { Change::Changed(count) })
    })?;
    let count = acknowledged.map_or(0, Change::result);
    if count > 0 {
        state_acknowledged(txn, name.key, name.group, ids);
    }
    Ok(count)
}

/// Notes that a consumer of an existing group has sent a command. A missing one is created.
pub fn see_consumer(txn: &mut Txn<'_>, name: GroupName<'_>, consumer: &[u8]) -> Result<(), Error> {
    if create_consumer(txn, name, consumer)? == Some(false) {
        let (handle, now_ms) = (find_existing(txn, name)?, txn.now().as_ms());
        // No event and no effect: the time does not outlast the engine.
        edit(txn, handle, EventKind::XPending, name.group, |group| {
            let consumer = group.find_consumer(consumer).and_then(|consumer| group.consumer_mut(consumer));
            consumer.into_iter().for_each(|consumer| consumer.seen_ms = now_ms);
            Ok(Change::Unchanged(()))
        })?;
    }
    Ok(())
}

/// Delivers new entries to a consumer that exists, in the order of their ids. With `pending` they wait to be acknowledged.
pub fn deliver(
    txn: &mut Txn<'_>,
    name: GroupName<'_>,
    consumer: &[u8],
    ids: &[StreamId],
    pending: bool,
) -> Result<(), Error> {
    let (handle, now_ms) = (find_existing(txn, name)?, txn.now().as_ms());
    reserve_claims(txn, name, consumer, ids.len())?;
    let stream = stream_of(txn, handle).ok_or(Error::NoStream)?;
    let Some(start) = stream.group(name.group).map(|group| stream.after_delivery(group, ids)) else { return Ok(()) };
    edit(txn, handle, EventKind::XPending, name.group, |group| {
        group.ensure_room(ids.len())?;
        (group.last_id, group.entries_read) = start;
        if pending && let Some(owner) = group.find_consumer(consumer) {
            let delivery = Pending { consumer: owner, delivered_ms: now_ms, deliveries: 1 };
            let are_set = ids.iter().all(|id| group.set_pending(*id, delivery));
            debug_assert!(are_set, "memory was checked");
            group.consumer_mut(owner).into_iter().for_each(|owner| owner.active_ms = Some(now_ms));
        }
        Ok(Change::Changed(()))
    })?;
    if pending {
        ids.iter().for_each(|id| state_pending(txn, name, consumer, *id));
    }
    state_start(txn, name, start);
    Ok(())
}

/// Counts another delivery of pending entries to their consumer.
pub fn deliver_again(txn: &mut Txn<'_>, name: GroupName<'_>, consumer: &[u8], ids: &[StreamId]) -> Result<(), Error> {
    let (handle, now_ms) = (find_existing(txn, name)?, txn.now().as_ms());
    reserve_claims(txn, name, consumer, ids.len())?;
    edit(txn, handle, EventKind::XPending, name.group, |group| {
        for id in ids {
            let pending = group.get_mut(*id);
            pending.into_iter().for_each(|pending| {
                (pending.delivered_ms, pending.deliveries) = (now_ms, pending.deliveries.wrapping_add(1));
            });
        }
        Ok(if ids.is_empty() { Change::Unchanged(()) } else { Change::Changed(()) })
    })?;
    ids.iter().for_each(|id| state_pending(txn, name, consumer, *id));
    Ok(())
}

/// Checks memory for the effects of so many pending entries.
pub(super) fn reserve_claims(
    txn: &mut Txn<'_>,
    name: GroupName<'_>,
    consumer: &[u8],
    count: usize,
) -> Result<(), Error> {
    let bytes = CLAIM_BYTES + name.key.len() + name.group.len() + consumer.len();
    txn.reserve_headroom(count.saturating_mul(CLAIM_PARTS), count.saturating_mul(bytes))
}

/// States the delivery of a pending entry, and the last id of its group.
pub(super) fn state_pending(txn: &mut Txn<'_>, name: GroupName<'_>, consumer: &[u8], id: StreamId) {
    if !txn.states_effects() {
        return;
    }
    let group = txn.db().find(name.key).and_then(|handle| stream_of(txn, handle)?.group(name.group));
    let Some((pending, last_id)) = group.and_then(|group| Some((*group.get(id)?, group.last_id))) else { return };
    txn.effect(|effect| {
        effect.bytes(b"XCLAIM").bytes(name.key).bytes(name.group).bytes(consumer).integer(0).bytes(&id.text());
        effect.bytes(b"TIME").integer(pending.delivered_ms);
        effect.bytes(b"RETRYCOUNT").integer(pending.deliveries as i64);
        effect.bytes(b"FORCE").bytes(b"JUSTID").bytes(b"LASTID").bytes(&last_id.text());
    });
}
