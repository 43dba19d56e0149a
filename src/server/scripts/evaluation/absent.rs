//! Scripts in a build without Lua: there are none.

use alloc::vec::Vec;

use crate::server::config::Config;

/// Limits of scripts, which do not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScriptLimits;

/// Reads no limits.
pub fn script_limits(_: &Config) -> ScriptLimits {
    ScriptLimits
}

/// State of scripts, which do not run.
#[derive(Clone, Debug, Default)]
pub struct Evaluation;

impl Evaluation {
    /// Does nothing: there are no scripts.
    pub fn begin_transaction(&mut self) {}

    /// Does nothing: there are no scripts.
    pub fn end_transaction(&mut self) {}

    /// Instructions of all scripts so far: there are none.
    pub fn instructions_run(&self) -> u64 {
        0
    }

    /// Counted bytes of scripts: there are none.
    pub fn counted_bytes(&self) -> u64 {
        0
    }

    /// Number of scripts.
    pub fn script_count(&self) -> usize {
        0
    }

    /// Forgets scripts that EVAL ran.
    pub fn forget_evaluated(&mut self, _: u64) {}

    /// Texts of all scripts: there are none.
    pub fn texts(&self) -> Vec<(&[u8], bool)> {
        Vec::new()
    }

    /// Forgets a script of another engine.
    pub fn add_text(&mut self, _: &[u8], _: bool) {}
}
