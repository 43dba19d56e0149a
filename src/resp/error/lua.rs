//! Error texts of scripts and functions that run.

use alloc::format;

use super::{CommandError, ErrorText, echo, echoed_part, joined};

texts! {
    /// The text for functions, too.
    SCRIPT_KILLED = "ERR Script killed by user with SCRIPT KILL...";
    NO_SCRIPT = "NOSCRIPT No matching script. Please use EVAL.";
    NEGATIVE_KEYS = "ERR Number of keys can't be negative";
    SCRIPT_SHEBANG = "ERR Invalid script shebang";
    SCRIPT_ENGINE = "ERR Invalid engine in script shebang";
    SCRIPT_RO_FLAG = "ERR Can not execute a script with write flag using *_ro command.";
    SCRIPT_UNKNOWN_COMMAND = "ERR Unknown Redis command called from script";
    SCRIPT_WRONG_ARITY = "ERR Wrong number of args calling Redis command from script";
    SCRIPT_NOT_ALLOWED = "ERR This Redis command is not allowed from script";
    SCRIPT_READ_ONLY = "ERR Write commands are not allowed from read-only scripts.";
    LIBRARY_NAME = "ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long";
    NO_SUCH_FUNCTION = "ERR Function not found";
    /// Not of Redis, which limits no memory of libraries.
    LIBRARIES_KEEP_MEMORY = "ERR libraries keep more memory than lua-memory-limit allows";
    NO_FUNCTIONS = "ERR No functions registered";
    NO_LIBRARY_PATTERN = "ERR library name argument was not given";
    BAD_KEY_COUNT = "ERR Bad number of keys provided";
    BAD_FUNCTIONS = "ERR failed loading functions";
    RESTORE_POLICY = "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.";
    SCRIPT_RESULT_TOO_DEEP = "ERR reached lua stack limit";
    SCRIPT_RESULT_TOO_LARGE = "ERR the reply of the script is larger than lua-reply-limit";
}

impl ErrorText {
    /// Reply to a script that does not compile, with the compiler's message.
    pub fn not_compiled(message: &[u8]) -> ErrorText {
        echo("ERR Error compiling script (new function): ", message, "")
    }

    /// Reply to a script that failed: its error, its name, and the place of the error, if that is known.
    pub fn script_failed(message: &[u8], name: &[u8], place: Option<(&[u8], i64)>) -> ErrorText {
        // A text in C ends at a zero byte.
        let message = echoed_part(message, message.len());
        let Some((source, line)) = place else { return joined(&[message]) };
        let line = format!(":{line}.");
        joined(&[message, b" script: ", name, b", on ", source, line.as_bytes()])
    }

    /// Reply that quotes bytes of the request between two parts of its text.
    pub fn around(before: &str, bytes: &[u8], after: &str) -> ErrorText {
        echo(before, bytes, after)
    }
}
