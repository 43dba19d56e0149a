//! Ids of entries: milliseconds and a sequence number, ordered by both.

use alloc::vec::Vec;

use crate::base::number::{parse_integer, write_unsigned};

/// Longest text of an id.
const TEXT_MAX: usize = 127;

/// Id of an entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct StreamId {
    pub ms: u64,
    pub seq: u64,
}

/// Id as it was written. `seq` is `None` without a sequence number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParsedId {
    pub ms: u64,
    pub seq: Option<u64>,
    /// Whether the sequence number is `*`.
    pub wants_seq: bool,
}

impl StreamId {
    pub const MIN: StreamId = StreamId { ms: 0, seq: 0 };
    pub const MAX: StreamId = StreamId { ms: u64::MAX, seq: u64::MAX };

    pub fn new(ms: u64, seq: u64) -> StreamId {
        StreamId { ms, seq }
    }

    /// Next larger id; `None` after the last one.
    pub fn next(self) -> Option<StreamId> {
        match self.seq.checked_add(1) {
            Some(seq) => Some(StreamId { seq, ..self }),
            None => Some(StreamId::new(self.ms.checked_add(1)?, 0)),
        }
    }

    /// Next smaller id; `None` before the first one.
    pub fn previous(self) -> Option<StreamId> {
        match self.seq.checked_sub(1) {
            Some(seq) => Some(StreamId { seq, ..self }),
            None => Some(StreamId::new(self.ms.checked_sub(1)?, u64::MAX)),
        }
    }

    /// Parses `ms` or `ms-seq`; `missing_seq` stands for a sequence number that is not given.
    pub fn parse(text: &[u8], missing_seq: u64) -> Option<StreamId> {
        let id = ParsedId::parse(text).filter(|id| !id.wants_seq)?;
        Some(StreamId::new(id.ms, id.seq.unwrap_or(missing_seq)))
    }

    /// Text of the id.
    pub fn text(self) -> Vec<u8> {
        let mut text = Vec::new();
        write_unsigned(self.ms, &mut text);
        text.push(b'-');
        write_unsigned(self.seq, &mut text);
        text
    }
}

impl ParsedId {
    /// Parses `ms`, `ms-seq` or `ms-*`.
    pub fn parse(text: &[u8]) -> Option<ParsedId> {
        if text.len() > TEXT_MAX || matches!(text, b"-" | b"+") {
            return None;
        }
        // Redis reads a text that ends at a zero byte.
        let text = text.split(|&byte| byte == 0).next()?;
        let Some(dash) = text.iter().position(|&byte| byte == b'-') else {
            return Some(ParsedId { ms: unsigned(text)?, seq: None, wants_seq: false });
        };
        let (ms, seq) = (unsigned(&text[..dash])?, &text[dash + 1..]);
        match seq {
            b"*" => Some(ParsedId { ms, seq: None, wants_seq: true }),
            _ => Some(ParsedId { ms, seq: Some(unsigned(seq)?), wants_seq: false }),
        }
    }
}

/// Reads an unsigned number as Redis does: strictly, otherwise as C's `strtoull`.
fn unsigned(text: &[u8]) -> Option<u64> {
    if let Some(integer) = parse_integer(text) {
        return u64::try_from(integer).ok();
    }
    // C's blanks have the vertical tab, which the library's lack.
    let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count();
    let (is_negative, digits) = match &text[blanks..] {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let add = |number: u64, byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { number.checked_mul(10)?.checked_add(digit.into()) }
    };
    let number = digits.iter().try_fold(0, add)?;
    Some(if is_negative { number.wrapping_neg() } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_carry_and_end() {
        let id = StreamId::new(5, u64::MAX);
        assert_eq!((id.next(), StreamId::new(6, 0).previous()), (Some(StreamId::new(6, 0)), Some(id)));
        assert_eq!((StreamId::MAX.next(), StreamId::MIN.previous()), (None, None));
        assert_eq!(StreamId::MAX.text(), b"18446744073709551615-18446744073709551615");
    }

    #[test]
    fn texts_are_read_as_redis_reads_them() {
        let read = |text: &str| StreamId::parse(text.as_bytes(), 7).map(|id| (id.ms, id.seq));
        let good = [
            ("5", (5, 7)),
            ("5-3", (5, 3)),
            ("18446744073709551615-0", (u64::MAX, 0)),
            ("007-01", (7, 1)),
            (" +5-1", (5, 1)),
            ("5--03", (5, u64::MAX - 2)),
            ("5-3\0x", (5, 3)),
        ];
        for (text, id) in good {
            assert_eq!(read(text), Some(id), "{text}");
        }
        for text in
            ["", "-", "+", "-5", "5-", "x", "5-x", "5--3", "18446744073709551616", "5-*", "(5", "5 ", " ", "1.5"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(StreamId::parse(&[b'1'; 128], 0), None);
        assert!(ParsedId::parse(b"5-*").is_some_and(|id| id.wants_seq));
    }
}
