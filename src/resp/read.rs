//! Reader of replies: RESP2 and RESP3 bytes into a borrowed value.
//!
//! Streamed aggregates, which Redis never sends, are refused. Attributes are skipped.

use crate::base::number::{parse_double, parse_integer};
use alloc::vec::Vec;
use core::fmt;

/// Largest nesting depth of aggregates.
pub const NESTING_MAX: usize = 128;

/// Reply with texts borrowed from the input.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    Simple(&'a [u8]),
    /// Error, from either of its two encodings.
    Error(&'a [u8]),
    Integer(i64),
    Bulk(&'a [u8]),
    /// Null of RESP3, or null bulk string of RESP2.
    Null,
    /// Null array of RESP2.
    NullArray,
    Boolean(bool),
    /// Text of a double as it was sent.
    Double(&'a [u8]),
    BigNumber(&'a [u8]),
    /// Text with its format of three letters (`txt`, `mkd`).
    Verbatim {
        format: &'a [u8],
        text: &'a [u8],
    },
    Array(Vec<Value<'a>>),
    Map(Vec<(Value<'a>, Value<'a>)>),
    Set(Vec<Value<'a>>),
    Push(Vec<Value<'a>>),
}

/// Reason why bytes are not a reply, and the offset of the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadError {
    pub offset: usize,
    pub kind: ReadErrorKind,
}

/// Kind of a malformed reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadErrorKind {
    UnknownType,
    InvalidLength,
    InvalidValue,
    MissingLineEnd,
    TooDeep,
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.kind {
            ReadErrorKind::UnknownType => "no reply begins with this byte",
            ReadErrorKind::InvalidLength => "invalid length",
            ReadErrorKind::InvalidValue => "invalid value",
            ReadErrorKind::MissingLineEnd => "a line end is missing",
            ReadErrorKind::TooDeep => "aggregates are nested too deep",
        };
        write!(out, "{text} (at byte {})", self.offset)
    }
}

/// Reads the reply at the start of `bytes`. Returns it with the number of its bytes, or `None` while it is incomplete.
pub fn read(bytes: &[u8]) -> Result<Option<(Value<'_>, usize)>, ReadError> {
    let mut reader = Reader { bytes, at: 0 };
    match reader.value(0) {
        Ok(value) => Ok(Some((value, reader.at))),
        Err(Stop::Incomplete) => Ok(None),
        Err(Stop::Error(error)) => Err(error),
    }
}

enum Stop {
    Incomplete,
    Error(ReadError),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value<'a>, Stop> {
        loop {
            let begin = self.at;
            let line = self.line()?;
            let (&kind, text) = line.split_first().ok_or(fail(begin, ReadErrorKind::UnknownType))?;
            // An attribute only describes the reply after it.
            if kind != b'|' {
                return self.typed_value(kind, text, begin, depth);
            }
            self.map(text, begin, depth)?;
        }
    }

    fn typed_value(&mut self, kind: u8, text: &'a [u8], begin: usize, depth: usize) -> Result<Value<'a>, Stop> {
        let invalid = || fail(begin, ReadErrorKind::InvalidValue);
        match kind {
            b'+' => Ok(Value::Simple(text)),
            b'-' => Ok(Value::Error(text)),
            b':' => parse_integer(text).map(Value::Integer).ok_or(invalid()),
            b'$' if text == b"-1" => Ok(Value::Null),
            b'*' if text == b"-1" => Ok(Value::NullArray),
            b'_' if text.is_empty() => Ok(Value::Null),
            b'#' if matches!(text, b"t" | b"f") => Ok(Value::Boolean(text == b"t")),
            b',' if is_double(text) => Ok(Value::Double(text)),
            b'(' if is_big_number(text) => Ok(Value::BigNumber(text)),
            b'$' => self.blob(text, begin).map(Value::Bulk),
            b'!' => self.blob(text, begin).map(Value::Error),
            b'=' => match self.blob(text, begin)?.split_at_checked(4) {
                Some((&[ref format @ .., b':'], text)) => Ok(Value::Verbatim { format, text }),
                _ => Err(invalid()),
            },
            b'*' => self.elements(text, begin, depth).map(Value::Array),
            b'~' => self.elements(text, begin, depth).map(Value::Set),
            b'>' => self.elements(text, begin, depth).map(Value::Push),
            b'%' => self.map(text, begin, depth).map(Value::Map),
            b'_' | b'#' | b',' | b'(' => Err(invalid()),
            _ => Err(fail(begin, ReadErrorKind::UnknownType)),
        }
    }

    /// Reads a text of the announced length and its line end.
    fn blob(&mut self, length: &[u8], begin: usize) -> Result<&'a [u8], Stop> {
        let length = count(length, begin)?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let (Some(text), Some(after)) = (rest.get(..length), rest.get(length..)) else { return Err(Stop::Incomplete) };
        match after {
            [b'\r', b'\n', ..] => {
                self.at += length + 2;
                Ok(text)
            }
            [] | [b'\r'] => Err(Stop::Incomplete),
            _ => Err(fail(self.at + length, ReadErrorKind::MissingLineEnd)),
        }
    }

    /// Reads the elements of an aggregate. Memory is not reserved for the announced number, which may be false.
    fn elements(&mut self, length: &[u8], begin: usize, depth: usize) -> Result<Vec<Value<'a>>, Stop> {
        let length = count(length, begin)?;
        let depth = nested_depth(depth, begin)?;
        let mut elements = Vec::new();
        for _ in 0..length {
            elements.push(self.value(depth)?);
        }
        Ok(elements)
    }

    fn map(&mut self, length: &[u8], begin: usize, depth: usize) -> Result<Vec<(Value<'a>, Value<'a>)>, Stop> {
        let length = count(length, begin)?;
        let depth = nested_depth(depth, begin)?;
        let mut pairs = Vec::new();
        for _ in 0..length {
            pairs.push((self.value(depth)?, self.value(depth)?));
        }
        Ok(pairs)
    }

    /// Reads a line and consumes its line end.
    fn line(&mut self) -> Result<&'a [u8], Stop> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).ok_or(Stop::Incomplete)?;
        match rest[length..] {
            [b'\r', b'\n', ..] => {
                self.at += length + 2;
                Ok(&rest[..length])
            }
            [b'\r'] => Err(Stop::Incomplete),
            _ => Err(fail(self.at + length, ReadErrorKind::MissingLineEnd)),
        }
    }
}

fn fail(offset: usize, kind: ReadErrorKind) -> Stop {
    Stop::Error(ReadError { offset, kind })
}

fn count(text: &[u8], begin: usize) -> Result<usize, Stop> {
    let length = parse_integer(text).and_then(|length| usize::try_from(length).ok());
    length.ok_or(fail(begin, ReadErrorKind::InvalidLength))
}

fn nested_depth(depth: usize, begin: usize) -> Result<usize, Stop> {
    if depth < NESTING_MAX { Ok(depth + 1) } else { Err(fail(begin, ReadErrorKind::TooDeep)) }
}

fn is_double(text: &[u8]) -> bool {
    parse_double(text).is_some() || matches!(text, b"nan" | b"-nan")
}

fn is_big_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn read_whole(bytes: &[u8]) -> Value<'_> {
        let (value, used) = read(bytes).unwrap().unwrap();
        assert_eq!(used, bytes.len());
        value
    }

    fn error_kind(bytes: &[u8]) -> Option<ReadErrorKind> {
        read(bytes).err().map(|error| error.kind)
    }

    #[test]
    fn reads_every_type() {
        assert_eq!(read_whole(b"+OK\r\n"), Value::Simple(b"OK"));
        assert_eq!(read_whole(b"-ERR no\r\n"), Value::Error(b"ERR no"));
        assert_eq!(read_whole(b"!6\r\nERR\r\nx\r\n"), Value::Error(b"ERR\r\nx"));
        assert_eq!(read_whole(b":-7\r\n"), Value::Integer(-7));
        assert_eq!(read_whole(b"$4\r\na\r\nb\r\n"), Value::Bulk(b"a\r\nb"));
        assert_eq!(read_whole(b"$-1\r\n"), Value::Null);
        assert_eq!(read_whole(b"_\r\n"), Value::Null);
        assert_eq!(read_whole(b"*-1\r\n"), Value::NullArray);
        assert_eq!(read_whole(b"#t\r\n"), Value::Boolean(true));
        assert_eq!(read_whole(b",1e+20\r\n"), Value::Double(b"1e+20"));
        assert_eq!(read_whole(b",-inf\r\n"), Value::Double(b"-inf"));
        assert_eq!(read_whole(b",nan\r\n"), Value::Double(b"nan"));
        assert_eq!(read_whole(b"(-123456789012345678901\r\n"), Value::BigNumber(b"-123456789012345678901"));
        assert_eq!(read_whole(b"=6\r\nmkd:ab\r\n"), Value::Verbatim { format: b"mkd", text: b"ab" });
        assert_eq!(read_whole(b"~1\r\n:1\r\n"), Value::Set([Value::Integer(1)].into()));
        assert_eq!(read_whole(b">0\r\n"), Value::Push(Vec::new()));
        let nested = read_whole(b"*2\r\n%1\r\n+k\r\n*0\r\n_\r\n");
        let map = Value::Map([(Value::Simple(b"k"), Value::Array(Vec::new()))].into());
        assert_eq!(nested, Value::Array([map, Value::Null].into()));
    }

    #[test]
    fn attributes_are_skipped_and_the_rest_is_left() {
        let bytes = b"|1\r\n+ttl\r\n:3\r\n|0\r\n+OK\r\n+next\r\n";
        assert_eq!(read(bytes), Ok(Some((Value::Simple(b"OK"), bytes.len() - 7))));
    }

    #[test]
    fn broken_replies_are_errors() {
        for bytes in [&b"?\r\n"[..], b"\r\n", b"*?\r\n", b"$?\r\n"] {
            assert!(error_kind(bytes).is_some(), "{bytes:?}");
        }
        assert_eq!(error_kind(b"$-2\r\n"), Some(ReadErrorKind::InvalidLength));
        assert_eq!(error_kind(b"*-2\r\n"), Some(ReadErrorKind::InvalidLength));
        assert_eq!(error_kind(b"%-1\r\n"), Some(ReadErrorKind::InvalidLength));
        assert_eq!(error_kind(b":1.5\r\n"), Some(ReadErrorKind::InvalidValue));
        assert_eq!(error_kind(b"#x\r\n"), Some(ReadErrorKind::InvalidValue));
        assert_eq!(error_kind(b",abc\r\n"), Some(ReadErrorKind::InvalidValue));
        assert_eq!(error_kind(b"(-\r\n"), Some(ReadErrorKind::InvalidValue));
        assert_eq!(error_kind(b"=3\r\ntxt\r\n"), Some(ReadErrorKind::InvalidValue));
        assert_eq!(error_kind(b"$1\r\nab\r\n"), Some(ReadErrorKind::MissingLineEnd));
        assert_eq!(error_kind(b"+a\nb\r\n"), Some(ReadErrorKind::MissingLineEnd));
        let error = read(b"*2\r\n:1\r\n:x\r\n").unwrap_err();
        assert_eq!(error, ReadError { offset: 8, kind: ReadErrorKind::InvalidValue });
    }

    #[test]
    fn nesting_is_limited() {
        let nest = |depth: usize| [b"*1\r\n".repeat(depth), b":1\r\n".to_vec()].concat();
        assert!(read(&nest(NESTING_MAX)).unwrap().is_some());
        assert_eq!(error_kind(&nest(NESTING_MAX + 1)), Some(ReadErrorKind::TooDeep));
        assert_eq!(error_kind(&b"*1\r\n".repeat(100_000)), Some(ReadErrorKind::TooDeep));
        assert_eq!(read(&b"|0\r\n".repeat(100_000)), Ok(None));
    }

    #[test]
    fn every_prefix_is_incomplete() {
        let bytes = b"*6\r\n%1\r\n+k\r\n$3\r\na\r\n\r\n,1.5\r\n=5\r\ntxt:a\r\n#f\r\n!2\r\nxy\r\n:-1\r\n";
        read_whole(bytes);
        for end in 0..bytes.len() {
            assert_eq!(read(&bytes[..end]), Ok(None), "{end}");
        }
        assert_eq!(read(b"*9223372036854775807\r\n:1\r\n"), Ok(None));
        assert_eq!(read(b"$9223372036854775807\r\nabc"), Ok(None));
    }

    #[test]
    fn noise_does_not_panic() {
        let mut random = Random::new(6);
        let letters = b"+-:$*_#,(=!%~>|\r\n\r\n\r\n0123a\xff";
        for _ in 0..100_000 {
            let length = random.below(24);
            let bytes: Vec<u8> = (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect();
            if let Ok(Some((_, used))) = read(&bytes) {
                assert!(used <= bytes.len());
            }
        }
    }
}
