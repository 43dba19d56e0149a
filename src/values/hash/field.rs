//! Fields of hashes.

use super::text::Text;
use crate::base::clock::Timestamp;

/// Borrowed field of a hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field<'a> {
    pub name: Text<'a>,
    pub value: Text<'a>,
    pub deadline: Option<Timestamp>,
}
