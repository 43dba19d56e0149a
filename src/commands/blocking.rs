//! Timeouts of blocking commands, and the choice between a reply and blocking the client.

use super::{BlockOn, Blocking, Context, Wanted};
use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::headroom::{Held, OutOfMemory, ensure, ensure_reserve, hold};
use crate::base::number::{LongDouble, parse_integer};
use crate::keyspace::{Queue, WaitedKey};
use crate::resp::error::CommandError;
use crate::values::Kind;

const MS_PER_SECOND: u32 = 1000;
/// Upper bound in bytes by which the tables of blocked commands grow at once.
const BLOCKED_BYTES: usize = 48 * 1024;
/// Number of copies of a blocked command's arguments: its own, and those among the waited-for keys.
const BLOCKED_COPIES: usize = 3;

/// Checks that there is memory for another blocked command. A command that changes something before it waits keeps the
/// memory free meanwhile, or its client would get an error for a change that was made.
pub fn headroom_to_wait(argv: ArgvRef<'_>) -> Result<Held, OutOfMemory> {
    ensure_reserve()?;
    let copies = argv.copy_len().saturating_mul(BLOCKED_COPIES);
    hold(BLOCKED_BYTES.saturating_add(copies))
}

/// Returns the end of a timeout in seconds, rounded up to milliseconds; `None` for 0, which is no timeout.
pub(super) fn timeout(text: &[u8], now: Timestamp) -> Result<Option<Timestamp>, CommandError> {
    let seconds = LongDouble::parse(text).ok_or(CommandError::TIMEOUT_NOT_A_FLOAT)?;
    match seconds.times(MS_PER_SECOND).ceil() {
        None if seconds.is_negative() => Err(CommandError::NEGATIVE_TIMEOUT),
        None => Err(CommandError::TIMEOUT_RANGE),
        Some(0) => Ok(None),
        Some(..0) => Err(CommandError::NEGATIVE_TIMEOUT),
        Some(ms) => now.checked_add_ms(ms).map(Some).ok_or(CommandError::TIMEOUT_RANGE),
    }
}

/// Reads a timeout in milliseconds.
pub(super) fn timeout_ms(text: &[u8]) -> Result<i64, CommandError> {
    let timeout_ms = parse_integer(text).ok_or(CommandError::BAD_TIMEOUT)?;
    if timeout_ms < 0 { Err(CommandError::NEGATIVE_TIMEOUT) } else { Ok(timeout_ms) }
}

/// Returns the end of a timeout in milliseconds; `None` for 0, which is no timeout.
pub(super) fn end_of_timeout_ms(text: &[u8], now: Timestamp) -> Result<Option<Timestamp>, CommandError> {
    match timeout_ms(text)? {
        0 => Ok(None),
        ms => now.checked_add_ms(ms).map(Some).ok_or(CommandError::TIMEOUT_RANGE),
    }
}

/// Replies with `attempt`, which returns whether it wrote a reply. Otherwise the client is blocked until one of `keys`
/// has a value of type `kind`. If blocking is denied, or the timeout is over, the reply is a null array.
pub(super) fn reply_or_block<'k>(
    cx: &mut Context<'_>,
    keys: impl Iterator<Item = &'k [u8]> + Clone,
    kind: Kind,
    until: Option<Timestamp>,
    attempt: impl FnOnce(&mut Context<'_>) -> Result<bool, CommandError>,
) -> Result<(), CommandError> {
    if cx.blocking != Blocking::TimedOut && attempt(cx)? {
        return Ok(());
    }
    if cx.blocking != Blocking::Allowed {
        cx.reply.null_array();
        return Ok(());
    }
    block_on_keys(cx, keys, Queue::Created, Some(kind), until)
}

/// Blocks the client in a queue of each key. A new key must have the type `kind`, if one is given.
pub(super) fn block_on_keys<'k>(
    cx: &mut Context<'_>,
    keys: impl Iterator<Item = &'k [u8]> + Clone,
    queue: Queue,
    kind: Option<Kind>,
    until: Option<Timestamp>,
) -> Result<(), CommandError> {
    let database = cx.database();
    ensure(keys.clone().map(|key| 2 * (size_of::<WaitedKey>() + key.len())).sum())?;
    let waited = |key: &[u8]| WaitedKey { name: (database, key.into()), queue, waiter: None };
    let wanted = Wanted { keys: keys.map(waited).collect(), kind };
    cx.block_on = Some(BlockOn { wanted: Some(wanted), ..BlockOn::timeout(until) });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_as_redis_reads_them() {
        let now = Timestamp::from_ms(1_000);
        let after = |text: &str| timeout(text.as_bytes(), now).map(|until| until.map(|until| until.ms_since(now)));
        for (text, ms) in
            [("1", 1_000), ("0.5", 500), ("0.0001", 1), ("1e-400", 1), ("0x10", 16_000), ("1e3", 1_000_000)]
        {
            assert_eq!(after(text), Ok(Some(ms)), "{text}");
        }
        for text in ["0", "-0", "0.0", "-0.0001", "-0.001"] {
            assert_eq!(after(text), Ok(None), "{text}");
        }
        for text in ["", " 1", "1 ", "abc", "nan", "1e", "1e5000", "1e-5000"] {
            assert_eq!(after(text), Err(CommandError::TIMEOUT_NOT_A_FLOAT), "{text}");
        }
        for text in ["-1", "-0.01", "-inf", "-1e300"] {
            assert_eq!(after(text), Err(CommandError::NEGATIVE_TIMEOUT), "{text}");
        }
        for text in ["inf", "1e300", "9223372036854775.808", "9223372036854775"] {
            assert_eq!(after(text), Err(CommandError::TIMEOUT_RANGE), "{text}");
        }
        assert_eq!(after("9223372036854774"), Ok(Some(9_223_372_036_854_774_000)));
    }
}
