//! The frame: where JavaScript writes the arguments of a command before it calls, and finds the reply after.
//!
//! ```text
//! header   u32 x 2                  where the reply is, and how long
//! spans    (u32, u32) a piece       where each argument begins and ends in `bytes`; the first is the name's
//! bytes    names of all commands, then room for arguments
//! ```
//!
//! All of it stays where it is until [`Frame::reserve`] makes it larger. What JavaScript writes is checked where it is read:
//! a span outside of `bytes` is an empty argument.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::argv::{ArgvRef, Span};
use crate::commands::all_rows;

/// Arguments of most commands, their names included: reading many keys must go on when there is no memory.
const SPANS_MIN: usize = 512;
/// Room for the arguments of most commands.
const ROOM_MIN: usize = 16 * 1024;

#[derive(Debug)]
pub(super) struct Frame {
    header: Box<[u32; 2]>,
    spans: Vec<Span>,
    bytes: Vec<u8>,
    /// By row, where its name lies in `bytes`.
    names: Vec<Span>,
    /// Where the room behind the names begins.
    room_at: usize,
}

impl Frame {
    /// A frame of the usual size, at the beginning of an instance.
    pub(super) fn new() -> Frame {
        let mut bytes = Vec::new();
        let mut names = Vec::new();
        for row in all_rows() {
            let start = bytes.len() as u32;
            bytes.extend(row.name.bytes().map(|byte| byte.to_ascii_uppercase()));
            names.push(Span { start, end: bytes.len() as u32 });
        }
        let room_at = bytes.len().next_multiple_of(8);
        bytes.resize(room_at + ROOM_MIN, 0);
        Frame { header: Box::default(), spans: alloc::vec![Span::default(); SPANS_MIN], bytes, names, room_at }
    }

    /// Makes room for so many arguments and so many bytes of them in all, at least for what most commands need. What was
    /// written stays as far as there is room for it. False when there is no memory: the frame is as it was.
    pub(super) fn reserve(&mut self, arguments: usize, room: usize) -> bool {
        let spans_len = arguments.max(SPANS_MIN);
        let bytes_len = self.room_at.saturating_add(room.max(ROOM_MIN));
        let mut spans = Vec::new();
        let mut bytes = Vec::new();
        if spans.try_reserve_exact(spans_len).is_err() || bytes.try_reserve_exact(bytes_len).is_err() {
            return false;
        }
        spans.extend_from_slice(&self.spans[..spans_len.min(self.spans.len())]);
        spans.resize(spans_len, Span::default());
        bytes.extend_from_slice(&self.bytes[..bytes_len.min(self.bytes.len())]);
        bytes.resize(bytes_len, 0);
        (self.spans, self.bytes) = (spans, bytes);
        true
    }

    /// Where things are, for JavaScript: header, spans, how many, bytes, where their room begins, how long they are.
    pub(super) fn places(&self) -> [usize; 6] {
        let (spans, bytes) = (self.spans.as_ptr() as usize, self.bytes.as_ptr() as usize);
        [self.header.as_ptr() as usize, spans, self.spans.len(), bytes, self.room_at, self.bytes.len()]
    }

    /// The arguments of a command, its name first: that of the row, or the first argument where no row is named.
    #[inline(always)]
    pub(super) fn arguments(&mut self, row: u32, count: usize) -> ArgvRef<'_> {
        if let (Some(name), Some(first)) = (self.names.get(row as usize), self.spans.first_mut()) {
            *first = *name;
        }
        ArgvRef::new(&self.bytes, self.spans.get(..count).unwrap_or_default())
    }

    /// Shows where a reply is.
    #[inline(always)]
    pub(super) fn show(&mut self, reply: &[u8]) {
        *self.header = [reply.as_ptr() as u32, reply.len() as u32];
    }
}
