//! A typed line into arguments, by redis-cli's rules. Inline requests are split by the same rules, so the work is
//! done on their floor.

pub use crate::resp::decode::{LineError, LineErrorKind, split_line};
