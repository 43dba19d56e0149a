//! Coroutines of scripts, as Lua 5.1 has them. The script itself runs on a thread, too, which is none of its coroutines.
//! When a slice ends in a coroutine, each thread that resumed it is left as well, and resumes it again later.

use alloc::rc::Rc;
use core::cell::{Cell, RefCell};

use lua_stdlib::coro_lib;
use lua_types::closure::LuaCClosure;
use lua_types::{GcRef, LuaClosure, LuaError, LuaTable, LuaValue};
use lua_vm::do_::lua_yieldk;
use lua_vm::state::{LuaCallable, LuaState};

use super::natives::{charge, closure, error_at_call, field, set_field};
use super::protection::callable;
use super::suspension::{SharedSuspension, Suspension};
use crate::lua::charges::rates::COROUTINE;

/// Function in place of one of the library, which it is given.
type Replacement = fn(&mut LuaState, &LuaCallable, &SharedSuspension) -> Result<usize, LuaError>;

/// Replaces functions of the library `coroutine`.
pub fn replace(state: &mut LuaState, globals: &GcRef<LuaTable>, suspension: &SharedSuspension) -> Result<(), LuaError> {
    let LuaValue::Table(library) = field(state, globals, "coroutine")? else { return Ok(()) };
    if let Some(original) = callable(state, &library, "wrap")? {
        let shared = suspension.clone();
        let LuaValue::Function(LuaClosure::LightC(resume)) =
            closure(state, Rc::new(move |state| resume_wrapped(state, &shared)))
        else {
            return Ok(());
        };
        let (shared, inner) = (suspension.clone(), Cell::new(None));
        let function = closure(state, Rc::new(move |state| wrap(state, &original, (resume, &inner), &shared)));
        set_field(state, &library, "wrap", function)?;
    }
    let replacements: [(_, Replacement); 4] =
        [("create", create), ("resume", resume), ("running", running), ("yield", yield_values)];
    for (name, replacement) in replacements {
        if let Some(original) = callable(state, &library, name)? {
            let shared = suspension.clone();
            let function = closure(state, Rc::new(move |state| replacement(state, &original, &shared)));
            set_field(state, &library, name, function)?;
        }
    }
    Ok(())
}

/// `coroutine.create(function)`
fn create(state: &mut LuaState, original: &LuaCallable, suspension: &SharedSuspension) -> Result<usize, LuaError> {
    charge(state, COROUTINE)?;
    let results = original.call(state)?;
    let created = state.get_at(state.top_idx() - 1);
    watch(state, &created, suspension);
    Ok(results)
}

/// Installs the hook, which a new thread does not inherit.
fn watch(state: &LuaState, thread: &LuaValue, suspension: &SharedSuspension) {
    let LuaValue::Thread(thread) = thread else { return };
    let entry = state.global().threads.get(&thread.id).map(|entry| entry.state.clone());
    if let Some(entry) = entry
        && let Ok(mut thread) = entry.try_borrow_mut()
    {
        suspension.watch(&mut thread);
    }
}

/// `coroutine.running()`: nil outside coroutines.
fn running(state: &mut LuaState, original: &LuaCallable, suspension: &SharedSuspension) -> Result<usize, LuaError> {
    if !suspension.runs_script(state) {
        return original.call(state);
    }
    state.push(LuaValue::Nil);
    Ok(1)
}

/// `coroutine.yield(...)`
fn yield_values(
    state: &mut LuaState,
    original: &LuaCallable,
    suspension: &SharedSuspension,
) -> Result<usize, LuaError> {
    if suspension.runs_script(state) {
        return Err(LuaError::runtime(format_args!("attempt to yield across metamethod/C-call boundary")));
    }
    original.call(state)
}

/// `coroutine.resume(coroutine, ...)`
fn resume(state: &mut LuaState, original: &LuaCallable, suspension: &SharedSuspension) -> Result<usize, LuaError> {
    let entered = suspension.enter(state);
    let results = original.call(state);
    suspension.leave(entered);
    if suspension.is_suspended() { leave(state, 1) } else { results }
}

/// `coroutine.wrap(function)`. The result has the coroutine and the function that resumes it as its own values. The machine
/// registers that function anew at each call, so that it is called once only.
fn wrap(
    state: &mut LuaState,
    original: &LuaCallable,
    (resume, inner): (usize, &Cell<Option<usize>>),
    suspension: &SharedSuspension,
) -> Result<usize, LuaError> {
    charge(state, COROUTINE)?;
    let function = match inner.get() {
        Some(function) => {
            coro_lib::co_create(state)?;
            function
        }
        None => {
            original.call(state)?;
            let LuaValue::Function(LuaClosure::C(closure)) = state.pop() else {
                return Err(error_at_call(state, b"coroutine expected"));
            };
            inner.set(Some(closure.func));
            let created = closure.upvalues.borrow().first().copied().unwrap_or(LuaValue::Nil);
            state.push(created);
            closure.func
        }
    };
    let created = state.pop();
    watch(state, &created, suspension);
    let values = alloc::vec![created, LuaValue::Float(function as f64)];
    let outer = GcRef::new(LuaCClosure { func: resume, upvalues: RefCell::new(values) });
    outer.account_buffer(outer.buffer_bytes() as isize);
    state.gc_check_needed = true;
    state.push(LuaValue::Function(LuaClosure::C(outer)));
    Ok(1)
}

/// Resumes a coroutine of `wrap`: errors of the coroutine get the line that resumed it in front.
fn resume_wrapped(state: &mut LuaState, suspension: &Suspension) -> Result<usize, LuaError> {
    let own = state.get_at(state.current_call_info().func);
    let LuaValue::Function(LuaClosure::C(own)) = own else { return Ok(0) };
    let Some(&LuaValue::Float(inner)) = own.upvalues.borrow().last() else { return Ok(0) };
    let Some(inner) = state.global().c_functions.get(inner as usize).cloned() else { return Ok(0) };
    let entered = suspension.enter(state);
    let results = inner.call(state);
    suspension.leave(entered);
    if suspension.is_suspended() {
        return leave(state, 0);
    }
    results.map_err(|error| match error {
        LuaError::Runtime(LuaValue::Str(text)) if !state.sandbox_aborting() => error_at_call(state, text.as_bytes()),
        other => other,
    })
}

/// Leaves the running thread, too, with the first arguments of the function.
fn leave(state: &mut LuaState, arguments: i32) -> Result<usize, LuaError> {
    let first = state.current_call_info().func + 1;
    state.set_top(first + arguments);
    lua_yieldk(state, 0, 0, Some(call_again)).map(|_| 0)
}

/// Calls the function of the present frame again.
fn call_again(state: &mut LuaState, _: i32, _: isize) -> Result<usize, LuaError> {
    let index = match state.get_at(state.current_call_info().func) {
        LuaValue::Function(LuaClosure::LightC(index)) => index,
        LuaValue::Function(LuaClosure::C(own)) => own.func,
        _ => return Ok(0),
    };
    let Some(function) = state.global().c_functions.get(index).cloned() else { return Ok(0) };
    function.call(state)
}
