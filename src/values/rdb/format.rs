//! Numbers of the coding: versions, types of values; and the reasons for which bytes are not understood. Knows no value.

use crate::base::headroom::OutOfMemory;

/// The version of the coding that most values are written in: that of Redis 7.0.
pub const RDB_VERSION: u32 = 10;
/// Code of a library of functions, as of Redis 7.0.
pub const FUNCTION_2: u8 = 0xf5;
/// The first version with deadlines of fields: that of Redis 7.4.
pub const FIELD_DEADLINES_SINCE: u32 = 12;

pub const TYPE_STRING: u8 = 0;
pub const TYPE_LIST: u8 = 1;
pub const TYPE_SET: u8 = 2;
pub const TYPE_ZSET: u8 = 3;
pub const TYPE_HASH: u8 = 4;
pub const TYPE_ZSET_2: u8 = 5;
pub const TYPE_SET_INTSET: u8 = 11;
pub const TYPE_STREAM: u8 = 15;
pub const TYPE_HASH_LISTPACK: u8 = 16;
pub const TYPE_ZSET_LISTPACK: u8 = 17;
pub const TYPE_LIST_QUICKLIST_2: u8 = 18;
/// Streams with the marks of Redis 7.0.
pub const TYPE_STREAM_2: u8 = 19;
pub const TYPE_SET_LISTPACK: u8 = 20;
/// Streams with consumers that have a time of activity (Redis 7.2).
pub const TYPE_STREAM_3: u8 = 21;
pub const TYPE_HASH_DATED: u8 = 24;
pub const TYPE_HASH_LISTPACK_DATED: u8 = 25;
/// Streams with idempotent producers (Redis 8.6), and with entries that no consumer holds (Redis 8.8).
pub const TYPE_STREAM_4: u8 = 26;
pub const TYPE_STREAM_5: u8 = 27;

/// Why bytes were not understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DumpError {
    Malformed,
    /// A type or coding this engine does not have.
    Unsupported,
    OutOfMemory,
}

impl From<OutOfMemory> for DumpError {
    fn from(_: OutOfMemory) -> DumpError {
        DumpError::OutOfMemory
    }
}
