//! Error texts of streams.

use alloc::format;

use super::{CommandError, ErrorText, echoed_part, joined};

texts! {
    STREAM_ID = "ERR Invalid stream ID specified as stream command argument";
    STREAM_ID_ZERO = "ERR The ID specified in XADD must be greater than 0-0";
    STREAM_ID_TOO_SMALL = "ERR The ID specified in XADD is equal or smaller than the target stream top item";
    STREAM_EXHAUSTED = "ERR The stream has exhausted the last possible ID, unable to add more items";
    ENTRY_TOO_LARGE = "ERR Elements are too large to be stored";
    TWO_TRIMS = "ERR syntax error, MAXLEN and MINID options at the same time are not compatible";
    TRIM_MAXLEN = "ERR The MAXLEN argument must be >= 0.";
    TRIM_LIMIT = "ERR The LIMIT argument must be >= 0.";
    LIMIT_WITHOUT_TRIM = "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy";
    LIMIT_NOT_APPROXIMATE = "ERR syntax error, LIMIT cannot be used without the special ~ option";
    TRIM_MISSING = "ERR syntax error, XTRIM must be called with a trimming strategy";
    START_ID = "ERR invalid start ID for the interval";
    END_ID = "ERR invalid end ID for the interval";
    ENTRIES_ADDED = "ERR entries_added must be positive";
    BELOW_GIVEN_DELETED_ID = "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id";
    BELOW_DELETED_ID = "ERR The ID specified in XSETID is smaller than current max_deleted_entry_id";
    BELOW_TOP_ENTRY = "ERR The ID specified in XSETID is smaller than the target stream top item";
    TOO_FEW_ADDED = "ERR The entries_added specified in XSETID is smaller than the target stream length";
    CLAIM_WITHOUT_GROUP = "ERR The CLAIM option is only supported by XREADGROUP. You called XREAD instead.";
    GROUP_WITHOUT_GROUP = "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.";
    NOACK_WITHOUT_GROUP = "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.";
    NEW_WITHOUT_GROUP = "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.";
    GROUP_MISSING = "ERR Missing GROUP option for XREADGROUP";
    LAST_OF_GROUP = "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.";
    NEWEST_OF_GROUP = "ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.";
    NO_STREAM = "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.";
    GROUP_EXISTS = "BUSYGROUP Consumer Group name already exists";
    ENTRIES_READ = "ERR value for ENTRIESREAD must be positive or -1";
    CLAIM_MIN_IDLE = "ERR Invalid min-idle-time argument for XCLAIM";
    CLAIM_IDLE = "ERR Invalid IDLE option argument for XCLAIM";
    CLAIM_TIME = "ERR Invalid TIME option argument for XCLAIM";
    CLAIM_COUNT = "ERR Invalid RETRYCOUNT option argument for XCLAIM";
    AUTOCLAIM_MIN_IDLE = "ERR Invalid min-idle-time argument for XAUTOCLAIM";
    AUTOCLAIM_COUNT = "ERR COUNT must be > 0";
}

impl ErrorText {
    /// Reply to a missing key or group; `context` follows.
    pub fn no_group(key: &[u8], group: &[u8], context: &str) -> ErrorText {
        let [key, group] = [key, group].map(|name| echoed_part(name, name.len()));
        let (before, between, after) = (b"NOGROUP No such key '", b"' or consumer group '", b"'");
        joined(&[before, key, between, group, after, context.as_bytes()])
    }

    /// Reply to a missing group of an existing key.
    pub fn no_group_of_key(key: &[u8], group: &[u8]) -> ErrorText {
        let [key, group] = [key, group].map(|name| echoed_part(name, name.len()));
        joined(&[b"NOGROUP No such consumer group '", group, b"' for key name '", key, b"'"])
    }

    /// Reply to streams and ids of different numbers; `ids` says which ids there are.
    pub fn unbalanced_streams(command: &str, ids: &str) -> ErrorText {
        ErrorText::made(format!(
            "ERR Unbalanced '{command}' list of streams: for each stream key an {ids} must be specified."
        ))
    }
}
