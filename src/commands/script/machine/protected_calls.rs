//! `pcall` and `xpcall`. A script may be suspended within them. What ends a script, such as its limits, is not caught.

use alloc::rc::Rc;

use lua_types::{GcRef, LuaError, LuaStatus, LuaTable, LuaValue};
use lua_vm::api;
use lua_vm::state::LuaState;

use super::natives::{argument, argument_count, charge, closure, field, set_field, type_error};
use super::rates::{ERROR, FRAME, HANDLED_ERROR, LIBRARY_CALL, STACK_VALUES};

/// Number of results that means all of them.
const ALL_RESULTS: i32 = -1;

/// Replaces `pcall` and `xpcall`.
pub fn replace(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    for (name, function) in [("pcall", call as fn(&mut LuaState) -> _), ("xpcall", call_with_handler)] {
        let function = closure(state, Rc::new(function));
        set_field(state, globals, name, function)?;
    }
    Ok(())
}

/// `pcall(function, ...)`: an error of a command, which is a table, is returned as its text.
fn call(state: &mut LuaState) -> Result<usize, LuaError> {
    if argument_count(state) == 0 {
        // Redis calls its own first result then.
        state.push(LuaValue::Bool(true));
    }
    state.push(LuaValue::Bool(true));
    api::rotate(state, 1, 1);
    let count = argument_count(state) as i32 - 2;
    let results = protect(state, count, 0)?;
    worded(state, results)
}

/// `xpcall(function, handler)`
fn call_with_handler(state: &mut LuaState) -> Result<usize, LuaError> {
    let LuaValue::Function(_) = argument(state, 2) else { return Err(type_error(state, 2, "function")) };
    let first = state.current_call_info().func + 1;
    state.set_top(first + 2);
    state.push(LuaValue::Bool(true));
    state.push(argument(state, 1));
    protect(state, 0, 2)
}

/// Calls a function with `count` arguments, behind the value `true`. `handler` is the index of the message handler, or 0.
fn protect(state: &mut LuaState, count: i32, handler: i32) -> Result<usize, LuaError> {
    charge(state, LIBRARY_CALL)?;
    let is_yieldable = state.is_yieldable();
    let next = if handler == 0 { go_on_worded } else { go_on };
    match api::pcall_k(state, count, ALL_RESULTS, handler, handler as isize, Some(next)) {
        Ok(_) => go_on(state, LuaStatus::Ok as i32, handler as isize),
        // The thread finds the innermost protected call, and goes on behind it.
        Err(error) if is_yieldable || state.sandbox_aborting() => Err(error),
        Err(error) => {
            state.push(error.into_value());
            go_on(state, LuaStatus::ErrRun as i32, handler as isize)
        }
    }
}

/// Returns the results of a call that ended. On an error its value is on the top of the stack.
fn go_on(state: &mut LuaState, status: i32, arguments_before: isize) -> Result<usize, LuaError> {
    if status == LuaStatus::Ok as i32 || status == LuaStatus::Yield as i32 {
        return Ok(argument_count(state) - arguments_before as usize);
    }
    let error = state.pop();
    if state.sandbox_aborting() {
        return Err(LuaError::Runtime(error));
    }
    // The machine looks at all frames and at the stack after an error. A handler may fail itself, which it tries some times.
    let depth = state.current_ci_idx().as_usize() * FRAME + state.stack.len() / STACK_VALUES;
    charge(state, depth + if arguments_before == 0 { ERROR } else { HANDLED_ERROR })?;
    state.push(LuaValue::Bool(false));
    state.push(error);
    Ok(2)
}

fn go_on_worded(state: &mut LuaState, status: i32, arguments_before: isize) -> Result<usize, LuaError> {
    let results = go_on(state, status, arguments_before)?;
    worded(state, results)
}

/// Replaces the table of an error by its text.
fn worded(state: &mut LuaState, results: usize) -> Result<usize, LuaError> {
    let first = state.top_idx() - results as i32;
    if results == 2
        && let (LuaValue::Bool(false), LuaValue::Table(error)) = (state.get_at(first), state.get_at(first + 1))
        && let text @ LuaValue::Str(_) = field(state, &error, "err")?
    {
        state.set_at(first + 1, text);
    }
    Ok(results)
}
