//! The active expire cycle: removes keys and fields that are due without an access to them.

use super::Keyspace;
use crate::base::clock::Timestamp;

/// Maximum number of due keys and fields that one cycle removes. The time of a call stays bounded.
pub const SWEEP_MAX: usize = 256;
/// Milliseconds until the next cycle after one that ran out of memory. Every command tries again; the delay keeps an
/// idle host from spinning.
const RETRY_MS: i64 = 100;

impl Keyspace {
    /// Removes keys and fields that are due, earliest deadline first, at most [`SWEEP_MAX`] of them.
    pub fn sweep(&mut self, now: Timestamp) {
        let is_done = self.run_cycle(now);
        self.retry_at = if is_done { None } else { Some(now.saturating_add_ms(RETRY_MS)) };
    }

    /// Runs one cycle. Returns false if memory was too short to remove a due key.
    fn run_cycle(&mut self, now: Timestamp) -> bool {
        let mut left = SWEEP_MAX;
        while left > 0 {
            let first = self.databases().filter_map(|(database, db)| Some((db.first_deadline()?, database)));
            let Some((node, database)) = first.min_by_key(|(node, _)| node.deadline) else { return true };
            if node.deadline >= now || self.loading || !self.sweeping {
                return true;
            }
            // Events and effects of a removal are built after it, so memory is reserved for each removal.
            if self.reserve_headroom_for_removal(database, node.owner).is_err() {
                return false;
            }
            let removed = self.at(database, now).expire_entry(node.owner, left).removed;
            self.effects.end_unit();
            if removed == 0 {
                return false;
            }
            left = left.saturating_sub(removed);
        }
        true
    }
}
