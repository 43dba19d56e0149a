//! Replies: one encoder, one reader, one printer, one list of error texts.

pub mod print;
pub mod read;
