//! Streams: the typed operations of XADD, XDEL, XTRIM and XSETID. Consumer groups are in `groups` and `claim`.

pub mod claim;
mod edit;
pub mod groups;

use alloc::boxed::Box;
use alloc::vec::Vec;

use self::edit::{state_acknowledged, stream_of, update, write_ids};
use crate::base::headroom::{copied, try_reserve};
use crate::keyspace::txn::{Change, Txn, count_visits};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::values::{FieldPairs, Kind, Stream, StreamId, StreamMarks, Trim, Trimmed, Value, ValueRef};

/// Most bytes of fields and values of one entry, as in Redis.
const ENTRY_MAX_BYTES: usize = 1 << 30;

/// Id of a new entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewId {
    /// The present time, or the id after the last one.
    Next,
    /// These milliseconds, with the next sequence number.
    NextIn(u64),
    Exact(StreamId),
}

/// Entry to be added.
#[derive(Clone, Copy, Debug)]
pub struct Addition<'a> {
    pub id: NewId,
    /// Whether a missing stream is created.
    pub creates: bool,
    pub trim: Option<Trim>,
    pub pairs: FieldPairs<'a>,
}

/// Returns the stream at a key; `None` if the key does not exist.
pub fn find<'t>(txn: &'t mut Txn<'_>, key: &[u8]) -> Result<Option<&'t Stream>, Error> {
    match txn.value_at(key) {
        None => Ok(None),
        Some(ValueRef::Stream(stream)) => Ok(Some(stream)),
        Some(_) => Err(Error::WrongType),
    }
}

/// Adds an entry; returns its id. `None` if the stream does not exist and is not created.
pub fn add(txn: &mut Txn<'_>, key: &[u8], addition: &Addition<'_>) -> Result<Option<StreamId>, Error> {
    let lookup = txn.find_for_write(key, Kind::Stream)?;
    let now_ms = u64::try_from(txn.now().as_ms()).unwrap_or(0);
    let mut trimmed = None;
    let mut append = |stream: &mut Stream| {
        let id = next_id(&stream.marks, addition.id, now_ms)?;
        if addition.pairs.byte_len() > ENTRY_MAX_BYTES {
            return Err(Error::EntryTooLarge);
        }
        stream.append(id, addition.pairs)?;
        trimmed = addition.trim.map(|trim| (stream.trim(&trim), stream.len()));
        Ok(id)
    };
    let id = match lookup.found() {
        Some(handle) => update(txn, handle, EventKind::XAdd, |stream| Ok(Change::Changed(append(stream)?)))?.result(),
        None if !addition.creates => return Ok(None),
        None => {
            let mut stream = Box::<Stream>::default();
            let id = append(&mut stream)?;
            txn.put(lookup, key, NewValue::Value(Value::Stream(stream)), None, EventKind::XAdd)?;
            id
        }
    };
    let (trimmed, left) = trimmed.unwrap_or_default();
    let (removed_ids, count) = free(txn, trimmed);
    let left = (count > removed_ids.len()).then_some(left);
    if count > 0 {
        txn.push_event(EventKind::XTrim, key);
    }
    txn.effect(|effect| {
        effect.bytes(b"XADD").bytes(key);
        if let Some(left) = left {
            effect.bytes(b"MAXLEN").bytes(b"=").integer(left as i64);
        }
        effect.bytes(&id.text());
        addition.pairs.iter().for_each(|(field, value)| {
            effect.bytes(field).bytes(value);
        });
    });
    state_removed(txn, key, &removed_ids)?;
    txn.mark_ready(key);
    Ok(Some(id))
}

fn next_id(marks: &StreamMarks, id: NewId, now_ms: u64) -> Result<StreamId, Error> {
    let last = marks.last_id;
    let after_last = last.next().ok_or(Error::StreamExhausted)?;
    let id = match id {
        NewId::Next if now_ms > last.ms => StreamId::new(now_ms, 0),
        NewId::Next => after_last,
        NewId::NextIn(ms) if ms == last.ms && after_last.ms == ms => after_last,
        NewId::NextIn(ms) => StreamId::new(ms, 0),
        NewId::Exact(id) => id,
    };
    if id > last { Ok(id) } else { Err(Error::StreamIdTooSmall) }
}

/// Deletes entries; returns the number of those that existed.
pub fn delete(txn: &mut Txn<'_>, key: &[u8], ids: &[StreamId]) -> Result<usize, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::Stream)?.found() else { return Ok(0) };
    let deleted = update(txn, handle, EventKind::XDel, |stream| {
        let deleted = ids.iter().filter(|id| stream.delete(**id)).count();
        Ok(if deleted == 0 { Change::Unchanged(0) } else { Change::Changed(deleted) })
    })?;
    if deleted.is_change() {
        txn.effect(|effect| {
            write_ids(effect.bytes(b"XDEL").bytes(key), ids);
        });
    }
    Ok(deleted.result())
}

/// Removes the oldest entries; returns their number.
pub fn trim(txn: &mut Txn<'_>, key: &[u8], trim: &Trim) -> Result<usize, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::Stream)?.found() else { return Ok(0) };
    let mut trimmed = Trimmed::default();
    let left = update(txn, handle, EventKind::XTrim, |stream| {
        trimmed = stream.trim(trim);
        let left = stream.len();
        Ok(if trimmed.entries == 0 { Change::Unchanged(left) } else { Change::Changed(left) })
    })?;
    let (ids, removed) = free(txn, trimmed);
    if !ids.is_empty() {
        state_removed(txn, key, &ids)?;
    } else if left.is_change() {
        txn.effect(|effect| {
            effect.bytes(b"XTRIM").bytes(key).bytes(b"MAXLEN").bytes(b"=").integer(left.result() as i64);
        });
    }
    Ok(removed)
}

/// States that entries were removed one by one, and that no group holds them.
fn state_removed(txn: &mut Txn<'_>, key: &[u8], ids: &[StreamId]) -> Result<(), Error> {
    if ids.is_empty() || !txn.states_effects() {
        return Ok(());
    }
    let mut names: Vec<Vec<u8>> = Vec::new();
    let stream = txn.db().find(key).and_then(|handle| stream_of(txn, handle));
    for group in stream.into_iter().flat_map(Stream::groups) {
        try_reserve(&mut names, 1)?;
        names.push(copied(&group.name)?);
    }
    txn.effect(|effect| write_ids(effect.bytes(b"XDEL").bytes(key), ids));
    for group in &names {
        state_acknowledged(txn, key, group, ids);
    }
    Ok(())
}

/// Queues blocks that were taken out for lazy free. Returns the ids of entries that were removed one by one, and the number
/// of all.
fn free(txn: &mut Txn<'_>, trimmed: Trimmed) -> (Vec<StreamId>, usize) {
    count_visits(txn, trimmed.entries);
    if trimmed.removed.blocks().len() > 0 {
        txn.db_mut().keep_value_garbage(Value::Stream(Box::new(trimmed.removed)));
    }
    (trimmed.ids, trimmed.entries)
}

/// Sets the last id, and the other marks if they are given.
pub fn set_marks(
    txn: &mut Txn<'_>,
    key: &[u8],
    last_id: StreamId,
    entries_added: Option<u64>,
    max_deleted_id: Option<StreamId>,
) -> Result<(), Error> {
    let handle = txn.find_for_write(key, Kind::Stream)?.found().ok_or(Error::NoSuchKey)?;
    update(txn, handle, EventKind::XSetId, |stream| {
        if last_id < stream.marks.max_deleted_id {
            return Err(Error::BelowDeletedId);
        }
        if stream.last_valid_id().is_some_and(|last| last_id < last) {
            return Err(Error::BelowTopEntry);
        }
        if entries_added.is_some_and(|added| added < stream.len() as u64) {
            return Err(Error::TooFewAdded);
        }
        stream.marks = StreamMarks {
            last_id,
            entries_added: entries_added.unwrap_or(stream.marks.entries_added),
            max_deleted_id: max_deleted_id.unwrap_or(stream.marks.max_deleted_id),
        };
        Ok(Change::Changed(()))
    })?;
    txn.effect(|effect| {
        effect.bytes(b"XSETID").bytes(key).bytes(&last_id.text());
        if let Some(added) = entries_added {
            effect.bytes(b"ENTRIESADDED").integer(added as i64);
        }
        if let Some(id) = max_deleted_id {
            effect.bytes(b"MAXDELETEDID").bytes(&id.text());
        }
    });
    Ok(())
}
