//! Arguments that several latch commands share.

use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::number::parse_integer;
use crate::commands::table::args::{Args, count_of, is};
use crate::keyspace::hashes::FIELD_DEADLINE_MS_MAX;
use crate::resp::error::CommandError;

/// Reads a number that is at least `min`; `error` stands for a smaller one.
pub(super) fn number(args: &mut Args<'_>, min: i64, error: CommandError) -> Result<i64, CommandError> {
    let number = args.integer()?;
    if number >= min { Ok(number) } else { Err(error) }
}

/// Reads a token.
pub(super) fn token(text: &[u8]) -> Result<u64, CommandError> {
    let token = parse_integer(text).ok_or(CommandError::NOT_AN_INTEGER)?;
    u64::try_from(token).ok().filter(|token| *token > 0).ok_or(CommandError::INVALID_TOKEN)
}

/// Reads a keyword that must follow.
pub(super) fn keyword(args: &mut Args<'_>, word: &str) -> Result<(), CommandError> {
    if is(args.bytes()?, word) { Ok(()) } else { Err(CommandError::SYNTAX) }
}

/// Whether the log can contain this deadline, `ms` after `now`, for a field.
pub(super) fn is_deadline(now: Timestamp, ms: i64) -> bool {
    now.checked_add_ms(ms).is_some_and(|end| (1..=FIELD_DEADLINE_MS_MAX).contains(&end.as_ms()))
}

/// Reads `TTL milliseconds`.
pub(super) fn ttl(args: &mut Args<'_>, now: Timestamp) -> Result<i64, CommandError> {
    keyword(args, "TTL")?;
    let ttl_ms = number(args, 1, CommandError::INVALID_TTL)?;
    if is_deadline(now, ttl_ms) { Ok(ttl_ms) } else { Err(CommandError::INVALID_TTL) }
}

/// Reads the milliseconds of WAIT and returns its end; `None` for 0, which is no wait.
pub(super) fn wait(args: &mut Args<'_>, now: Timestamp) -> Result<Option<Timestamp>, CommandError> {
    let wait_ms = number(args, 0, CommandError::INVALID_WAIT)?;
    let until = now.checked_add_ms(wait_ms).ok_or(CommandError::INVALID_WAIT)?;
    Ok(Some(until).filter(|_| wait_ms > 0))
}

/// Reads the number of keys and the keys.
pub(super) fn counted_keys<'a>(args: &mut Args<'a>) -> Result<ArgvRef<'a>, CommandError> {
    let count = count_of(args.integer()?).filter(|&count| count > 0).ok_or(CommandError::NUMKEYS_NOT_POSITIVE)?;
    if count > args.left() {
        return Err(CommandError::TOO_MANY_KEYS);
    }
    Ok(args.take(count))
}

/// Keeps the value of an option; a second one is a syntax error.
pub(super) fn once<T>(option: &mut Option<T>, value: T) -> Result<(), CommandError> {
    if option.replace(value).is_some() { Err(CommandError::SYNTAX) } else { Ok(()) }
}
