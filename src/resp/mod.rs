//! Wire protocol: decoder of requests, encoder and reader of replies, the output format of redis-cli, and every error
//! text.

pub mod cli_text;
pub mod decode;
pub mod encode;
pub mod error;
pub mod read;
