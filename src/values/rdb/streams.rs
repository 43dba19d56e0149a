//! RDB encoding of streams: nodes, each a listpack of entries, then the marks.

use super::format::{TYPE_STREAM, TYPE_STREAM_2, TYPE_STREAM_5};
use super::{DumpError, Input, Output};
use crate::values::{Stream, StreamId, StreamMarks};

/// Bytes of an id that is not written as two lengths.
const ID_BYTES: usize = 16;

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
    // Number of consumer groups.
    out.length(0);
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
    if input.length()? > 0 || type_byte > TYPE_STREAM_2 && type_byte <= TYPE_STREAM_5 {
        return Err(DumpError::Unsupported);
    }
    Ok(stream)
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
