//! Walking through a database in hash order: SCAN, KEYS and the inspector's view.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::glob;
use crate::base::headroom::{OutOfMemory, ensure};
use crate::keyspace::txn::Txn;
use crate::keyspace::{Entry, Error, Keyspace};
use crate::values::Kind;

/// Which keys of a page are answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanFilter<'a> {
    pub pattern: Option<&'a [u8]>,
    /// A type name in any case; an unknown one matches nothing.
    pub type_name: Option<&'a [u8]>,
}

impl ScanFilter<'_> {
    fn accepts(&self, entry: &Entry<'_>) -> bool {
        self.pattern.is_none_or(|pattern| glob::matches(pattern, entry.key))
            && self.type_name.is_none_or(|name| entry.value.kind().name().as_bytes().eq_ignore_ascii_case(name))
    }
}

/// A key as the inspector shows it. Keys past their deadline but not yet removed are shown too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inspected {
    pub key: Box<[u8]>,
    pub kind: Kind,
    /// Bytes of a string, elements of anything else.
    pub size: usize,
    pub deadline: Option<Timestamp>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inspection {
    /// Where the next page begins; 0 at the end.
    pub cursor: u64,
    pub keys: Vec<Inspected>,
}

/// Visits a page of about `count` keys from `cursor` (0 = start) and answers the next cursor (0 = end). A key that
/// is there from the first page to the last is visited, whatever else changes. The only error is a shortage of memory.
pub fn scan(
    txn: &mut Txn<'_>,
    cursor: u64,
    count: usize,
    filter: ScanFilter<'_>,
    visit: &mut dyn FnMut(&[u8]),
) -> Result<u64, Error> {
    let mut handles = Vec::new();
    let next = txn.db().page(cursor, count, &mut handles)?;
    // What is dead is removed on the way.
    let mut room = Ok(());
    handles.retain(|&handle| {
        room.is_ok()
            && txn.try_expire_if_due(handle).unwrap_or_else(|error| {
                room = Err(error);
                false
            })
    });
    room?;
    handles
        .iter()
        .filter_map(|&handle| txn.db().entry(handle))
        .filter(|entry| filter.accepts(entry))
        .for_each(|entry| visit(entry.key));
    Ok(next)
}

/// Visits every key that matches. The only error is a shortage of memory.
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
    /// A page of at most about `limit` keys of a database, without touching anything. The only error is a shortage of
    /// memory.
    pub fn inspect(&self, database: u8, cursor: u64, limit: usize) -> Result<Inspection, OutOfMemory> {
        let db = self.database(database);
        let mut handles = Vec::new();
        let cursor = db.page(cursor, limit.max(1), &mut handles)?;
        let entries = handles.iter().filter_map(|&handle| db.entry(handle));
        // A vector that grows holds its elements twice for a moment.
        ensure(entries.clone().map(|entry| entry.key.len() + 3 * size_of::<Inspected>()).sum())?;
        let keys = entries.map(|entry| Inspected {
            key: entry.key.into(),
            kind: entry.value.kind(),
            size: entry.value.size(),
            deadline: entry.deadline,
        });
        Ok(Inspection { cursor, keys: keys.collect() })
    }
}
