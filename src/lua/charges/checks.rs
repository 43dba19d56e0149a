//! Checks in front of functions of Lua's libraries: numbers as Lua 5.1 reads them, and memory before it is taken.

use core::mem::{size_of, size_of_val};
use core::ops::RangeInclusive;

use lua_types::{LuaError, LuaValue};
use lua_vm::api;
use lua_vm::state::{CallInfo, LuaState};

use super::rates::{CHANGED_BYTES, CONVERSION, COPIED_BYTES, CREATION, LONG_NUMBER, MOVED_ELEMENT};
use crate::lua::machine::conversion::int;
use crate::lua::machine::natives::{argument, argument_count, charge, memory_limit, reserve};

/// Numbers between these are written in a few digits.
const PLAIN_MIN: f64 = 1e-20;
const PLAIN_MAX: f64 = 1e20;

/// Number of coroutines that are made between two checks of their memory.
const COROUTINES_A_CHECK: usize = 16;

/// Upper bound of the characters that a format adds to an argument: a width or precision of two digits each.
const FORMAT_BYTES: usize = 512;
/// Upper bound of the characters of `%q` for one of its argument.
const QUOTED_FACTOR: usize = 4;

/// Casts arguments to integers of C, where they are numbers: Lua 5.1 does, and later versions refuse what is no integer.
pub fn cast(state: &mut LuaState, indices: RangeInclusive<usize>) -> Result<(), LuaError> {
    let base = state.current_call_info().func;
    for index in indices {
        if index <= argument_count(state)
            && let Some(number) = api::to_number_x(state, index as i32)
        {
            state.set_at(base + index as i32, LuaValue::Float(int(number).into()));
        }
    }
    Ok(())
}

/// Checks the memory of coroutines, before one more is made: the machine counts neither their stacks nor their frames. If
/// it exceeds the limit, unused coroutines are freed first.
pub fn check_coroutines(state: &mut LuaState) -> Result<(), LuaError> {
    if !state.global().threads.len().is_multiple_of(COROUTINES_A_CHECK) {
        return Ok(());
    }
    if state.global().total_bytes() + coroutine_bytes(state) > memory_limit(state) {
        state.gc_clear_dead_stack_tails();
        state.gc().full_collect();
    }
    reserve(state, coroutine_bytes(state))
}

fn coroutine_bytes(state: &LuaState) -> usize {
    let bytes = |thread: &LuaState| {
        size_of::<LuaState>() + size_of_val(&thread.stack[..]) + thread.call_info.capacity() * size_of::<CallInfo>()
    };
    // A coroutine that runs is borrowed; its stack is one of a few.
    state.global().threads.values().filter_map(|entry| Some(bytes(&*entry.state.try_borrow().ok()?))).sum()
}

/// Reserves the length of a copy of the first argument, and charges it.
pub fn check_copy(state: &mut LuaState) -> Result<(), LuaError> {
    match argument(state, 1) {
        LuaValue::Str(text) => {
            reserve(state, text.len())?;
            charge(state, CREATION + text.len() / CHANGED_BYTES)
        }
        _ => Ok(()),
    }
}

/// Reserves the longest result of `string.format`, and charges its items.
pub fn check_format(state: &mut LuaState) -> Result<(), LuaError> {
    let (mut bytes, mut work): (usize, usize) = (0, 0);
    for index in 1..=argument_count(state) {
        let (own, own_work) = match argument(state, index) {
            LuaValue::Str(text) => (text.len().saturating_mul(QUOTED_FACTOR), text.len() / CHANGED_BYTES),
            LuaValue::Float(number) if !(PLAIN_MIN..PLAIN_MAX).contains(&number.abs()) && number != 0.0 => {
                (0, LONG_NUMBER)
            }
            _ => (0, CONVERSION),
        };
        bytes = bytes.saturating_add(own).saturating_add(FORMAT_BYTES);
        work = work.saturating_add(own_work);
    }
    charge(state, work)?;
    reserve(state, bytes)
}

/// Reserves the result of `table.concat`, and charges its elements.
pub fn check_concat(state: &mut LuaState) -> Result<(), LuaError> {
    let LuaValue::Table(table) = argument(state, 1) else { return Ok(()) };
    let separator = match argument(state, 2) {
        LuaValue::Str(text) => text.len(),
        _ => FORMAT_BYTES,
    };
    let first = optional_number(state, 3).unwrap_or(1.0);
    let last = optional_number(state, 4).unwrap_or_else(|| table.getn() as f64);
    let (mut bytes, mut index) = (0_usize, first);
    while index <= last {
        let own = match table.get(&LuaValue::Float(index)) {
            LuaValue::Str(text) => text.len(),
            LuaValue::Float(_) | LuaValue::Int(_) => FORMAT_BYTES,
            // The function reports the element.
            _ => break,
        };
        bytes = bytes.saturating_add(own).saturating_add(separator);
        index += 1.0;
    }
    charge(state, ((index - first) as usize).saturating_mul(MOVED_ELEMENT))?;
    charge(state, bytes / COPIED_BYTES)?;
    reserve(state, bytes)
}

fn optional_number(state: &LuaState, index: usize) -> Option<f64> {
    match argument(state, index) {
        LuaValue::Float(number) => Some(number),
        LuaValue::Int(number) => Some(number as f64),
        _ => None,
    }
}
