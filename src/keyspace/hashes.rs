//! Hashes.

use super::space::{Change, Space};
use super::{Error, EventKind, NewValue};
use crate::value::{Hash, NewDeadline, Value};

impl Space<'_> {
    /// Sets fields, creating the hash; answers how many are new.
    pub fn set_fields<'f>(
        &mut self,
        key: &[u8],
        pairs: impl Iterator<Item = (&'f [u8], &'f [u8])> + Clone,
    ) -> Result<usize, Error> {
        let limit = self.limits().hash;
        let added = match self.write(key) {
            Some(handle) => self
                .update(handle, EventKind::HSet, |value| {
                    let Value::Hash(hash) = value else { return Err(Error::WrongType) };
                    Ok(Change::Changed(hash.set_all(&mut pairs.clone(), NewDeadline::None, limit)?))
                })?
                .answer(),
            None => {
                let mut hash = Hash::new(self.seed());
                let added = hash.set_all(&mut pairs.clone(), NewDeadline::None, limit)?;
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
