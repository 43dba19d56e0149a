//! A hash: fields with values.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::copied;
use crate::slab::OutOfMemory;

/// What one field costs beside its bytes.
const FIELD_BYTES: u64 = 32;

#[derive(Clone, Debug, Default)]
pub struct Hash {
    fields: BTreeMap<Vec<u8>, Vec<u8>>,
    content_bytes: u64,
}

impl Hash {
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Sets a field; true when it was not there before.
    pub fn set(&mut self, field: &[u8], value: &[u8]) -> Result<bool, OutOfMemory> {
        let (new_value, value_len) = (copied(value)?, value.len() as u64);
        if let Some(old) = self.fields.get_mut(field) {
            self.content_bytes = self.content_bytes - old.len() as u64 + value_len;
            *old = new_value;
            return Ok(false);
        }
        self.fields.insert(copied(field)?, new_value);
        self.content_bytes += field.len() as u64 + value_len;
        Ok(true)
    }

    /// Fields in byte order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields.iter().map(|(field, value)| (field.as_slice(), value.as_slice()))
    }

    pub fn counted_bytes(&self) -> u64 {
        self.content_bytes + self.len() as u64 * FIELD_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_a_field_again_replaces_its_value() {
        let mut hash = Hash::default();
        assert_eq!(hash.set(b"f", b"one"), Ok(true));
        assert_eq!(hash.set(b"f", b"three"), Ok(false));
        assert_eq!(hash.iter().collect::<Vec<_>>(), [(&b"f"[..], &b"three"[..])]);
        assert_eq!(hash.counted_bytes(), 6 + FIELD_BYTES);
    }
}
