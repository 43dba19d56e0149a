//! Helpers of functions that Lua calls: their arguments, their results, their errors, and what they are charged.
//!
//! A function takes the state and returns how many results it pushed. References to strings and tables stay valid until
//! it calls Lua: only instructions of Lua collect garbage.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use lua_gc::HeapGuard;
use lua_types::{GcRef, LuaClosure, LuaError, LuaString, LuaTable, LuaValue};
use lua_vm::api;
use lua_vm::debug;
use lua_vm::state::{LuaCallable, LuaRustFunction, LuaState};

/// Number of digits of a number that is shown.
const DISPLAYED_DIGITS: usize = 14;

/// Function that Lua can call.
pub type Native = fn(&mut LuaState) -> Result<usize, LuaError>;

/// Number of arguments of the running function.
pub fn argument_count(state: &LuaState) -> usize {
    usize::try_from(api::get_top(state)).unwrap_or_default()
}

/// Returns an argument, counted from 1; nil for a missing one.
pub fn argument(state: &LuaState, index: usize) -> LuaValue {
    if index == 0 || index > argument_count(state) {
        return LuaValue::Nil;
    }
    let base = state.current_call_info().func;
    state.get_at(base + index as i32)
}

/// Returns an argument that is a string, or the text of a number. Fails as `luaL_checklstring` does.
pub fn string_argument(state: &mut LuaState, index: usize) -> Result<GcRef<LuaString>, LuaError> {
    if let LuaValue::Str(text) = argument(state, index) {
        return Ok(text);
    }
    match argument(state, index) {
        LuaValue::Int(_) | LuaValue::Float(_) => match api::to_lua_string(state, index as i32)? {
            Some(text) => Ok(text),
            None => Err(type_error(state, index, "string")),
        },
        _ => Err(type_error(state, index, "string")),
    }
}

/// Returns an argument that is a number, or the number in a string. Fails as `luaL_checknumber` does.
pub fn number_argument(state: &mut LuaState, index: usize) -> Result<f64, LuaError> {
    match argument(state, index) {
        LuaValue::Float(number) => Ok(number),
        LuaValue::Int(number) => Ok(number as f64),
        LuaValue::Str(_) => match api::to_number_x(state, index as i32) {
            Some(number) => Ok(number),
            None => Err(type_error(state, index, "number")),
        },
        _ => Err(type_error(state, index, "number")),
    }
}

/// Returns an argument that is a table. Fails as `luaL_checktype` does.
pub fn table_argument(state: &mut LuaState, index: usize) -> Result<GcRef<LuaTable>, LuaError> {
    match argument(state, index) {
        LuaValue::Table(table) => Ok(table),
        _ => Err(type_error(state, index, "table")),
    }
}

/// Error of an argument of another type: `bad argument #1 to 'f' (string expected, got nil)`.
pub fn type_error(state: &mut LuaState, index: usize, expected: &str) -> LuaError {
    let got = match argument(state, index) {
        _ if index > argument_count(state) => "no value",
        value => value.type_name(),
    };
    argument_error(state, index, &format!("{expected} expected, got {got}"))
}

/// Error of an argument: `bad argument #1 to 'f' (message)`, with the line of the call.
pub fn argument_error(state: &mut LuaState, index: usize, message: &str) -> LuaError {
    debug::arg_error_impl(state, index as i32, message.as_bytes())
}

/// Error with the line of the call in front of its message, as of `luaL_error`.
pub fn error_at_call(state: &LuaState, message: &[u8]) -> LuaError {
    debug::c_api_runtime(state, message.to_vec())
}

/// Checks that this many more bytes stay within the memory limit of scripts. To be called before an allocation of a size
/// that a script chooses.
pub fn reserve(state: &LuaState, bytes: usize) -> Result<(), LuaError> {
    state.sandbox_reserve(bytes).map_or(Ok(()), Err)
}

/// Memory limit of the running script.
pub fn memory_limit(state: &LuaState) -> usize {
    state.global().sandbox.mem_limit.get().unwrap_or(usize::MAX)
}

/// Charges work that is no instruction of Lua: one unit for about one instruction.
pub fn charge(state: &LuaState, instructions: usize) -> Result<(), LuaError> {
    state.sandbox_charge(instructions as u64).map_or(Ok(()), Err)
}

/// Makes the heap of a state the one that values are created on.
pub fn heap_guard(state: &LuaState) -> HeapGuard {
    HeapGuard::push(&state.global().heap)
}

/// Creates a string.
pub fn string(state: &mut LuaState, bytes: &[u8]) -> Result<LuaValue, LuaError> {
    Ok(LuaValue::Str(state.new_string(bytes)?))
}

/// Pushes a string as a result.
pub fn push_string(state: &mut LuaState, bytes: &[u8]) -> Result<(), LuaError> {
    let text = string(state, bytes)?;
    state.push(text);
    Ok(())
}

/// Sets a field of a table without metamethods.
pub fn set_field(state: &mut LuaState, table: &GcRef<LuaTable>, name: &str, value: LuaValue) -> Result<(), LuaError> {
    let name = string(state, name.as_bytes())?;
    set(state, table, name, value)
}

/// Sets an element of a table without metamethods.
pub fn set(state: &mut LuaState, table: &GcRef<LuaTable>, key: LuaValue, value: LuaValue) -> Result<(), LuaError> {
    state.gc_table_barrier_back(table, &key);
    state.gc_table_barrier_back(table, &value);
    state.table_raw_set(&LuaValue::Table(*table), key, value)
}

/// Sets an element of a new list, counted from 0. Nothing collects garbage before the list is complete.
pub fn set_element(
    state: &mut LuaState,
    list: &GcRef<LuaTable>,
    index: usize,
    value: LuaValue,
) -> Result<(), LuaError> {
    state.table_array_set(&LuaValue::Table(*list), index, value)
}

/// Returns a field of a table without metamethods.
pub fn field(state: &mut LuaState, table: &GcRef<LuaTable>, name: &str) -> Result<LuaValue, LuaError> {
    let name = string(state, name.as_bytes())?;
    Ok(table.get(&name))
}

/// Sets a field to a function.
pub fn set_function(
    state: &mut LuaState,
    table: &GcRef<LuaTable>,
    name: &str,
    function: Native,
) -> Result<(), LuaError> {
    let function = state.register_c_function(function, true);
    set_field(state, table, name, LuaValue::Function(LuaClosure::LightC(function)))
}

/// Sets a field to a function with state of its own. It lives as long as the machine.
pub fn set_closure(
    state: &mut LuaState,
    table: &GcRef<LuaTable>,
    name: &str,
    function: LuaRustFunction,
) -> Result<(), LuaError> {
    let value = closure(state, function);
    set_field(state, table, name, value)
}

/// Makes a function with state of its own a value. It lives as long as the machine.
pub fn closure(state: &mut LuaState, function: LuaRustFunction) -> LuaValue {
    let index = {
        let mut global = state.global_mut();
        global.c_functions.push(LuaCallable::rust(function));
        global.c_functions.len() - 1
    };
    LuaValue::Function(LuaClosure::LightC(index))
}

/// Text of a number, as `tostring` gives it.
pub fn display_number(number: f64) -> Vec<u8> {
    let mut text = Vec::new();
    write_general(number, DISPLAYED_DIGITS, &mut text);
    text
}

/// Writes a number as C's `%.<precision>g` does.
pub fn write_general(number: f64, precision: usize, out: &mut Vec<u8>) {
    if !number.is_finite() {
        let text: &[u8] = match (number.is_nan(), number.is_sign_negative()) {
            (true, true) => b"-nan",
            (true, false) => b"nan",
            (false, true) => b"-inf",
            (false, false) => b"inf",
        };
        return out.extend_from_slice(text);
    }
    let precision = precision.max(1);
    // One digit, a point, the others, `e` and the exponent.
    let scientific = format!("{:.*e}", precision - 1, number);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if exponent < -4 || exponent >= precision as i32 {
        out.extend_from_slice(without_zeros(mantissa).as_bytes());
        let sign = if exponent < 0 { '-' } else { '+' };
        out.extend_from_slice(format!("e{sign}{:02}", exponent.unsigned_abs()).as_bytes());
    } else {
        let decimals = (precision as i32 - 1 - exponent) as usize;
        let fixed: String = format!("{number:.decimals$}");
        out.extend_from_slice(without_zeros(&fixed).as_bytes());
    }
}

/// Text of a number without zeros at the end of its decimals.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_in_c() {
        let written = |number, precision| {
            let mut out = Vec::new();
            write_general(number, precision, &mut out);
            String::from_utf8(out).unwrap()
        };
        for (number, precision, expected) in [
            (0.1, 17, "0.10000000000000001"),
            (1e17, 17, "1e+17"),
            (1e16, 17, "10000000000000000"),
            (1e15, 14, "1e+15"),
            (1e13, 14, "10000000000000"),
            (1.0 / 3.0, 14, "0.33333333333333"),
            (-0.0, 14, "-0"),
            (123456.789, 14, "123456.789"),
            (1e-5, 14, "1e-05"),
            (0.0001, 14, "0.0001"),
            (99999999999999.5, 14, "1e+14"),
            (f64::INFINITY, 14, "inf"),
            (2.5e-320, 17, "2.4999721679567075e-320"),
        ] {
            assert_eq!(written(number, precision), expected);
        }
    }
}
