//! Functions of Lua 5.1 that later versions changed, in what they accept and in how many results they return: `unpack`,
//! `table.insert`, and those of `string` that take positions, counts or codes. Numbers are compared as 64-bit integers
//! before they become a `usize`, which has 32 bits in WebAssembly.

use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use super::conversion::{int, truncated};
use super::natives::{
    argument, argument_count, argument_error, charge, error_at_call, field, number_argument, push_string, reserve, set,
    set_function, string_argument, table_argument,
};
use crate::lua::charges::functions::{charge_bytes, charge_moved};
use crate::lua::charges::rates::CREATION;
use crate::lua::charges::tables::lookup_weight;

/// Arguments and results of one call of a function that is not written in Lua.
const VALUES_MAX: usize = 8000;
/// Longest result of `string.rep`.
const REPEATED_BYTES_MAX: i64 = i32::MAX as i64;

/// Replaces the functions.
pub fn replace(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    set_function(state, globals, "unpack", unpack)?;
    if let LuaValue::Table(library) = field(state, globals, "string")? {
        set_function(state, &library, "byte", byte)?;
        set_function(state, &library, "char", char)?;
        set_function(state, &library, "rep", rep)?;
        set_function(state, &library, "sub", sub)?;
    }
    if let LuaValue::Table(library) = field(state, globals, "table")? {
        set_function(state, &library, "insert", insert)?;
    }
    Ok(())
}

/// Integer of an argument that is an `int` in C, or `default` without one.
fn integer(state: &mut LuaState, index: usize, default: i64) -> Result<i64, LuaError> {
    match argument(state, index) {
        LuaValue::Nil => Ok(default),
        _ => Ok(int(number_argument(state, index)?).into()),
    }
}

/// Position in a text of `len` bytes, from 1 on, or `default` without an argument. Negative numbers count from the end;
/// before the start is 0.
pub fn position(state: &mut LuaState, index: usize, len: usize, default: i64) -> Result<i64, LuaError> {
    let position = match argument(state, index) {
        LuaValue::Nil => default,
        _ => truncated(number_argument(state, index)?),
    };
    let position = if position < 0 { position + len as i64 + 1 } else { position };
    Ok(position.max(0))
}

/// Part of a text from one position to another, both within the part.
fn part(text: &[u8], first: i64, last: i64) -> &[u8] {
    let (first, last) = (first.max(1), last.min(text.len() as i64));
    if first > last { &[] } else { &text[first as usize - 1..last as usize] }
}

/// Makes room for the results from `first` to `last`, and charges them.
fn ensure_results(state: &mut LuaState, first: i64, last: i64, too_many: &str) -> Result<(), LuaError> {
    let count = (last - first + 1).max(0);
    if count > (VALUES_MAX - argument_count(state).min(VALUES_MAX)) as i64 {
        return Err(error_at_call(state, too_many.as_bytes()));
    }
    let count = count as usize;
    charge(state, count)?;
    state.check_stack(count as i32)
}

/// `unpack(table [, first [, last]])`
fn unpack(state: &mut LuaState) -> Result<usize, LuaError> {
    let table = table_argument(state, 1)?;
    let first = integer(state, 2, 1)?;
    let last = integer(state, 3, table.getn() as i64)?;
    ensure_results(state, first, last, "too many results to unpack")?;
    for index in first..=last {
        charge(state, lookup_weight(&table, &LuaValue::Int(index)))?;
        state.push(table.get_int(index));
    }
    Ok((first..=last).count())
}

/// `string.byte(text [, first [, last]])`
fn byte(state: &mut LuaState) -> Result<usize, LuaError> {
    let text = string_argument(state, 1)?;
    let first = position(state, 2, text.len(), 1)?;
    let last = position(state, 3, text.len(), first)?;
    let bytes = part(text.as_bytes(), first, last);
    ensure_results(state, 1, bytes.len() as i64, "stack overflow (string slice too long)")?;
    bytes.iter().for_each(|&byte| state.push(LuaValue::Float(byte.into())));
    Ok(bytes.len())
}

/// `string.sub(text, first [, last])`
fn sub(state: &mut LuaState) -> Result<usize, LuaError> {
    let text = string_argument(state, 1)?;
    // Unlike other positions the first one is required.
    number_argument(state, 2)?;
    let first = position(state, 2, text.len(), 1)?;
    let last = position(state, 3, text.len(), -1)?;
    let bytes = part(text.as_bytes(), first, last);
    reserve(state, bytes.len())?;
    charge(state, CREATION)?;
    charge_bytes(state, bytes.len())?;
    push_string(state, bytes)?;
    Ok(1)
}

/// `string.rep(text, count)`: a result beyond the longest one is refused. C takes the lowest 32 bits of the count instead.
fn rep(state: &mut LuaState) -> Result<usize, LuaError> {
    let text = string_argument(state, 1)?;
    let count = truncated(number_argument(state, 2)?).max(0);
    let len = (text.len() as i64).saturating_mul(count);
    if len > REPEATED_BYTES_MAX {
        return Err(error_at_call(state, b"resulting string too large"));
    }
    reserve(state, len as usize)?;
    charge_bytes(state, len as usize)?;
    // Without a result the count has no bound.
    let repeated = if len == 0 { Vec::new() } else { text.as_bytes().repeat(count as usize) };
    push_string(state, &repeated)?;
    Ok(1)
}

/// `string.char(code, ...)`
fn char(state: &mut LuaState) -> Result<usize, LuaError> {
    let mut text = Vec::new();
    charge(state, CREATION)?;
    for index in 1..=argument_count(state) {
        let code = u8::try_from(int(number_argument(state, index)?));
        text.push(code.map_err(|_| argument_error(state, index, "invalid value"))?);
    }
    push_string(state, &text)?;
    Ok(1)
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
        charge(state, lookup_weight(&table, &LuaValue::Int(index)))?;
        set_element(state, &table, index, table.get_int(index - 1))?;
    }
    let value = argument(state, argument_count(state));
    set_element(state, &table, position, value)?;
    Ok(0)
}

fn set_element(state: &mut LuaState, table: &GcRef<LuaTable>, index: i64, value: LuaValue) -> Result<(), LuaError> {
    set(state, table, LuaValue::Int(index), value)
}
