//! Incremental decoder of requests: RESP arrays and inline commands, fed in chunks of any size.
//!
//! Independent of commands, clients and replies. The decoded requests do not depend on the chunks. A decoder holds no
//! more than has arrived, and copies each byte a constant number of times.

mod error;
mod line;
mod string_request;

use crate::base::argv::{Argv, ArgvRef, Span};
use crate::base::number::parse_integer;
use alloc::vec::Vec;

pub use error::ProtocolError;
pub use line::{LineError, LineErrorKind, split_line};
pub(crate) use string_request::StringRequest;

/// Largest number of bytes of a line without its end: an inline request, a count, a length. As in Redis.
pub const LINE_MAX: usize = 64 * 1024;
/// Largest number of arguments of a request, as in Redis.
pub const ARGUMENT_COUNT_MAX: i64 = i32::MAX as i64;
/// Largest number of arguments in a request of an unauthenticated client, as in Redis.
const UNAUTHENTICATED_COUNT_MAX: i64 = 10;
/// Largest argument of an unauthenticated client, in bytes, as in Redis.
const UNAUTHENTICATED_BYTES_MAX: usize = 16 * 1024;
/// Limits of the fast path: number of arguments, and digits of a number.
const FAST_PATH_COUNT_MAX: usize = 1024;
const FAST_PATH_DIGITS_MAX: usize = 8;
/// Memory, in bytes, that an idle decoder may keep.
const IDLE_CAPACITY: usize = 64 * 1024;

/// Limits of a request.
///
/// # Examples
/// ```
/// use keylatch::{Connection, Keylatch, Limits, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// let mut connection = Connection::new(db.connect(), Limits { bulk_bytes: 16, ..Limits::default() });
/// assert!(connection.feed(&mut db, b"*1\r\n$17\r\n", &mut Vec::new()).closed);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Largest argument in bytes (`proto-max-bulk-len`). Beyond it the request is a protocol error.
    pub bulk_bytes: u32,
    /// Largest request in bytes (`client-query-buffer-limit`). Beyond it the connection is closed without a reply.
    pub request_bytes: u32,
}

impl Default for Limits {
    /// Defaults of Redis: 512 MiB and 1 GiB.
    fn default() -> Limits {
        Limits { bulk_bytes: 512 << 20, request_bytes: 1 << 30 }
    }
}

/// Result of [`Decoder::next`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Complete request. Its arguments, at least one, are in [`Decoder::argv`].
    Command,
    /// No complete request yet; more bytes are needed.
    Incomplete,
    /// Protocol error: the server sends it and closes the connection. Only `Close` follows.
    Error(ProtocolError),
    /// The server closes the connection without a reply: the stream looks like HTTP, or a request exceeds its limit.
    Close,
}

/// Decoder of one stream of bytes.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    limits: Limits,
    buffer: Vec<u8>,
    /// Offset of the current request in the buffer; spans are relative to it.
    start: usize,
    /// Offset of the next byte to decode.
    at: usize,
    /// Offset up to which no line end follows `at`.
    scanned: usize,
    /// Number of arguments of the current request that are still missing.
    pending: i64,
    /// Announced length of the argument that is arriving.
    bulk: Option<usize>,
    spans: Vec<Span>,
    /// Arguments of an inline request, with quotes and escapes resolved.
    inline: Argv,
    /// Whether the client must still authenticate.
    unauthenticated: bool,
    closed: bool,
}

/// Reason to stop decoding.
enum Stop {
    Incomplete,
    Close,
    Error(ProtocolError),
}

impl From<ProtocolError> for Stop {
    fn from(error: ProtocolError) -> Stop {
        Stop::Error(error)
    }
}

impl Decoder {
    pub fn new(limits: Limits) -> Decoder {
        Decoder { limits, ..Decoder::default() }
    }

    /// Sets the limits of later requests.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Sets whether the client is authenticated. Until then requests must be small.
    pub fn trust(&mut self, trusted: bool) {
        self.unauthenticated = !trusted;
    }

    /// Appends the next bytes of the stream. After an error or a close they are ignored.
    pub fn feed(&mut self, chunk: &[u8]) {
        if self.closed {
            return;
        }
        // Moving the rest only when it is the smaller half keeps copying linear.
        if self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.at -= self.start;
            self.scanned = self.scanned.saturating_sub(self.start);
            self.start = 0;
        }
        match self.buffer.try_reserve(chunk.len()) {
            Ok(()) => self.buffer.extend_from_slice(chunk),
            Err(_) => self.close(),
        }
    }

    /// Decodes the next request.
    #[allow(clippy::should_implement_trait)] // An iterator would have to own what it hands out.
    pub fn next(&mut self) -> Next {
        if self.closed {
            return Next::Close;
        }
        let stop = match self.decode() {
            Ok(()) if self.is_foreign() => Stop::Close,
            Ok(()) => return Next::Command,
            Err(stop) => stop,
        };
        match stop {
            Stop::Incomplete => Next::Incomplete,
            Stop::Close => {
                self.close();
                Next::Close
            }
            Stop::Error(error) => {
                self.close();
                Next::Error(error)
            }
        }
    }

    /// Arguments of the last request returned by [`Decoder::next`], until its next call.
    pub fn argv(&self) -> ArgvRef<'_> {
        if self.inline.is_empty() {
            ArgvRef::new(self.buffer.get(self.start..).unwrap_or_default(), &self.spans)
        } else {
            self.inline.as_ref()
        }
    }

    /// Unread bytes, at the start of a request, for reading GET and SET in place. Empty if limits or a missing
    /// authentication require the regular path.
    #[inline(always)]
    pub(crate) fn unread(&self) -> &[u8] {
        let Limits { bulk_bytes, request_bytes } = self.limits;
        let is_allowed = bulk_bytes as usize >= string_request::ARGUMENT_MAX
            && request_bytes as usize >= string_request::REQUEST_MAX;
        match is_allowed && self.pending == 0 && !self.unauthenticated {
            true => self.buffer.get(self.at..).unwrap_or_default(),
            false => &[],
        }
    }

    /// Skips `bytes` bytes of whole requests.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.start = self.at;
        self.spans.clear();
    }

    /// Number of bytes that are not part of a returned request.
    pub fn waiting_bytes(&self) -> usize {
        self.buffer.len() - self.at
    }

    fn close(&mut self) {
        *self = Decoder { limits: self.limits, closed: true, ..Decoder::default() };
    }

    /// Decodes one request as far as it has arrived. Stops before missing bytes, so that a later call continues.
    fn decode(&mut self) -> Result<(), Stop> {
        while self.pending == 0 {
            self.start_request();
            match self.buffer.get(self.at).copied() {
                None => return Err(Stop::Incomplete),
                Some(b'*') if self.read_fast_path() => return Ok(()),
                Some(b'*') => self.read_count()?,
                Some(_) => {
                    self.read_inline()?;
                    if !self.inline.is_empty() {
                        return Ok(());
                    }
                }
            }
        }
        while self.pending > 0 {
            self.read_argument()?;
            self.pending -= 1;
        }
        self.check_size(self.at)
    }

    /// Starts a new request, and frees the memory of a large one.
    fn start_request(&mut self) {
        self.start = self.at;
        self.spans.clear();
        self.inline.clear();
        if self.start == self.buffer.len() && self.buffer.capacity() > IDLE_CAPACITY {
            self.buffer = Vec::new();
            (self.start, self.at, self.scanned) = (0, 0, 0);
        }
        if self.spans.capacity() > IDLE_CAPACITY / size_of::<Span>() {
            self.spans = Vec::new();
        }
    }

    /// Fast path: reads a request that has arrived whole and is in the usual encoding. Returns false and changes
    /// nothing otherwise.
    fn read_fast_path(&mut self) -> bool {
        let bytes = &self.buffer[self.at..];
        match read_fast_path(bytes, self.limits, &mut self.spans) {
            Some(end) if !self.unauthenticated => {
                self.at += end;
                true
            }
            _ => {
                self.spans.clear();
                false
            }
        }
    }

    fn read_inline(&mut self) -> Result<(), Stop> {
        let Some(end) = self.find(b'\n', ProtocolError::InlineTooLong)? else { return self.incomplete() };
        let line = &self.buffer[self.at..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        split_line(line, &mut self.inline).map_err(|_| ProtocolError::UnbalancedQuotes)?;
        self.at = end + 1;
        Ok(())
    }

    fn read_count(&mut self) -> Result<(), Stop> {
        let (line, next) = self.header(ProtocolError::CountTooLong)?;
        let count = line.get(1..).and_then(parse_integer).filter(|&count| count <= ARGUMENT_COUNT_MAX);
        // Zero and negative counts are valid and ignored.
        self.pending = count.ok_or(ProtocolError::InvalidCount)?.max(0);
        if self.unauthenticated && self.pending > UNAUTHENTICATED_COUNT_MAX {
            return Err(ProtocolError::UnauthenticatedCount.into());
        }
        self.at = next;
        Ok(())
    }

    fn read_argument(&mut self) -> Result<(), Stop> {
        let length = match self.bulk {
            Some(length) => length,
            None => self.read_length()?,
        };
        // Two bytes after the argument are a line end, which Redis does not check.
        if self.waiting_bytes() < length.saturating_add(2) {
            return self.incomplete();
        }
        let (end, next) = (self.at + length, self.at + length + 2);
        self.check_size(next)?;
        self.spans.try_reserve(1).map_err(|_| Stop::Close)?;
        // `check_size` keeps both below 4 GiB.
        self.spans.push(Span { start: (self.at - self.start) as u32, end: (end - self.start) as u32 });
        self.at = next;
        self.bulk = None;
        Ok(())
    }

    fn read_length(&mut self) -> Result<usize, Stop> {
        let bulk_max = i64::from(self.limits.bulk_bytes);
        let (line, next) = self.header(ProtocolError::LengthTooLong)?;
        let [b'$', text @ ..] = line else {
            // An empty line began with its own end.
            return Err(ProtocolError::ExpectedBulk(line.first().copied().unwrap_or(b'\r')).into());
        };
        let length = parse_integer(text).filter(|length| (0..=bulk_max).contains(length));
        // Within the limit, which has 32 bits.
        let length = length.ok_or(ProtocolError::InvalidLength)? as usize;
        if self.unauthenticated && length > UNAUTHENTICATED_BYTES_MAX {
            return Err(ProtocolError::UnauthenticatedLength.into());
        }
        self.at = next;
        self.bulk = Some(length);
        Ok(length)
    }

    /// Returns a `*` or `$` line, and the offset after it. As in Redis, a line ends at a CR and one more byte, whatever
    /// it is.
    fn header(&mut self, too_long: ProtocolError) -> Result<(&[u8], usize), Stop> {
        match self.find(b'\r', too_long)? {
            Some(end) if end + 1 < self.buffer.len() => Ok((&self.buffer[self.at..end], end + 2)),
            _ => self.incomplete(),
        }
    }

    /// Returns the end of the line at `at`, if it has arrived.
    fn find(&mut self, end: u8, too_long: ProtocolError) -> Result<Option<usize>, Stop> {
        let from = self.scanned.max(self.at);
        let found = self.buffer[from..].iter().position(|&byte| byte == end).map(|offset| from + offset);
        // An end that was found is found again if only the byte after it is missing.
        self.scanned = found.unwrap_or(self.buffer.len());
        if self.scanned - self.at > LINE_MAX {
            return Err(too_long.into());
        }
        Ok(found)
    }

    fn incomplete<T>(&self) -> Result<T, Stop> {
        self.check_size(self.buffer.len())?;
        Err(Stop::Incomplete)
    }

    fn check_size(&self, end: usize) -> Result<(), Stop> {
        if end - self.start > self.limits.request_bytes as usize { Err(Stop::Close) } else { Ok(()) }
    }

    /// Whether the request looks like HTTP, as in Redis: the body of a POST sent by a web page must not be executed.
    fn is_foreign(&self) -> bool {
        self.argv().get(0).is_some_and(|name| name.eq_ignore_ascii_case(b"post") || name.eq_ignore_ascii_case(b"host:"))
    }
}

/// Finds the arguments of the request at the start of `bytes`; returns the offset of its end.
fn read_fast_path(bytes: &[u8], limits: Limits, spans: &mut Vec<Span>) -> Option<usize> {
    let (count, mut at) = short_number(bytes, 1)?;
    if count == 0 || count > FAST_PATH_COUNT_MAX {
        return None;
    }
    for _ in 0..count {
        if bytes.get(at) != Some(&b'$') {
            return None;
        }
        let (length, start) = short_number(bytes, at + 1)?;
        let end = start + length;
        at = end + 2;
        if at > bytes.len() || at > limits.request_bytes as usize || length > limits.bulk_bytes as usize {
            return None;
        }
        // Below 4 GiB, as the limits are.
        spans.push(Span { start: start as u32, end: end as u32 });
    }
    Some(at)
}

/// Reads a number of few digits at `at`; returns it with the offset of the next line.
#[inline(always)]
fn short_number(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    // Nearly every number has one or two digits.
    match bytes.get(at..)?.first_chunk()? {
        [digit @ b'0'..=b'9', b'\r', _] => Some((usize::from(digit - b'0'), at + 3)),
        [tens @ b'1'..=b'9', digit @ b'0'..=b'9', b'\r'] => {
            Some((usize::from(tens - b'0') * 10 + usize::from(digit - b'0'), at + 4))
        }
        _ => longer_number(bytes, at),
    }
}

#[inline(never)]
fn longer_number(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let (first, mut number) = (at, 0);
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        number = number * 10 + usize::from(digit - b'0');
        at += 1;
        if at > first + FAST_PATH_DIGITS_MAX {
            return None;
        }
    }
    let is_canonical = at == first + 1 || (at > first && bytes[first] != b'0');
    (is_canonical && bytes.get(at) == Some(&b'\r')).then_some((number, at + 2))
}

#[cfg(test)]
mod tests;
