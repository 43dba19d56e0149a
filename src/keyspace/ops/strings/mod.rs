//! Strings: the typed operations behind SET, GET, INCR and their kin. Semantics are those of Redis 8.6.3.

#[cfg(test)]
mod lock_tests;
mod many;
mod options;

pub use options::{Comparison, Presence, SetOptions, SetOutcome};

use alloc::vec::Vec;

use self::options::digest_text;
use crate::base::clock::Timestamp;
use crate::base::headroom::copied;
use crate::base::number::{IntegerText, LongDouble, parse_integer};
use crate::keyspace::db::entry::INLINE_MAX;
use crate::keyspace::txn::{Access, Change, Txn};
use crate::keyspace::{Error, EventKind, Expiry, NewValue, Slot};
use crate::values::{Value, ValueRef};

/// The longest string, as in Redis' default configuration (proto-max-bulk-len).
pub const STRING_MAX: usize = 512 * 1024 * 1024;

impl Txn<'_> {
    /// The string at `key`; `None` when there is no key.
    #[inline]
    pub fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>, Error> {
        let slot = self.entry_inlined(key, Access::Read);
        match self.value(slot) {
            None => Ok(None),
            Some(ValueRef::String(bytes)) => Ok(Some(bytes)),
            Some(_) => Err(Error::WrongType),
        }
    }

    /// Stores a string, if the conditions hold for what is there.
    pub fn set(&mut self, key: &[u8], value: &[u8], options: &SetOptions<'_>) -> Result<SetOutcome, Error> {
        let slot = self.entry_inlined(key, Access::Write);
        let presence_holds = options.presence.is_none_or(|presence| presence.holds(!slot.is_vacant()));
        let (value_holds, previous) = match options.asks_for_value() {
            true => self.compare(slot, options)?,
            false => (true, None),
        };
        let stored = presence_holds && value_holds;
        if stored {
            self.set_string(slot, key, value, options.expiry)?;
        }
        Ok(SetOutcome { stored, previous })
    }

    /// Whether the comparison holds for what is there, which must be a string, and a copy of that if it is asked for.
    #[inline(never)]
    fn compare(&mut self, slot: Slot, options: &SetOptions<'_>) -> Result<(bool, Option<Vec<u8>>), Error> {
        let text = match self.value(slot) {
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
            self.ensure_room(1, previous.len())?;
        }
        Ok((holds, previous))
    }

    /// Stores a string as SET does: whole, with its deadline. A deadline in the past deletes instead.
    #[inline(never)]
    fn set_string(&mut self, slot: Slot, key: &[u8], value: &[u8], expiry: Expiry) -> Result<(), Error> {
        if self.is_past_expiry(expiry) {
            self.delete(slot, key);
            return Ok(());
        }
        let deadline = if self.is_unobserved() { None } else { self.deadline_to_be(slot, expiry) };
        self.put_string(slot, key, value, expiry, EventKind::Set)?;
        if !self.is_unobserved() {
            self.notify_of_string(key, value, deadline, expiry);
        }
        Ok(())
    }

    /// Deletes the key if its value meets the condition.
    pub fn delete_if(&mut self, key: &[u8], comparison: Comparison<'_>) -> Result<bool, Error> {
        self.delete_string_if(key, comparison, Error::ConditionNeedsString)
    }

    /// Deletes the key if it holds this string; a key of another type is refused as one.
    pub fn delete_if_equal(&mut self, key: &[u8], value: &[u8]) -> Result<bool, Error> {
        self.delete_string_if(key, Comparison::Equal(value), Error::WrongType)
    }

    /// A key that stays was used by that.
    #[inline(always)]
    fn delete_string_if(&mut self, key: &[u8], comparison: Comparison<'_>, refusal: Error) -> Result<bool, Error> {
        let slot = self.entry(key, Access::Peek);
        let Some(handle) = slot.found() else { return Ok(false) };
        let holds = match self.value(slot) {
            Some(ValueRef::String(bytes)) => comparison.holds(bytes),
            _ => Err(refusal),
        };
        match holds {
            Ok(true) => self.delete(slot, key),
            _ => self.mark_use(handle),
        }
        holds
    }

    /// The digest of the string at `key`, as hex digits.
    pub fn value_digest(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.get(key)?.map(digest_text))
    }

    /// Appends to the string, creating it; answers the new length.
    pub fn append(&mut self, key: &[u8], suffix: &[u8]) -> Result<usize, Error> {
        let slot = self.write_string(key)?;
        let len = self.string(slot).len() + suffix.len();
        if slot.is_vacant() {
            self.put(slot, key, NewValue::Bytes(suffix), None, EventKind::Append)?;
        } else if len > STRING_MAX {
            return Err(Error::TooLong);
        } else {
            self.edit_string(slot, key, EventKind::Append, suffix.len(), &mut |bytes| bytes.extend_from_slice(suffix))?;
        }
        self.effect(|effect| {
            effect.bytes(b"APPEND").bytes(key).bytes(suffix);
        });
        Ok(len)
    }

    /// Writes `bytes` at `offset`, filling a gap with zeros; answers the new length. Writing nothing changes nothing.
    pub fn set_range(&mut self, key: &[u8], offset: usize, bytes: &[u8]) -> Result<usize, Error> {
        let slot = self.write_string(key)?;
        let len = self.string(slot).len();
        if bytes.is_empty() {
            return Ok(len);
        }
        let end = offset.checked_add(bytes.len()).filter(|&end| end <= STRING_MAX).ok_or(Error::TooLong)?;
        let new_len = len.max(end);
        self.edit_grown(slot, key, new_len, EventKind::SetRange, &mut |string| {
            string[offset..end].copy_from_slice(bytes);
        })?;
        self.effect(|effect| {
            effect.bytes(b"SETRANGE").bytes(key).integer(offset as i64).bytes(bytes);
        });
        Ok(new_len)
    }

    /// Adds to the integer at `key`, a missing one being 0; keeps the deadline.
    pub fn increment(&mut self, key: &[u8], increment: i64) -> Result<i64, Error> {
        let slot = self.entry_inlined(key, Access::Write);
        let counted = match slot.found() {
            Some(handle) if increment == 1 && self.keeps_use() => self.db_mut().count_up(handle),
            _ => None,
        };
        let sum = match counted {
            Some(sum) => {
                self.notify_of_put(EventKind::IncrBy, key, false);
                sum
            }
            None => self.add_integer(slot, key, increment)?,
        };
        self.effect(|effect| {
            effect.bytes(b"INCRBY").bytes(key).integer(increment);
        });
        Ok(sum)
    }

    #[inline(never)]
    fn add_integer(&mut self, slot: Slot, key: &[u8], increment: i64) -> Result<i64, Error> {
        let current = match self.value(slot) {
            Some(ValueRef::String(text)) => parse_integer(text).ok_or(Error::NotAnInteger)?,
            Some(_) => return Err(Error::WrongType),
            None => 0,
        };
        let sum = current.checked_add(increment).ok_or(Error::Overflow)?;
        self.put_string(slot, key, IntegerText::of(sum).as_bytes(), Expiry::Keep, EventKind::IncrBy)?;
        Ok(sum)
    }

    /// Adds to the float at `key` in 80-bit precision; answers the stored text and keeps the deadline.
    pub fn increment_float(&mut self, key: &[u8], increment: LongDouble) -> Result<Vec<u8>, Error> {
        let slot = self.write_string(key)?;
        let sum = match slot.is_vacant() {
            false => LongDouble::parse(self.string(slot)).ok_or(Error::NotAFloat)?.add(increment),
            true => increment,
        };
        if !sum.is_finite() {
            return Err(Error::NotFinite);
        }
        let mut text = Vec::new();
        sum.write(&mut text);
        self.put_string(slot, key, &text, Expiry::Keep, EventKind::IncrByFloat)?;
        self.effect(|effect| {
            effect.bytes(b"SET").bytes(key).bytes(&text).bytes(b"KEEPTTL");
        });
        Ok(text)
    }

    #[inline(always)]
    pub(in crate::keyspace) fn is_past_expiry(&self, expiry: Expiry) -> bool {
        matches!(expiry, Expiry::At(deadline) if self.is_past(deadline))
    }

    /// The event of a deadline that came with a string, and the effect.
    #[inline(never)]
    fn notify_of_string(&mut self, key: &[u8], value: &[u8], deadline: Option<Timestamp>, expiry: Expiry) {
        if matches!(expiry, Expiry::At(_)) {
            self.also(EventKind::Expire, key);
        }
        // PXAT takes no instant before 1970, PEXPIREAT takes all of them.
        let (since_epoch, before) = match deadline {
            Some(deadline) if deadline.as_ms() <= 0 => (None, Some(deadline)),
            other => (other, None),
        };
        self.effect(|effect| {
            effect.bytes(b"SET").bytes(key).bytes(value);
            if let Some(deadline) = since_epoch {
                effect.bytes(b"PXAT").integer(deadline.as_ms());
            }
        });
        if let Some(deadline) = before {
            self.deadline_effect(key, deadline);
        }
    }

    /// Refuses a key that holds another type.
    pub fn expect_string(&mut self, key: &[u8]) -> Result<(), Error> {
        self.write_string(key).map(drop)
    }

    /// Looks a string up to change it.
    pub(in crate::keyspace) fn write_string(&mut self, key: &[u8]) -> Result<Slot, Error> {
        let slot = self.entry(key, Access::Write);
        if slot.is_vacant() || self.is_string(slot) { Ok(slot) } else { Err(Error::WrongType) }
    }

    pub(in crate::keyspace) fn is_string(&self, slot: Slot) -> bool {
        matches!(self.value(slot), Some(ValueRef::String(_)))
    }

    /// The string that was found; empty when there is none.
    pub(in crate::keyspace) fn string(&self, slot: Slot) -> &[u8] {
        match self.value(slot) {
            Some(ValueRef::String(bytes)) => bytes,
            _ => &[],
        }
    }

    /// Edits a string that will grow by `growth_bytes`; on an error it is as before.
    fn edit_string(
        &mut self,
        slot: Slot,
        key: &[u8],
        event: EventKind,
        growth_bytes: usize,
        edit: &mut dyn FnMut(&mut Vec<u8>),
    ) -> Result<(), Error> {
        let string = self.string(slot);
        // Longer strings lie outside their block and are edited where they lie.
        if string.len() <= INLINE_MAX {
            let mut edited = zeros(0, string.len() + growth_bytes)?;
            edited.extend_from_slice(string);
            edit(&mut edited);
            return self.put_edited(slot, key, edited, event);
        }
        let Some(handle) = slot.found() else { return Ok(()) };
        self.update(handle, event, |value| {
            let Value::String(string) = value else { return Err(Error::WrongType) };
            // Room to grow further is asked for first, and done without where there is none.
            let reserved = string.try_reserve(growth_bytes).or_else(|_| string.try_reserve_exact(growth_bytes));
            reserved.map_err(|_| Error::OutOfMemory)?;
            edit(string);
            Ok(Change::Changed(()))
        })?;
        Ok(())
    }

    /// Edits the string at `key`, first made `len` bytes long with zeros at its end if it is shorter or missing. Its
    /// deadline stays; on an error it is as before.
    pub(in crate::keyspace) fn edit_grown(
        &mut self,
        slot: Slot,
        key: &[u8],
        len: usize,
        event: EventKind,
        edit: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Error> {
        if slot.is_vacant() {
            let mut string = zeros(len, len)?;
            edit(&mut string);
            return self.put_edited(slot, key, string, event);
        }
        let growth_bytes = len.saturating_sub(self.string(slot).len());
        self.edit_string(slot, key, event, growth_bytes, &mut |string| {
            string.resize(string.len() + growth_bytes, 0);
            edit(string);
        })
    }
}

/// `len` zero bytes with room for `capacity` bytes in all.
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
    use alloc::format;

    const NOW: Timestamp = Timestamp::from_ms(1_000_000);

    #[test]
    fn a_counter_keeps_its_deadline_wherever_its_number_goes() {
        let mut keyspace = Keyspace::new(1);
        let (deadline, later) = (NOW.saturating_add_ms(1000), NOW.saturating_add_ms(1001));
        let options = SetOptions { expiry: Expiry::At(deadline), ..SetOptions::default() };
        for (key, value) in [(&b"dated"[..], &options), (b"lasting", &SetOptions::default())] {
            keyspace.at(0, NOW).set(key, b"-9", value).unwrap();
            keyspace.effects.end_unit();
        }
        let mut sum = -9;
        for increment in [8, 1, 9, 1, 90, 999_900, i64::MAX - 1_000_000, -i64::MAX, -1] {
            sum += increment;
            for (key, expected) in [(&b"dated"[..], Some(deadline)), (b"lasting", None)] {
                let mut txn = keyspace.at(0, NOW);
                assert_eq!(txn.increment(key, increment), Ok(sum));
                assert_eq!(txn.get(key).unwrap().map(<[u8]>::to_vec), Some(format!("{sum}").into_bytes()));
                let entry = txn.db().find(key).and_then(|handle| txn.db().entry(handle)).unwrap();
                assert_eq!((entry.deadline, entry.is_raw), (expected, false));
                keyspace.effects.end_unit();
            }
        }
        assert_eq!(keyspace.at(0, NOW).increment(b"dated", i64::MIN), Err(Error::Overflow));
        assert_eq!(keyspace.at(0, later).increment(b"dated", 1), Ok(1));
        assert_eq!(keyspace.at(0, later).increment(b"lasting", 1), Ok(sum + 1));
    }
}
