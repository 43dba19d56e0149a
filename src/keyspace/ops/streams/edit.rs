//! Edits of a stream, and effects that several operations state.

use crate::keyspace::observers::effect::EffectWriter;
use crate::keyspace::txn::{Change, Txn};
use crate::keyspace::{Error, EventKind};
use crate::store::slab::Handle;
use crate::values::{Stream, StreamId, Value, ValueRef};

pub(super) fn update<R>(
    txn: &mut Txn<'_>,
    handle: Handle,
    event: EventKind,
    mut edit: impl FnMut(&mut Stream) -> Result<Change<R>, Error>,
) -> Result<Change<R>, Error> {
    txn.update(handle, event, |value| match value {
        Value::Stream(stream) => edit(stream),
        _ => Err(Error::WrongType),
    })
}

pub(super) fn stream_of<'t>(txn: &'t Txn<'_>, handle: Handle) -> Option<&'t Stream> {
    match txn.db().value(handle)? {
        ValueRef::Stream(stream) => Some(stream),
        _ => None,
    }
}

pub(super) fn write_ids(effect: &mut EffectWriter<'_>, ids: &[StreamId]) {
    ids.iter().for_each(|id| {
        effect.bytes(&id.text());
    });
}

/// States that entries are pending no longer in a group.
pub(super) fn state_acknowledged(txn: &mut Txn<'_>, key: &[u8], group: &[u8], ids: &[StreamId]) {
    txn.effect(|effect| write_ids(effect.bytes(b"XACK").bytes(key).bytes(group), ids));
}
