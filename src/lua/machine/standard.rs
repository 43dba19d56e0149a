//! A new state of Lua 5.1, with those standard libraries that scripts see. What `strings` and `results` replace as a whole
//! is not registered here, so that it is not linked either.

use lua_stdlib::{auxlib, base, coro_lib, math_lib, string_lib, table_lib};
use lua_types::{LuaError, LuaVersion};
use lua_vm::api;
use lua_vm::state::{LuaState, new_state, set_versioned_registry_slots};

use super::compiler;
use super::natives::{Native, heap_guard};

const LIBRARIES: &[(&[u8], Native)] = &[
    (b"_G", base::open),
    (b"coroutine", coro_lib::open_coroutine),
    (b"table", table_lib::open_table),
    (b"string", open_string),
    (b"math", math_lib::luaopen_math),
];

const STRING_FUNCTIONS: &[(&[u8], Native)] = &[
    (b"dump", string_lib::str_dump),
    (b"format", string_lib::str_format),
    (b"len", string_lib::str_len),
    (b"lower", string_lib::str_lower),
    (b"reverse", string_lib::str_reverse),
    (b"upper", string_lib::str_upper),
];

/// Creates a state without access to files, time, chance and environment of the process.
pub fn standard_state() -> Result<LuaState, LuaError> {
    let mut state = new_state().ok_or(LuaError::Memory)?;
    state.global_mut().lua_version = LuaVersion::V51;
    set_versioned_registry_slots(&mut state)?;
    {
        // Libraries live as long as the state: the collector need not visit them.
        let _permanent = state.global().heap.bootstrap_scope();
        let _guard = heap_guard(&state);
        state.global_mut().parser_hook = Some(compiler::compile);
        for &(name, open) in LIBRARIES {
            auxlib::requiref(&mut state, name, open, true)?;
            state.pop_n(1);
        }
        api::configure_startup_gc_mode(&mut state);
    }
    Ok(state)
}

fn open_string(state: &mut LuaState) -> Result<usize, LuaError> {
    state.new_lib(STRING_FUNCTIONS)?;
    // Methods of strings, and arithmetic with strings that are numbers.
    string_lib::createmetatable(state)?;
    Ok(1)
}
