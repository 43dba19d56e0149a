//! Scripts of EVAL and SCRIPT LOAD, and the machine that runs them.

pub mod budget;
pub mod cache;
pub mod lrand48;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

pub use crate::lua::limits::ScriptLimits;
use crate::server::config::Config;

/// Reads the limits of scripts.
pub fn script_limits(config: &Config) -> ScriptLimits {
    ScriptLimits {
        instructions: config.number("lua-instruction-limit").max(1) as u64,
        memory_bytes: config.number("lua-memory-limit").max(1) as usize,
        reply_bytes: config.number("lua-reply-limit").max(1) as usize,
    }
}

/// Scripts by their texts, with the state that their runs share.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    pub cache: cache::ScriptCache,
    /// Generator of scripts after one of them chose a seed. Until then they draw from the generator of the engine.
    pub random: Option<lrand48::Lrand48>,
    pub machine: MachineSlot,
    pub budget: budget::Budget,
}

/// Place of the machine. A copy is empty: a machine cannot be copied, and is built again from the texts.
#[derive(Default)]
pub struct MachineSlot(Option<Box<dyn Any>>);

impl MachineSlot {
    pub fn take(&mut self) -> Option<Box<dyn Any>> {
        self.0.take()
    }

    pub fn put(&mut self, machine: Box<dyn Any>) {
        self.0 = Some(machine);
    }
}

impl Clone for MachineSlot {
    fn clone(&self) -> MachineSlot {
        MachineSlot(None)
    }
}

impl fmt::Debug for MachineSlot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("MachineSlot").field(&self.0.is_some()).finish()
    }
}

impl Evaluation {
    /// Counted bytes of scripts.
    pub fn counted_bytes(&self) -> u64 {
        self.cache.counted_bytes()
    }

    /// Number of scripts.
    pub fn script_count(&self) -> usize {
        self.cache.len()
    }

    /// Forgets scripts that EVAL ran, the oldest first, until `bytes` are freed or none is left.
    pub fn forget_evaluated(&mut self, bytes: u64) {
        let mut freed = 0;
        while freed < bytes
            && let Some(of_script) = self.cache.forget_oldest()
        {
            freed += of_script;
        }
    }

    /// Texts of all scripts, and whether SCRIPT LOAD named them.
    pub fn texts(&self) -> Vec<(&[u8], bool)> {
        self.cache.iter().map(|(script, is_loaded)| (&*script.text, is_loaded)).collect()
    }

    /// Adds a script of another engine.
    pub fn add_text(&mut self, text: &[u8], is_loaded: bool) {
        self.cache.add(text, is_loaded);
    }

    /// Instructions of all scripts so far, with those that their starts count as.
    pub fn instructions_run(&self) -> u64 {
        self.budget.instructions_run()
    }

    /// Starts the budget that the scripts of a transaction share.
    pub fn begin_transaction(&mut self) {
        self.budget.begin_transaction();
    }

    /// Ends the budget of a transaction.
    pub fn end_transaction(&mut self) {
        self.budget.end_transaction();
    }
}
