//! Configurations in which streams run: memory limits, and everything that observes commands.

use keylatch::Protocol;

pub const PROTOCOLS: [(&str, Protocol); 2] = [("resp2", Protocol::Resp2), ("resp3", Protocol::Resp3)];

pub struct Configuration {
    pub name: &'static str,
    /// A limit in bytes, and an eviction policy.
    pub limit: Option<(u64, &'static str)>,
    /// The host takes events after each command.
    pub listens: bool,
    /// The host takes effects, now and then.
    pub records: bool,
    /// A client is subscribed to keyspace notifications.
    pub notifies: bool,
    /// A client monitors.
    pub monitors: bool,
    /// A client tracks what it reads, another tracks prefixes.
    pub tracks: bool,
    /// The host measures the duration of commands, with a stopwatch that is equal in every run.
    pub measures: bool,
    /// Only the last worker sets deadlines, in a database of its own: the others run commands without a deadline in the
    /// same database.
    pub parts_deadlines: bool,
    /// About every second unit is a transaction.
    pub transacts: bool,
}

const BARE: Configuration = Configuration {
    name: "bare",
    limit: None,
    listens: false,
    records: false,
    notifies: false,
    monitors: false,
    tracks: false,
    measures: false,
    parts_deadlines: false,
    transacts: false,
};

/// Small enough that commands evict steadily.
const LIMIT_BYTES: u64 = 3_500;

/// The seed of a stream is derived from its configuration's name, so that further configurations change no stream.
pub const CONFIGURATIONS: &[Configuration] = &[
    BARE,
    Configuration { name: "lru", limit: Some((LIMIT_BYTES, "allkeys-lru")), ..BARE },
    Configuration { name: "lfu", limit: Some((LIMIT_BYTES, "allkeys-lfu")), ..BARE },
    Configuration { name: "ttl", limit: Some((LIMIT_BYTES, "volatile-ttl")), ..BARE },
    Configuration { name: "events", listens: true, ..BARE },
    Configuration { name: "effects", records: true, ..BARE },
    Configuration { name: "notified", notifies: true, ..BARE },
    Configuration { name: "monitored", monitors: true, ..BARE },
    Configuration { name: "tracked", tracks: true, ..BARE },
    Configuration { name: "measured", measures: true, ..BARE },
    Configuration { name: "parted", parts_deadlines: true, ..BARE },
    Configuration { name: "transactions", transacts: true, ..BARE },
    Configuration {
        name: "everything",
        limit: Some((LIMIT_BYTES, "allkeys-lru")),
        listens: true,
        records: true,
        notifies: true,
        monitors: true,
        tracks: true,
        ..BARE
    },
];
