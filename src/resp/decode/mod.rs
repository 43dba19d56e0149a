//! The incremental decoder of requests: RESP multibulk and inline commands, cut anywhere, into arguments.
//!
//! Knows bytes and limits: no commands, no clients, no replies. It answers the same commands however the stream is cut,
//! holds no more than has arrived, and copies each byte a constant number of times.

mod line;
mod string_request;

use crate::base::argv::{Argv, ArgvRef, Span};
use crate::base::number::parse_integer;
use alloc::vec::Vec;
use core::fmt;

pub use line::{LineError, LineErrorKind, split_line};
pub(crate) use string_request::StringRequest;

/// Bytes a line may have before its end is seen: an inline request, a count, a length. As in Redis.
pub const LINE_MAX: usize = 64 * 1024;
/// Arguments a request may announce. As in Redis.
pub const ARGUMENT_COUNT_MAX: i64 = i32::MAX as i64;
/// Arguments a client may send at once before it gave its password. As in Redis.
const UNAUTHENTICATED_COUNT_MAX: i64 = 10;
/// Bytes of one of them.
const UNAUTHENTICATED_BYTES_MAX: usize = 16 * 1024;
/// Plain requests have at most so many arguments, and numbers of at most so many digits.
const PLAIN_COUNT_MAX: usize = 1024;
const PLAIN_DIGITS_MAX: usize = 8;
/// Memory an idle decoder may keep.
const IDLE_CAPACITY: usize = 64 * 1024;

/// What a request may be at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of one argument (`proto-max-bulk-len`); beyond it the request is a protocol error.
    pub bulk_bytes: u32,
    /// Bytes of one whole request (`client-query-buffer-limit`); beyond it the connection is closed without a word.
    pub request_bytes: u32,
}

impl Default for Limits {
    /// The defaults of Redis: 512 MiB and 1 GiB.
    fn default() -> Limits {
        Limits { bulk_bytes: 512 << 20, request_bytes: 1 << 30 }
    }
}

/// Why a stream cannot be read on. `Display` gives the text of the error reply behind `-ERR `.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProtocolError {
    UnbalancedQuotes,
    InlineTooLong,
    CountTooLong,
    LengthTooLong,
    InvalidCount,
    InvalidLength,
    /// More arguments than a client may send before it gave its password.
    UnauthenticatedCount,
    /// A longer argument than that.
    UnauthenticatedLength,
    /// Something else stood where `$` was expected.
    ExpectedBulk(u8),
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Protocol error: ")?;
        out.write_str(match self {
            ProtocolError::UnbalancedQuotes => "unbalanced quotes in request",
            ProtocolError::InlineTooLong => "too big inline request",
            ProtocolError::CountTooLong => "too big mbulk count string",
            ProtocolError::LengthTooLong => "too big bulk count string",
            ProtocolError::InvalidCount => "invalid multibulk length",
            ProtocolError::InvalidLength => "invalid bulk length",
            ProtocolError::UnauthenticatedCount => "unauthenticated multibulk length",
            ProtocolError::UnauthenticatedLength => "unauthenticated bulk length",
            ProtocolError::ExpectedBulk(got) => return write_expected_bulk(*got, out),
        })
    }
}

/// An error reply is one line of text: line ends become blanks, as in Redis, and what is not ASCII a replacement.
fn write_expected_bulk(got: u8, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let shown = match got {
        b'\r' | b'\n' => ' ',
        got if got.is_ascii() => got as char,
        _ => char::REPLACEMENT_CHARACTER,
    };
    write!(out, "expected '$', got '{shown}'")
}

/// What [`Decoder::next`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// A whole request; its arguments, at least one, are in [`Decoder::argv`].
    Command,
    /// No whole request is there: feed more.
    Incomplete,
    /// Answer this error, then close. From here on there is only `Close`.
    Error(ProtocolError),
    /// Close without an answer: an HTTP client was made to talk to us, or a request grew beyond every limit.
    Close,
}

/// Cuts a stream of bytes into requests.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    limits: Limits,
    buffer: Vec<u8>,
    /// Where the current request begins in the buffer; spans count from here.
    start: usize,
    /// The next byte to look at.
    at: usize,
    /// No line end lies between `at` and here.
    scanned: usize,
    /// Arguments of the current request that are still to come.
    pending: i64,
    /// The announced length of the argument that is arriving.
    bulk: Option<usize>,
    spans: Vec<Span>,
    /// The arguments of an inline request, whose quotes and escapes are resolved.
    inline: Argv,
    /// The client has yet to give its password.
    distrusted: bool,
    closed: bool,
}

/// Why decoding stops for now.
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

    /// Other limits for the requests from here on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Whether the client may send whole requests, or only what giving a password takes.
    pub fn trust(&mut self, trusted: bool) {
        self.distrusted = !trusted;
    }

    /// Takes in the next bytes of the stream. After an error or a close they are ignored.
    pub fn feed(&mut self, chunk: &[u8]) {
        if self.closed {
            return;
        }
        // Moving the rest only once it is the smaller half keeps the copying linear.
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

    /// Looks for the next whole request.
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

    /// The arguments of the request [`Decoder::next`] found last, until it is asked again.
    pub fn argv(&self) -> ArgvRef<'_> {
        if self.inline.is_empty() {
            ArgvRef::new(self.buffer.get(self.start..).unwrap_or_default(), &self.spans)
        } else {
            self.inline.as_ref()
        }
    }

    /// What arrived and begins with a request, for reading GET and SET in place; empty where limits, or a client without a
    /// password, ask for a closer look.
    #[inline(always)]
    pub(crate) fn unread(&self) -> &[u8] {
        let Limits { bulk_bytes, request_bytes } = self.limits;
        let is_allowed = bulk_bytes as usize >= string_request::ARGUMENT_MAX
            && request_bytes as usize >= string_request::REQUEST_MAX;
        match is_allowed && self.pending == 0 && !self.distrusted {
            true => self.buffer.get(self.at..).unwrap_or_default(),
            false => &[],
        }
    }

    /// Goes on behind so many bytes of whole requests.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.start = self.at;
        self.spans.clear();
    }

    /// Bytes fed that no request handed out so far has used.
    pub fn waiting_bytes(&self) -> usize {
        self.buffer.len() - self.at
    }

    fn close(&mut self) {
        *self = Decoder { limits: self.limits, closed: true, ..Decoder::default() };
    }

    /// Reads one whole request, or as much of it as has arrived. Stops before anything that is not there yet, so
    /// that it can be called again.
    fn decode(&mut self) -> Result<(), Stop> {
        while self.pending == 0 {
            self.forget_request();
            match self.buffer.get(self.at).copied() {
                None => return Err(Stop::Incomplete),
                Some(b'*') if self.read_plain() => return Ok(()),
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

    fn forget_request(&mut self) {
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

    /// Reads a request that is there as a whole and has nothing unusual about it, which is nearly every one. Of any
    /// other it changes nothing.
    fn read_plain(&mut self) -> bool {
        let bytes = &self.buffer[self.at..];
        match read_plain(bytes, self.limits, &mut self.spans) {
            Some(end) if !self.distrusted => {
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
        // None and less than none are allowed, and ignored.
        self.pending = count.ok_or(ProtocolError::InvalidCount)?.max(0);
        if self.distrusted && self.pending > UNAUTHENTICATED_COUNT_MAX {
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
        // The two bytes behind the argument are a line end, which Redis does not look at.
        if self.waiting_bytes() < length.saturating_add(2) {
            return self.incomplete();
        }
        let (end, next) = (self.at + length, self.at + length + 2);
        self.check_size(next)?;
        self.spans.try_reserve(1).map_err(|_| Stop::Close)?;
        // check_size keeps both below 4 GiB.
        self.spans.push(Span { start: (self.at - self.start) as u32, end: (end - self.start) as u32 });
        self.at = next;
        self.bulk = None;
        Ok(())
    }

    fn read_length(&mut self) -> Result<usize, Stop> {
        let bulk_max = i64::from(self.limits.bulk_bytes);
        let (line, next) = self.header(ProtocolError::LengthTooLong)?;
        let [b'$', text @ ..] = line else {
            // Without any byte the line began with its own end.
            return Err(ProtocolError::ExpectedBulk(line.first().copied().unwrap_or(b'\r')).into());
        };
        let length = parse_integer(text).filter(|length| (0..=bulk_max).contains(length));
        // Within the limit, which has 32 bits.
        let length = length.ok_or(ProtocolError::InvalidLength)? as usize;
        if self.distrusted && length > UNAUTHENTICATED_BYTES_MAX {
            return Err(ProtocolError::UnauthenticatedLength.into());
        }
        self.at = next;
        self.bulk = Some(length);
        Ok(length)
    }

    /// A `*` or `$` line, and where the next one begins. As in Redis a line ends at a CR and one byte more, whatever
    /// that byte is.
    fn header(&mut self, too_long: ProtocolError) -> Result<(&[u8], usize), Stop> {
        match self.find(b'\r', too_long)? {
            Some(end) if end + 1 < self.buffer.len() => Ok((&self.buffer[self.at..end], end + 2)),
            _ => self.incomplete(),
        }
    }

    /// Where the line at `at` ends, if its end has arrived.
    fn find(&mut self, end: u8, too_long: ProtocolError) -> Result<Option<usize>, Stop> {
        let from = self.scanned.max(self.at);
        let found = self.buffer[from..].iter().position(|&byte| byte == end).map(|offset| from + offset);
        // An end that was found is found again, when only the byte behind it is missing.
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

    /// The cross-protocol guard of Redis: a web page that was made to post to us must not have its body executed.
    fn is_foreign(&self) -> bool {
        self.argv().get(0).is_some_and(|name| name.eq_ignore_ascii_case(b"post") || name.eq_ignore_ascii_case(b"host:"))
    }
}

/// Finds the arguments of the request that `bytes` begin with; answers where it ends.
fn read_plain(bytes: &[u8], limits: Limits, spans: &mut Vec<Span>) -> Option<usize> {
    let (count, mut at) = plain_number(bytes, 1)?;
    if count == 0 || count > PLAIN_COUNT_MAX {
        return None;
    }
    for _ in 0..count {
        if bytes.get(at) != Some(&b'$') {
            return None;
        }
        let (length, start) = plain_number(bytes, at + 1)?;
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

/// A number of few digits from `at` on, and where the next line begins.
#[inline(always)]
fn plain_number(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    // Nearly every number has one digit or two.
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
    let first = at;
    let mut number = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        number = number * 10 + usize::from(digit - b'0');
        at += 1;
        if at > first + PLAIN_DIGITS_MAX {
            return None;
        }
    }
    let is_plain = at == first + 1 || (at > first && bytes[first] != b'0');
    (is_plain && bytes.get(at) == Some(&b'\r')).then_some((number, at + 2))
}

#[cfg(test)]
mod tests;
