//! Scripts and functions by their names.

use alloc::vec::Vec;

/// Script or function to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program<'a> {
    /// Slot of a script in the cache.
    Script(u32),
    /// Name of a function.
    Function(&'a [u8]),
}

impl Program<'_> {
    pub fn to_owned(self) -> OwnedProgram {
        match self {
            Program::Script(slot) => OwnedProgram::Script(slot),
            Program::Function(name) => OwnedProgram::Function(name.to_vec()),
        }
    }
}

/// Program that is suspended.
#[derive(Clone, Debug)]
pub enum OwnedProgram {
    Script(u32),
    Function(Vec<u8>),
}

impl OwnedProgram {
    pub fn borrowed(&self) -> Program<'_> {
        match self {
            OwnedProgram::Script(slot) => Program::Script(*slot),
            OwnedProgram::Function(name) => Program::Function(name),
        }
    }
}
