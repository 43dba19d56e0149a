//! Splitting of a typed line into arguments, by the rules of redis-cli. Inline requests are split by the same rules, so
//! the code is in `resp/decode`.

pub use crate::resp::decode::{LineError, LineErrorKind, split_line};
