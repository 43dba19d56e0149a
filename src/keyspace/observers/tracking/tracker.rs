//! Data of client-side caching: options of CLIENT TRACKING, tracking clients, and invalidations.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::keyspace::observers::client_id::ClientId;

/// Keys read by a client that are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TrackedReads {
    #[default]
    All,
    /// Keys of the command after CLIENT CACHING YES.
    OptIn,
    /// All keys except those of the command after CLIENT CACHING NO.
    OptOut,
}

/// Options of CLIENT TRACKING ON.
#[derive(Clone, Debug, Default)]
pub struct TrackingOptions<'a> {
    /// Client that receives the invalidations instead (REDIRECT).
    pub redirect: Option<ClientId>,
    /// Whether every change of a key with one of the prefixes is sent, read or not (BCAST).
    pub broadcast: bool,
    pub reads: TrackedReads,
    /// Whether changes by the client itself are left out (NOLOOP).
    pub noloop: bool,
    pub prefixes: Vec<&'a [u8]>,
}

/// Client that receives invalidations.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    pub redirect: Option<ClientId>,
    /// Whether an invalidation could not be sent because the redirect client was disconnected.
    pub is_redirect_broken: bool,
    pub broadcast: bool,
    pub reads: TrackedReads,
    /// Whether CLIENT CACHING was given for the next command.
    pub caching: bool,
    pub noloop: bool,
    /// Prefixes in order. The empty prefix matches every key.
    pub prefixes: Vec<Box<[u8]>>,
    /// Whether an invalidation was lost because memory was short.
    pub(super) has_lost: bool,
}

impl Tracker {
    /// Whether a key has one of the prefixes.
    pub(super) fn matches(&self, key: &[u8]) -> bool {
        self.prefixes.iter().any(|prefix| key.starts_with(prefix))
    }

    /// Whether the keys read by the present command are remembered.
    pub(super) fn remembers(&self) -> bool {
        let is_selected = match self.reads {
            TrackedReads::All => true,
            TrackedReads::OptIn => self.caching,
            TrackedReads::OptOut => !self.caching,
        };
        is_selected && !self.broadcast
    }
}

/// Copies that are out of date.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stale {
    Key(Box<[u8]>),
    /// All keys, because a database was emptied.
    Everything,
}

/// Client with copies that are out of date, and its redirect client at the time of the change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recipient {
    pub client: ClientId,
    pub redirect: Option<ClientId>,
}

/// Invalidation message before its delivery.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalidation {
    pub stale: Stale,
    pub recipients: Vec<Recipient>,
}
