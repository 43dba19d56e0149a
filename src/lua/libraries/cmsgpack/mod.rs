//! MessagePack, as lua-cmsgpack reads and writes it.

mod decode;
mod encode;

use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::api;
use lua_vm::state::LuaState;

use super::output::push_result;
use super::refusal::{MAX_SLOTS, Refusal};
use crate::lua::machine::conversion::truncated;
use crate::lua::machine::natives::{
    Native, argument, argument_count, number_argument, set_field, set_function, string, string_argument,
};

/// Constants of the library.
const CONSTANTS: &[(&str, &str)] = &[
    ("_NAME", "cmsgpack"),
    ("_VERSION", "lua-cmsgpack 0.4.0"),
    ("_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo"),
    ("_DESCRIPTION", "MessagePack C implementation for Lua"),
];

const FUNCTIONS: &[(&str, Native)] = &[
    ("pack", |state| pack(state).map_err(|refusal| refusal.raise(state))),
    ("unpack", |state| unpack(state, 0, 0, argument_count(state)).map_err(|refusal| refusal.raise(state))),
    ("unpack_one", |state| unpack_one(state).map_err(|refusal| refusal.raise(state))),
    ("unpack_limit", |state| unpack_limit(state).map_err(|refusal| refusal.raise(state))),
];

/// Fills the table of the library.
pub fn open(state: &mut LuaState, table: &GcRef<LuaTable>) -> Result<(), LuaError> {
    for &(name, text) in CONSTANTS {
        let text = string(state, text.as_bytes())?;
        set_field(state, table, name, text)?;
    }
    FUNCTIONS.iter().try_for_each(|&(name, function)| set_function(state, table, name, function))
}

/// `cmsgpack.pack(value, ...)`
fn pack(state: &mut LuaState) -> Result<usize, Refusal> {
    let count = argument_count(state);
    if count == 0 {
        return Err(Refusal::argument(0, "MessagePack pack needs input."));
    }
    let mut out = Vec::new();
    for index in 1..=count {
        encode::value(state, &mut out, argument(state, index), 0)?;
    }
    Ok(push_result(state, &out)?)
}

/// `cmsgpack.unpack_one(text [, offset])`
fn unpack_one(state: &mut LuaState) -> Result<usize, Refusal> {
    let offset = optional_integer(state, 2)?;
    unpack(state, 1, offset, 1)
}

/// `cmsgpack.unpack_limit(text, limit [, offset])`
fn unpack_limit(state: &mut LuaState) -> Result<usize, Refusal> {
    let limit = truncated(number_argument(state, 2)?);
    let offset = optional_integer(state, 3)?;
    unpack(state, limit, offset, 1)
}

fn optional_integer(state: &mut LuaState, index: usize) -> Result<i64, LuaError> {
    match argument(state, index) {
        LuaValue::Nil => Ok(0),
        _ => Ok(truncated(number_argument(state, index)?)),
    }
}

/// Decodes values from an offset on. Without limit and offset all are decoded; else the offset behind the last is the
/// first result, or -1 at the end.
fn unpack(state: &mut LuaState, limit: i64, offset: i64, slots: usize) -> Result<usize, Refusal> {
    let text = string_argument(state, 1)?;
    let text = text.as_bytes();
    // Messages show the lowest 32 bits.
    let shown = offset as i32;
    if offset < 0 || limit < 0 {
        let length = text.len();
        let message = alloc::format!("Invalid request to unpack with offset of {shown} and limit of {length}.");
        return Err(Refusal::Text(message));
    }
    let Some(rest) = usize::try_from(offset).ok().and_then(|offset| text.get(offset..)) else {
        let message = alloc::format!("Start offset {shown} greater than input length {}.", text.len());
        return Err(Refusal::Text(message));
    };
    let all = limit == 0 && offset == 0;
    let limit = if all { usize::MAX } else { usize::try_from(limit).unwrap_or(usize::MAX) };
    let mut decoder = decode::Decoder::new(rest);
    let mut results = Vec::new();
    while !decoder.at_end() && results.len() < limit {
        let value = decoder.value(state, slots + results.len())?;
        results.push(value);
    }
    if !all {
        let next = if decoder.at_end() { -1.0 } else { (text.len() - decoder.left()) as f64 };
        results.insert(0, LuaValue::Float(next));
    }
    push_all(state, &results)
}

fn push_all(state: &mut LuaState, results: &[LuaValue]) -> Result<usize, Refusal> {
    if results.len() > MAX_SLOTS || !api::check_stack(state, results.len() as i32) {
        return Err(Refusal::text("stack overflow (in function mp_unpack_full)"));
    }
    results.iter().for_each(|&value| state.push(value));
    Ok(results.len())
}
