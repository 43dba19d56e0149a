//! What most requests do, in one go: a short string is found by its key and read or replaced where it was found. Every other
//! case is looked up again on the way that knows them all.

use core::ops::Range;

use super::blocks::{Made, new_block};
use super::dated::BlockPositions;
use super::{Db, Sought};
use crate::bytes;
use crate::clock::Timestamp;
use crate::deadlines::Node;
use crate::hash::hash_key;
use crate::keyspace::entry::{self, Layout, Payload, note_use};
use crate::number::count_up;
use crate::slab::{Handle, OutOfMemory};
use crate::table::{Insertion, Slot};
use crate::value::ValueRef;

/// Where a key is, and where in its block the string begins, if that was found.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    handle: Handle,
    start: usize,
}

impl Place {
    /// Of a key alone.
    pub fn of(handle: Handle) -> Place {
        Place { handle, start: usize::MAX }
    }
}

impl Db {
    /// The value of a key, which is used by that: its last use becomes the one given, if any.
    #[inline(always)]
    pub fn value_of(&mut self, key: &[u8], last_use: Option<u32>) -> Option<ValueRef<'_>> {
        let (hash, handle) = self.likely(key)?;
        let Some(range) = self.short_range(handle, key) else {
            return self.any_value_of(handle, hash, key, last_use);
        };
        let block = self.slab.block_and_more_mut(handle)?;
        note_use(block, last_use);
        block.get(range).map(ValueRef::String)
    }

    /// The same, looked for from one on that may be it.
    #[inline(never)]
    fn any_value_of(&mut self, handle: Handle, hash: u32, key: &[u8], last_use: Option<u32>) -> Option<ValueRef<'_>> {
        let handle = self.find_anew(handle, hash, key)?;
        self.value_in_use(handle, last_use)
    }

    /// One that most likely is of the key, and its hash.
    #[inline(always)]
    fn likely(&mut self, key: &[u8]) -> Option<(u32, Handle)> {
        let hash = hash_key(self.seed, key);
        Some((hash, self.any_of(hash)?))
    }

    /// Looks for the key where the likely one was not it, or is of another kind.
    #[inline(never)]
    fn find_anew(&mut self, handle: Handle, hash: u32, key: &[u8]) -> Option<Handle> {
        self.find_from(handle, hash, key)
    }

    /// Replaces the string of a key by another for ever, if that fits into its place as it is: most writes do. The last use
    /// stays as it is if none is given. When nothing was done the error is what is there.
    #[inline(always)]
    pub fn overwrite_of(&mut self, key: &[u8], bytes: &[u8], last_use: Option<u32>) -> Result<(), Option<Handle>> {
        let Some((hash, handle)) = self.likely(key) else { return Err(None) };
        if let Some(range) = self.plain_range(handle, key, bytes.len())
            && let Some(block) = self.slab.block_and_more_mut(handle)
            && let Some(place) = block.get_mut(range)
        {
            bytes::copy(place, bytes);
            note_use(block, last_use);
            return Ok(());
        }
        let found = self.find_anew(handle, hash, key);
        self.overwrite_found(found, bytes, last_use)
    }

    /// The short string of a key that is found at once, and used by that as by [`Db::value_of`].
    #[inline(always)]
    pub fn short_of(&mut self, key: &[u8], last_use: u32) -> Option<&[u8]> {
        let handle = self.any_of(hash_key(self.seed, key))?;
        let block = self.slab.block_and_more_mut(handle)?;
        Some(entry::use_short(block, key, last_use)?)
    }

    /// As [`Db::overwrite_of`] where the key is found at once, and what is there has the same length; false when nothing was
    /// done.
    #[inline(always)]
    pub fn overwrite_short_of(&mut self, key: &[u8], bytes: &[u8], last_use: u32) -> bool {
        let Some(handle) = self.any_of(hash_key(self.seed, key)) else { return false };
        let Some(block) = self.slab.block_and_more_mut(handle) else { return false };
        let Some(place) = entry::use_plain(block, key, bytes.len(), last_use) else { return false };
        bytes::copy(place, bytes);
        true
    }

    /// Adds one to the number that the string of a key is, where its digits lie; the number it is now. The last use stays as
    /// it is if none is given. `None` when the string has to become another first, or there is none, and nothing was done.
    #[inline(always)]
    pub fn count_up(&mut self, key: &[u8], last_use: Option<u32>) -> Option<i64> {
        let (_, handle) = self.likely(key)?;
        let block = self.slab.block_and_more_mut(handle)?;
        let range = entry::unraw_range_of(block, key)?;
        let sum = count_up(block.get_mut(range)?)?;
        note_use(block, last_use);
        Some(sum)
    }

    /// Where the string of a key is that [`Db::overwrite_of`] would find at once and is of a length; it is used by that.
    #[inline(always)]
    pub fn fitting(&mut self, key: &[u8], len: usize, last_use: Option<u32>) -> Option<Place> {
        let handle = self.any_of(hash_key(self.seed, key))?;
        let block = self.slab.block_and_more_mut(handle)?;
        let start = entry::plain_range_of(block, key, len)?.start;
        note_use(block, last_use);
        Some(Place { handle, start })
    }

    /// Puts a string where another of its length was found, if that is there still.
    #[inline(always)]
    pub fn fill(&mut self, Place { handle, start }: Place, bytes: &[u8]) {
        if let Some(place) = self.slab.block_and_more_mut(handle).and_then(|block| block.get_mut(start..)) {
            bytes::copy(place, bytes);
        }
    }

    /// Puts a string where [`Db::can_overwrite`] told that it fits.
    #[inline(never)]
    pub fn overwrite_at(&mut self, place: Place, bytes: &[u8]) {
        let done = self.overwrite(place.handle, bytes, None);
        debug_assert!(done, "it fitted");
    }

    /// The same as [`Db::overwrite_of`] for what was found.
    #[inline(never)]
    fn overwrite_found(
        &mut self,
        found: Option<Handle>,
        bytes: &[u8],
        last_use: Option<u32>,
    ) -> Result<(), Option<Handle>> {
        match found {
            Some(handle) if self.overwrite(handle, bytes, last_use) => Ok(()),
            found => Err(found),
        }
    }

    /// Replaces the string of a key that has a deadline, and the deadline by another: what renewing a session does. The last
    /// use stays as it is if none is given. When nothing was done the error is what is there.
    pub fn renew_of(
        &mut self,
        key: &[u8],
        bytes: &[u8],
        deadline: Timestamp,
        last_use: Option<u32>,
    ) -> Result<(), Option<Handle>> {
        let handle = self.look_up(key).ok_or(None)?;
        match self.renew(handle, bytes, deadline, last_use) {
            Some(true) => Ok(()),
            _ => Err(Some(handle)),
        }
    }

    #[inline(always)]
    fn renew(&mut self, handle: Handle, bytes: &[u8], deadline: Timestamp, last_use: Option<u32>) -> Option<bool> {
        let block = self.slab.block_and_more_mut(handle)?;
        let layout = Layout::of(block).filter(|layout| layout.has_own())?;
        let position = layout.position(block)?;
        let is_renewed = entry::overwrite_timed(block, bytes, false, last_use);
        if is_renewed {
            let node = Node { deadline, owner: handle };
            self.deadlines.update(position, node, &mut BlockPositions(&mut self.slab));
        }
        Some(is_renewed)
    }

    /// Creates a key that is missing, with a string of at most `INLINE_MAX` bytes: what locks do all day. Its last use is made
    /// of how many keys there are. Answers what is there otherwise. On an error nothing has changed.
    pub fn put_missing(
        &mut self,
        key: &[u8],
        bytes: &[u8],
        deadline: Option<Timestamp>,
        mut last_use: impl FnMut(usize) -> u32,
    ) -> Result<Option<Handle>, OutOfMemory> {
        let hash = hash_key(self.seed, key);
        let taken = match self.add_missing(hash, key, bytes, deadline, &mut last_use) {
            Ok(None) => return Ok(None),
            Ok(Some(handle)) => handle,
            // There may be no need of memory.
            Err(OutOfMemory) => return self.find_among(hash, key).map(Some).ok_or(OutOfMemory),
        };
        if let Some(handle) = self.find_from(taken, hash, key) {
            return Ok(Some(handle));
        }
        let made = Made { raw: false, deadline, last_use: last_use(self.len()) };
        self.write_new(hash, key, Payload::Inline(bytes), made)?;
        Ok(None)
    }

    /// Creates a key if none of its hash is there; answers one that has it otherwise. On an error nothing has changed.
    #[inline(always)]
    fn add_missing(
        &mut self,
        hash: u32,
        key: &[u8],
        bytes: &[u8],
        deadline: Option<Timestamp>,
        last_use: impl FnOnce(usize) -> u32,
    ) -> Result<Option<Handle>, OutOfMemory> {
        let len = self.len();
        let Db { table, slab, deadlines, .. } = self;
        let insertion = table.insert_missing(hash, || {
            let payload = Payload::Inline(bytes);
            let layout = Layout::new(key, payload, deadline.is_some(), false);
            let made = Made { raw: false, deadline, last_use: last_use(len) };
            new_block(slab, deadlines, layout, key, payload, made)
        })?;
        match insertion {
            Insertion::Taken(handle) => Ok(Some(handle)),
            Insertion::Done(handle) => {
                self.enter_new(handle, deadline);
                Ok(None)
            }
        }
    }

    /// Removes the key if that holds for its value. `None` when there is no key.
    #[inline(always)]
    pub fn remove_if<E>(
        &mut self,
        key: &[u8],
        holds: impl FnOnce(ValueRef<'_>) -> Result<bool, E>,
    ) -> Option<(Handle, Result<bool, E>)> {
        let Sought { hash, handle } = match self.table.latest() {
            Some(Slot { hash, handle }) if self.is_of(handle, key) => Sought { hash, handle: Some(handle) },
            _ => self.seek(key),
        };
        let handle = handle?;
        let holds = holds(self.value(handle)?);
        if matches!(holds, Ok(true)) {
            self.remove_from(hash, handle);
        }
        Some((handle, holds))
    }

    #[inline(always)]
    fn short_range(&self, handle: Handle, key: &[u8]) -> Option<Range<usize>> {
        entry::short_range_of(self.slab.block_and_more(handle)?, key)
    }

    #[inline(always)]
    fn plain_range(&self, handle: Handle, key: &[u8], len: usize) -> Option<Range<usize>> {
        entry::plain_range_of(self.slab.block_and_more(handle)?, key, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyspace::NewValue;
    use crate::random::Random;
    use alloc::vec;
    use alloc::vec::Vec;

    /// What is at a key, looked for the long way.
    fn held(db: &Db, key: &[u8]) -> Option<Vec<u8>> {
        match db.value(db.find(key)?)? {
            ValueRef::String(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }

    /// What is done in one go is what the long way would have done; whether it was done.
    fn read_and_replace_at_once(db: &mut Db, key: &[u8], other: &[u8], last_use: u32) -> [bool; 2] {
        let (before, handle) = (held(db, key), db.find(key));
        let is_dated = handle.is_some_and(|handle| db.deadline(handle).is_some());
        let short = db.short_of(key, last_use).map(<[u8]>::to_vec);
        let is_read = short.is_some();
        assert!(!is_read || short == before && db.last_use(handle.unwrap()) == last_use);
        let is_replaced = db.overwrite_short_of(key, other, last_use + 1);
        assert!(!is_replaced || !is_dated && db.last_use(handle.unwrap()) == last_use + 1);
        assert!(!is_replaced || before.as_ref().is_some_and(|before| before.len() == other.len()));
        assert_eq!(held(db, key), if is_replaced { Some(other.to_vec()) } else { before });
        [is_read, is_replaced]
    }

    #[test]
    fn strings_of_every_kind_are_read_and_replaced_as_on_the_long_way() {
        let (mut db, mut random) = (Db::new(3), Random::new(5));
        let (mut kinds, mut fitted, mut renewals, mut reads, mut replacements) = ([0; 2], 0, 0, 0, 0);
        for round in 0..20_000u32 {
            let key_len = if random.below(10) == 0 { 5000 } else { 1 + random.below(40) as usize };
            let key = vec![b'a' + random.below(5) as u8; key_len];
            let value_len = if random.below(10) == 0 { 2000 } else { random.below(40) as usize };
            let value = vec![random.next_u64() as u8; value_len];
            if random.below(32) == 0
                && let Some(handle) = db.find(&key)
            {
                db.remove(handle);
            }
            let existing = db.find(&key);
            let deadline = (random.below(3) == 0).then_some(Timestamp::from_ms(i64::from(round)));
            match random.below(4) {
                0 => db.put(existing, &key, NewValue::Bytes(&value), deadline, round).unwrap(),
                1 => db.put(existing, &key, NewValue::Edited(value), deadline, round).unwrap(),
                2 => {
                    let deadline = Timestamp::from_ms(i64::from(round) + random.below(5000) as i64);
                    let before = existing.map(|handle| (held(&db, &key), db.deadline(handle)));
                    let renewed = db.renew_of(&key, &value, deadline, None);
                    assert!(!renewed.is_err_and(|found| found != existing));
                    let after = existing.map(|handle| (held(&db, &key), db.deadline(handle)));
                    assert_eq!(after, if renewed.is_ok() { Some((Some(value), Some(deadline))) } else { before });
                    renewals += u32::from(renewed.is_ok());
                    let first = db.entries().filter_map(|entry| entry.deadline).min();
                    assert_eq!(db.first_deadline().map(|node| node.deadline), first);
                }
                _ => {
                    let had_deadline = existing.is_some_and(|handle| db.deadline(handle).is_some());
                    let before = held(&db, &key);
                    let place = db.fitting(&key, value.len(), Some(round));
                    let fitting = place.map(|place| place.handle);
                    assert!(fitting.is_none_or(|handle| db.can_overwrite(handle, value.len())));
                    assert!(fitting.is_none() || fitting == existing);
                    fitted += u32::from(fitting.is_some());
                    if let Some(place) = place {
                        let filling = vec![!random.next_u64() as u8; value.len()];
                        db.fill(place, &filling);
                        assert_eq!(held(&db, &key), Some(filling));
                    }
                    let overwritten = db.overwrite_of(&key, &value, Some(round));
                    kinds[usize::from(overwritten.is_ok())] += 1;
                    assert!(!overwritten.is_err_and(|found| found != existing));
                    assert!(overwritten.is_err() || !had_deadline);
                    assert_eq!(held(&db, &key), if overwritten.is_ok() { Some(value) } else { before });
                }
            }
            let other = vec![random.next_u64() as u8; if random.below(2) == 0 { value_len } else { 7 }];
            let [is_read, is_replaced] = read_and_replace_at_once(&mut db, &key, &other, round);
            (reads, replacements) = (reads + u32::from(is_read), replacements + u32::from(is_replaced));
            let read = db.value_of(&key, Some(round + 1)).map(|value| match value {
                ValueRef::String(bytes) => bytes.to_vec(),
                _ => panic!("a string"),
            });
            assert_eq!(read, held(&db, &key));
            assert!(db.find(&key).is_none_or(|handle| db.last_use(handle) == round + 1));
        }
        let [kept, overwritten] = kinds;
        let seen = [kept, overwritten, fitted, renewals, reads, replacements];
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }
}
