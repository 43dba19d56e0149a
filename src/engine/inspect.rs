//! Inspection of one key for tools: a page of its value, read outside commands and clients.

use crate::base::clock::Timestamp;
use crate::commands::encoding;
use crate::keyspace::Db;
use crate::resp::encode::Writer;
use crate::values::ValueRef;

/// Part of a value: bytes of a string, elements of any other type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InspectedPart {
    /// Number of bytes or elements before the part.
    pub from: usize,
    /// Its largest length.
    pub count: usize,
}

/// Writes a key and a part of its value; false if there is no such key. Nothing is expired, counted or marked as used.
///
/// The reply is an array: type, encoding, length of the value, bytes of memory, deadline in milliseconds or null, earliest
/// deadline of a hash's field or null, and the part. The part is a string, or an array of elements: members with their scores, or fields with value and deadline.
/// A set or hash is passed from its first element on, so that a later part takes longer.
pub(super) fn inspect_key(db: &Db, key: &[u8], part: InspectedPart, reply: &mut Writer) -> bool {
    let Some((handle, entry)) = db.find(key).and_then(|handle| Some((handle, db.entry(handle)?))) else {
        return false;
    };
    reply.array(7);
    reply.bulk(entry.value.kind().name().as_bytes());
    reply.bulk(encoding(entry.key, entry.value, entry.is_raw).as_bytes());
    reply.integer(entry.value.size() as i64);
    reply.integer(db.entry_bytes(handle) as i64);
    write_deadline(entry.deadline, reply);
    write_deadline(entry.value.first_field_deadline(), reply);
    write_part(entry.value, part, reply);
    true
}

fn write_deadline(deadline: Option<Timestamp>, reply: &mut Writer) {
    match deadline {
        Some(deadline) => reply.integer(deadline.as_ms()),
        None => reply.null(),
    }
}

fn write_part(value: ValueRef<'_>, part: InspectedPart, reply: &mut Writer) {
    let len = value.size();
    let start = part.from.min(len);
    let end = start.saturating_add(part.count).min(len);
    let count = end - start;
    match value {
        ValueRef::String(bytes) => reply.bulk(&bytes[start..end]),
        ValueRef::List(list) => {
            reply.array(count);
            list.range(start, count).for_each(|element| reply.bulk(element));
        }
        ValueRef::Set(set) => {
            reply.array(count);
            set.iter().skip(start).take(count).for_each(|member| reply.bulk(member));
        }
        ValueRef::ZSet(zset) => {
            reply.array(2 * count);
            for (member, score) in zset.range(start..end) {
                reply.bulk(member);
                reply.double(score);
            }
        }
        // Entries of streams are not shown.
        ValueRef::Stream(_) => reply.array(0),
        ValueRef::Hash(hash) => {
            reply.array(3 * count);
            for field in hash.iter().skip(start).take(count) {
                reply.bulk(&field.name);
                reply.bulk(&field.value);
                write_deadline(field.deadline, reply);
            }
        }
    }
}
