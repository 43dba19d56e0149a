//! The active expire cycle: removes keys and fields that are due and that no lookup has met.

use super::Keyspace;
use crate::base::clock::Timestamp;

/// How many due keys one sweep removes at most, so that no call pays for everybody.
pub const SWEEP_MAX: usize = 256;
/// A sweep that found no memory is put off for so long: each command tries again, but an idle host must not spin.
const PUT_OFF_MS: i64 = 100;

impl Keyspace {
    /// Removes keys and fields that are due, earliest deadline first, at most [`SWEEP_MAX`] of them.
    pub fn sweep(&mut self, now: Timestamp) {
        let is_done = self.sweep_while_possible(now);
        self.put_off_until = if is_done { None } else { Some(now.saturating_add_ms(PUT_OFF_MS)) };
    }

    /// False when there was no memory to remove what is due.
    fn sweep_while_possible(&mut self, now: Timestamp) -> bool {
        let mut left = SWEEP_MAX;
        while left > 0 {
            let first = self.databases().filter_map(|(database, db)| Some((db.first_deadline()?, database)));
            let Some((node, database)) = first.min_by_key(|(node, _)| node.deadline) else { return true };
            if node.deadline >= now || self.loading || !self.sweeping {
                return true;
            }
            // What follows each removal is made afterwards, and there may be many.
            if self.ensure_room_for_removal(database, node.owner).is_err() {
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
