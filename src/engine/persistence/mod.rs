//! Persistence: the append-only file of effects (`aof`) and snapshots of the keyspace (`rdb`), as bytes. Files and storages
//! belong to the host.

pub mod aof;
pub mod rdb;
pub mod skipped;

use alloc::vec::Vec;
use core::fmt;

pub use skipped::Skipped;

use crate::resp::cli_text::quote;

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
    /// A part or a command that this engine lacks, for example the data of a module.
    Unsupported {
        /// Bytes before that part.
        offset: usize,
    },
    /// A key with a value of a type or an encoding that this engine lacks, for example one of a module.
    UnsupportedValue {
        /// Name of the key.
        key: Vec<u8>,
        /// Code of the type in the file, such as 7 for a value of a module.
        type_code: u8,
        /// Bytes before the code of the type.
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
            LoadError::UnsupportedValue { key, type_code, offset } => {
                let (key, kind) = (quote(key), type_name(*type_code));
                write!(out, "the key {key} holds {kind} (RDB type {type_code}), ")?;
                write!(out, "which is not supported: delete the key before saving, or skip it, at byte {offset}")
            }
            LoadError::Checksum => out.write_str("the checksum does not fit"),
            LoadError::OutOfMemory => out.write_str("out of memory"),
        }
    }
}

/// Name of an RDB type of Redis and Valkey, with its article.
fn type_name(type_code: u8) -> &'static str {
    match type_code {
        6 | 7 => "a value of a module",
        _ => "a value",
    }
}

impl core::error::Error for LoadError {}
