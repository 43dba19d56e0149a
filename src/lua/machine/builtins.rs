//! Functions of Lua that Redis changes: chance, and the loading of text only.

use alloc::rc::Rc;
use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::{LuaCallable, LuaState};

use super::conversion::int;
use super::natives::{
    argument, argument_count, argument_error, charge, closure, error_at_call, field, number_argument, push_string,
    reserve, set_field, set_function, string, string_argument,
};
use super::protection::{callable, wrap};
use crate::lua::charges::checks::check_coroutines;
use crate::lua::charges::compile_costs;
use crate::lua::host::SharedHost;

/// First byte of a compiled chunk.
const BINARY: u8 = 0x1b;
/// Upper bound of the memory that a compiled text takes, for each of its bytes.
const COMPILED_FACTOR: usize = 32;

/// Bytes of the heap for each of which a collection is charged before it.
const UNCHARGED_BYTES: usize = 64;
const BYTES_PER_KILOBYTE: f64 = 1024.0;
/// Instructions that `os.clock` counts as a second.
const INSTRUCTIONS_PER_SECOND: f64 = 1e8;

/// Replaces functions of the standard libraries.
pub fn replace(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    wrap(state, globals, "loadstring", check_text)?;
    if let Some(loadstring) = callable(state, globals, "loadstring")? {
        let function = closure(state, Rc::new(move |state| load(state, &loadstring)));
        set_field(state, globals, "load", function)?;
    }
    if let Some(original) = callable(state, globals, "collectgarbage")? {
        let function = closure(state, Rc::new(move |state| collect_garbage(state, &original)));
        set_field(state, globals, "collectgarbage", function)?;
    }
    if let LuaValue::Table(coroutines) = field(state, globals, "coroutine")? {
        for name in ["create", "wrap"] {
            wrap(state, &coroutines, name, check_coroutines)?;
        }
    }
    let os = state.new_table();
    set_function(state, &os, "clock", clock)?;
    set_field(state, globals, "os", LuaValue::Table(os))
}

/// Replaces the functions of chance by those of the engine's generator.
pub fn replace_random(state: &mut LuaState, globals: &GcRef<LuaTable>, host: &SharedHost) -> Result<(), LuaError> {
    if let LuaValue::Table(math) = field(state, globals, "math")? {
        let (shared, host) = (host.clone(), host.clone());
        let function = closure(state, Rc::new(move |state| random(state, &shared)));
        set_field(state, &math, "random", function)?;
        let function = closure(state, Rc::new(move |state| seed(state, &host)));
        set_field(state, &math, "randomseed", function)?;
    }
    Ok(())
}

/// Charges the work of compiling a text, and reserves the memory of the result.
pub fn check_compilation(state: &LuaState, text: &[u8]) -> Result<(), LuaError> {
    reserve(state, text.len().saturating_mul(COMPILED_FACTOR))?;
    charge(state, compile_costs::work(text))
}

/// Charges the text. A compiled chunk is read as text, too, and refused as such: a space in front hides its first byte
/// from the machine. The name of the chunk stays the whole text.
fn check_text(state: &mut LuaState) -> Result<(), LuaError> {
    let text = string_argument(state, 1)?;
    check_compilation(state, text.as_bytes())?;
    if text.as_bytes().first() == Some(&BINARY) {
        // A name in C ends at a zero byte.
        let shown = text.as_bytes().split(|&byte| byte == 0).next().unwrap_or_default();
        let name = if argument(state, 2) == LuaValue::Nil { string(state, shown)? } else { argument(state, 2) };
        let spaced = string(state, &[b" ", text.as_bytes()].concat())?;
        state.set_top(state.current_call_info().func + 1);
        state.push(spaced);
        state.push(name);
    }
    Ok(())
}

/// `load(function [, name])`: the pieces that the function returns, loaded as one text.
fn load(state: &mut LuaState, loadstring: &LuaCallable) -> Result<usize, LuaError> {
    let (reader @ LuaValue::Function(_), name) = (argument(state, 1), argument(state, 2)) else {
        return Err(super::natives::type_error(state, 1, "function"));
    };
    let mut text = Vec::new();
    loop {
        state.push(reader);
        let called = state.top_idx() - 1;
        state.call_no_yield(called, 1)?;
        match state.pop() {
            LuaValue::Str(piece) if !piece.is_empty() => {
                reserve(state, text.len() + piece.len())?;
                text.extend_from_slice(piece.as_bytes());
            }
            LuaValue::Str(_) | LuaValue::Nil => break,
            _ => return Err(LuaError::runtime(format_args!("reader function must return a string"))),
        }
    }
    let first = state.current_call_info().func + 1;
    state.set_top(first);
    push_string(state, &text)?;
    let name = if name == LuaValue::Nil { string(state, b"=(load)")? } else { name };
    state.push(name);
    loadstring.call(state)
}

/// `collectgarbage([option])`: a collection charges itself (`collections`); options that change the collector have no effect.
fn collect_garbage(state: &mut LuaState, original: &LuaCallable) -> Result<usize, LuaError> {
    let option = if argument_count(state) == 0 { None } else { Some(string_argument(state, 1)?) };
    match option.as_ref().map_or(&b"collect"[..], |option| option.as_bytes()) {
        b"setpause" | b"setstepmul" | b"stop" | b"restart" => {
            state.push(LuaValue::Float(0.0));
            Ok(1)
        }
        // The library's looks for all stacks in the heap first, however little there is to count.
        b"count" => {
            let bytes = state.global().total_bytes();
            state.push(LuaValue::Float(bytes as f64 / BYTES_PER_KILOBYTE));
            Ok(1)
        }
        option @ (b"collect" | b"step") => {
            // Calls that are nested too deep leave no room for the collection's own charge.
            let bytes = state.global().total_bytes();
            charge(state, bytes / UNCHARGED_BYTES)?;
            // A step of the machine's collector frees strings that are in use (lua-vm 0.7.1), a whole collection does not.
            let is_step = option == b"step";
            state.set_top(state.current_call_info().func + 1);
            let results = original.call(state)?;
            if is_step {
                state.push(LuaValue::Bool(true));
            }
            Ok(if is_step { 1 } else { results })
        }
        // An error, of which the message is made after the stacks were looked for.
        _ => {
            let bytes = state.global().total_bytes();
            charge(state, bytes / UNCHARGED_BYTES)?;
            original.call(state)
        }
    }
}

/// `os.clock()`: seconds that the script took, by its instructions.
fn clock(state: &mut LuaState) -> Result<usize, LuaError> {
    let instructions = state.sandbox_instr_limit() - state.sandbox_instr_remaining();
    state.push(LuaValue::Float(instructions as f64 / INSTRUCTIONS_PER_SECOND));
    Ok(1)
}

/// `math.random([[least,] greatest])`
fn random(state: &mut LuaState, host: &SharedHost) -> Result<usize, LuaError> {
    let fraction = f64::from(host.borrow_mut().draw() % i32::MAX as u32) / f64::from(i32::MAX);
    let number = match argument_count(state) {
        0 => fraction,
        1 => {
            let greatest = int(number_argument(state, 1)?);
            if greatest < 1 {
                return Err(argument_error(state, 1, "interval is empty"));
            }
            libm::floor(fraction * f64::from(greatest)) + 1.0
        }
        2 => {
            let (least, greatest) = (int(number_argument(state, 1)?), int(number_argument(state, 2)?));
            if least > greatest {
                return Err(argument_error(state, 2, "interval is empty"));
            }
            // Sums of `int` wrap around on the processors that Redis runs on.
            let count = greatest.wrapping_sub(least).wrapping_add(1);
            libm::floor(fraction * f64::from(count)) + f64::from(least)
        }
        _ => return Err(error_at_call(state, b"wrong number of arguments")),
    };
    state.push(LuaValue::Float(number));
    Ok(1)
}

/// `math.randomseed(seed)`
fn seed(state: &mut LuaState, host: &SharedHost) -> Result<usize, LuaError> {
    let seed = int(number_argument(state, 1)?);
    host.borrow_mut().seed_random(seed.cast_unsigned());
    Ok(0)
}
