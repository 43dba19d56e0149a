//! `coroutine.wrap` of Lua 5.1: errors of the coroutine get the line that resumed it in front.

use alloc::rc::Rc;
use core::cell::RefCell;

use lua_types::closure::LuaCClosure;
use lua_types::{GcRef, LuaClosure, LuaError, LuaTable, LuaValue};
use lua_vm::state::{LuaCallable, LuaState};

use super::natives::{closure, error_at_call, field, set_field};
use super::protection::callable;

/// Replaces `coroutine.wrap`.
pub fn replace(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    let LuaValue::Table(library) = field(state, globals, "coroutine")? else { return Ok(()) };
    let Some(original) = callable(state, &library, "wrap")? else { return Ok(()) };
    let resume = state.register_c_function(resume, true);
    let function = closure(state, Rc::new(move |state| wrap(state, &original, resume)));
    set_field(state, &library, "wrap", function)
}

/// `coroutine.wrap(function)`. The result has the coroutine and the function that resumes it as its own values.
fn wrap(state: &mut LuaState, original: &LuaCallable, resume: usize) -> Result<usize, LuaError> {
    original.call(state)?;
    let LuaValue::Function(LuaClosure::C(inner)) = state.pop() else {
        return Err(error_at_call(state, b"coroutine expected"));
    };
    let mut values = inner.upvalues.borrow().clone();
    values.push(LuaValue::Float(inner.func as f64));
    let outer = GcRef::new(LuaCClosure { func: resume, upvalues: RefCell::new(values) });
    outer.account_buffer(outer.buffer_bytes() as isize);
    state.gc_check_needed = true;
    state.push(LuaValue::Function(LuaClosure::C(outer)));
    Ok(1)
}

/// Resumes a coroutine.
fn resume(state: &mut LuaState) -> Result<usize, LuaError> {
    let own = state.get_at(state.current_call_info().func);
    let LuaValue::Function(LuaClosure::C(own)) = own else { return Ok(0) };
    let Some(&LuaValue::Float(inner)) = own.upvalues.borrow().last() else { return Ok(0) };
    let Some(inner) = state.global().c_functions.get(inner as usize).cloned() else { return Ok(0) };
    inner.call(state).map_err(|error| match error {
        LuaError::Runtime(LuaValue::Str(text)) if !state.sandbox_aborting() => error_at_call(state, text.as_bytes()),
        other => other,
    })
}
