//! The keyspace: databases of typed values with deadlines, and the verbs through which all of them change.
//!
//! [`Keyspace::at`] returns a [`Txn`]: one database at one instant. The typed operations (`strings`, `keys`, ...) are
//! functions over a `Txn`, and the Rust API. This floor has no clients, commands or replies.

mod active_expire;
mod databases;
mod db;
mod error;
mod evict;
mod limits;
mod observers;
mod ops;
mod released;
mod txn;
mod uses;

pub use active_expire::SWEEP_MAX;
pub use databases::{Counts, DATABASES, Extent, Keyspace};
pub use db::{Db, Entry, Expiry, Lookup, NewValue};
pub use error::Error;
pub use limits::{EvictionPolicy, MemoryLimit};
pub use observers::client_id::ClientId;
pub use observers::effect::{ANNOTATION, Effects, LOG_VERSION};
pub use observers::event::{Event, EventClass, EventKind, Events};
pub use observers::facts::{Fact, FactKind, Facts, FieldFact, Hold};
pub use observers::interest::{Interest, Want};
pub use observers::tracking::{Invalidation, Recipient, Stale, TrackedReads, Tracker, Tracking, TrackingOptions};
pub use observers::waiters::{KeyName, Queue, QueuePosition, WaitedKey, Waiter, Waiters};
pub use ops::bitfield::{FieldAction, FieldOperation, FieldType, Overflow};
pub use ops::bits::{BitOperation, BitRange, RangeUnit};
pub use ops::dump::RestoreOptions;
pub use ops::expiry::{DeadlineCondition, TimeToLive};
pub use ops::geo::{GeoPoint, Nearness, Vicinity};
pub use ops::hashes::{FieldExpiry, FieldFate, FieldTimeToLive};
pub use ops::keys::{CopyOptions, RenameOutcome};
pub use ops::lcs::{CommonRun, CommonSubsequence};
pub use ops::lists::{InsertOutcome, Search};
pub use ops::scan::{Inspected, Inspection, ScanFilter};
pub use ops::sets::Combination;
pub use ops::sort::SortOptions;
pub use ops::sorted_sets::{Aggregate, ScoreCondition, ScoreOptions, Sources, Weighting};
pub use ops::streams::claim::{Claim, Claimed};
pub use ops::streams::groups::{GroupName, GroupStart};
pub use ops::streams::{Addition, NewId};
pub use ops::strings::{Comparison, Presence, SetOptions, SetOutcome};
pub use ops::{
    bitfield, bits, dump, expiry, geo, hashes, keys, latches, lcs, lists, scan, sets, sketches, sort, sorted_sets,
    streams, strings,
};
pub use txn::{Txn, count_visits};
pub use uses::{Counting, Frequency, PastUse};
