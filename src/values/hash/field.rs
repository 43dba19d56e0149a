//! A field of a hash.

use super::text::Text;
use crate::base::clock::Timestamp;

/// A field seen where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field<'a> {
    pub name: Text<'a>,
    pub value: Text<'a>,
    pub deadline: Option<Timestamp>,
}
