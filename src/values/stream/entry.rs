//! Entries: an id with fields and values in their order.

use super::StreamId;
use crate::base::argv::ArgvRef;
use crate::values::listpack::{Element, element_at};

/// Fields and values of a new entry: they alternate.
#[derive(Clone, Copy, Debug)]
pub struct FieldPairs<'a>(pub ArgvRef<'a>);

impl<'a> FieldPairs<'a> {
    /// Number of fields.
    pub fn len(self) -> usize {
        self.0.len() / 2
    }

    pub fn iter(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone {
        self.0.pairs()
    }

    /// Bytes of all fields and values.
    pub fn byte_len(self) -> usize {
        self.0.iter().map(<[u8]>::len).sum()
    }
}

/// Borrowed entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub id: StreamId,
    pub fields: Fields<'a>,
}

/// Iterator over fields and their values.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    pub(super) bytes: &'a [u8],
    /// Offset of the next shared field; `None` if each field precedes its value.
    pub(super) names_at: Option<usize>,
    pub(super) values_at: usize,
    pub(super) left: usize,
}

impl Fields<'_> {
    /// Number of fields that are left.
    pub fn count(&self) -> usize {
        self.left
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (Element<'a>, Element<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (name, after_name) = element_at(self.bytes, self.names_at.unwrap_or(self.values_at))?;
        match &mut self.names_at {
            Some(names_at) => *names_at = after_name,
            None => self.values_at = after_name,
        }
        let (value, after_value) = element_at(self.bytes, self.values_at)?;
        self.values_at = after_value;
        Some((name, value))
    }
}
