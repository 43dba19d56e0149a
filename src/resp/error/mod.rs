//! Every error text that users see. Lower floors return enums, which are worded here. Texts are those of Redis 8.6.3
//! unless a line says otherwise.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::base::headroom::try_reserve;
use crate::base::number::LongDouble;

/// Error of a handler: a fixed text of the list below, where `{}` stands for the command's name, or
/// [`CommandError::MADE`] for a text made for one request.
///
/// One non-zero word, so that `?` passes it on in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommandError(&'static &'static str);

/// Error reply without the leading `-`: a code word, a blank, the text. Bytes of the request are repeated as they were
/// sent; `Display` replaces those that are not UTF-8.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorText(Cow<'static, [u8]>);

impl CommandError {
    /// Marker of a text that is stored with the command's arguments, see `Args::refuse`.
    pub const MADE: CommandError = CommandError(&"");

    /// Returns the text for a command of this name.
    pub fn of_command(self, name: &str) -> ErrorText {
        match self.0.split_once('{') {
            Some((before, after)) => ErrorText::made([before, name, after.trim_start_matches('}')].concat()),
            None => self.into(),
        }
    }
}

impl From<CommandError> for ErrorText {
    fn from(error: CommandError) -> ErrorText {
        ErrorText(Cow::Borrowed(error.0.as_bytes()))
    }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        impl CommandError {
            $($(#[$doc])* pub const $name: CommandError = CommandError(&$text);)*
        }
    };
}

#[cfg(feature = "scripting")]
mod lua;
mod scripts;
mod streams;

texts! {
    SYNTAX = "ERR syntax error";
    WRONG_ARITY = "ERR wrong number of arguments for '{}' command";
    INVALID_EXPIRE = "ERR invalid expire time in '{}' command";
    NO_INPUT_KEY = "ERR at least 1 input key is needed for '{}' command";
    /// For a RESP2 client with subscriptions.
    SUBSCRIBED = "ERR Can't execute '{}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context";
    NOT_AN_INTEGER = "ERR value is not an integer or out of range";
    NOT_A_FLOAT = "ERR value is not a valid float";
    FIELD_NOT_AN_INTEGER = "ERR hash value is not an integer";
    FIELD_NOT_A_FLOAT = "ERR hash value is not a float";
    NOT_FINITE = "ERR value is NaN or Infinity";
    VALUE_RANGE = "ERR value is out of range";
    FIELDS_MISPLACED = "ERR Mandatory argument FIELDS is missing or not at the right position";
    FIELDS_MISSING = "ERR missing FIELDS argument";
    FIELDS_TWICE = "ERR FIELDS keyword specified multiple times";
    FIELDS_ALONE = "ERR FIELDS requires at least numfields and one field argument";
    FIELDS_TOO_FEW = "ERR wrong number of arguments";
    FIELD_COUNT_NOT_POSITIVE = "ERR Number of fields must be a positive integer";
    FIELD_COUNT_NOT_THAT = "ERR The `numfields` parameter must match the number of arguments";
    NUMFIELDS_NOT_POSITIVE = "ERR Parameter `numFields` should be greater than 0";
    BAD_FIELD_COUNT = "ERR invalid number of fields";
    MANY_CONDITIONS = "ERR Multiple condition flags specified";
    FNX_FXX_CONFLICT = "ERR Only one of FXX or FNX arguments can be specified";
    HSETEX_EXPIRY_CONFLICT = "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified";
    HGETEX_EXPIRY_CONFLICT = "ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified";
    EXPIRE_NEGATIVE = "ERR invalid expire time, must be >= 0";
    EXPIRE_MISSING = "ERR missing expire time";
    NAN_OR_INFINITY = "ERR increment would produce NaN or Infinity";
    INCREMENT_OVERFLOW = "ERR increment or decrement would overflow";
    DECREMENT_OVERFLOW = "ERR decrement would overflow";
    WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
    NO_SUCH_KEY = "ERR no such key";
    SAME_OBJECT = "ERR source and destination objects are the same";
    DATABASE_RANGE = "ERR DB index is out of range";
    NOT_POSITIVE = "ERR value is out of range, must be positive";
    TOO_MANY_KEYS = "ERR Number of keys can't be greater than number of args";
    NEGATIVE_LIMIT = "ERR LIMIT can't be negative";
    COUNT_RANGE = "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807";
    /// Text of keylatch, for a reply that would not fit into memory.
    REPLY_TOO_LARGE = "ERR the reply exceeds maximum allowed size";
    NUMKEYS_NOT_POSITIVE = "ERR numkeys should be greater than 0";
    COUNT_NOT_POSITIVE = "ERR count should be greater than 0";
    COUNT_NEGATIVE = "ERR COUNT can't be negative";
    MAXLEN_NEGATIVE = "ERR MAXLEN can't be negative";
    RANK_ZERO = "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list";
    RANK_RANGE = "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807";
    NX_WITH_XX = "ERR XX and NX options at the same time are not compatible";
    CONFLICTING_SCORE_OPTIONS = "ERR GT, LT, and/or NX options at the same time are not compatible";
    SINGLE_INCREMENT = "ERR INCR option supports a single increment-element pair";
    SCORE_NOT_A_NUMBER = "ERR resulting score is not a number (NaN)";
    SCORE_RANGE = "ERR min or max is not a float";
    MEMBER_RANGE = "ERR min or max not valid string range item";
    LIMIT_NEEDS_SCORES_OR_MEMBERS = "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX";
    SCORES_WITH_MEMBER_RANGE = "ERR syntax error, WITHSCORES not supported in combination with BYLEX";
    WEIGHT_NOT_A_FLOAT = "ERR weight value is not a float";
    OUT_OF_RANGE = "ERR value is out of range";
    UNKNOWN_UNIT = "ERR unsupported unit provided. please use M, KM, FT, MI";
    RADIUS_NOT_A_NUMBER = "ERR need numeric radius";
    NEGATIVE_RADIUS = "ERR radius cannot be negative";
    WIDTH_NOT_A_NUMBER = "ERR need numeric width";
    HEIGHT_NOT_A_NUMBER = "ERR need numeric height";
    NEGATIVE_BOX = "ERR height or width cannot be negative";
    NO_SUCH_PLACE = "ERR could not decode requested zset member";
    GEO_COUNT = "ERR COUNT must be > 0";
    ANY_NEEDS_COUNT = "ERR the ANY argument requires COUNT argument";
    GEO_STORE_OPTIONS = "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options";
    RADIUS_STORE_OPTIONS = "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options";
    NOT_A_SKETCH = "WRONGTYPE Key is not a valid HyperLogLog string value.";
    DAMAGED_SKETCH = "INVALIDOBJ Corrupted HLL object detected";
    NOT_SORTABLE = "ERR One or more scores can't be converted into double";
    TIMEOUT_NOT_A_FLOAT = "ERR timeout is not a float or out of range";
    TIMEOUT_RANGE = "ERR timeout is out of range";
    INDEX_RANGE = "ERR index out of range";
    DATABASE_NUMBER = "ERR value is out of range, value must between -2147483648 and 2147483647";
    FIRST_DATABASE = "ERR invalid first DB index";
    SECOND_DATABASE = "ERR invalid second DB index";
    NO_IDLETIME = "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.";
    NO_FREQUENCY = "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.";
    KEY_EXISTS = "BUSYKEY Target key name already exists.";
    BAD_PAYLOAD = "ERR DUMP payload version or checksum are wrong";
    BAD_DATA = "ERR Bad data format";
    BAD_TTL = "ERR Invalid TTL value, must be >= 0";
    BAD_IDLETIME = "ERR Invalid IDLETIME value, must be >= 0";
    BAD_FREQ = "ERR Invalid FREQ value, must be >= 0 and <= 255";
    INVALID_CURSOR = "ERR invalid cursor";
    OFFSET_RANGE = "ERR offset is out of range";
    STRING_TOO_LONG = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
    BIT_OFFSET = "ERR bit offset is not an integer or out of range";
    BIT_VALUE = "ERR bit is not an integer or out of range";
    BIT_ARGUMENT = "ERR The bit argument must be 1 or 0.";
    BITOP_NOT_SOURCES = "ERR BITOP NOT must be called with a single source key.";
    FIELD_TYPE = "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.";
    FIELD_OVERFLOW = "ERR Invalid OVERFLOW type specified";
    BITFIELD_READ_ONLY = "ERR BITFIELD_RO only supports the GET subcommand";
    LCS_NEEDS_STRINGS = "ERR The specified keys must contain string values";
    LCS_LENGTH_AND_INDEXES = "ERR If you want both the length and indexes, please just use IDX.";
    LCS_TOO_LARGE = "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len";
    LCS_MEMORY = "ERR Insufficient memory, failed allocating transient memory for LCS";
    BAD_DIGEST = "ERR must be exactly 16 hexadecimal characters";
    BAD_CONDITION = "ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE";
    CONDITION_NEEDS_STRING = "ERR Key should be of string type if conditions are specified";
    BAD_NUMKEYS = "ERR invalid numkeys value";
    BAD_PAIR_COUNT = "ERR wrong number of key-value pairs";
    EXPIRE_NX_CONFLICT = "ERR NX and XX, GT or LT options at the same time are not compatible";
    EXPIRE_GT_LT_CONFLICT = "ERR GT and LT options at the same time are not compatible";
    NESTED_MULTI = "ERR MULTI calls can not be nested";
    EXEC_WITHOUT_MULTI = "ERR EXEC without MULTI";
    DISCARD_WITHOUT_MULTI = "ERR DISCARD without MULTI";
    NOVALUES_OUTSIDE_HSCAN = "ERR NOVALUES option can only be used in HSCAN";
    DEBUG_NOT_ALLOWED = "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.";
    NOT_IN_MULTI = "ERR Command not allowed inside a transaction";
    WATCH_INSIDE_MULTI = "ERR WATCH inside MULTI is not allowed";
    EXEC_ABORTED = "EXECABORT Transaction discarded because of previous errors.";
    OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";
    PROTOCOL_VERSION = "NOPROTO unsupported protocol version";
    PROTOCOL_NOT_AN_INTEGER = "ERR Protocol version is not an integer or out of range";
    NO_AUTH = "NOAUTH Authentication required.";
    NO_PASSWORD_SET = "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?";
    WRONG_PASSWORD = "WRONGPASS invalid username-password pair or user is disabled.";
    HELLO_NEEDS_AUTH = "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time";
    BAD_CLIENT_NAME = "ERR Client names cannot contain spaces, newlines or special characters.";
    BAD_LIBRARY_NAME = "ERR lib-name cannot contain spaces, newlines or special characters.";
    BAD_LIBRARY_VERSION = "ERR lib-ver cannot contain spaces, newlines or special characters.";
    NO_SUCH_CLIENT = "ERR No such client";
    BAD_CLIENT_ID = "ERR client-id should be greater than 0";
    INVALID_CLIENT_ID = "ERR Invalid client ID";
    BAD_MAX_AGE = "ERR maxage is not an integer or out of range";
    BAD_UNBLOCK_REASON = "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR";
    SHARD_SUBSCRIPTION_DENIED = "ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client";
    UNBLOCKED = "UNBLOCKED client unblocked via CLIENT UNBLOCK";
    TWO_REDIRECTS = "ERR A client can only redirect to a single other client";
    NO_REDIRECT = "ERR The client ID you want redirect to does not exist";
    PREFIX_NEEDS_BROADCAST = "ERR PREFIX option requires BCAST mode to be enabled";
    BROADCAST_SWITCH = "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.";
    BROADCAST_CHOICE = "ERR OPTIN and OPTOUT are not compatible with BCAST";
    TWO_CHOICES = "ERR You can't specify both OPTIN mode and OPTOUT mode";
    CHOICE_SWITCH = "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.";
    CACHING_WITHOUT_TRACKING = "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled";
    CACHING_WITHOUT_OPT_IN = "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.";
    CACHING_WITHOUT_OPT_OUT = "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.";
    NO_CLUSTER = "ERR This instance has cluster support disabled";
    BAD_MASTER_PORT = "ERR Invalid master port";
    /// Text of keylatch, which has no replication.
    NO_REPLICA = "ERR this server cannot be a replica of another";
    LOCAL_FILES = "ERR value is out of range, value must between 0 and 1";
    NO_LOCAL_FILE = "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.";
    SAVE_RUNNING = "ERR Background save already in progress";
    OTHER_SAVE_RUNNING = "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to schedule a BGSAVE whenever possible.";
    REWRITE_RUNNING = "ERR Background append only file rewriting already in progress";
    SNAPSHOT_FAILED = "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.";
    READ_ONLY = "READONLY You can't write against a read only replica.";
    /// Text of keylatch: without a host that saves, there are no files.
    NO_STORE = "ERR there is no store to save to: this engine keeps its keys in memory only";
    NO_SHUTDOWN = "ERR No shutdown in progress.";
    SHUTDOWN_FAILED = "ERR Errors trying to SHUTDOWN. Check logs.";
    /// Text of keylatch: an engine that no server serves ends with its program.
    NO_SERVER = "ERR there is no server to shut down: this engine ends with its program";
    BAD_TIMEOUT = "ERR timeout is not an integer or out of range";
    NEGATIVE_TIMEOUT = "ERR timeout is negative";
    PAUSE_MODE = "ERR CLIENT PAUSE mode must be WRITE or ALL";
    INVALID_COMMAND = "ERR Invalid command specified";
    NO_KEY_ARGUMENTS = "ERR The command has no key arguments";
    BAD_ARGUMENT_COUNT = "ERR Invalid number of arguments specified for command";
    INVALID_KEY_ARGUMENTS = "ERR Invalid arguments specified for command";
    NO_CONFIG_FILE = "ERR The server is running without a config file";
    SCRIPT_FLUSH_TYPE = "ERR SCRIPT FLUSH only support SYNC|ASYNC option";
    FUNCTION_FLUSH_TYPE = "ERR FUNCTION FLUSH only supports SYNC|ASYNC option";
    /// Texts of keylatch, for latches.
    FENCED = "FENCED the owner does not hold the latch with this token";
    DEADLOCK = "DEADLOCK another holder waits for this owner to release";
    NO_TOKENS = "ERR every token of this engine has been used";
    INVALID_TTL = "ERR invalid TTL in '{}' command";
    INVALID_WAIT = "ERR invalid WAIT in '{}' command";
    INVALID_DELAY = "ERR invalid DELAY in '{}' command";
    INVALID_DEPTH = "ERR invalid DEPTH in '{}' command";
    INVALID_PERMITS = "ERR invalid PERMITS in '{}' command";
    INVALID_LIMIT = "ERR invalid LIMIT in '{}' command";
    INVALID_TOKEN = "ERR invalid TOKEN in '{}' command";
    INVALID_PERIOD = "ERR invalid PERIOD in '{}' command";
    INVALID_BURST = "ERR invalid BURST in '{}' command";
    INVALID_COST = "ERR invalid COST in '{}' command";
    INVALID_PARTIES = "ERR invalid PARTIES in '{}' command";
    SLOWLOG_COUNT = "ERR count should be greater than or equal to -1";
}

/// Number of bytes at which Redis truncates the name, and the arguments, repeated in an error.
const ECHO_MAX: usize = 128;

impl ErrorText {
    /// Reply to an unknown command; `name` and `arguments` are as sent.
    pub fn unknown_command<'a>(name: &[u8], arguments: impl Iterator<Item = &'a [u8]>) -> ErrorText {
        let mut text = [b"ERR unknown command '", echoed_part(name, ECHO_MAX), b"'"].concat();
        let mut echoed = 0;
        for (index, argument) in arguments.enumerate() {
            if echoed >= ECHO_MAX {
                break;
            }
            text.extend_from_slice(if index == 0 { b", with args beginning with: '" } else { b"'" });
            let shown = echoed_part(argument, ECHO_MAX - echoed);
            text.extend_from_slice(shown);
            text.extend_from_slice(b"' ");
            echoed += shown.len() + 3;
        }
        ErrorText::made(text)
    }

    /// Reply to an unknown subcommand, as sent, of the command `container`.
    pub fn unknown_subcommand(container: &str, subcommand: &[u8]) -> ErrorText {
        let after = format!("'. Try {} HELP.", container.to_ascii_uppercase());
        echo("ERR unknown subcommand '", echoed_part(subcommand, ECHO_MAX), &after)
    }

    /// Reply of containers that parse the words of a subcommand themselves.
    pub fn unknown_or_wrong(container: &str, subcommand: &[u8]) -> ErrorText {
        let after = format!("'. Try {container} HELP.");
        echo("ERR unknown subcommand or wrong number of arguments for '", subcommand, &after)
    }

    /// Reply to BITOP with too few source keys; `operation` is in capitals.
    pub fn too_few_sources(operation: &str) -> ErrorText {
        ErrorText::made(format!("ERR BITOP {operation} must be called with at least two source keys."))
    }

    /// Reply of the EXPIRE family to an unknown option, as sent.
    pub fn unsupported_option(option: &[u8]) -> ErrorText {
        echo("ERR Unsupported option ", option, "")
    }

    /// Reply of commands about fields to an unknown argument, as sent.
    pub fn unknown_argument(argument: &[u8]) -> ErrorText {
        echo("ERR unknown argument: ", argument, "")
    }

    /// Reply of HELLO to an unknown option, as sent.
    pub fn hello_option(option: &[u8]) -> ErrorText {
        echo("ERR Syntax error in HELLO option '", option, "'")
    }

    /// Reply to an EXEC that was itself refused, with the reason.
    pub fn exec_refused(reason: &ErrorText) -> ErrorText {
        let reason = format!("{reason}");
        let reason = reason.strip_prefix("ERR ").unwrap_or(&reason);
        ErrorText::made(format!("EXECABORT Transaction discarded because of: {reason}"))
    }

    /// Reply to a failed CONFIG SET: the parameter, and the problem with its value.
    pub fn config_set(parameter: &str, problem: &str) -> ErrorText {
        ErrorText::made(format!("ERR CONFIG SET failed (possibly related to argument '{parameter}') - {problem}"))
    }

    /// Reply of CONFIG SET to an unknown parameter, as sent.
    pub fn unknown_parameter(parameter: &[u8]) -> ErrorText {
        echo("ERR Unknown option or number of arguments for CONFIG SET - '", parameter, "'")
    }

    /// Reply to an invalid word, which is quoted: `ERR Unknown client type 'foo'`.
    pub fn quoted(before: &str, word: &[u8]) -> ErrorText {
        echo(&format!("{before} '"), word, "'")
    }

    /// Reply to two prefixes of CLIENT TRACKING of which one begins with the other. `which` describes the origin of the
    /// other.
    pub fn overlapping_prefixes(prefix: &[u8], which: &str, other: &[u8]) -> ErrorText {
        let between = format!("' overlaps with {which} prefix '");
        let (prefix, other) = (echoed_part(prefix, prefix.len()), echoed_part(other, other.len()));
        let after = b"'. Prefixes for a single client must not overlap.";
        joined(&[b"ERR Prefix '", prefix, between.as_bytes(), other, after])
    }

    /// Reply to coordinates out of range.
    pub fn invalid_position(longitude: f64, latitude: f64) -> ErrorText {
        let mut text = b"ERR invalid longitude,latitude pair ".to_vec();
        LongDouble::from_double(longitude).write_fixed(6, &mut text);
        text.push(b',');
        LongDouble::from_double(latitude).write_fixed(6, &mut text);
        ErrorText::made(text)
    }

    /// Reply to a missing or ambiguous choice; `command` is as sent.
    pub fn exactly_one(choice: &str, command: &[u8]) -> ErrorText {
        echo(&format!("ERR exactly one of {choice} can be specified for "), command, "")
    }

    /// Creates an error from a whole text with its code word.
    #[inline(never)]
    pub fn made(text: impl Into<Vec<u8>>) -> ErrorText {
        ErrorText(Cow::Owned(text.into()))
    }

    /// Bytes of the text. Line ends in repeated bytes are not replaced yet.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Joins a text with bytes of the request; falls back to the out-of-memory error.
fn echo(before: &str, bytes: &[u8], after: &str) -> ErrorText {
    joined(&[before.as_bytes(), echoed_part(bytes, bytes.len()), after.as_bytes()])
}

fn joined(parts: &[&[u8]]) -> ErrorText {
    let mut text = Vec::new();
    if try_reserve(&mut text, parts.iter().map(|part| part.len()).sum()).is_err() {
        return CommandError::OUT_OF_MEMORY.into();
    }
    parts.iter().for_each(|part| text.extend_from_slice(part));
    ErrorText::made(text)
}

/// Part of the bytes that Redis repeats: they end at a zero byte, as strings do in C.
fn echoed_part(bytes: &[u8], length_max: usize) -> &[u8] {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    &bytes[..end.min(length_max)]
}

impl fmt::Display for ErrorText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&String::from_utf8_lossy(self.bytes()))
    }
}

impl core::error::Error for ErrorText {}
