//! Wire protocol: decoder of requests, encoder and reader of replies, the output format of redis-cli, and every error
//! text.

pub mod cli_text;
pub mod decode;
pub mod encode;
pub mod error;
pub mod read;

/// Implemented version of Redis. Client libraries choose commands by it.
pub const REDIS_VERSION: &str = "8.6.3";
