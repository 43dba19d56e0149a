//! What belongs to the server as a whole and to no keyspace or client: configuration, counts, the pause.

use crate::clock::Timestamp;
use crate::config::Config;
use crate::stats::Stats;

/// The Redis version whose semantics are implemented; clients choose their commands by it.
pub const REDIS_VERSION: &str = "8.6.3";
pub const KEYLATCH_VERSION: &str = env!("CARGO_PKG_VERSION");

/// CLIENT PAUSE: which commands wait, and until when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    pub until: Timestamp,
    /// Reading goes on.
    pub writes_only: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Server {
    pub config: Config,
    pub stats: Stats,
    pub pause: Option<Pause>,
    pub started_at: Option<Timestamp>,
    /// When the keyspace was last saved, or loaded.
    pub saved_at: Timestamp,
}
