//! Keys whatever they hold: DEL, RENAME, COPY and their kin.

use alloc::vec::Vec;

use crate::base::headroom::copied;
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind, NewValue, SWEEP_MAX, Slot};
use crate::store::slab::Handle;
use crate::values::{Kind, Value, ValueRef};

/// Where a copy goes and what may be in its way.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyOptions {
    /// The database of the copy; the source's own when absent.
    pub database: Option<u8>,
    pub replace: bool,
}

/// What RENAMENX did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RenameOutcome {
    Renamed,
    /// The new name was taken.
    Taken,
}

impl Txn<'_> {
    /// Deletes keys; answers how many there were.
    pub fn delete_all<'k>(&mut self, keys: impl Iterator<Item = &'k [u8]>) -> usize {
        let mut deleted: Vec<&[u8]> = Vec::new();
        for key in keys {
            let slot = self.entry(key, Access::Peek);
            if !slot.is_vacant() {
                self.remove(slot, key, EventKind::Del);
                deleted.push(key);
            }
        }
        if !deleted.is_empty() {
            self.effect(|effect| {
                effect.bytes(b"DEL");
                deleted.iter().for_each(|key| {
                    effect.bytes(key);
                });
            });
        }
        deleted.len()
    }

    /// Deletes one key; false when there is none.
    pub fn delete_key(&mut self, key: &[u8]) -> bool {
        let slot = self.entry(key, Access::Peek);
        self.delete(slot, key);
        !slot.is_vacant()
    }

    /// Deletes a key that was looked up, if it is there.
    #[inline(always)]
    pub(in crate::keyspace) fn delete(&mut self, slot: Slot, key: &[u8]) {
        if slot.is_vacant() {
            return;
        }
        self.remove(slot, key, EventKind::Del);
        self.effect(|effect| {
            effect.bytes(b"DEL").bytes(key);
        });
    }

    /// Whether a key is there, which is a hit or a miss.
    pub fn exists(&mut self, key: &[u8]) -> bool {
        !self.entry(key, Access::Probe).is_vacant()
    }

    /// Notes a use of the key; false when there is none.
    pub fn touch(&mut self, key: &[u8]) -> bool {
        !self.entry(key, Access::Read).is_vacant()
    }

    /// Whether a key that is to be written is there, which is a use.
    pub fn is_taken(&mut self, key: &[u8]) -> bool {
        !self.entry(key, Access::Write).is_vacant()
    }

    pub fn kind(&mut self, key: &[u8]) -> Option<Kind> {
        Some(self.peek(key)?.value.kind())
    }

    /// Gives the key another name, with its deadline. With `keep_target` a taken name is left alone.
    pub fn rename(&mut self, from: &[u8], to: &[u8], keep_target: bool) -> Result<RenameOutcome, Error> {
        let slot = self.entry(from, Access::Write);
        if slot.is_vacant() {
            return Err(Error::NoSuchKey);
        }
        let target = self.entry(to, Access::Write);
        if keep_target && !target.is_vacant() {
            return Ok(RenameOutcome::Taken);
        }
        if from != to {
            self.rename_to(slot, from, target, to)?;
            self.effect(|effect| {
                effect.bytes(b"RENAME").bytes(from).bytes(to);
            });
        }
        Ok(RenameOutcome::Renamed)
    }

    /// Copies the key with its deadline; false when there is nothing to copy or the name is taken.
    pub fn copy(&mut self, from: &[u8], to: &[u8], options: CopyOptions) -> Result<bool, Error> {
        let target_database = options.database.unwrap_or(self.database());
        if target_database == self.database() && from == to {
            return Err(Error::SameKey);
        }
        let Some(handle) = self.entry(from, Access::Read).found() else { return Ok(false) };
        let slot = self.in_database(target_database).entry(to, Access::Write);
        if !slot.is_vacant() && !options.replace {
            return Ok(false);
        }
        let (copy, deadline) = self.cloned(handle)?;
        let mut target = self.in_database(target_database);
        target.put(slot, to, copy, deadline, EventKind::CopyTo)?;
        target.appear(to);
        let elsewhere = target_database != self.database();
        self.effect(|effect| {
            effect.bytes(b"COPY").bytes(from).bytes(to);
            if elsewhere {
                effect.bytes(b"DB").integer(target_database.into());
            }
            if options.replace {
                effect.bytes(b"REPLACE");
            }
        });
        Ok(true)
    }

    /// Moves the key with its deadline to another database; false when there is nothing to move or the key is there.
    pub fn move_key(&mut self, key: &[u8], database: u8) -> Result<bool, Error> {
        if database == self.database() {
            return Err(Error::SameKey);
        }
        let slot = self.entry(key, Access::Write);
        if slot.is_vacant() || !self.in_database(database).entry(key, Access::Write).is_vacant() {
            return Ok(false);
        }
        self.move_to(slot, key, database)?;
        self.effect(|effect| {
            effect.bytes(b"MOVE").bytes(key).integer(database.into());
        });
        Ok(true)
    }

    /// Bytes counted for the key and its value; the same figure on every target.
    pub fn memory_usage(&mut self, key: &[u8]) -> Option<u64> {
        let handle = self.entry(key, Access::Peek).found()?;
        Some(self.db().entry_bytes(handle))
    }

    /// Any living key, all equally likely. The only error is a shortage of memory.
    pub fn random_key(&mut self) -> Result<Option<Vec<u8>>, Error> {
        while let Some(handle) = self.random_handle() {
            if self.try_expire_if_due(handle)? {
                return Ok(Some(self.key_of(handle)));
            }
            // Where one is dead nearly all may be, and to draw each of them takes fifteen times as long.
            self.remove_dead()?;
        }
        Ok(None)
    }

    /// Removes dead keys, those that died first and a bounded number.
    fn remove_dead(&mut self) -> Result<(), Error> {
        for _ in 0..SWEEP_MAX {
            let first = self.db().first_deadline().filter(|first| first.deadline < self.now());
            let Some(first) = first else { break };
            self.try_expire_if_due(first.owner)?;
        }
        Ok(())
    }

    fn cloned(&self, handle: Handle) -> Result<(NewValue<'static>, Option<crate::base::clock::Timestamp>), Error> {
        let entry = self.db().entry(handle).ok_or(Error::NoSuchKey)?;
        let copy = match entry.value {
            ValueRef::String(bytes) if entry.is_raw => NewValue::Edited(copied(bytes)?),
            ValueRef::String(bytes) => NewValue::Value(Value::String(copied(bytes)?)),
            ValueRef::List(list) => NewValue::Value(Value::List(list.try_clone()?)),
            ValueRef::Set(set) => NewValue::Value(Value::Set(set.try_clone()?)),
            ValueRef::ZSet(zset) => NewValue::Value(Value::ZSet(zset.try_clone()?)),
            ValueRef::Hash(hash) => NewValue::Value(Value::Hash(hash.try_clone()?)),
        };
        Ok((copy, entry.deadline))
    }
}
