//! Why a function of a library refuses its arguments or its input, in the wording of the libraries in Redis.

use alloc::string::String;

use lua_types::LuaError;
use lua_vm::state::LuaState;

use crate::lua::machine::natives::{argument_error, error_at_call};

/// Slots that a function of C may use on Lua's stack. Libraries of Redis refuse what is nested so deeply that it needs more.
pub const MAX_SLOTS: usize = 8000;

/// Reason of a refusal.
#[derive(Debug)]
pub enum Refusal {
    /// Message behind the line of the call.
    Text(String),
    /// Message about an argument, counted from 1.
    Argument(usize, String),
    /// Error of the machine, such as an exhausted memory.
    Machine(LuaError),
}

impl Refusal {
    /// Refusal with a fixed text.
    pub fn text(text: &str) -> Refusal {
        Refusal::Text(text.into())
    }

    /// Refusal of an argument with a fixed text.
    pub fn argument(index: usize, text: &str) -> Refusal {
        Refusal::Argument(index, text.into())
    }

    /// Makes the refusal an error of Lua.
    pub fn raise(self, state: &mut LuaState) -> LuaError {
        match self {
            Refusal::Text(text) => error_at_call(state, text.as_bytes()),
            Refusal::Argument(index, text) => argument_error(state, index, &text),
            Refusal::Machine(error) => error,
        }
    }
}

impl From<LuaError> for Refusal {
    fn from(error: LuaError) -> Refusal {
        Refusal::Machine(error)
    }
}
