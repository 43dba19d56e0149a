//! LATCH.LIMIT.

use super::options::{keyword, number, once};
use crate::commands::table::args::{Args, is};
use crate::commands::{Context, Reply};
use crate::keyspace::latches::{self, Algorithm, Usage};
use crate::resp::error::CommandError;

const US_PER_MS: i64 = 1000;
/// Largest limit of a sliding window, which stores every use.
const SLIDING_MAX: i64 = 10_000;

/// `LATCH.LIMIT key limit PERIOD ms [BURST b] [COST c] [FIXED | SLIDING] [PEEK]`
pub(super) fn limit(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, limit) = (args.bytes()?, number(args, 1, CommandError::INVALID_LIMIT)?);
    keyword(args, "PERIOD")?;
    let period_ms = number(args, 1, CommandError::INVALID_PERIOD)?;
    let (mut burst, mut cost, mut algorithm, mut peek) = (None, None, None, None);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "BURST") => once(&mut burst, number(args, 1, CommandError::INVALID_BURST)?)?,
            _ if is(word, "COST") => once(&mut cost, number(args, 1, CommandError::INVALID_COST)?)?,
            _ if is(word, "FIXED") => once(&mut algorithm, Algorithm::Fixed)?,
            _ if is(word, "SLIDING") => once(&mut algorithm, Algorithm::Sliding)?,
            _ if is(word, "PEEK") => once(&mut peek, ())?,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let algorithm = match (algorithm, burst) {
        (Some(_), Some(_)) => return Err(CommandError::SYNTAX),
        (Some(Algorithm::Sliding), None) if limit > SLIDING_MAX => return Err(CommandError::INVALID_LIMIT),
        (Some(algorithm), None) => algorithm,
        (None, burst) => even(limit, period_ms, burst.unwrap_or(limit))?,
    };
    // Instants in microseconds, and one period after now, must fit into 64 bits.
    let latest = cx.now.checked_add_ms(period_ms).and_then(|end| end.as_ms().checked_mul(US_PER_MS));
    latest.ok_or(CommandError::INVALID_PERIOD)?;
    let usage = Usage { algorithm, limit, period_ms, cost: cost.unwrap_or(1), peek: peek.is_some() };
    let verdict = latches::limit(&mut cx.txn(), key, &usage)?;
    cx.reply.array(4);
    cx.reply.integer(verdict.is_allowed.into());
    cx.reply.integer(verdict.remaining);
    cx.reply.integer(verdict.retry_ms);
    cx.reply.integer(verdict.reset_ms);
    Ok(())
}

/// Bucket of `burst` units, of which one returns in each part of the period. The parts are whole microseconds.
fn even(limit: i64, period_ms: i64, burst: i64) -> Result<Algorithm, CommandError> {
    let period_us = period_ms.checked_mul(US_PER_MS).ok_or(CommandError::INVALID_PERIOD)?;
    if limit > period_us {
        return Err(CommandError::INVALID_LIMIT);
    }
    let interval_us = period_us / limit + i64::from(period_us % limit > 0);
    // An instant after the whole burst must fit too.
    let capacity_us = interval_us.checked_mul(burst).filter(|us| *us < i64::MAX / 2);
    capacity_us.map(|_| Algorithm::Even { burst, interval_us }).ok_or(CommandError::INVALID_BURST)
}
