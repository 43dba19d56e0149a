//! Error texts of streams.

use alloc::format;

use super::{CommandError, ErrorText};

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
}

impl ErrorText {
    /// Reply to streams and ids of different numbers; `ids` says which ids there are.
    pub fn unbalanced_streams(command: &str, ids: &str) -> ErrorText {
        ErrorText::made(format!(
            "ERR Unbalanced '{command}' list of streams: for each stream key an {ids} must be specified."
        ))
    }
}
