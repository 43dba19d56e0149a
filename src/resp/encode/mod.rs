//! Encoder of replies. Handlers use the types of RESP3; for a RESP2 client each is written in its older form.

#[cfg(feature = "scripting")]
mod lua;

use alloc::vec::Vec;

use super::error::{CommandError, ErrorText};
use crate::base::bytes;
use crate::base::headroom::{OutOfMemory, try_reserve};
use crate::base::number::{IntegerText, write_double};

/// Version of the Redis serialization protocol.
///
/// # Examples
/// ```
/// use keylatch::{Argv, Keylatch, ManualClock, Options, Protocol};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// let (client, mut out) = (db.connect(), Vec::new());
/// db.set_protocol(client, Protocol::Resp3);
/// db.execute(client, Argv::from_slices(&["GET", "missing"]).as_ref(), &mut out);
/// assert_eq!(out, b"_\r\n");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protocol {
    #[default]
    /// RESP2, the protocol of a new connection.
    Resp2,
    /// RESP3, with maps, sets, doubles and pushes; chosen by HELLO 3.
    Resp3,
}

/// Writer of consecutive replies into one buffer.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    protocol: Protocol,
    /// Whether part of a reply was lost because memory was exhausted.
    failed: bool,
}

/// Length of the longest header: a type byte, an integer, a line end.
const HEADER_MAX_BYTES: usize = 24;

/// Length of the longest bulk string with a header that fits into one word.
const SHORT_BULK_MAX: usize = 9999;

/// Aggregate of unknown length; must be closed with the `close_*` method of its kind.
#[derive(Debug)]
#[must_use = "an open aggregate has no header until it is closed"]
pub struct Open {
    at: usize,
}

impl Writer {
    pub fn new(protocol: Protocol) -> Writer {
        Writer::appending_to(Vec::new(), protocol)
    }

    /// Creates a writer that appends to the bytes in `out`.
    #[inline(always)]
    pub fn appending_to(out: Vec<u8>, protocol: Protocol) -> Writer {
        Writer { out, protocol, failed: false }
    }

    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    pub fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    pub fn len(&self) -> usize {
        self.out.len()
    }

    #[inline(always)]
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Returns whether part of a reply was lost since the last call. Replies follow changes, so a command that changes
    /// anything reserves first: [`Writer::try_reserve`].
    #[inline(always)]
    pub fn take_failure(&mut self) -> bool {
        core::mem::take(&mut self.failed)
    }

    /// Checks that everything so far was written, for handlers that change the keyspace afterwards.
    #[inline(always)]
    pub fn check(&self) -> Result<(), OutOfMemory> {
        if self.failed { Err(OutOfMemory) } else { Ok(()) }
    }

    /// Reserves `len` bytes. Returns false if memory is exhausted.
    pub fn try_reserve(&mut self, len: usize) -> bool {
        try_reserve(&mut self.out, len).is_ok()
    }

    /// Removes everything after the first `len` bytes, so that a handler that fails midway leaves only its error.
    pub fn truncate(&mut self, len: usize) {
        self.out.truncate(len);
    }

    pub fn ok(&mut self) {
        self.put(b"+OK\r\n");
    }

    /// Writes a status. The text must be one line.
    pub fn simple(&mut self, text: &str) {
        if self.reserve(text.len() + HEADER_MAX_BYTES) {
            self.out.push(b'+');
            bytes::append(&mut self.out, text.as_bytes());
            self.out.extend_from_slice(b"\r\n");
        }
    }

    /// Writes an error. CR and LF in the text become blanks, as in Redis, so that the error is one line.
    pub fn error(&mut self, error: &ErrorText) {
        // A text that repeats the request may not fit; the fixed text always does.
        let short = CommandError::OUT_OF_MEMORY.into();
        let text = if self.try_reserve(error.bytes().len() + HEADER_MAX_BYTES) { error } else { &short }.bytes();
        self.put(b"-");
        let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
        // Trailing line ends are removed and others become blanks, as in Redis.
        let length = text.iter().rposition(|byte| !is_line_end(byte)).map_or(0, |last| last + 1);
        let start = self.out.len();
        self.put(&text[..length]);
        for byte in self.out[start..].iter_mut().filter(|byte| is_line_end(byte)) {
            *byte = b' ';
        }
        self.end_line();
    }

    pub fn integer(&mut self, value: i64) {
        self.header(b':', value);
    }

    #[inline(never)]
    pub fn bulk(&mut self, bytes: &[u8]) {
        match bytes.len() {
            ..=SHORT_BULK_MAX => self.short_bulk(bytes),
            _ => self.long_bulk(bytes),
        }
    }

    /// Writes a short bulk string. Capacity is reserved once, and the header is appended as a whole word and truncated.
    #[inline(always)]
    fn short_bulk(&mut self, bytes: &[u8]) {
        if self.reserve(bytes.len() + HEADER_MAX_BYTES) {
            let (header, header_len) = short_header(bytes.len());
            let start = self.out.len();
            self.out.extend_from_slice(&header);
            self.out.truncate(start + header_len);
            bytes::append(&mut self.out, bytes);
            self.out.extend_from_slice(b"\r\n");
        }
    }

    /// Writes a long bulk string. Capacity for its line end is reserved with the others: growing for it afterwards would
    /// copy the string once more.
    #[inline(never)]
    fn long_bulk(&mut self, bytes: &[u8]) {
        if self.reserve(bytes.len().saturating_add(2 * HEADER_MAX_BYTES)) {
            self.header(b'$', bytes.len() as i64);
            self.line(bytes);
        }
    }

    /// Writes a null; in RESP2 a null bulk string.
    pub fn null(&mut self) {
        match self.protocol {
            Protocol::Resp2 => self.put(b"$-1\r\n"),
            Protocol::Resp3 => self.put(b"_\r\n"),
        }
    }

    /// Writes a null; in RESP2 a null array.
    pub fn null_array(&mut self) {
        match self.protocol {
            Protocol::Resp2 => self.put(b"*-1\r\n"),
            Protocol::Resp3 => self.put(b"_\r\n"),
        }
    }

    /// Writes a bulk string for `Some`, a null for `None`.
    pub fn optional_bulk(&mut self, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => self.bulk(bytes),
            None => self.null(),
        }
    }

    /// Writes a double; in RESP2 its text as a bulk string.
    pub fn double(&mut self, value: f64) {
        let mut text = Vec::new();
        write_double(value, &mut text);
        match self.protocol {
            Protocol::Resp2 => self.bulk(&text),
            Protocol::Resp3 => {
                self.put(b",");
                self.line(&text);
            }
        }
    }

    /// Writes text with a three-letter format (`txt`, `mkd`); in RESP2 a bulk string.
    pub fn verbatim(&mut self, format: &[u8; 3], bytes: &[u8]) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(bytes),
            Protocol::Resp3 => {
                self.header(b'=', (format.len() + 1 + bytes.len()) as i64);
                self.put(format);
                self.put(b":");
                self.line(bytes);
            }
        }
    }

    /// Writes the header of an array; exactly `len` replies must follow.
    pub fn array(&mut self, len: usize) {
        self.header(b'*', len as i64);
    }

    /// Writes the header of a map; `len` pairs must follow, key before value. In RESP2 a flat array.
    pub fn map(&mut self, len: usize) {
        match self.protocol {
            Protocol::Resp2 => self.array(len * 2),
            Protocol::Resp3 => self.header(b'%', len as i64),
        }
    }

    /// Writes the header of a set; `len` members must follow. In RESP2 an array.
    pub fn set(&mut self, len: usize) {
        match self.protocol {
            Protocol::Resp2 => self.array(len),
            Protocol::Resp3 => self.header(b'~', len as i64),
        }
    }

    /// Writes the header of an out-of-band message; in RESP2 an array.
    pub fn push(&mut self, len: usize) {
        match self.protocol {
            Protocol::Resp2 => self.array(len),
            Protocol::Resp3 => self.header(b'>', len as i64),
        }
    }

    /// Appends the output of another writer of the same protocol.
    pub fn append(&mut self, other: &Writer) {
        self.failed |= other.failed;
        self.put(&other.out);
    }

    /// Starts an aggregate of unknown length.
    pub fn open(&mut self) -> Open {
        Open { at: self.out.len() }
    }

    /// Closes an array of `len` elements.
    pub fn close_array(&mut self, open: Open, len: usize) {
        self.insert_header(open, |header| header.array(len));
    }

    /// Closes a map of `len` pairs.
    pub fn close_map(&mut self, open: Open, len: usize) {
        self.insert_header(open, |header| header.map(len));
    }

    /// Inserts the header at the start of the aggregate, before its elements.
    fn insert_header(&mut self, open: Open, write: impl FnOnce(&mut Writer)) {
        let end = self.out.len();
        write(self);
        let header_len = self.out.len() - end;
        self.out[open.at..].rotate_right(header_len);
    }

    fn header(&mut self, kind: u8, value: i64) {
        if !self.reserve(HEADER_MAX_BYTES) {
            return;
        }
        // Most lengths and counts are short: written without a loop and appended at once.
        match value {
            0..=9 => self.out.extend_from_slice(&[kind, digit(value), b'\r', b'\n']),
            10..=99 => self.out.extend_from_slice(&[kind, digit(value / 10), digit(value % 10), b'\r', b'\n']),
            _ => {
                self.out.push(kind);
                bytes::append(&mut self.out, IntegerText::of(value).as_bytes());
                self.out.extend_from_slice(b"\r\n");
            }
        }
    }

    fn line(&mut self, bytes: &[u8]) {
        self.put(bytes);
        self.end_line();
    }

    fn end_line(&mut self) {
        self.put(b"\r\n");
    }

    /// Appends bytes if memory allows; otherwise records the failure.
    fn put(&mut self, bytes: &[u8]) {
        if self.reserve(bytes.len()) {
            bytes::append(&mut self.out, bytes);
        }
    }

    #[inline(always)]
    fn reserve(&mut self, len: usize) -> bool {
        self.out.capacity() - self.out.len() >= len || self.grow(len)
    }

    #[inline(never)]
    fn grow(&mut self, len: usize) -> bool {
        let reserved = self.try_reserve(len);
        self.failed |= !reserved;
        reserved
    }
}

/// Returns the header of a bulk string, padded with zeros, and the header's length.
#[inline(always)]
fn short_header(len: usize) -> ([u8; 8], usize) {
    if let 10..=99 = len {
        // A division by ten as a multiplication, exact for these numbers; each digit is added to a zero character.
        let tens = (len as u64 * 205) >> 11;
        let header = u64::from_le_bytes(*b"$00\r\n\0\0\0") + ((len as u64) << 16) - tens * ((10 << 16) - (1 << 8));
        return (header.to_le_bytes(), 5);
    }
    let digit = |unit: usize| b'0' + (len / unit % 10) as u8;
    match len {
        0..=9 => ([b'$', digit(1), b'\r', b'\n', 0, 0, 0, 0], 4),
        10..=999 => ([b'$', digit(100), digit(10), digit(1), b'\r', b'\n', 0, 0], 6),
        _ => ([b'$', digit(1000), digit(100), digit(10), digit(1), b'\r', b'\n', 0], 7),
    }
}

/// Digit of a number below ten.
fn digit(value: i64) -> u8 {
    b'0' + value as u8
}

#[cfg(test)]
mod tests;
