//! Clients as the keyspace knows them.

/// Names a client of one engine. Ids start at 1 and are not used twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct ClientId(pub u32);
