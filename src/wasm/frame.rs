//! Frame: memory in which JavaScript writes a command's arguments before a call and finds the reply after it.
//!
//! ```text
//! header   u32 x 2                  address and length of the reply
//! spans    (u32, u32) each          start and end of each argument in `bytes`; the first is the name's
//! bytes    names of all commands, then the arguments
//! ```
//!
//! Addresses are constant until [`Frame::reserve`] resizes the frame. Spans written by JavaScript are checked when they
//! are read: a span outside of `bytes` is an empty argument.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::argv::{ArgvRef, Span};
use crate::commands::all_rows;

/// Number of spans always available, enough for most commands, so that reading many keys works when memory is
/// exhausted.
const SPANS_MIN: usize = 512;
/// Bytes always available for arguments, enough for most commands.
const ARGUMENT_BYTES_MIN: usize = 16 * 1024;

/// Memory shared with JavaScript.
#[derive(Debug)]
pub(super) struct Frame {
    header: Box<[u32; 2]>,
    spans: Vec<Span>,
    bytes: Vec<u8>,
    /// Span of each row's name in `bytes`.
    names: Vec<Span>,
    /// Offset of the arguments, after the names.
    arguments_at: usize,
}

impl Frame {
    /// Creates a frame of the minimum size, when an instance starts.
    pub(super) fn new() -> Frame {
        let mut bytes = Vec::new();
        let mut names = Vec::new();
        for row in all_rows() {
            let start = bytes.len() as u32;
            bytes.extend(row.name.bytes().map(|byte| byte.to_ascii_uppercase()));
            names.push(Span { start, end: bytes.len() as u32 });
        }
        let arguments_at = bytes.len().next_multiple_of(8);
        bytes.resize(arguments_at + ARGUMENT_BYTES_MIN, 0);
        Frame { header: Box::default(), spans: alloc::vec![Span::default(); SPANS_MIN], bytes, names, arguments_at }
    }

    /// Resizes the frame for `arguments` spans and `argument_bytes` bytes, at least to the minimum size. Contents are
    /// kept as far as they fit. Returns false, with nothing changed, if memory is exhausted.
    pub(super) fn reserve(&mut self, arguments: usize, argument_bytes: usize) -> bool {
        let spans_len = arguments.max(SPANS_MIN);
        let bytes_len = self.arguments_at.saturating_add(argument_bytes.max(ARGUMENT_BYTES_MIN));
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

    /// Addresses and sizes for JavaScript: header, spans, number of spans, bytes, offset of the arguments, number of
    /// bytes.
    pub(super) fn layout(&self) -> [usize; 6] {
        let (spans, bytes) = (self.spans.as_ptr() as usize, self.bytes.as_ptr() as usize);
        [self.header.as_ptr() as usize, spans, self.spans.len(), bytes, self.arguments_at, self.bytes.len()]
    }

    /// Arguments of a command, beginning with its name: the row's name, or the first argument if there is no such row.
    #[inline(always)]
    pub(super) fn arguments(&mut self, row: u32, count: usize) -> ArgvRef<'_> {
        if let (Some(name), Some(first)) = (self.names.get(row as usize), self.spans.first_mut()) {
            *first = *name;
        }
        ArgvRef::new(&self.bytes, self.spans.get(..count).unwrap_or_default())
    }

    /// Writes address and length of a reply to the header.
    #[inline(always)]
    pub(super) fn set_reply(&mut self, reply: &[u8]) {
        *self.header = [reply.as_ptr() as u32, reply.len() as u32];
    }
}
