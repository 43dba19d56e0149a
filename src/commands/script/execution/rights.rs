//! Rights of a script by its flags.

use super::bridge::Rights;
use crate::commands::Context;
use crate::lua::shebang::script_flags;
use crate::resp::error::{CommandError, ErrorText};

/// Checks the flags of a script, in the order of Redis, and returns what its commands may do.
pub fn check(cx: &Context<'_>, flags: u32, read_only: bool) -> Result<Rights, ErrorText> {
    let has = |flag| flags & flag != 0;
    let is_over_limit = cx.keyspace.is_over_limit();
    if !has(script_flags::COMPATIBLE) {
        if !has(script_flags::NO_WRITES) {
            if let Some(error) = cx.server.store_error() {
                return Err(error);
            }
            if read_only {
                return Err(CommandError::SCRIPT_RO_FLAG.into());
            }
        }
        if is_over_limit && !has(script_flags::ALLOW_OOM | script_flags::NO_WRITES) {
            return Err(CommandError::OUT_OF_MEMORY.into());
        }
    }
    Ok(Rights {
        read_only: read_only || has(script_flags::NO_WRITES),
        deny_oom: is_over_limit && !has(script_flags::ALLOW_OOM),
    })
}
