//! Tokens of latches, and the lines of clients that wait for them.

use super::Txn;
use crate::keyspace::{Error, Queue, QueuePosition, Waiter};

const US_PER_MS: i64 = 1000;

/// Token of the next grant: larger than all before, and not below the present time in microseconds. So an engine that
/// has lost its register continues above the old tokens, unless its clock was set back.
pub(in crate::keyspace) fn next_token(txn: &Txn<'_>) -> Result<u64, Error> {
    let now_us = txn.now.as_ms().saturating_mul(US_PER_MS).max(1) as u64;
    let next = txn.keyspace.last_token.checked_add(1).ok_or(Error::NoTokens)?;
    // Replies and texts of holders have signed numbers.
    Some(next.max(now_us)).filter(|token| *token < i64::MAX as u64).ok_or(Error::NoTokens)
}

/// Records a token that was granted.
pub(in crate::keyspace) fn use_token(txn: &mut Txn<'_>, token: u64) {
    txn.keyspace.skip_tokens_to(token);
}

/// Whether others precede a client at a position in the line of a latch, or a newcomer.
pub(in crate::keyspace) fn is_behind(txn: &Txn<'_>, key: &[u8], position: Option<QueuePosition>) -> bool {
    let waiters = &txn.keyspace.interest.waiters;
    waiters.want_changes() && waiters.is_behind(txn.database, key, position)
}

/// First client of a queue of a key after a position, with its own.
pub(in crate::keyspace) fn waiting_after<'t>(
    txn: &'t Txn<'_>,
    key: &[u8],
    queue: Queue,
    position: QueuePosition,
) -> Option<(QueuePosition, &'t Waiter)> {
    txn.keyspace.interest.waiters.after(txn.database, key, queue, position)
}
