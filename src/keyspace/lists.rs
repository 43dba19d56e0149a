//! Lists.

use super::space::{Change, Space};
use super::{Error, EventKind, NewValue};
use crate::value::{List, Value};

impl Space<'_> {
    /// Appends at the tail, creating the list; answers its new length.
    pub fn push_back<'e>(
        &mut self,
        key: &[u8],
        elements: impl Iterator<Item = &'e [u8]> + Clone,
    ) -> Result<usize, Error> {
        let len = match self.write(key) {
            Some(handle) => self
                .update(handle, EventKind::RPush, |value| {
                    let Value::List(list) = value else { return Err(Error::WrongType) };
                    list.push_back(elements.clone())?;
                    Ok(Change::Changed(list.len()))
                })?
                .answer(),
            None => {
                let mut list = List::default();
                list.push_back(elements.clone())?;
                let len = list.len();
                self.put(key, NewValue::Value(Value::List(list)), None, EventKind::RPush)?;
                len
            }
        };
        self.effect(|effect| {
            effect.bytes(b"RPUSH").bytes(key);
            elements.for_each(|element| {
                effect.bytes(element);
            });
        });
        Ok(len)
    }
}
