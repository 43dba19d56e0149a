//! Options that several commands share.

use super::args::{Args, at_least, count_of, is};
use crate::base::clock::Timestamp;
use crate::base::number::parse_integer;
use crate::keyspace::{Comparison, Expiry, Presence};
use crate::resp::error::CommandError;

const MS_PER_SECOND: i64 = 1000;

/// The unit and base of a deadline argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
    UnixSeconds,
    UnixMilliseconds,
}

impl Unit {
    pub(super) fn is_seconds(self) -> bool {
        matches!(self, Unit::Seconds | Unit::UnixSeconds)
    }

    pub(super) fn is_relative(self) -> bool {
        matches!(self, Unit::Seconds | Unit::Milliseconds)
    }
}

/// What the user said about the deadline. The number is read late: some commands look at the key first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum ExpiryWords<'a> {
    #[default]
    Unsaid,
    Keep,
    Persist,
    Deadline(Unit, &'a [u8]),
}

/// The word that takes the place of a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Alternative {
    KeepTtl,
    Persist,
}

impl<'a> ExpiryWords<'a> {
    /// Takes `word` if it is an option of this kind; the same option may be repeated, the last number counts.
    pub(super) fn take(
        &mut self,
        word: &[u8],
        args: &mut Args<'a>,
        alternative: Alternative,
    ) -> Result<bool, CommandError> {
        let unit = match word {
            _ if is(word, "EX") => Unit::Seconds,
            _ if is(word, "PX") => Unit::Milliseconds,
            _ if is(word, "EXAT") => Unit::UnixSeconds,
            _ if is(word, "PXAT") => Unit::UnixMilliseconds,
            _ => return self.take_alternative(word, alternative),
        };
        match self {
            ExpiryWords::Unsaid => {}
            ExpiryWords::Deadline(said, _) if *said == unit => {}
            _ => return Err(CommandError::SYNTAX),
        }
        *self = ExpiryWords::Deadline(unit, args.bytes()?);
        Ok(true)
    }

    fn take_alternative(&mut self, word: &[u8], alternative: Alternative) -> Result<bool, CommandError> {
        match (alternative, &self) {
            (Alternative::KeepTtl, ExpiryWords::Unsaid | ExpiryWords::Keep) if is(word, "KEEPTTL") => {
                *self = ExpiryWords::Keep;
                Ok(true)
            }
            (Alternative::Persist, ExpiryWords::Unsaid | ExpiryWords::Persist) if is(word, "PERSIST") => {
                *self = ExpiryWords::Persist;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The meaning of the words for a command that stores a whole value.
    pub(super) fn resolve(self, now: Timestamp) -> Result<Expiry, CommandError> {
        match self {
            ExpiryWords::Unsaid | ExpiryWords::Persist => Ok(Expiry::Never),
            ExpiryWords::Keep => Ok(Expiry::Keep),
            ExpiryWords::Deadline(unit, number) => Ok(Expiry::At(deadline(number, unit, now)?)),
        }
    }
}

/// A deadline as SET and its kin take it: positive, and within 64 bits of milliseconds.
pub(super) fn deadline(number: &[u8], unit: Unit, now: Timestamp) -> Result<Timestamp, CommandError> {
    let number = parse_integer(number).ok_or(CommandError::NOT_AN_INTEGER)?;
    let invalid = CommandError::INVALID_EXPIRE;
    let ms = match unit.is_seconds() {
        _ if number <= 0 => return Err(invalid),
        true => number.checked_mul(MS_PER_SECOND).ok_or(invalid)?,
        false => number,
    };
    if unit.is_relative() { now.checked_add_ms(ms).ok_or(invalid) } else { Ok(Timestamp::from_ms(ms)) }
}

/// Takes `word` if it is NX or XX; both together are a syntax error.
pub(super) fn take_presence(word: &[u8], presence: &mut Option<Presence>) -> Result<bool, CommandError> {
    let said = match word {
        _ if is(word, "NX") => Presence::Missing,
        _ if is(word, "XX") => Presence::Existing,
        _ => return Ok(false),
    };
    if presence.is_some_and(|presence| presence != said) {
        return Err(CommandError::SYNTAX);
    }
    *presence = Some(said);
    Ok(true)
}

/// What the walks through a collection take: SCAN and its sisters.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScanOptions<'a> {
    pub(super) count: usize,
    pub(super) pattern: Option<&'a [u8]>,
    /// SCAN alone.
    pub(super) type_name: Option<&'a [u8]>,
    /// HSCAN alone: fields without their values.
    pub(super) no_values: bool,
}

/// How many elements a page looks at unless told.
const SCAN_COUNT: usize = 10;

/// Reads `[MATCH pattern] [COUNT n]` and the word or option that one command has of its own.
pub(super) fn scan_options<'a>(args: &mut Args<'a>, own: &str) -> Result<ScanOptions<'a>, CommandError> {
    let mut options = ScanOptions { count: SCAN_COUNT, pattern: None, type_name: None, no_values: false };
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "MATCH") => options.pattern = Some(args.bytes()?),
            _ if is(word, "COUNT") => {
                options.count = count_of(args.integer()?).filter(|&count| count > 0).ok_or(CommandError::SYNTAX)?;
            }
            _ if own == "TYPE" && is(word, own) => options.type_name = Some(args.bytes()?),
            _ if own == "NOVALUES" && is(word, own) => options.no_values = true,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    Ok(options)
}

/// `[LIMIT n]`: how many are enough; 0 means all.
pub(super) fn limit(args: &mut Args<'_>) -> Result<usize, CommandError> {
    let mut most = 0;
    while let Some(word) = args.optional() {
        if !is(word, "LIMIT") || args.is_done() {
            return Err(CommandError::SYNTAX);
        }
        most = at_least(args.bytes()?, 0, CommandError::NEGATIVE_LIMIT)?;
    }
    Ok(most)
}

/// A cursor is an unsigned 64-bit number. One that is written as integers are must not be negative; any other is read as
/// C's `strtoull` does: blanks and a sign in front are allowed, and a minus turns the number round.
pub(super) fn cursor(text: &[u8]) -> Result<u64, CommandError> {
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

/// The comparison that `word` names, with its operand.
pub(super) fn comparison<'a>(word: &[u8], operand: &'a [u8]) -> Option<Comparison<'a>> {
    match word {
        _ if is(word, "IFEQ") => Some(Comparison::Equal(operand)),
        _ if is(word, "IFNE") => Some(Comparison::NotEqual(operand)),
        _ if is(word, "IFDEQ") => Some(Comparison::DigestEqual(operand)),
        _ if is(word, "IFDNE") => Some(Comparison::DigestNotEqual(operand)),
        _ => None,
    }
}
