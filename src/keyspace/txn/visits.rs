//! Count of the elements that operations visit, for the charges of scripts.

use super::Txn;

/// Counts elements that an operation visits.
pub fn count_visits(txn: &mut Txn<'_>, elements: usize) {
    txn.keyspace.visits = txn.keyspace.visits.saturating_add(elements as u64);
}
