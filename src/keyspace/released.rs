//! Grants of latches that were released lately: when the reply to a release was lost, it is sent again, and has succeeded
//! although others may hold the latch since. Part of no log or snapshot.

use crate::base::hash::xxh3_64;
use alloc::collections::VecDeque;

/// Number of grants that are remembered.
const LEN_MAX: usize = 1024;

/// Tokens and digests of owners, in the order of the releases.
#[derive(Clone, Debug, Default)]
pub(super) struct Released {
    grants: VecDeque<(u64, u64)>,
}

impl Released {
    /// Notes a release. Without memory for it, a repeated one fails as if the hold had been lost.
    pub(super) fn note(&mut self, token: u64, owner: &[u8]) {
        let grant = (token, xxh3_64(owner));
        // Several names of one grant are released together.
        if self.grants.back() == Some(&grant) {
            return;
        }
        if self.grants.len() == LEN_MAX {
            self.grants.pop_front();
        }
        if self.grants.try_reserve(1).is_ok() {
            self.grants.push_back(grant);
        }
    }

    /// Whether the owner has released the grant with this token.
    pub(super) fn contains(&self, token: u64, owner: &[u8]) -> bool {
        let grant = (token, xxh3_64(owner));
        self.grants.iter().rev().any(|other| *other == grant)
    }
}
