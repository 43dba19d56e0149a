//! Effect of a write on the deadline of a field.

use crate::base::clock::Timestamp;

/// New deadline of a field that is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewDeadline {
    /// Removes the deadline.
    None,
    /// Keeps the deadline, if there is one.
    Keep,
    At(Timestamp),
}
