//! DUMP and RESTORE: serialization of a value in the format of Redis.
//!
//! ```text
//! type (1 byte) | value as in RDB snapshots | version (u16) | CRC-64 of all preceding bytes (u64)
//! ```
//! Numbers are little-endian.

use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::keyspace::ops::{expiry, keys};
use crate::keyspace::txn::{Access, Txn, count_visits};
use crate::keyspace::{Error, EventKind, NewValue, PastUse};
use crate::values::rdb::{DumpError, Input, Output, crc64, read_value, type_of, version_of, write_value};
use crate::values::{Value, ValueRef};

const VERSION_BYTES: usize = 2;
const CHECKSUM_BYTES: usize = 8;
/// Newest supported RDB version of Redis: that of Redis 8.6.
const REDIS_VERSION_MAX: u16 = 13;
/// RDB version of Valkey 9, which numbers its versions from 80 to keep them apart from those of Redis.
const VALKEY_VERSION: u16 = 80;

/// Options of RESTORE.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RestoreOptions {
    /// Deadline of the key. If it is not after `now`, the key is deleted instead.
    pub deadline: Option<Timestamp>,
    /// Whether an existing key is replaced.
    pub replace: bool,
    /// Idle time or frequency of the key at its source.
    pub past_use: Option<PastUse>,
}

/// Visits that an element of a payload counts as.
const CHECKSUM_VISITS: usize = 4;

/// Returns the value of a key as a payload; `None` if the key does not exist. The version is 10 (Redis 7.0 and newer),
/// or 12 for hashes with dated fields (Redis 7.4 and newer).
pub fn dump(txn: &mut Txn<'_>, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let Some(value) = txn.value_at(key) else { return Ok(None) };
    let (elements, payload) = (keys::elements_of(value), payload_of(value)?);
    // The checksum reads each byte.
    count_visits(txn, elements.saturating_mul(CHECKSUM_VISITS));
    Ok(Some(payload))
}

/// Creates a key from a payload. On an error nothing has changed.
pub fn restore(txn: &mut Txn<'_>, key: &[u8], payload: &[u8], options: RestoreOptions) -> Result<(), Error> {
    let lookup = txn.entry(key, Access::Write);
    if !lookup.is_vacant() && !options.replace {
        return Err(Error::KeyExists);
    }
    let (version, value) = read_payload(txn, payload)?;
    count_visits(txn, keys::elements_of(value.as_ref()).saturating_mul(CHECKSUM_VISITS));
    if options.deadline.is_some_and(|deadline| txn.is_past(deadline)) {
        keys::delete(txn, lookup, key);
        return Ok(());
    }
    // The log must load in a Redis that supports no later version.
    let own = if u32::from(version) > version_of(value.as_ref()) { Some(payload_of(value.as_ref())?) } else { None };
    let handle = txn.put(lookup, key, NewValue::Value(value), options.deadline, EventKind::Restore)?;
    txn.mark_ready(key);
    if let Some(past) = options.past_use {
        txn.uses().set_past(handle, past);
    }
    restore_effect(txn, key, own.as_deref().unwrap_or(payload), options.deadline);
    Ok(())
}

/// Checks version and checksum of a payload; returns version and value.
fn read_payload(txn: &Txn<'_>, payload: &[u8]) -> Result<(u16, Value), Error> {
    let (checked, checksum) = payload.split_last_chunk::<CHECKSUM_BYTES>().ok_or(Error::BadPayload)?;
    let (body, version) = checked.split_last_chunk::<VERSION_BYTES>().ok_or(Error::BadPayload)?;
    let version = u16::from_le_bytes(*version);
    let is_known = version <= REDIS_VERSION_MAX || version == VALKEY_VERSION;
    if !is_known || crc64(checked) != u64::from_le_bytes(*checksum) {
        return Err(Error::BadPayload);
    }
    let mut input = Input::new(body);
    let type_byte = input.byte()?;
    let value = read_value(type_byte, &mut input, &txn.limits(), txn.seed())?;
    if value.is_emptied() { Err(Error::BadData) } else { Ok((version, value)) }
}

fn restore_effect(txn: &mut Txn<'_>, key: &[u8], payload: &[u8], deadline: Option<Timestamp>) {
    // RESTORE accepts no instant before 1970, PEXPIREAT accepts all.
    let (since_epoch, before) = match deadline {
        Some(deadline) if deadline.as_ms() <= 0 => (None, Some(deadline)),
        other => (other, None),
    };
    txn.effect(|effect| {
        effect.bytes(b"RESTORE").bytes(key).integer(since_epoch.map_or(0, Timestamp::as_ms)).bytes(payload);
        effect.bytes(b"REPLACE").bytes(b"ABSTTL");
    });
    if let Some(deadline) = before {
        expiry::deadline_effect(txn, key, deadline);
    }
}

/// Returns the payload of a value.
pub(super) fn payload_of(value: ValueRef<'_>) -> Result<Vec<u8>, OutOfMemory> {
    let mut out = Output::default();
    out.byte(type_of(value));
    match value {
        ValueRef::String(bytes) => out.packed_string(bytes),
        _ => write_value(value, &mut out),
    }
    out.raw(&(version_of(value) as u16).to_le_bytes());
    let checksum = crc64(out.written());
    out.raw(&checksum.to_le_bytes());
    out.finish()
}

/// Errors of RESTORE for a value that cannot be decoded.
impl From<DumpError> for Error {
    fn from(error: DumpError) -> Error {
        match error {
            DumpError::Malformed | DumpError::Unsupported => Error::BadData,
            DumpError::OutOfMemory => Error::OutOfMemory,
        }
    }
}
