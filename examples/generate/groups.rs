//! Groups of commands in the order of the documentation, with their titles.

pub const GROUPS: &[(&str, &str)] = &[
    ("string", "Strings"),
    ("bitmap", "Bitmaps"),
    ("generic", "Keys and expiration"),
    ("list", "Lists"),
    ("set", "Sets"),
    ("sorted-set", "Sorted sets"),
    ("geo", "Geospatial indexes"),
    ("hyperloglog", "HyperLogLog"),
    ("hash", "Hashes"),
    ("stream", "Streams"),
    ("pubsub", "Publish and subscribe"),
    ("transactions", "Transactions"),
    ("scripting", "Scripts and functions"),
    ("latch", "Latches"),
    ("connection", "Connection"),
    ("server", "Server"),
    ("cluster", "Cluster"),
];
