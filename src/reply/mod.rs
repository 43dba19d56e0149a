//! Replies: one encoder, one reader, one printer, one list of error texts.

pub mod error;
pub mod print;
pub mod read;
pub mod writer;
