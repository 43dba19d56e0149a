//! The wire: decoder of requests, encoder and reader of replies, the text of redis-cli, every error text.

pub mod cli_text;
pub mod decode;
pub mod encode;
pub mod error;
pub mod read;
