//! `pcall` and `xpcall`. A script may be suspended within them. What ends a script, such as its limits, is not caught.

use alloc::rc::Rc;

use lua_types::{GcRef, LuaError, LuaStatus, LuaTable, LuaValue};
use lua_vm::api;
use lua_vm::state::LuaState;

use super::natives::{argument, argument_count, charge, closure, field, set_field, type_error};
use crate::lua::charges::rates::{ERROR, FRAME, HANDLED_ERROR, LIBRARY_CALL, STACK_VALUES};

/// Number of results that means all of them.
const ALL_RESULTS: i32 = -1;
/// Protected calls within each other. The machine limits calls of Rust within each other to as many, but it counts anew behind
/// an error: without a limit of their own they would be as deep as the stack, and what ends a script passes each.
const DEPTH_MAX: usize = 64;
/// Flag of a frame that calls something protected, and may be left.
const IS_PROTECTED: u16 = 1 << 4;
/// Numbers that a continuation is given: those of its arguments below the result, and its depth above that.
const DEPTH_UNIT: usize = 4;

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
    let depth = depth(state)?;
    if depth > DEPTH_MAX {
        return Err(LuaError::runtime(format_args!("C stack overflow")));
    }
    let is_yieldable = state.is_yieldable();
    let next = if handler == 0 { go_on_worded } else { go_on };
    let context = handler as isize + (depth * DEPTH_UNIT) as isize;
    match api::pcall_k(state, count, ALL_RESULTS, handler, context, Some(next)) {
        Ok(_) => go_on(state, LuaStatus::Ok as i32, context),
        // The thread finds the innermost protected call, and goes on behind it.
        Err(error) if is_yieldable || state.sandbox_aborting() => Err(error),
        Err(error) => {
            state.push(error.into_value());
            go_on(state, LuaStatus::ErrRun as i32, context)
        }
    }
}

/// Depth of a protected call that begins: one more than that around it. The frames between them are looked at.
fn depth(state: &LuaState) -> Result<usize, LuaError> {
    let mut frames = 0;
    let mut next = state.current_call_info().previous;
    while let Some(index) = next {
        let frame = state.get_ci(index);
        if frame.callstatus & IS_PROTECTED != 0 {
            charge(state, frames)?;
            return Ok(frame.u.ctx as usize / DEPTH_UNIT + 1);
        }
        frames += 1;
        next = frame.previous;
    }
    charge(state, frames)?;
    Ok(1)
}

/// Returns the results of a call that ended. On an error its value is on the top of the stack.
fn go_on(state: &mut LuaState, status: i32, context: isize) -> Result<usize, LuaError> {
    let arguments_before = context as usize % DEPTH_UNIT;
    if status == LuaStatus::Ok as i32 || status == LuaStatus::Yield as i32 {
        return Ok(argument_count(state) - arguments_before);
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

fn go_on_worded(state: &mut LuaState, status: i32, context: isize) -> Result<usize, LuaError> {
    let results = go_on(state, status, context)?;
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
