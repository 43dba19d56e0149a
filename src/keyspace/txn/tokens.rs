//! Tokens of latches, and the lines of clients that wait for them.

use super::Txn;
use crate::keyspace::Error;
use crate::keyspace::observers::waiters::Waiters;

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

/// Notes that an owner has released the grant with this token.
pub(in crate::keyspace) fn note_released(txn: &mut Txn<'_>, token: u64, owner: &[u8]) {
    txn.keyspace.released.note(token, owner);
}

/// Whether the owner has released the grant with this token lately.
pub(in crate::keyspace) fn has_released(txn: &Txn<'_>, token: u64, owner: &[u8]) -> bool {
    txn.keyspace.released.contains(token, owner)
}

impl Txn<'_> {
    /// Lines of clients that wait for keys.
    pub(in crate::keyspace) fn waiters(&self) -> &Waiters {
        &self.keyspace.interest.waiters
    }
}
