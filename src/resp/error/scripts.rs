//! Error texts of scripts and functions.

use super::{CommandError, ErrorText, echo};

texts! {
    NO_RUNNING_SCRIPT = "NOTBUSY No scripts in execution right now.";
    BUSY_SCRIPT = "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
    BUSY_FUNCTION = "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.";
    UNKILLABLE = "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.";
    NO_LIBRARY_HEADER = "ERR Missing library metadata";
    BAD_LIBRARY_HEADER = "ERR Invalid library metadata";
    LIBRARY_NAME_TWICE = "ERR Invalid metadata value, name argument was given multiple times";
    NO_LIBRARY_NAME = "ERR Library name was not given";
    NO_SUCH_LIBRARY = "ERR Library not found";
    NO_FUNCTION_CODE = "ERR Function code is missing";
}

#[cfg(not(feature = "scripting"))]
texts! {
    /// Text of keylatch.
    NO_SCRIPTING = "ERR '{}' needs the build with Lua: use the package keylatch-scripting, keylatch serve --scripting, or the Cargo feature scripting";
}

impl ErrorText {
    /// Error that ends with bytes of the request.
    pub fn with_bytes(before: &str, bytes: &[u8]) -> ErrorText {
        echo(before, bytes, "")
    }
}
