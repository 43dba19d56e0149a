//! First line of a script: `#!lua flags=no-writes,allow-oom`.

use crate::base::argv::Argv;
use crate::resp::decode::split_line;
use crate::resp::error::{CommandError, ErrorText};

/// Flags of a script or function.
pub mod script_flags {
    pub const NO_WRITES: u32 = 1 << 0;
    pub const ALLOW_OOM: u32 = 1 << 1;
    pub const ALLOW_STALE: u32 = 1 << 2;
    pub const NO_CLUSTER: u32 = 1 << 3;
    pub const ALLOW_CROSS_SLOT_KEYS: u32 = 1 << 4;
    /// Not of Redis, but of Upstash: accepted without effect.
    pub const ALLOW_KEY_LOCKING: u32 = 1 << 5;
    /// No first line with flags: the script may do what scripts could before Redis 7.
    pub const COMPATIBLE: u32 = 1 << 31;

    /// Names in the order of Redis.
    pub const NAMES: &[(u32, &str)] = &[
        (NO_WRITES, "no-writes"),
        (ALLOW_OOM, "allow-oom"),
        (ALLOW_STALE, "allow-stale"),
        (NO_CLUSTER, "no-cluster"),
        (ALLOW_CROSS_SLOT_KEYS, "allow-cross-slot-keys"),
        (ALLOW_KEY_LOCKING, "allow-key-locking"),
    ];
}

/// Returns the flag of a name.
pub fn flag(name: &[u8]) -> Option<u32> {
    script_flags::NAMES.iter().find(|(_, known)| known.as_bytes() == name).map(|(flag, _)| *flag)
}

/// Whether a library or function may have this name.
pub fn is_valid_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the flags of a script, and its text from the end of the first line on, so that lines keep their numbers.
pub fn read(text: &[u8]) -> Result<(u32, &[u8]), ErrorText> {
    if !text.starts_with(b"#!") {
        return Ok((script_flags::COMPATIBLE, text));
    }
    let end = text.iter().position(|&byte| byte == b'\n').ok_or(CommandError::SCRIPT_SHEBANG)?;
    let mut words = Argv::default();
    split_line(&text[..end], &mut words).map_err(|_| CommandError::SCRIPT_ENGINE)?;
    let mut words = words.as_ref().iter();
    let engine = words.next().ok_or(CommandError::SCRIPT_ENGINE)?;
    if engine != b"#!lua" {
        return Err(ErrorText::with_bytes("ERR Unexpected engine in script shebang: ", engine));
    }
    let mut flags = 0;
    for word in words {
        let Some(names) = word.strip_prefix(b"flags=") else {
            return Err(ErrorText::with_bytes("ERR Unknown lua shebang option: ", word));
        };
        for name in names.split(|&byte| byte == b',').filter(|_| !names.is_empty()) {
            let unknown = || ErrorText::with_bytes("ERR Unexpected flag in script shebang: ", name);
            flags |= flag(name).ok_or_else(unknown)?;
        }
    }
    Ok((flags, &text[end..]))
}
