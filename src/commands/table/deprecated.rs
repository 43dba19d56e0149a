//! Commands that Redis has deprecated, for documentation: since when, and the command that replaces each. COMMAND DOCS of Redis
//! has both as `deprecated_since` and `replaced_by`; SETNX, SETEX, PSETEX and QUIT have them in later versions than 7.0.

/// By name in lower case: the version since which the command is deprecated, and its replacement.
const DEPRECATED: &[(&str, &str, &str)] = &[
    ("brpoplpush", "6.2.0", "BLMOVE with RIGHT and LEFT"),
    ("cluster|slots", "7.0.0", "CLUSTER SHARDS"),
    ("georadius", "6.2.0", "GEOSEARCH or GEOSEARCHSTORE with BYRADIUS"),
    ("georadius_ro", "6.2.0", "GEOSEARCH with BYRADIUS"),
    ("georadiusbymember", "6.2.0", "GEOSEARCH or GEOSEARCHSTORE with BYRADIUS and FROMMEMBER"),
    ("georadiusbymember_ro", "6.2.0", "GEOSEARCH with BYRADIUS and FROMMEMBER"),
    ("getset", "6.2.0", "SET with GET"),
    ("hmset", "4.0.0", "HSET with several fields"),
    ("psetex", "2.6.12", "SET with PX"),
    ("quit", "7.2.0", "closing the connection"),
    ("rpoplpush", "6.2.0", "LMOVE with RIGHT and LEFT"),
    ("setex", "2.6.12", "SET with EX"),
    ("setnx", "2.6.12", "SET with NX"),
    ("slaveof", "5.0.0", "REPLICAOF"),
    ("substr", "2.0.0", "GETRANGE"),
    ("zrangebylex", "6.2.0", "ZRANGE with BYLEX"),
    ("zrangebyscore", "6.2.0", "ZRANGE with BYSCORE"),
    ("zrevrange", "6.2.0", "ZRANGE with REV"),
    ("zrevrangebylex", "6.2.0", "ZRANGE with REV and BYLEX"),
    ("zrevrangebyscore", "6.2.0", "ZRANGE with REV and BYSCORE"),
];

/// Returns the version since which a command is deprecated, and its replacement.
pub fn deprecation(name: &str) -> Option<(&'static str, &'static str)> {
    DEPRECATED.iter().find(|(deprecated, ..)| *deprecated == name).map(|(_, since, instead)| (*since, *instead))
}

#[test]
fn deprecated_commands_are_rows_and_stand_in_order() {
    assert!(DEPRECATED.is_sorted_by_key(|(name, ..)| *name));
    for (name, ..) in DEPRECATED {
        assert!(super::catalog::all_rows().any(|row| row.name == *name), "{name}");
    }
}
