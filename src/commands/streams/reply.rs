//! Entries of streams in replies.

use crate::resp::encode::Writer;
use crate::values::{Element, Entries, Entry, StreamId};

/// Writes at most `count` entries; returns how many were passed.
pub(super) fn write_entries(mut entries: Entries<'_>, count: usize, reply: &mut Writer) -> usize {
    let (open, mut written) = (reply.open(), 0);
    while written < count
        && let Some(entry) = entries.next()
    {
        write_entry(entry, reply);
        written += 1;
    }
    reply.close_array(open, written);
    entries.visited
}

/// Writes an entry: its id, then its fields and values.
pub(super) fn write_entry(entry: Entry<'_>, reply: &mut Writer) {
    reply.array(2);
    write_id(entry.id, reply);
    reply.array(2 * entry.fields.count());
    for (field, value) in entry.fields {
        write_element(field, reply);
        write_element(value, reply);
    }
}

fn write_element(element: Element<'_>, reply: &mut Writer) {
    element.with_text(|text| reply.bulk(text));
}

pub(super) fn write_id(id: StreamId, reply: &mut Writer) {
    reply.bulk(&id.text());
}
