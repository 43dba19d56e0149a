//! What survives a restart: the log of effects (`aof`) and whole snapshots (`rdb`). Bytes in, bytes out; files and
//! storages are the host's.

pub mod aof;
pub mod rdb;

use core::fmt;

/// Why a log or a snapshot was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadError {
    /// Written by a newer keylatch or Redis than this one can read.
    NewerVersion,
    /// Not the format at all, or damaged; `offset` is where reading stopped, in bytes.
    Malformed {
        offset: usize,
    },
    /// A part that this engine cannot hold, for example an unknown type of value.
    Unsupported {
        offset: usize,
    },
    /// The checksum at the end does not fit.
    Checksum,
    OutOfMemory,
}

/// What a replay did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Replayed {
    /// Units applied.
    pub units: usize,
    /// Bytes of a torn unit at the end that were left out.
    pub dropped_bytes: usize,
    /// The latest instant the log mentions, in ms since the epoch.
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
