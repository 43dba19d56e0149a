//! Iteration over a database in hash order: SCAN, KEYS and the inspector's view.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::glob;
use crate::base::headroom::{OutOfMemory, ensure};
use crate::keyspace::txn::{Txn, count_visits};
use crate::keyspace::{Entry, Error, Keyspace};
use crate::values::Kind;

/// Filter for the keys of a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanFilter<'a> {
    pub pattern: Option<&'a [u8]>,
    /// Type name, case-insensitive. An unknown name matches nothing.
    pub type_name: Option<&'a [u8]>,
}

/// Bytes of names that are compared with a pattern in the time that a visit takes.
const MATCHED_BYTES: usize = 32;
/// Length of names, about.
const NAME_BYTES: usize = 32;

impl ScanFilter<'_> {
    /// Visits that one key counts as. A long pattern may be compared with each part of a name.
    fn visits(&self) -> usize {
        1 + self
            .pattern
            .map_or(0, |pattern| pattern.len().max(MATCHED_BYTES) * NAME_BYTES / (MATCHED_BYTES * MATCHED_BYTES))
    }

    fn accepts(&self, entry: &Entry<'_>) -> bool {
        self.pattern.is_none_or(|pattern| glob::matches(pattern, entry.key))
            && self.type_name.is_none_or(|name| entry.value.kind().name().as_bytes().eq_ignore_ascii_case(name))
    }
}

/// Key in the inspector's view. Expired keys that are not yet removed are included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inspected {
    pub key: Box<[u8]>,
    pub kind: Kind,
    /// Length of a string in bytes, or number of elements of other types.
    pub size: usize,
    pub deadline: Option<Timestamp>,
    /// Earliest deadline of a hash's field.
    pub field_deadline: Option<Timestamp>,
}

/// Page of the inspector's view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inspection {
    /// Cursor of the next page; 0 at the end.
    pub cursor: u64,
    pub keys: Vec<Inspected>,
    /// Number of keys in the database.
    pub total: usize,
}

/// Visits a page of about `count` keys from `cursor` (0: start); returns the next cursor (0: end). Every key that
/// exists from the first page to the last is visited. The only error is `OutOfMemory`.
pub fn scan(
    txn: &mut Txn<'_>,
    cursor: u64,
    count: usize,
    filter: ScanFilter<'_>,
    visit: &mut dyn FnMut(&[u8]),
) -> Result<u64, Error> {
    let mut handles = Vec::new();
    let next = txn.db().page(cursor, count, &mut handles)?;
    count_visits(txn, handles.len().saturating_mul(filter.visits()));
    // Expired keys are removed.
    let mut expired = Ok(());
    handles.retain(|&handle| {
        expired.is_ok()
            && txn.try_keep_or_expire(handle).unwrap_or_else(|error| {
                expired = Err(error);
                false
            })
    });
    expired?;
    handles
        .iter()
        .filter_map(|&handle| txn.db().entry(handle))
        .filter(|entry| filter.accepts(entry))
        .for_each(|entry| visit(entry.key));
    Ok(next)
}

/// Visits every key that matches the pattern. The only error is `OutOfMemory`.
pub fn keys(txn: &mut Txn<'_>, pattern: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
    if glob::literal(pattern) {
        if txn.peek(pattern).is_some() {
            visit(pattern);
        }
        return Ok(());
    }
    scan(txn, 0, usize::MAX, ScanFilter { pattern: Some(pattern), type_name: None }, visit).map(drop)
}

impl Keyspace {
    /// Returns a page of about `limit` keys of a database. Nothing is expired, counted or marked as used. The only
    /// error is `OutOfMemory`.
    pub fn inspect(&self, database: u8, cursor: u64, limit: usize) -> Result<Inspection, OutOfMemory> {
        let db = self.database(database);
        let mut handles = Vec::new();
        let cursor = db.page(cursor, limit.max(1), &mut handles)?;
        let entries = handles.iter().filter_map(|&handle| db.entry(handle));
        // While a vector grows, its elements exist twice.
        ensure(entries.clone().map(|entry| entry.key.len() + 3 * size_of::<Inspected>()).sum())?;
        let keys = entries.map(|entry| Inspected {
            key: entry.key.into(),
            kind: entry.value.kind(),
            size: entry.value.size(),
            deadline: entry.deadline,
            field_deadline: entry.value.first_field_deadline(),
        });
        Ok(Inspection { cursor, keys: keys.collect(), total: db.len() })
    }
}
