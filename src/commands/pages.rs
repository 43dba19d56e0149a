//! Pages of the SCAN commands.

use alloc::vec::Vec;

use crate::base::glob;
use crate::base::number::write_unsigned;
use crate::resp::encode::Writer;

/// Writes a page of a SCAN command: the next cursor, then the elements. The cursor is known only after the page, so
/// the page is buffered. `fill` returns the next cursor and the number of elements written.
pub fn write_page(reply: &mut Writer, fill: &mut dyn FnMut(&mut Writer) -> (u64, usize)) {
    let mut page = Writer::new(reply.protocol());
    let (next, len) = fill(&mut page);
    reply.array(2);
    let mut cursor = Vec::new();
    write_unsigned(next, &mut cursor);
    reply.bulk(&cursor);
    reply.array(len);
    reply.append(&page);
}

/// Visits that an element of a page counts as: it is compared with a pattern.
pub const PAGE_VISITS: usize = 2;

/// Iteration over a page of a collection, which returns the next cursor. Its argument is called with each name, and
/// with its value if there is one.
pub type PageScan<'w> = &'w mut dyn FnMut(&mut dyn FnMut(&[u8], Option<&[u8]>)) -> u64;

/// Writes a page of the names that match a pattern, with their values.
pub fn write_matches(reply: &mut Writer, pattern: Option<&[u8]>, scan: PageScan<'_>) {
    write_page(reply, &mut |page| {
        let mut len = 0;
        let next = scan(&mut |name, value| {
            if pattern.is_some_and(|pattern| !glob::matches(pattern, name)) {
                return;
            }
            for part in core::iter::once(name).chain(value) {
                page.bulk(part);
                len += 1;
            }
        });
        (next, len)
    });
}

/// Writes the page of a missing collection: cursor 0 and no elements.
pub fn write_empty_page(reply: &mut Writer) {
    write_page(reply, &mut |_| (0, 0));
}
