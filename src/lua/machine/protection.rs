//! Tables that scripts can read only. Lua has no flag for that here: a protected table is an empty table in front of the
//! real one. Its metatable reads from the real table and refuses writes. Functions that pass by metatables, such as
//! `rawset` and `next`, are replaced by ones that know protected tables.

use alloc::rc::Rc;

use lua_types::{GcRef, LuaClosure, LuaError, LuaTable, LuaValue};
use lua_vm::state::{LuaCallable, LuaState};

use super::natives::{
    argument, argument_count, argument_error, closure, error_at_call, field, set, set_field, set_function, string,
    table_argument,
};

/// Key of the real table in the metatable of a protected one: a pointer, which scripts cannot make.
const REAL: LuaValue = LuaValue::LightUserData(core::ptr::without_provenance_mut(1));

const READ_ONLY: &str = "Attempt to modify a readonly table";

/// Returns a protected table in front of a table.
pub fn protect(state: &mut LuaState, real: &GcRef<LuaTable>) -> Result<LuaValue, LuaError> {
    // The table that `getmetatable` returns is protected, too, and empty.
    let nothing = state.new_table();
    let shown = front_of(state, &nothing, LuaValue::Bool(false))?;
    front_of(state, real, shown)
}

fn front_of(state: &mut LuaState, real: &GcRef<LuaTable>, shown: LuaValue) -> Result<LuaValue, LuaError> {
    let (front, metatable) = (state.new_table(), state.new_table());
    set_field(state, &metatable, "__index", LuaValue::Table(*real))?;
    set_function(state, &metatable, "__newindex", refuse_write)?;
    set_field(state, &metatable, "__metatable", shown)?;
    set(state, &metatable, REAL, LuaValue::Table(*real))?;
    front.set_metatable(Some(metatable));
    Ok(LuaValue::Table(front))
}

/// Real table behind a protected one.
pub fn real_of(table: &GcRef<LuaTable>) -> Option<GcRef<LuaTable>> {
    match table.metatable()?.get(&REAL) {
        LuaValue::Table(real) => Some(real),
        _ => None,
    }
}

fn refuse_write(state: &mut LuaState) -> Result<usize, LuaError> {
    Err(error_at_call(state, READ_ONLY.as_bytes()))
}

/// Guards the functions that write or iterate without metamethods.
pub fn guard_functions(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    for name in ["rawset", "setmetatable"] {
        wrap(state, globals, name, refuse_protected)?;
    }
    wrap(state, globals, "setmetatable", check_metatable)?;
    for name in ["rawget", "next"] {
        wrap(state, globals, name, read_real)?;
    }
    let next = field(state, globals, "next")?;
    let pairs = closure(state, Rc::new(move |state| pairs(state, next)));
    set_field(state, globals, "pairs", pairs)?;
    if let LuaValue::Table(table) = field(state, globals, "table")? {
        for name in ["insert", "remove", "sort", "setn"] {
            wrap(state, &table, name, refuse_protected)?;
        }
        for name in ["foreach", "foreachi"] {
            wrap(state, &table, name, read_real)?;
        }
    }
    Ok(())
}

/// Puts a check in front of a function of the standard libraries.
pub fn wrap(
    state: &mut LuaState,
    table: &GcRef<LuaTable>,
    name: &str,
    check: fn(&mut LuaState) -> Result<(), LuaError>,
) -> Result<(), LuaError> {
    let Some(original) = callable(state, table, name)? else { return Ok(()) };
    let wrapped = closure(
        state,
        Rc::new(move |state| {
            check(state)?;
            original.call(state).map_err(|error| located(state, error))
        }),
    );
    set_field(state, table, name, wrapped)
}

/// Error with the line of the call in front, where the machine leaves it out.
fn located(state: &LuaState, error: LuaError) -> LuaError {
    let LuaError::RuntimeMsg(text) = &error else { return error };
    let line = error_at_call(state, b"");
    let has_line = matches!(line, LuaError::Runtime(LuaValue::Str(line)) if text.starts_with(line.as_bytes()));
    if has_line || state.sandbox_aborting() { error } else { error_at_call(state, text) }
}

/// The function of a field, if it belongs to the standard libraries.
pub fn callable(state: &mut LuaState, table: &GcRef<LuaTable>, name: &str) -> Result<Option<LuaCallable>, LuaError> {
    match field(state, table, name)? {
        LuaValue::Function(LuaClosure::LightC(index)) => Ok(state.global().c_functions.get(index).cloned()),
        _ => Ok(None),
    }
}

/// Refuses to change a protected table.
fn refuse_protected(state: &mut LuaState) -> Result<(), LuaError> {
    match argument(state, 1) {
        // The error of a library's function has no line in front.
        LuaValue::Table(table) if real_of(&table).is_some() => {
            Err(LuaError::Runtime(string(state, READ_ONLY.as_bytes())?))
        }
        _ => Ok(()),
    }
}

/// Refuses a metatable that is none, in the words of Lua 5.1.
fn check_metatable(state: &mut LuaState) -> Result<(), LuaError> {
    table_argument(state, 1)?;
    match argument(state, 2) {
        LuaValue::Table(_) => Ok(()),
        LuaValue::Nil if argument_count(state) > 1 => Ok(()),
        _ => Err(argument_error(state, 2, "nil or table expected")),
    }
}

/// Replaces a protected table by the real one, for functions that only read.
fn read_real(state: &mut LuaState) -> Result<(), LuaError> {
    if let LuaValue::Table(table) = argument(state, 1)
        && let Some(real) = real_of(&table)
    {
        let first = state.current_call_info().func + 1;
        state.set_at(first, LuaValue::Table(real));
    }
    Ok(())
}

/// `pairs(table)`
fn pairs(state: &mut LuaState, next: LuaValue) -> Result<usize, LuaError> {
    let table = table_argument(state, 1)?;
    for value in [next, LuaValue::Table(table), LuaValue::Nil] {
        state.push(value);
    }
    Ok(3)
}
