//! RDB encoding of hashes, with and without deadlines of fields.
//!
//! ```text
//! plain     count, then for each field: name, value
//! dated     earliest deadline (i64), count, then for each field:
//!           0 or its deadline - earliest + 1, name, value
//! listpack  name, value, ... ; dated: earliest deadline (i64), then name, value, 0 or deadline, ... in a listpack
//! ```

use alloc::vec::Vec;

use super::format::{TYPE_HASH, TYPE_HASH_DATED, TYPE_HASH_LISTPACK};
use super::{DumpError, Input, Output, listpack};
use crate::base::clock::Timestamp;
use crate::base::headroom::copied;
use crate::base::number::parse_integer;
use crate::values::{Field, Hash, NewDeadline, PackedLimit};

pub(super) fn write(hash: &Hash, out: &mut Output) {
    let first = hash.first_deadline();
    if let Some(first) = first {
        out.raw(&first.as_ms().to_le_bytes());
    }
    out.length(hash.len() as u64);
    for Field { name, value, deadline } in hash.iter() {
        if let Some(first) = first {
            // `first` is the earliest deadline, so the difference fits into 64 unsigned bits.
            out.length(deadline.map_or(0, |deadline| deadline.as_ms().wrapping_sub(first.as_ms()) as u64 + 1));
        }
        out.string(&name);
        out.string(&value);
    }
}

pub(super) fn read(type_byte: u8, input: &mut Input<'_>, limit: PackedLimit, seed: u64) -> Result<Hash, DumpError> {
    let mut hash = Hash::new(seed);
    match type_byte {
        TYPE_HASH => {
            for _ in 0..input.length()? {
                set_new(&mut hash, &input.string()?, &input.string()?, None, limit)?;
            }
        }
        TYPE_HASH_DATED => {
            let first = i64::from_le_bytes(input.array()?);
            for _ in 0..input.length()? {
                let deadline = match input.length()? {
                    0 => None,
                    since => Some(first.checked_add_unsigned(since - 1).ok_or(DumpError::Malformed)?),
                };
                set_new(&mut hash, &input.string()?, &input.string()?, deadline, limit)?;
            }
        }
        TYPE_HASH_LISTPACK => read_listpack(&mut hash, &input.string()?, 2, limit)?,
        _ => {
            // The earliest deadline follows from the listpack too.
            input.array::<8>()?;
            read_listpack(&mut hash, &input.string()?, 3, limit)?;
        }
    }
    Ok(hash)
}

/// Reads fields of `entries` entries each: name, value, and with three entries the deadline.
fn read_listpack(hash: &mut Hash, packed: &[u8], entries: usize, limit: PackedLimit) -> Result<(), DumpError> {
    let mut pending: Vec<Vec<u8>> = Vec::new();
    listpack::read(packed, &mut |entry| {
        pending.try_reserve(1).map_err(|_| DumpError::OutOfMemory)?;
        pending.push(copied(entry)?);
        if pending.len() < entries {
            return Ok(());
        }
        let deadline = match pending.get(2) {
            None => None,
            Some(text) => parse_integer(text).ok_or(DumpError::Malformed).map(|ms| (ms != 0).then_some(ms))?,
        };
        set_new(hash, &pending[0], &pending[1], deadline, limit)?;
        pending.clear();
        Ok(())
    })?;
    if pending.is_empty() { Ok(()) } else { Err(DumpError::Malformed) }
}

/// Adds a field. A duplicate field or a deadline before 1970 is malformed, because no writer produces one.
fn set_new(
    hash: &mut Hash,
    name: &[u8],
    value: &[u8],
    deadline_ms: Option<i64>,
    limit: PackedLimit,
) -> Result<(), DumpError> {
    let deadline = match deadline_ms {
        Some(..0) => return Err(DumpError::Malformed),
        Some(ms) => NewDeadline::At(Timestamp::from_ms(ms)),
        None => NewDeadline::None,
    };
    if hash.set(name, value, deadline, limit)? { Ok(()) } else { Err(DumpError::Malformed) }
}
