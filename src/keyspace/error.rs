//! Errors of the typed operations. The texts for users are in `resp::error`.

use crate::base::headroom::OutOfMemory;
use crate::resp::error::CommandError;

/// Error of a typed operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// The key holds another type.
    WrongType,
    /// The key does not exist.
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
    /// The sum exceeds the range of a 64-bit integer.
    Overflow,
    /// The sum is not a finite number.
    NotFinite,
    /// The score is not a number: infinity minus infinity.
    NotANumber,
    /// The string is not a HyperLogLog sketch.
    NotASketch,
    /// The registers of a HyperLogLog sketch are damaged.
    DamagedSketch,
    /// A weight of SORT is not a number.
    NotSortable,
    /// The string would be longer than `proto-max-bulk-len`.
    TooLong,
    /// The bit lies beyond the longest string.
    BitOffset,
    /// The digest argument does not have 16 characters.
    BadDigest,
    /// The condition compares a value, and the key does not hold a string.
    ConditionNeedsString,
    /// LCS was given a key that does not hold a string.
    NeedsStrings,
    /// The strings are too long for LCS.
    SubsequenceTooLarge,
    /// Memory for the table of LCS cannot be allocated.
    SubsequenceMemory,
    /// The target key exists already.
    KeyExists,
    /// The version of a DUMP payload is not supported, or its checksum is wrong.
    BadPayload,
    /// The value of a DUMP payload is malformed, or of an unsupported type.
    BadData,
    /// Source and destination are the same.
    SameKey,
    /// The owner does not hold the latch with this token.
    Fenced,
    /// A command about groups needs a stream.
    NoStream,
    /// The group exists already.
    GroupExists,
    /// The id of a new entry is not larger than the last one.
    StreamIdTooSmall,
    /// The last id of the stream is the largest there is.
    StreamExhausted,
    /// Fields and values are too long for an entry.
    EntryTooLarge,
    /// The last id would be smaller than the largest deleted one.
    BelowDeletedId,
    /// The last id would be smaller than that of an entry.
    BelowTopEntry,
    /// Fewer entries would have been added than there are.
    TooFewAdded,
    /// Every token has been used.
    NoTokens,
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

/// Maps an error to its reply text.
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
            Error::BitOffset => CommandError::BIT_OFFSET,
            Error::BadDigest => CommandError::BAD_DIGEST,
            Error::ConditionNeedsString => CommandError::CONDITION_NEEDS_STRING,
            Error::NeedsStrings => CommandError::LCS_NEEDS_STRINGS,
            Error::SubsequenceTooLarge => CommandError::LCS_TOO_LARGE,
            Error::SubsequenceMemory => CommandError::LCS_MEMORY,
            Error::KeyExists => CommandError::KEY_EXISTS,
            Error::BadPayload => CommandError::BAD_PAYLOAD,
            Error::BadData => CommandError::BAD_DATA,
            Error::SameKey => CommandError::SAME_OBJECT,
            Error::Fenced => CommandError::FENCED,
            Error::NoStream => CommandError::NO_STREAM,
            Error::GroupExists => CommandError::GROUP_EXISTS,
            Error::StreamIdTooSmall => CommandError::STREAM_ID_TOO_SMALL,
            Error::StreamExhausted => CommandError::STREAM_EXHAUSTED,
            Error::EntryTooLarge => CommandError::ENTRY_TOO_LARGE,
            Error::BelowDeletedId => CommandError::BELOW_DELETED_ID,
            Error::BelowTopEntry => CommandError::BELOW_TOP_ENTRY,
            Error::TooFewAdded => CommandError::TOO_FEW_ADDED,
            Error::NoTokens => CommandError::NO_TOKENS,
            Error::OutOfMemory => CommandError::OUT_OF_MEMORY,
        }
    }
}
