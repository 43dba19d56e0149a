//! Persistence: the append-only file of effects (`aof`) and snapshots of the keyspace (`rdb`), as bytes. Files and storages
//! belong to the host.

pub mod aof;
pub mod rdb;

use core::fmt;

/// Error of a log or a snapshot that cannot be loaded.
///
/// # Examples
/// ```
/// use keylatch::{Keylatch, LoadError, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// assert_eq!(db.load(b"no snapshot"), Err(LoadError::Malformed { offset: 0 }));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadError {
    /// A version of the format that is newer than this engine can read.
    NewerVersion,
    /// Another format, or damaged bytes.
    Malformed {
        /// Bytes before the damage.
        offset: usize,
    },
    /// A part that this engine cannot hold, for example an unknown type of value.
    Unsupported {
        /// Bytes before that part.
        offset: usize,
    },
    /// A checksum that does not fit the bytes.
    Checksum,
    /// Not enough memory for the keys.
    OutOfMemory,
}

/// Result of [`Keylatch::replay`](crate::Keylatch::replay).
///
/// # Examples
/// ```
/// use keylatch::{Keylatch, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// let torn = b"*1\r\n$8\r\nFLUSHALL\r\n*3\r\n$3\r\nSET\r\n$1";
/// let replayed = db.replay(torn)?;
/// assert_eq!((replayed.units, replayed.dropped_bytes), (1, 15));
/// # Ok::<(), keylatch::LoadError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Replayed {
    /// Number of units applied. A unit is the effects of one command or transaction.
    pub units: usize,
    /// Bytes of a torn unit at the end, which was left out.
    pub dropped_bytes: usize,
    /// The latest instant of the log, in milliseconds since the epoch.
    pub last_now_ms: Option<i64>,
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::NewerVersion => out.write_str("written by a newer version"),
            LoadError::Malformed { offset } => write!(out, "malformed at byte {offset}"),
            LoadError::Unsupported { offset } => write!(out, "holds something unsupported at byte {offset}"),
            LoadError::Checksum => out.write_str("the checksum does not fit"),
            LoadError::OutOfMemory => out.write_str("out of memory"),
        }
    }
}

impl core::error::Error for LoadError {}
