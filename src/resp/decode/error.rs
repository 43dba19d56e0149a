//! Errors of the request stream, with the texts of Redis.

use core::fmt;

/// Error of the request stream, after which no more requests are read. `Display` writes the text of the error reply
/// after `-ERR `.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProtocolError {
    UnbalancedQuotes,
    InlineTooLong,
    CountTooLong,
    LengthTooLong,
    InvalidCount,
    InvalidLength,
    /// More arguments than an unauthenticated client may send.
    UnauthenticatedCount,
    /// Longer argument than an unauthenticated client may send.
    UnauthenticatedLength,
    /// Byte found where `$` was expected.
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

/// Writes the text for an unexpected byte. Line ends become blanks, as in Redis, and non-ASCII bytes the replacement
/// character.
fn write_expected_bulk(got: u8, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let shown = match got {
        b'\r' | b'\n' => ' ',
        got if got.is_ascii() => got as char,
        _ => char::REPLACEMENT_CHARACTER,
    };
    write!(out, "expected '$', got '{shown}'")
}
