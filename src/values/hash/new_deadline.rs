//! What a write does to the deadline of a field.

use crate::base::clock::Timestamp;

/// What becomes of the deadline of a field that is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewDeadline {
    /// It goes.
    None,
    /// It stays, if there is one.
    Keep,
    At(Timestamp),
}
