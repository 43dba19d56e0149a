//! Hashes.

use super::space::{Change, Space};
use super::{Error, EventKind, NewValue};
use crate::slab::OutOfMemory;
use crate::value::{Hash, Value};

impl Space<'_> {
    /// Sets fields, creating the hash; answers how many are new.
    pub fn set_fields<'f>(
        &mut self,
        key: &[u8],
        pairs: impl Iterator<Item = (&'f [u8], &'f [u8])> + Clone,
    ) -> Result<usize, Error> {
        let added = match self.write(key) {
            Some(handle) => self
                .update(handle, EventKind::HSet, |value| {
                    let Value::Hash(hash) = value else { return Err(Error::WrongType) };
                    Ok(Change::Changed(set_all(hash, pairs.clone())?))
                })?
                .answer(),
            None => {
                let mut hash = Hash::default();
                let added = set_all(&mut hash, pairs.clone())?;
                self.put(key, NewValue::Value(Value::Hash(hash)), None, EventKind::HSet)?;
                added
            }
        };
        self.effect(|effect| {
            effect.bytes(b"HSET").bytes(key);
            pairs.for_each(|(field, value)| {
                effect.bytes(field).bytes(value);
            });
        });
        Ok(added)
    }
}

fn set_all<'f>(hash: &mut Hash, pairs: impl Iterator<Item = (&'f [u8], &'f [u8])>) -> Result<usize, OutOfMemory> {
    let mut added = 0;
    for (field, value) in pairs {
        added += usize::from(hash.set(field, value)?);
    }
    Ok(added)
}
