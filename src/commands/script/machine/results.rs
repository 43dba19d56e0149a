//! Functions of Lua 5.1 that later versions changed, in what they accept and in how many results they return: `unpack`,
//! `string.byte` and `table.insert`.

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use super::charges::{charge_elements, charge_moved};
use super::natives::{
    argument, argument_count, error_at_call, field, number_argument, set, set_function, string_argument, table_argument,
};

/// Arguments and results of one call of a function that is not written in Lua.
const VALUES_MAX: usize = 8000;

/// Replaces the functions.
pub fn replace(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    set_function(state, globals, "unpack", unpack)?;
    if let LuaValue::Table(library) = field(state, globals, "string")? {
        set_function(state, &library, "byte", byte)?;
    }
    if let LuaValue::Table(library) = field(state, globals, "table")? {
        set_function(state, &library, "insert", insert)?;
    }
    Ok(())
}

/// Integer of an argument, or `default` without one.
fn integer(state: &mut LuaState, index: usize, default: i64) -> Result<i64, LuaError> {
    match argument(state, index) {
        LuaValue::Nil => Ok(default),
        _ => Ok(number_argument(state, index)? as i32 as i64),
    }
}

/// Makes room for the results from `first` to `last`, and charges them.
fn ensure_results(state: &mut LuaState, first: i64, last: i64, too_many: &str) -> Result<(), LuaError> {
    let count = usize::try_from(last - first + 1).unwrap_or_default();
    if count + argument_count(state) > VALUES_MAX {
        return Err(error_at_call(state, too_many.as_bytes()));
    }
    charge_elements(state, count)?;
    state.check_stack(count as i32)
}

/// `unpack(table [, first [, last]])`
fn unpack(state: &mut LuaState) -> Result<usize, LuaError> {
    let table = table_argument(state, 1)?;
    let first = integer(state, 2, 1)?;
    let last = integer(state, 3, table.getn() as i64)?;
    ensure_results(state, first, last, "too many results to unpack")?;
    (first..=last).for_each(|index| state.push(table.get_int(index)));
    Ok((first..=last).count())
}

/// `string.byte(text [, first [, last]])`
fn byte(state: &mut LuaState) -> Result<usize, LuaError> {
    let text = string_argument(state, 1)?;
    let len = text.len() as i64;
    let from_start = |position: i64| if position < 0 { position + len + 1 } else { position };
    let first = integer(state, 2, 1)?;
    let last = integer(state, 3, first)?;
    let (first, last) = (from_start(first).max(1), from_start(last).min(len));
    if first > last {
        return Ok(0);
    }
    ensure_results(state, first, last, "stack overflow (string slice too long)")?;
    let bytes = &text.as_bytes()[first as usize - 1..last as usize];
    bytes.iter().for_each(|&byte| state.push(LuaValue::Float(byte.into())));
    Ok(bytes.len())
}

/// `table.insert(table, [position,] value)`
fn insert(state: &mut LuaState) -> Result<usize, LuaError> {
    let table = table_argument(state, 1)?;
    let end = table.getn() as i64 + 1;
    let position = match argument_count(state) {
        2 => end,
        3 => integer(state, 2, end)?,
        _ => return Err(error_at_call(state, b"wrong number of arguments to 'insert'")),
    };
    charge_moved(state, (end - position) as f64)?;
    for index in (position + 1..=end).rev() {
        set_element(state, &table, index, table.get_int(index - 1))?;
    }
    let value = argument(state, argument_count(state));
    set_element(state, &table, position, value)?;
    Ok(0)
}

fn set_element(state: &mut LuaState, table: &GcRef<LuaTable>, index: i64, value: LuaValue) -> Result<(), LuaError> {
    set(state, table, LuaValue::Int(index), value)
}
