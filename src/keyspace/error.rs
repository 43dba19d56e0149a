//! Why a typed operation refused. The wording for users is in `reply::error`.

use crate::base::headroom::OutOfMemory;
use crate::resp::error::CommandError;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// The key holds another type.
    WrongType,
    /// The key is missing where it must exist.
    NoSuchKey,
    /// A list has no element at this index.
    NoSuchIndex,
    /// The stored value is not a 64-bit integer.
    NotAnInteger,
    /// The stored value is not a float.
    NotAFloat,
    /// A field does not hold a 64-bit integer.
    FieldNotAnInteger,
    /// A field does not hold a float.
    FieldNotAFloat,
    /// A sum past the range of 64 bits.
    Overflow,
    /// A sum that is no finite number.
    NotFinite,
    /// A score that is infinity less infinity.
    NotANumber,
    /// A string that is no HyperLogLog sketch.
    NotASketch,
    /// A HyperLogLog sketch whose registers make no sense.
    DamagedSketch,
    /// A weight to sort by that is not a number.
    NotSortable,
    /// A string longer than `STRING_MAX` bytes.
    TooLong,
    /// A digest argument that has not 16 characters.
    BadDigest,
    /// A condition on a value that only strings have.
    ConditionNeedsString,
    /// A key that holds no string where only strings can be compared.
    NeedsStrings,
    /// A common subsequence of strings this long would take too much memory.
    SubsequenceTooLarge,
    /// There was no memory to find the common subsequence with.
    SubsequenceMemory,
    /// A key is there where none may be.
    KeyExists,
    /// A DUMP payload of an unknown version, or a damaged one.
    BadPayload,
    /// A DUMP payload whose value makes no sense, or is of a type that is not known here.
    BadData,
    /// Source and destination are one.
    SameKey,
    OutOfMemory,
}

impl From<OutOfMemory> for Error {
    fn from(_: OutOfMemory) -> Error {
        Error::OutOfMemory
    }
}

impl From<OutOfMemory> for CommandError {
    fn from(error: OutOfMemory) -> CommandError {
        Error::from(error).into()
    }
}

/// The text a user gets.
impl From<Error> for CommandError {
    fn from(error: Error) -> CommandError {
        match error {
            Error::WrongType => CommandError::WRONG_TYPE,
            Error::NoSuchKey => CommandError::NO_SUCH_KEY,
            Error::NoSuchIndex => CommandError::INDEX_RANGE,
            Error::NotAnInteger => CommandError::NOT_AN_INTEGER,
            Error::NotAFloat => CommandError::NOT_A_FLOAT,
            Error::FieldNotAnInteger => CommandError::FIELD_NOT_AN_INTEGER,
            Error::FieldNotAFloat => CommandError::FIELD_NOT_A_FLOAT,
            Error::Overflow => CommandError::INCREMENT_OVERFLOW,
            Error::NotFinite => CommandError::NAN_OR_INFINITY,
            Error::NotANumber => CommandError::SCORE_NOT_A_NUMBER,
            Error::NotASketch => CommandError::NOT_A_SKETCH,
            Error::DamagedSketch => CommandError::DAMAGED_SKETCH,
            Error::NotSortable => CommandError::NOT_SORTABLE,
            Error::TooLong => CommandError::STRING_TOO_LONG,
            Error::BadDigest => CommandError::BAD_DIGEST,
            Error::ConditionNeedsString => CommandError::CONDITION_NEEDS_STRING,
            Error::NeedsStrings => CommandError::LCS_NEEDS_STRINGS,
            Error::SubsequenceTooLarge => CommandError::LCS_TOO_LARGE,
            Error::SubsequenceMemory => CommandError::LCS_MEMORY,
            Error::KeyExists => CommandError::KEY_EXISTS,
            Error::BadPayload => CommandError::BAD_PAYLOAD,
            Error::BadData => CommandError::BAD_DATA,
            Error::SameKey => CommandError::SAME_OBJECT,
            Error::OutOfMemory => CommandError::OUT_OF_MEMORY,
        }
    }
}
