//! Options that several commands share.

use super::args::{Args, at_least, count_of, is};
use crate::base::clock::Timestamp;
use crate::base::number::parse_integer;
use crate::keyspace::{Comparison, Expiry, Presence};
use crate::resp::error::CommandError;

const MS_PER_SECOND: i64 = 1000;

/// Unit and base of a deadline argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    Seconds,
    Milliseconds,
    UnixSeconds,
    UnixMilliseconds,
}

impl Unit {
    pub fn is_seconds(self) -> bool {
        matches!(self, Unit::Seconds | Unit::UnixSeconds)
    }

    pub fn is_relative(self) -> bool {
        matches!(self, Unit::Seconds | Unit::Milliseconds)
    }
}

/// Expiration option of a request. The number is parsed on use, because some commands look the key up first.
#[derive(Clone, Copy, Debug, Default)]
pub enum ExpiryOption<'a> {
    #[default]
    Absent,
    Keep,
    Persist,
    Deadline(Unit, &'a [u8]),
}

/// Keyword that a command accepts instead of a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alternative {
    KeepTtl,
    Persist,
}

impl<'a> ExpiryOption<'a> {
    /// Reads the option if `word` is its keyword, and returns whether it is. A repeated keyword replaces the number;
    /// different keywords are a syntax error.
    pub fn take(&mut self, word: &[u8], args: &mut Args<'a>, alternative: Alternative) -> Result<bool, CommandError> {
        let unit = match word {
            _ if is(word, "EX") => Unit::Seconds,
            _ if is(word, "PX") => Unit::Milliseconds,
            _ if is(word, "EXAT") => Unit::UnixSeconds,
            _ if is(word, "PXAT") => Unit::UnixMilliseconds,
            _ => return self.take_alternative(word, alternative),
        };
        match self {
            ExpiryOption::Absent => {}
            ExpiryOption::Deadline(previous, _) if *previous == unit => {}
            _ => return Err(CommandError::SYNTAX),
        }
        *self = ExpiryOption::Deadline(unit, args.bytes()?);
        Ok(true)
    }

    fn take_alternative(&mut self, word: &[u8], alternative: Alternative) -> Result<bool, CommandError> {
        match (alternative, &self) {
            (Alternative::KeepTtl, ExpiryOption::Absent | ExpiryOption::Keep) if is(word, "KEEPTTL") => {
                *self = ExpiryOption::Keep;
                Ok(true)
            }
            (Alternative::Persist, ExpiryOption::Absent | ExpiryOption::Persist) if is(word, "PERSIST") => {
                *self = ExpiryOption::Persist;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Returns the deadline for a command that stores a whole value.
    pub fn resolve(self, now: Timestamp) -> Result<Expiry, CommandError> {
        match self {
            ExpiryOption::Absent | ExpiryOption::Persist => Ok(Expiry::Never),
            ExpiryOption::Keep => Ok(Expiry::Keep),
            ExpiryOption::Deadline(unit, number) => Ok(Expiry::At(deadline(number, unit, now)?)),
        }
    }
}

/// Parses a deadline of SET and similar commands. It must be positive and fit into 64 bits of milliseconds.
pub fn deadline(number: &[u8], unit: Unit, now: Timestamp) -> Result<Timestamp, CommandError> {
    let number = parse_integer(number).ok_or(CommandError::NOT_AN_INTEGER)?;
    let invalid = CommandError::INVALID_EXPIRE;
    let ms = match unit.is_seconds() {
        _ if number <= 0 => return Err(invalid),
        true => number.checked_mul(MS_PER_SECOND).ok_or(invalid)?,
        false => number,
    };
    if unit.is_relative() { now.checked_add_ms(ms).ok_or(invalid) } else { Ok(Timestamp::from_ms(ms)) }
}

/// Reads the condition if `word` is NX or XX, and returns whether it is. Both together are a syntax error.
pub fn take_presence(word: &[u8], presence: &mut Option<Presence>) -> Result<bool, CommandError> {
    let condition = match word {
        _ if is(word, "NX") => Presence::Missing,
        _ if is(word, "XX") => Presence::Existing,
        _ => return Ok(false),
    };
    if presence.is_some_and(|presence| presence != condition) {
        return Err(CommandError::SYNTAX);
    }
    *presence = Some(condition);
    Ok(true)
}

/// Options of SCAN, HSCAN, SSCAN and ZSCAN.
#[derive(Clone, Copy, Debug)]
pub struct ScanOptions<'a> {
    pub count: usize,
    pub pattern: Option<&'a [u8]>,
    /// TYPE of SCAN.
    pub type_name: Option<&'a [u8]>,
    /// NOVALUES of HSCAN.
    pub no_values: bool,
}

/// Default of COUNT, as in Redis.
const SCAN_COUNT: usize = 10;

/// Reads `[MATCH pattern] [COUNT n]` and `own_option`, the keyword of one command: TYPE, NOVALUES or none.
pub fn scan_options<'a>(args: &mut Args<'a>, own_option: &str) -> Result<ScanOptions<'a>, CommandError> {
    let mut options = ScanOptions { count: SCAN_COUNT, pattern: None, type_name: None, no_values: false };
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "MATCH") => options.pattern = Some(args.bytes()?),
            _ if is(word, "COUNT") => {
                options.count = count_of(args.integer()?).filter(|&count| count > 0).ok_or(CommandError::SYNTAX)?;
            }
            _ if own_option == "TYPE" && is(word, own_option) => options.type_name = Some(args.bytes()?),
            _ if is(word, "NOVALUES") && own_option != "NOVALUES" => return Err(CommandError::NOVALUES_OUTSIDE_HSCAN),
            _ if is(word, "NOVALUES") => options.no_values = true,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    Ok(options)
}

/// Reads `[LIMIT n]`; 0, the default, is no limit.
pub fn limit(args: &mut Args<'_>) -> Result<usize, CommandError> {
    let mut limit = 0;
    while let Some(word) = args.optional() {
        if !is(word, "LIMIT") || args.is_done() {
            return Err(CommandError::SYNTAX);
        }
        limit = at_least(args.bytes()?, 0, CommandError::NEGATIVE_LIMIT)?;
    }
    Ok(limit)
}

/// Parses a SCAN cursor, an unsigned 64-bit number. A text in the format of an integer must not be negative. Other
/// texts are parsed like C's `strtoull`, as in Redis: blanks and a sign may precede, and a minus negates modulo 2^64.
pub fn cursor(text: &[u8]) -> Result<u64, CommandError> {
    if let Some(integer) = parse_integer(text) {
        return u64::try_from(integer).map_err(|_| CommandError::INVALID_CURSOR);
    }
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\x0b';
    let blanks = text.iter().take_while(|byte| is_blank(byte)).count();
    let (is_negative, digits) = match &text[blanks..] {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let digits = core::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse::<u64>().ok()).ok_or(CommandError::INVALID_CURSOR)?;
    Ok(if is_negative { number.wrapping_neg() } else { number })
}

/// Returns the comparison named by a keyword, with its operand; `None` for other words.
pub fn comparison<'a>(word: &[u8], operand: &'a [u8]) -> Option<Comparison<'a>> {
    match word {
        _ if is(word, "IFEQ") => Some(Comparison::Equal(operand)),
        _ if is(word, "IFNE") => Some(Comparison::NotEqual(operand)),
        _ if is(word, "IFDEQ") => Some(Comparison::DigestEqual(operand)),
        _ if is(word, "IFDNE") => Some(Comparison::DigestNotEqual(operand)),
        _ => None,
    }
}
