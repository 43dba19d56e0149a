//! Texts of scripts and libraries. The machine that runs them is a cache beside them: it is not copied, and built again
//! where it is missing.

#[cfg(feature = "scripting")]
pub mod budget;
#[cfg(feature = "scripting")]
pub mod cache;
pub mod library;
#[cfg(feature = "scripting")]
pub mod lrand48;
mod size;
pub mod suspended;

use alloc::vec::Vec;

use crate::server::scripts::library::Libraries;
use crate::server::scripts::suspended::SuspendedSlot;

#[cfg(feature = "scripting")]
use alloc::boxed::Box;
#[cfg(feature = "scripting")]
use core::any::Any;
#[cfg(feature = "scripting")]
use core::fmt;

/// Libraries of functions, scripts, and the machine.
#[derive(Clone, Debug, Default)]
pub struct Scripts {
    pub libraries: Libraries,
    pub suspended: SuspendedSlot,
    #[cfg(feature = "scripting")]
    pub cache: cache::ScriptCache,
    /// Generator of scripts after one of them chose a seed. Until then they draw from the generator of the engine.
    #[cfg(feature = "scripting")]
    pub random: Option<lrand48::Lrand48>,
    #[cfg(feature = "scripting")]
    pub machine: MachineSlot,
    #[cfg(feature = "scripting")]
    pub budget: budget::Budget,
}

/// Place of the machine. A copy is empty: a machine cannot be copied, and is built again from the texts.
#[cfg(feature = "scripting")]
#[derive(Default)]
pub struct MachineSlot(Option<Box<dyn Any>>);

#[cfg(feature = "scripting")]
impl MachineSlot {
    pub fn take(&mut self) -> Option<Box<dyn Any>> {
        self.0.take()
    }

    pub fn put(&mut self, machine: Box<dyn Any>) {
        self.0 = Some(machine);
    }
}

#[cfg(feature = "scripting")]
impl Clone for MachineSlot {
    fn clone(&self) -> MachineSlot {
        MachineSlot(None)
    }
}

#[cfg(feature = "scripting")]
impl fmt::Debug for MachineSlot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("MachineSlot").field(&self.0.is_some()).finish()
    }
}

#[cfg(feature = "scripting")]
impl Scripts {
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

    /// Starts the budget that the scripts of a transaction share.
    pub fn begin_transaction(&mut self) {
        self.budget.begin_transaction();
    }

    /// Ends the budget of a transaction.
    pub fn end_transaction(&mut self) {
        self.budget.end_transaction();
    }
}

#[cfg(not(feature = "scripting"))]
impl Scripts {
    /// Does nothing: there are no scripts.
    pub fn begin_transaction(&mut self) {}

    /// Does nothing: there are no scripts.
    pub fn end_transaction(&mut self) {}

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
