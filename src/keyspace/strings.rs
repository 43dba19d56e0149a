//! Strings: the typed operations behind SET, GET, INCR and their kin. Semantics are those of Redis 8.6.3.

mod many;
mod options;

pub use options::{Comparison, Expiry, Presence, SetOptions, SetOutcome};

use alloc::vec::Vec;

use self::options::digest_text;
use super::entry::INLINE_MAX;
use super::space::{Change, Space};
use super::{Error, EventKind, NewValue};
use crate::clock::Timestamp;
use crate::number::{IntegerText, LongDouble, parse_integer};
use crate::slab::Handle;
use crate::value::{Value, ValueRef, copied};

/// The longest string, as in Redis' default configuration (proto-max-bulk-len).
pub const STRING_MAX: usize = 512 * 1024 * 1024;

impl Space<'_> {
    /// The string at `key`; `None` when there is no key.
    #[inline]
    pub fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>, Error> {
        match self.value_at_once(key) {
            None => Ok(None),
            Some(ValueRef::String(bytes)) => Ok(Some(bytes)),
            Some(_) => Err(Error::WrongType),
        }
    }

    pub fn set(&mut self, key: &[u8], value: &[u8], options: &SetOptions<'_>) -> Result<SetOutcome, Error> {
        if options.is_plain() {
            self.set_plain(key, value)?;
            return Ok(SetOutcome { stored: true, previous: None });
        }
        if let Some(deadline) = options.lifetime_alone()
            && !self.is_past(deadline)
        {
            self.set_until(key, value, deadline)?;
            return Ok(SetOutcome { stored: true, previous: None });
        }
        if options.is_for_missing() {
            let stored = self.set_missing(key, value, options.expiry)?;
            return Ok(SetOutcome { stored, previous: None });
        }
        self.set_any(key, value, options)
    }

    /// As [`Space::set`], whatever the options are.
    #[inline(never)]
    pub(super) fn set_any(&mut self, key: &[u8], value: &[u8], options: &SetOptions<'_>) -> Result<SetOutcome, Error> {
        let existing = self.write(key);
        self.set_over(existing, key, value, options)
    }

    /// As [`Space::set`] with a deadline alone, which is not past.
    #[inline(always)]
    fn set_until(&mut self, key: &[u8], value: &[u8], deadline: Timestamp) -> Result<(), Error> {
        match self.renew(key, value, deadline, EventKind::Set) {
            Ok(()) => {
                self.tell_of_string(key, value, Some(deadline), Expiry::At(deadline));
                Ok(())
            }
            Err(existing) => {
                existing.into_iter().for_each(|handle| self.mark_use(handle));
                self.put_string(existing, key, value, Expiry::At(deadline))
            }
        }
    }

    /// As [`Space::set`] without options.
    #[inline(always)]
    pub(crate) fn set_plain(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        match self.overwrite(key, value, EventKind::Set) {
            Ok(()) => {
                self.effect(|effect| {
                    effect.bytes(b"SET").bytes(key).bytes(value);
                });
                Ok(())
            }
            Err(existing) => {
                existing.into_iter().for_each(|handle| self.mark_use(handle));
                self.put_string(existing, key, value, Expiry::Never)
            }
        }
    }

    /// As [`Space::set`], over what was found there.
    #[inline(always)]
    fn set_over(
        &mut self,
        existing: Option<Handle>,
        key: &[u8],
        value: &[u8],
        options: &SetOptions<'_>,
    ) -> Result<SetOutcome, Error> {
        let presence_holds = options.presence.is_none_or(|presence| presence.holds(existing.is_some()));
        let (holds, previous) = match options {
            SetOptions { get: false, comparison: None, .. } => (true, None),
            _ => self.compare(existing, options)?,
        };
        let stored = holds && presence_holds;
        if stored {
            self.put_string(existing, key, value, options.expiry)?;
        }
        Ok(SetOutcome { stored, previous })
    }

    /// Whether the comparison holds for what is there, which must be a string, and a copy of that if it is asked for.
    fn compare(
        &mut self,
        existing: Option<Handle>,
        options: &SetOptions<'_>,
    ) -> Result<(bool, Option<Vec<u8>>), Error> {
        let text = match existing.and_then(|handle| self.db().value(handle)) {
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

    /// The digest of the string at `key`, as hex digits.
    pub fn value_digest(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.get(key)?.map(digest_text))
    }

    /// Appends to the string, creating it; answers the new length.
    pub fn append(&mut self, key: &[u8], suffix: &[u8]) -> Result<usize, Error> {
        let Some(handle) = self.write_string(key)? else {
            self.put(key, NewValue::Bytes(suffix), None, EventKind::Append)?;
            self.append_effect(key, suffix);
            return Ok(suffix.len());
        };
        let len = self.string_len(handle) + suffix.len();
        if len > STRING_MAX {
            return Err(Error::TooLong);
        }
        self.edit_string(handle, EventKind::Append, suffix.len(), &mut |bytes| bytes.extend_from_slice(suffix))?;
        self.append_effect(key, suffix);
        Ok(len)
    }

    fn append_effect(&mut self, key: &[u8], suffix: &[u8]) {
        self.effect(|effect| {
            effect.bytes(b"APPEND").bytes(key).bytes(suffix);
        });
    }

    /// Writes `bytes` at `offset`, filling a gap with zeros; answers the new length. Writing nothing changes nothing.
    pub fn set_range(&mut self, key: &[u8], offset: usize, bytes: &[u8]) -> Result<usize, Error> {
        let existing = self.write_string(key)?;
        let len = existing.map_or(0, |handle| self.string_len(handle));
        if bytes.is_empty() {
            return Ok(len);
        }
        let end = offset.checked_add(bytes.len()).filter(|&end| end <= STRING_MAX).ok_or(Error::TooLong)?;
        let new_len = len.max(end);
        self.edit_grown(key, existing, new_len, EventKind::SetRange, &mut |string| {
            string[offset..end].copy_from_slice(bytes);
        })?;
        self.effect(|effect| {
            effect.bytes(b"SETRANGE").bytes(key).integer(offset as i64).bytes(bytes);
        });
        Ok(new_len)
    }

    /// Adds to the integer at `key`, a missing one being 0; keeps the deadline.
    #[inline(always)]
    pub fn increment(&mut self, key: &[u8], increment: i64) -> Result<i64, Error> {
        let sum = match if increment == 1 { self.count_up(key) } else { None } {
            Some(sum) => sum,
            None => self.add_integer(key, increment)?,
        };
        self.effect(|effect| {
            effect.bytes(b"INCRBY").bytes(key).integer(increment);
        });
        Ok(sum)
    }

    /// What counters do nine times of ten: a digit becomes the next, and nothing else changes. `None` when nothing was done.
    #[inline(always)]
    fn count_up(&mut self, key: &[u8]) -> Option<i64> {
        let last_use = self.word_of_any_use().filter(|_| self.keeps_use())?;
        let sum = self.db_mut().count_up(key, last_use)?;
        self.notify_at_once(EventKind::IncrBy, key);
        Some(sum)
    }

    #[inline(never)]
    fn add_integer(&mut self, key: &[u8], increment: i64) -> Result<i64, Error> {
        let existing = self.write(key);
        let current = match existing.and_then(|handle| self.db().value(handle)) {
            Some(ValueRef::String(text)) => parse_integer(text).ok_or(Error::NotAnInteger)?,
            Some(_) => return Err(Error::WrongType),
            None => 0,
        };
        let sum = current.checked_add(increment).ok_or(Error::Overflow)?;
        self.put_dated(existing, key, IntegerText::of(sum).as_bytes(), EventKind::IncrBy)?;
        Ok(sum)
    }

    /// Adds to the float at `key` in 80-bit precision; answers the stored text and keeps the deadline.
    pub fn increment_float(&mut self, key: &[u8], increment: LongDouble) -> Result<Vec<u8>, Error> {
        let existing = self.write_string(key)?;
        let sum = match existing {
            Some(handle) => LongDouble::parse(self.string(handle)).ok_or(Error::NotAFloat)?.add(increment),
            None => increment,
        };
        if !sum.is_finite() {
            return Err(Error::NotFinite);
        }
        let mut text = Vec::new();
        sum.write(&mut text);
        self.put_dated(existing, key, &text, EventKind::IncrByFloat)?;
        self.effect(|effect| {
            effect.bytes(b"SET").bytes(key).bytes(&text).bytes(b"KEEPTTL");
        });
        Ok(text)
    }

    /// Replaces a string, in its place where it fits there, and keeps its deadline.
    fn put_dated(&mut self, existing: Option<Handle>, key: &[u8], value: &[u8], event: EventKind) -> Result<(), Error> {
        if let Some(handle) = existing
            && self.keeps_use()
            && self.db_mut().overwrite_dated(handle, value)
        {
            self.notify_at_once(event, key);
            return Ok(());
        }
        let deadline = existing.and_then(|handle| self.db().deadline(handle));
        self.put_string_over(existing, key, value, deadline, event)
    }

    /// Stores a string as SET does: whole, with its deadline. A deadline in the past deletes instead.
    #[inline(never)]
    fn put_string(&mut self, existing: Option<Handle>, key: &[u8], value: &[u8], expiry: Expiry) -> Result<(), Error> {
        if self.is_past_expiry(expiry) {
            existing.into_iter().for_each(|handle| self.delete_named(handle, key));
            return Ok(());
        }
        let deadline = self.deadline_to_be(existing, expiry);
        self.put_string_over(existing, key, value, deadline, EventKind::Set)?;
        self.tell_of_string(key, value, deadline, expiry);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn is_past_expiry(&self, expiry: Expiry) -> bool {
        matches!(expiry, Expiry::At(deadline) if self.is_past(deadline))
    }

    /// The deadline a string gets that is stored in place of what is there.
    #[inline(always)]
    pub(super) fn deadline_to_be(&self, existing: Option<Handle>, expiry: Expiry) -> Option<Timestamp> {
        match expiry {
            Expiry::Never => None,
            Expiry::Keep => self.db().deadline(existing?),
            Expiry::At(deadline) => Some(deadline),
        }
    }

    /// The event of a deadline that came with a string, and the effect.
    #[inline(always)]
    pub(super) fn tell_of_string(&mut self, key: &[u8], value: &[u8], deadline: Option<Timestamp>, expiry: Expiry) {
        if !self.is_quiet() {
            self.tell_who_wants(key, value, deadline, expiry);
        }
    }

    #[inline(never)]
    fn tell_who_wants(&mut self, key: &[u8], value: &[u8], deadline: Option<Timestamp>, expiry: Expiry) {
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
    pub(super) fn write_string(&mut self, key: &[u8]) -> Result<Option<Handle>, Error> {
        let Some(handle) = self.write(key) else { return Ok(None) };
        if self.is_string(handle) { Ok(Some(handle)) } else { Err(Error::WrongType) }
    }

    pub(super) fn is_string(&self, handle: Handle) -> bool {
        matches!(self.db().value(handle), Some(ValueRef::String(_)))
    }

    pub(super) fn string(&self, handle: Handle) -> &[u8] {
        match self.db().value(handle) {
            Some(ValueRef::String(bytes)) => bytes,
            _ => &[],
        }
    }

    pub(super) fn string_len(&self, handle: Handle) -> usize {
        self.string(handle).len()
    }

    /// Edits a string that will grow by `growth_bytes`; on an error it is as before.
    fn edit_string(
        &mut self,
        handle: Handle,
        event: EventKind,
        growth_bytes: usize,
        edit: &mut dyn FnMut(&mut Vec<u8>),
    ) -> Result<(), Error> {
        let string = self.string(handle);
        // Longer strings lie outside their block and are edited where they lie.
        if string.len() <= INLINE_MAX {
            let mut edited = zeros(0, string.len() + growth_bytes)?;
            edited.extend_from_slice(string);
            edit(&mut edited);
            return self.update_string(handle, event, edited);
        }
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
    pub(super) fn edit_grown(
        &mut self,
        key: &[u8],
        existing: Option<Handle>,
        len: usize,
        event: EventKind,
        edit: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Error> {
        let Some(handle) = existing else {
            let mut string = zeros(len, len)?;
            edit(&mut string);
            return self.put(key, NewValue::Edited(string), None, event);
        };
        let growth_bytes = len.saturating_sub(self.string_len(handle));
        self.edit_string(handle, event, growth_bytes, &mut |string| {
            string.resize(string.len() + growth_bytes, 0);
            edit(string);
        })
    }
}

/// `len` zero bytes with room for `capacity` bytes in all.
pub(super) fn zeros(len: usize, capacity: usize) -> Result<Vec<u8>, Error> {
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
                let mut space = keyspace.at(0, NOW);
                assert_eq!(space.increment(key, increment), Ok(sum));
                assert_eq!(space.get(key).unwrap().map(<[u8]>::to_vec), Some(format!("{sum}").into_bytes()));
                let entry = space.db().find(key).and_then(|handle| space.db().entry(handle)).unwrap();
                assert_eq!((entry.deadline, entry.is_raw), (expected, false));
                keyspace.effects.end_unit();
            }
        }
        assert_eq!(keyspace.at(0, NOW).increment(b"dated", i64::MIN), Err(Error::Overflow));
        assert_eq!(keyspace.at(0, later).increment(b"dated", 1), Ok(1));
        assert_eq!(keyspace.at(0, later).increment(b"lasting", 1), Ok(sum + 1));
    }
}
