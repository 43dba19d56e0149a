//! Why a typed operation refused. The wording for users is one floor up, in `reply::error`.

use crate::slab::OutOfMemory;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// The key holds another type.
    WrongType,
    /// The key is missing where it must exist.
    NoSuchKey,
    /// The stored value is not a 64-bit integer.
    NotAnInteger,
    /// The stored value is not a float.
    NotAFloat,
    /// A sum past the range of 64 bits.
    Overflow,
    /// A sum that is no finite number.
    NotFinite,
    /// A string longer than `STRING_MAX` bytes.
    TooLong,
    /// A digest argument that has not 16 characters.
    BadDigest,
    /// A condition on a value that only strings have.
    ConditionNeedsString,
    /// Source and destination are one.
    SameKey,
    OutOfMemory,
}

impl From<OutOfMemory> for Error {
    fn from(_: OutOfMemory) -> Error {
        Error::OutOfMemory
    }
}
