//! Limits of a script.

/// Limits of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScriptLimits {
    pub instructions: u64,
    /// Bytes of all values of Lua.
    pub memory_bytes: usize,
    pub reply_bytes: usize,
}
