//! Strings: the typed operations of SET, GET, INCR and others. Semantics are those of Redis 8.6.3.

#[cfg(test)]
mod lock_tests;
mod many;
mod options;

pub use many::set_many;
pub use options::{Comparison, Presence, SetOptions, SetOutcome};

use alloc::vec::Vec;

use self::options::digest_text;
use crate::base::clock::Timestamp;
use crate::base::headroom::copied;
use crate::base::number::{IntegerText, LongDouble, parse_integer};
use crate::keyspace::db::entry::INLINE_MAX;
use crate::keyspace::ops::{expiry, keys};
use crate::keyspace::txn::{Access, Change, Txn, count_visits};
use crate::keyspace::{Error, EventKind, Expiry, Lookup, NewValue};
use crate::values::{Kind, Value, ValueRef};

/// Returns the string at `key`; `None` if the key does not exist.
#[inline]
pub fn get<'t>(txn: &'t mut Txn<'_>, key: &[u8]) -> Result<Option<&'t [u8]>, Error> {
    let lookup = txn.entry_inlined(key, Access::Read);
    match txn.value(lookup) {
        None => Ok(None),
        Some(ValueRef::String(bytes)) => Ok(Some(bytes)),
        Some(_) => Err(Error::WrongType),
    }
}

/// Stores a string if the conditions hold.
pub fn set(txn: &mut Txn<'_>, key: &[u8], value: &[u8], options: &SetOptions<'_>) -> Result<SetOutcome, Error> {
    let lookup = txn.entry_inlined(key, Access::Write);
    let presence_holds = options.presence.is_none_or(|presence| presence.holds(!lookup.is_vacant()));
    let (value_holds, previous) = match options.needs_value() {
        true => compare(txn, lookup, options)?,
        false => (true, None),
    };
    let stored = presence_holds && value_holds;
    if stored {
        let facts = txn.facts().len();
        put(txn, lookup, key, value, options.expiry)?;
        if options.presence == Some(Presence::Missing) {
            txn.facts().note_missing(facts);
        }
    }
    Ok(SetOutcome { stored, previous })
}

/// Evaluates the comparison with the current value, and copies that value if `get` is set. Fails for a value of another
/// type.
#[inline(never)]
fn compare(txn: &mut Txn<'_>, lookup: Lookup, options: &SetOptions<'_>) -> Result<(bool, Option<Vec<u8>>), Error> {
    let text = match txn.value(lookup) {
        None => None,
        Some(ValueRef::String(bytes)) => Some(bytes),
        Some(_) => return Err(Error::WrongType),
    };
    let previous = match text {
        Some(bytes) if options.get => Some(copied(bytes)?),
        _ => None,
    };
    let holds = match (options.comparison, text) {
        (Some(comparison), Some(bytes)) => comparison.holds(bytes)?,
        (Some(comparison), None) => comparison.holds_for_missing(),
        (None, _) => true,
    };
    if let Some(previous) = &previous {
        txn.reserve_headroom(1, previous.len())?;
    }
    Ok((holds, previous))
}

/// Stores a string with its deadline, as SET does. A deadline in the past deletes the key instead.
#[inline(never)]
pub(in crate::keyspace) fn put(
    txn: &mut Txn<'_>,
    lookup: Lookup,
    key: &[u8],
    value: &[u8],
    expiry: Expiry,
) -> Result<(), Error> {
    if is_past_expiry(txn, expiry) {
        keys::delete(txn, lookup, key);
        return Ok(());
    }
    let deadline = if txn.is_unobserved() { None } else { txn.deadline_for(lookup, expiry) };
    txn.put_string(lookup, key, value, expiry, EventKind::Set)?;
    if !txn.is_unobserved() {
        notify_of_put(txn, key, value, deadline, expiry);
    }
    Ok(())
}

/// Deletes the key if its value satisfies the condition. Returns whether it was deleted.
pub fn delete_if(txn: &mut Txn<'_>, key: &[u8], comparison: Comparison<'_>) -> Result<bool, Error> {
    delete_string_if(txn, key, comparison, Error::ConditionNeedsString)
}

/// Deletes the key if it holds this string. Fails with `WrongType` for another type.
pub fn delete_if_equal(txn: &mut Txn<'_>, key: &[u8], value: &[u8]) -> Result<bool, Error> {
    delete_string_if(txn, key, Comparison::Equal(value), Error::WrongType)
}

/// Deletes the key if its string satisfies the condition; `wrong_type` is the error for other types. A key that is not
/// deleted counts as used.
#[inline(always)]
fn delete_string_if(
    txn: &mut Txn<'_>,
    key: &[u8],
    comparison: Comparison<'_>,
    wrong_type: Error,
) -> Result<bool, Error> {
    let lookup = txn.entry(key, Access::Peek);
    let Some(handle) = lookup.found() else { return Ok(false) };
    let holds = match txn.value(lookup) {
        Some(ValueRef::String(bytes)) => comparison.holds(bytes),
        _ => Err(wrong_type),
    };
    match holds {
        Ok(true) => keys::delete(txn, lookup, key),
        _ => txn.uses().mark(handle),
    }
    holds
}

/// Returns the digest of the string at `key` as hex digits; `None` if the key does not exist.
pub fn value_digest(txn: &mut Txn<'_>, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    Ok(get(txn, key)?.map(digest_text))
}

/// Appends to a string and creates it if missing. Returns the new length.
pub fn append(txn: &mut Txn<'_>, key: &[u8], suffix: &[u8]) -> Result<usize, Error> {
    let lookup = txn.find_for_write(key, Kind::String)?;
    let len = string_of(txn, lookup).len() + suffix.len();
    if lookup.is_vacant() {
        txn.put(lookup, key, NewValue::Bytes(suffix), None, EventKind::Append)?;
    } else if len > txn.limits().string_bytes {
        return Err(Error::TooLong);
    } else {
        edit(txn, lookup, key, EventKind::Append, suffix.len(), &mut |bytes| bytes.extend_from_slice(suffix))?;
    }
    txn.effect(|effect| {
        effect.bytes(b"APPEND").bytes(key).bytes(suffix);
    });
    Ok(len)
}

/// Writes `bytes` at `offset` and pads a gap with zeros. Returns the new length. Empty `bytes` change nothing.
pub fn set_range(txn: &mut Txn<'_>, key: &[u8], offset: usize, bytes: &[u8]) -> Result<usize, Error> {
    let lookup = txn.find_for_write(key, Kind::String)?;
    let len = string_of(txn, lookup).len();
    if bytes.is_empty() {
        return Ok(len);
    }
    let max = txn.limits().string_bytes;
    let end = offset.checked_add(bytes.len()).filter(|&end| end <= max).ok_or(Error::TooLong)?;
    let new_len = len.max(end);
    edit_grown(txn, lookup, key, new_len, EventKind::SetRange, &mut |string| {
        string[offset..end].copy_from_slice(bytes);
    })?;
    txn.effect(|effect| {
        effect.bytes(b"SETRANGE").bytes(key).integer(offset as i64).bytes(bytes);
    });
    Ok(new_len)
}

/// Adds to the integer at `key`; returns the sum. A missing key counts as 0. The deadline stays.
pub fn increment(txn: &mut Txn<'_>, key: &[u8], increment: i64) -> Result<i64, Error> {
    let lookup = txn.entry_inlined(key, Access::Write);
    let counted = match lookup.found() {
        Some(handle) if increment == 1 && txn.keeps_use() => txn.db_mut().entries.count_up(handle),
        _ => None,
    };
    let sum = match counted {
        Some(sum) => {
            txn.notify_of_put(EventKind::IncrBy, key, false);
            sum
        }
        None => add_integer(txn, lookup, key, increment)?,
    };
    txn.effect(|effect| {
        effect.bytes(b"INCRBY").bytes(key).integer(increment);
    });
    Ok(sum)
}

/// Visits that the sum of two decimal texts counts as.
const FLOAT_VISITS: usize = 32;

#[inline(never)]
fn add_integer(txn: &mut Txn<'_>, lookup: Lookup, key: &[u8], increment: i64) -> Result<i64, Error> {
    let current = match txn.value(lookup) {
        Some(ValueRef::String(text)) => parse_integer(text).ok_or(Error::NotAnInteger)?,
        Some(_) => return Err(Error::WrongType),
        None => 0,
    };
    let sum = current.checked_add(increment).ok_or(Error::Overflow)?;
    txn.put_string(lookup, key, IntegerText::of(sum).as_bytes(), Expiry::Keep, EventKind::IncrBy)?;
    Ok(sum)
}

/// Adds to the float at `key` in 80-bit precision; returns the stored text. The deadline stays.
pub fn increment_float(txn: &mut Txn<'_>, key: &[u8], increment: LongDouble) -> Result<Vec<u8>, Error> {
    let lookup = txn.find_for_write(key, Kind::String)?;
    count_visits(txn, FLOAT_VISITS);
    let sum = match lookup.is_vacant() {
        false => LongDouble::parse(string_of(txn, lookup)).ok_or(Error::NotAFloat)?.add(increment),
        true => increment,
    };
    if !sum.is_finite() {
        return Err(Error::NotFinite);
    }
    let mut text = Vec::new();
    sum.write(&mut text);
    txn.put_string(lookup, key, &text, Expiry::Keep, EventKind::IncrByFloat)?;
    txn.effect(|effect| {
        effect.bytes(b"SET").bytes(key).bytes(&text).bytes(b"KEEPTTL");
    });
    Ok(text)
}

#[inline(always)]
pub(in crate::keyspace) fn is_past_expiry(txn: &Txn<'_>, expiry: Expiry) -> bool {
    matches!(expiry, Expiry::At(deadline) if txn.is_past(deadline))
}

/// Pushes the event of a deadline set with a string, and states the effect of the write.
#[inline(never)]
fn notify_of_put(txn: &mut Txn<'_>, key: &[u8], value: &[u8], deadline: Option<Timestamp>, expiry: Expiry) {
    if matches!(expiry, Expiry::At(_)) {
        txn.push_event(EventKind::Expire, key);
    }
    // PXAT accepts no instant before 1970, PEXPIREAT accepts all.
    let (since_epoch, before) = match deadline {
        Some(deadline) if deadline.as_ms() <= 0 => (None, Some(deadline)),
        other => (other, None),
    };
    txn.effect(|effect| {
        effect.bytes(b"SET").bytes(key).bytes(value);
        if let Some(deadline) = since_epoch {
            effect.bytes(b"PXAT").integer(deadline.as_ms());
        }
    });
    if let Some(deadline) = before {
        expiry::deadline_effect(txn, key, deadline);
    }
}

/// Fails with `WrongType` if the key holds another type.
pub fn expect(txn: &mut Txn<'_>, key: &[u8]) -> Result<(), Error> {
    txn.find_for_write(key, Kind::String).map(drop)
}

pub(in crate::keyspace) fn is_string(txn: &Txn<'_>, lookup: Lookup) -> bool {
    matches!(txn.value(lookup), Some(ValueRef::String(_)))
}

/// String at a lookup; empty if there is none.
pub(in crate::keyspace) fn string_of<'t>(txn: &'t Txn<'_>, lookup: Lookup) -> &'t [u8] {
    match txn.value(lookup) {
        Some(ValueRef::String(bytes)) => bytes,
        _ => &[],
    }
}

/// Edits a string that grows by `growth_bytes`. On an error it is unchanged.
fn edit(
    txn: &mut Txn<'_>,
    lookup: Lookup,
    key: &[u8],
    event: EventKind,
    growth_bytes: usize,
    edit: &mut dyn FnMut(&mut Vec<u8>),
) -> Result<(), Error> {
    let string = string_of(txn, lookup);
    // Longer strings are in a value slot and are edited in place.
    if string.len() <= INLINE_MAX {
        let mut edited = zeros(0, string.len() + growth_bytes)?;
        edited.extend_from_slice(string);
        edit(&mut edited);
        return txn.put_edited(lookup, key, edited, event);
    }
    let Some(handle) = lookup.found() else { return Ok(()) };
    txn.update(handle, event, |value| {
        let Value::String(string) = value else { return Err(Error::WrongType) };
        // Spare capacity is reserved if there is memory for it, otherwise the exact size.
        let reserved = string.try_reserve(growth_bytes).or_else(|_| string.try_reserve_exact(growth_bytes));
        reserved.map_err(|_| Error::OutOfMemory)?;
        edit(string);
        Ok(Change::Changed(()))
    })?;
    Ok(())
}

/// Pads the string at `key` with zeros to `len` bytes, creating it if missing, and edits it. The deadline stays. On an
/// error the string is unchanged.
pub(in crate::keyspace) fn edit_grown(
    txn: &mut Txn<'_>,
    lookup: Lookup,
    key: &[u8],
    len: usize,
    event: EventKind,
    edit: &mut dyn FnMut(&mut [u8]),
) -> Result<(), Error> {
    if lookup.is_vacant() {
        let mut string = zeros(len, len)?;
        edit(&mut string);
        return txn.put_edited(lookup, key, string, event);
    }
    let growth_bytes = len.saturating_sub(string_of(txn, lookup).len());
    self::edit(txn, lookup, key, event, growth_bytes, &mut |string| {
        string.resize(string.len() + growth_bytes, 0);
        edit(string);
    })
}

/// Vector of `len` zero bytes with a capacity of `capacity` bytes.
pub(in crate::keyspace) fn zeros(len: usize, capacity: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(capacity).map_err(|_| Error::OutOfMemory)?;
    bytes.resize(len, 0);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyspace::Keyspace;
    use crate::keyspace::strings;
    use alloc::format;

    const NOW: Timestamp = Timestamp::from_ms(1_000_000);

    #[test]
    fn a_counter_keeps_its_deadline_when_its_length_changes() {
        let mut keyspace = Keyspace::new(1);
        let (deadline, later) = (NOW.saturating_add_ms(1000), NOW.saturating_add_ms(1001));
        let options = SetOptions { expiry: Expiry::At(deadline), ..SetOptions::default() };
        for (key, value) in [(&b"dated"[..], &options), (b"lasting", &SetOptions::default())] {
            strings::set(&mut keyspace.at(0, NOW), key, b"-9", value).unwrap();
            keyspace.effects.end_unit();
        }
        let mut sum = -9;
        for increment in [8, 1, 9, 1, 90, 999_900, i64::MAX - 1_000_000, -i64::MAX, -1] {
            sum += increment;
            for (key, expected) in [(&b"dated"[..], Some(deadline)), (b"lasting", None)] {
                let mut txn = keyspace.at(0, NOW);
                assert_eq!(strings::increment(&mut txn, key, increment), Ok(sum));
                assert_eq!(
                    strings::get(&mut txn, key).unwrap().map(<[u8]>::to_vec),
                    Some(format!("{sum}").into_bytes())
                );
                let entry = txn.db().find(key).and_then(|handle| txn.db().entry(handle)).unwrap();
                assert_eq!((entry.deadline, entry.is_raw), (expected, false));
                keyspace.effects.end_unit();
            }
        }
        assert_eq!(strings::increment(&mut keyspace.at(0, NOW), b"dated", i64::MIN), Err(Error::Overflow));
        assert_eq!(strings::increment(&mut keyspace.at(0, later), b"dated", 1), Ok(1));
        assert_eq!(strings::increment(&mut keyspace.at(0, later), b"lasting", 1), Ok(sum + 1));
    }
}
