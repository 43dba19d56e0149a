//! Keys and arguments of a script or function.

use lua_types::{LuaError, LuaValue};
use lua_vm::state::LuaState;

use super::globals::{Environments, World};
use super::natives::{charge, reserve, set, set_element, string};
use crate::base::argv::ArgvRef;
use crate::lua::charges::rates::LIBRARY_CALL;

/// Sets the lists of a script, or pushes those of a function; returns the number of arguments.
pub fn prepare(
    state: &mut LuaState,
    world: World,
    lists: [ArgvRef<'_>; 2],
    environments: &Environments,
) -> Result<i32, LuaError> {
    charge(state, LIBRARY_CALL)?;
    let [keys, arguments] = lists;
    let (keys, arguments) = (list(state, keys)?, list(state, arguments)?);
    match world {
        World::Script => {
            for (name, list) in environments.list_names.into_iter().zip([keys, arguments]) {
                set(state, &environments.script_real, name, list)?;
            }
            Ok(0)
        }
        World::Function => {
            state.push(keys);
            state.push(arguments);
            Ok(2)
        }
    }
}

/// Creates the table of a list of arguments.
fn list(state: &mut LuaState, arguments: ArgvRef<'_>) -> Result<LuaValue, LuaError> {
    reserve(state, arguments.bytes_len().saturating_add(arguments.len().saturating_mul(64)))?;
    let table = state.new_table_with_sizes(arguments.len() as u32, 0)?;
    for (index, argument) in arguments.iter().enumerate() {
        let value = string(state, argument)?;
        set_element(state, &table, index, value)?;
    }
    Ok(LuaValue::Table(table))
}
