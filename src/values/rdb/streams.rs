//! RDB encoding of streams: nodes, each a listpack of entries, then the marks.

use alloc::vec::Vec;

use super::format::{TYPE_STREAM, TYPE_STREAM_3, TYPE_STREAM_4, TYPE_STREAM_5};
use super::skip::{each, skip_id, skip_producer};
use super::{DumpError, Input, Output};
use crate::base::headroom::try_reserve;
use crate::values::{Consumer, Group, Pending, Stream, StreamId, StreamMarks};

/// Bytes of an id that is not written as two lengths.
const ID_BYTES: usize = 16;
/// Stands for a number of entries read that is not known.
const UNKNOWN_COUNT: u64 = u64::MAX;

pub(super) fn write(stream: &Stream, out: &mut Output) {
    out.length(stream.blocks().len() as u64);
    for block in stream.blocks() {
        out.length(ID_BYTES as u64);
        write_id(block.master_id(), out);
        out.length(block.listpack_len() as u64);
        block.listpack(&mut |part| out.raw(part));
    }
    let StreamMarks { last_id, max_deleted_id, entries_added } = stream.marks;
    out.length(stream.len() as u64);
    for id in [last_id, stream.first_id(), max_deleted_id] {
        out.length(id.ms);
        out.length(id.seq);
    }
    out.length(entries_added);
    out.length(stream.groups().len() as u64);
    stream.groups().for_each(|group| write_group(group, out));
}

/// Writes a group as Redis 7.0 does: without the times at which consumers were active.
fn write_group(group: &Group, out: &mut Output) {
    out.string(&group.name);
    out.length(group.last_id.ms);
    out.length(group.last_id.seq);
    out.length(group.entries_read.unwrap_or(UNKNOWN_COUNT));
    out.length(group.pending_count() as u64);
    for (id, pending) in group.pending_from(StreamId::MIN, None) {
        write_id(id, out);
        out.raw(&pending.delivered_ms.to_le_bytes());
        out.length(pending.deliveries);
    }
    out.length(group.consumers().len() as u64);
    for consumer in group.consumers() {
        write_consumer(group, consumer, out);
    }
}

fn write_consumer(group: &Group, consumer: &Consumer, out: &mut Output) {
    out.string(&consumer.name);
    out.raw(&consumer.seen_ms.to_le_bytes());
    out.length(consumer.pending_count() as u64);
    let pending = group.pending_from(StreamId::MIN, group.find_consumer(&consumer.name));
    pending.for_each(|(id, _)| write_id(id, out));
}

fn write_id(id: StreamId, out: &mut Output) {
    out.raw(&id.ms.to_be_bytes());
    out.raw(&id.seq.to_be_bytes());
}

/// Reads a stream of any version.
pub(super) fn read(type_byte: u8, input: &mut Input<'_>) -> Result<Stream, DumpError> {
    let mut stream = Stream::default();
    for _ in 0..input.length()? {
        let first = read_id(&input.string()?)?;
        stream.append_listpack(first, &input.string()?).ok_or(DumpError::Malformed)??;
    }
    let len = input.length()?;
    stream.marks = read_marks(type_byte, input, len)?;
    if len != stream.len() as u64 || stream.last_valid_id().is_some_and(|last| last > stream.marks.last_id) {
        return Err(DumpError::Malformed);
    }
    for _ in 0..input.length()? {
        let group = read_group(type_byte, input)?;
        if !stream.add_group(group)? {
            return Err(DumpError::Malformed);
        }
    }
    if type_byte >= TYPE_STREAM_4 {
        skip_producers(type_byte, input)?;
    }
    Ok(stream)
}

/// Reads past the settings, ids and counts of idempotent producers.
fn skip_producers(type_byte: u8, input: &mut Input<'_>) -> Result<(), DumpError> {
    read_lengths(input)?;
    each(input, type_byte, skip_producer)?;
    read_lengths(input).map(drop)
}

/// Pending entry of a consumer that follows later.
struct Unowned {
    id: StreamId,
    delivered_ms: i64,
    deliveries: u64,
}

fn read_group(type_byte: u8, input: &mut Input<'_>) -> Result<Group, DumpError> {
    let (name, last_id) = (input.string()?, read_lengths(input)?);
    let entries_read = match type_byte {
        TYPE_STREAM => None,
        _ => Some(input.length()?).filter(|count| *count != UNKNOWN_COUNT),
    };
    let mut group = Group::new(&name, last_id, entries_read)?;
    let mut pending: Vec<Unowned> = Vec::new();
    for _ in 0..input.length()? {
        let id = read_id(input.take(ID_BYTES)?)?;
        let delivered_ms = i64::from_le_bytes(input.array()?);
        if pending.last().is_some_and(|last| last.id >= id) {
            return Err(DumpError::Malformed);
        }
        try_reserve(&mut pending, 1)?;
        pending.push(Unowned { id, delivered_ms, deliveries: input.length()? });
    }
    for _ in 0..input.length()? {
        read_consumer(type_byte, input, &mut group, &pending)?;
    }
    if type_byte >= TYPE_STREAM_5 {
        each(input, type_byte, skip_id)?;
    }
    // Every pending entry has a consumer.
    if group.pending_count() == pending.len() { Ok(group) } else { Err(DumpError::Malformed) }
}

fn read_consumer(
    type_byte: u8,
    input: &mut Input<'_>,
    group: &mut Group,
    pending: &[Unowned],
) -> Result<(), DumpError> {
    let (name, seen_ms) = (input.string()?, i64::from_le_bytes(input.array()?));
    let active_ms = if type_byte >= TYPE_STREAM_3 { i64::from_le_bytes(input.array()?) } else { seen_ms };
    if group.find_consumer(&name).is_some() {
        return Err(DumpError::Malformed);
    }
    let consumer = group.create_consumer(&name, seen_ms)?;
    if let Some(consumer) = group.consumer_mut(consumer) {
        consumer.active_ms = (active_ms >= 0).then_some(active_ms);
    }
    for _ in 0..input.length()? {
        let id = read_id(input.take(ID_BYTES)?)?;
        let index = pending.binary_search_by_key(&id, |pending| pending.id).map_err(|_| DumpError::Malformed)?;
        let &Unowned { delivered_ms, deliveries, .. } = &pending[index];
        if group.get(id).is_some() {
            return Err(DumpError::Malformed);
        }
        group.ensure_room(1)?;
        if !group.set_pending(id, Pending { consumer, delivered_ms, deliveries }) {
            return Err(DumpError::OutOfMemory);
        }
    }
    Ok(())
}

fn read_id(bytes: &[u8]) -> Result<StreamId, DumpError> {
    let (halves, rest) = bytes.as_chunks::<8>();
    match (halves, rest) {
        ([ms, seq], []) => Ok(StreamId::new(u64::from_be_bytes(*ms), u64::from_be_bytes(*seq))),
        _ => Err(DumpError::Malformed),
    }
}

/// Reads the marks. The first version has the last id only, and counts the entries that are left as all that were added.
fn read_marks(type_byte: u8, input: &mut Input<'_>, len: u64) -> Result<StreamMarks, DumpError> {
    let last_id = read_lengths(input)?;
    if type_byte == TYPE_STREAM {
        return Ok(StreamMarks { last_id, max_deleted_id: StreamId::MIN, entries_added: len });
    }
    // The first id follows from the entries.
    read_lengths(input)?;
    Ok(StreamMarks { last_id, max_deleted_id: read_lengths(input)?, entries_added: input.length()? })
}

fn read_lengths(input: &mut Input<'_>) -> Result<StreamId, DumpError> {
    Ok(StreamId::new(input.length()?, input.length()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::argv::Argv;
    use crate::values::FieldPairs;
    use crate::values::rdb::format::TYPE_STREAM_2;

    /// A stream of one entry with a group, a consumer and a pending entry, in each version of the format.
    fn stream(type_byte: u8) -> Vec<u8> {
        let mut stream = Stream::default();
        let argv = Argv::from_slices(&["f", "v"]);
        stream.append(StreamId::new(5, 0), FieldPairs(argv.as_ref())).unwrap();
        let mut node = Output::default();
        node.length(1);
        let block = stream.blocks().next().unwrap();
        node.length(16);
        write_id(block.master_id(), &mut node);
        node.length(block.listpack_len() as u64);
        block.listpack(&mut |part| node.raw(part));
        let node = node.finish().unwrap();
        let facts: &[u8] =
            if type_byte >= TYPE_STREAM_2 { b"\x01\x05\x00\x05\x00\x00\x00\x01" } else { b"\x01\x05\x00" };
        let group: &[u8] = if type_byte >= TYPE_STREAM_2 { b"\x01\x01g\x05\x00\x01" } else { b"\x01\x01g\x05\x00" };
        let pending = b"\x01iiiiiiiiiiiiiiiitttttttt\x01";
        let consumer: &[u8] =
            if type_byte >= TYPE_STREAM_3 { b"\x01\x01cttttttttaaaaaaaa" } else { b"\x01\x01ctttttttt" };
        let nacked: &[u8] = if type_byte >= TYPE_STREAM_5 { b"\x01iiiiiiiiiiiiiiii" } else { b"" };
        let producers: &[u8] =
            if type_byte >= TYPE_STREAM_4 { b"\x40\x64\x40\x64\x01\x01p\x01\x01m\x05\x00\x01\x00" } else { b"" };
        [&node[..], facts, group, pending, consumer, b"\x01iiiiiiiiiiiiiiii", nacked, producers].concat()
    }

    #[test]
    fn streams_of_every_version_are_read() {
        for type_byte in [TYPE_STREAM, TYPE_STREAM_2, TYPE_STREAM_3, TYPE_STREAM_4, TYPE_STREAM_5] {
            let value = stream(type_byte);
            let read = read_all(type_byte, &value).unwrap();
            assert_eq!((read.len(), read.group(b"g").map(Group::pending_count)), (1, Some(1)), "type {type_byte}");
            for end in 0..value.len() {
                let cut = read_all(type_byte, &value[..end]).err();
                assert_eq!(cut, Some(DumpError::Malformed), "type {type_byte} to {end}");
            }
        }
    }

    fn read_all(type_byte: u8, bytes: &[u8]) -> Result<Stream, DumpError> {
        let mut input = Input::new(bytes);
        let stream = read(type_byte, &mut input)?;
        if input.is_at_end() { Ok(stream) } else { Err(DumpError::Malformed) }
    }

    #[test]
    fn written_streams_read_back_and_flips_never_panic() {
        let read = read_all(TYPE_STREAM_2, &stream(TYPE_STREAM_2)).unwrap();
        let mut out = Output::default();
        write(&read, &mut out);
        let bytes = out.finish().unwrap();
        assert_eq!(bytes, stream(TYPE_STREAM_2));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                let Ok(stream) = read_all(TYPE_STREAM_2, &flipped) else { continue };
                assert_eq!(stream.range(StreamId::MIN, StreamId::MAX, true).count(), stream.len());
            }
        }
    }
}
