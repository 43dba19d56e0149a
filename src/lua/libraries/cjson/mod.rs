//! JSON, as lua-cjson reads and writes it: the module's functions and their settings.

mod decode;
mod encode;
mod number;
mod settings;
mod token;

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::any::Any;
use core::cell::{Cell, RefCell};

use lua_types::closure::LuaCClosure;
use lua_types::{GcRef, LuaClosure, LuaError, LuaTable, LuaUserData, LuaValue};
use lua_vm::state::LuaState;

use self::settings::{DEFAULTS, InvalidNumbers, Settings, null};
use super::output::push_result;
use super::refusal::Refusal;
use crate::lua::machine::conversion::int;
use crate::lua::machine::natives::{
    Native, argument, argument_count, number_argument, set_field, string, string_argument,
};

const FUNCTIONS: &[(&str, Native)] = &[
    ("encode", |state| encode(state).map_err(|refusal| refusal.raise(state))),
    ("decode", |state| decode(state).map_err(|refusal| refusal.raise(state))),
    ("encode_sparse_array", |state| configure(state, 3, sparse_array)),
    ("encode_max_depth", |state| {
        configure(state, 1, |state, settings| integer(state, 1, 1, i32::MAX, &mut settings.encode_max_depth))
    }),
    ("decode_max_depth", |state| {
        configure(state, 1, |state, settings| integer(state, 1, 1, i32::MAX, &mut settings.decode_max_depth))
    }),
    ("encode_number_precision", |state| {
        configure(state, 1, |state, settings| integer(state, 1, 1, 14, &mut settings.precision))
    }),
    ("encode_keep_buffer", |state| configure(state, 1, |state, settings| switch(state, &mut settings.keep_buffer))),
    ("encode_invalid_numbers", |state| configure(state, 1, encode_invalid_numbers)),
    ("decode_invalid_numbers", |state| {
        configure(state, 1, |state, settings| switch(state, &mut settings.decode_invalid))
    }),
    ("new", |state| {
        let table = state.new_table();
        open(state, &table)?;
        state.push(LuaValue::Table(table));
        Ok(1)
    }),
];

/// Fills the table of the library, with settings of its own.
pub fn open(state: &mut LuaState, table: &GcRef<LuaTable>) -> Result<(), LuaError> {
    let settings: Rc<dyn Any> = Rc::new(Cell::new(DEFAULTS));
    let settings = LuaValue::UserData(GcRef::new(LuaUserData {
        data: Box::new([]),
        uv: RefCell::new(Vec::new()),
        metatable: RefCell::new(None),
        host_value: RefCell::new(Some(settings)),
    }));
    for &(name, function) in FUNCTIONS {
        let func = state.register_c_function(function, true);
        let function = GcRef::new(LuaCClosure { func, upvalues: RefCell::new(alloc::vec![settings]) });
        set_field(state, table, name, LuaValue::Function(LuaClosure::C(function)))?;
    }
    set_field(state, table, "null", null())?;
    for (name, text) in [("_NAME", "cjson"), ("_VERSION", "2.1.0")] {
        let text = string(state, text.as_bytes())?;
        set_field(state, table, name, text)?;
    }
    Ok(())
}

/// Runs with the settings of the module of the running function.
fn with_settings<R>(state: &LuaState, run: impl FnOnce(&Cell<Settings>) -> R) -> Option<R> {
    let LuaValue::Function(LuaClosure::C(function)) = state.get_at(state.current_call_info().func) else {
        return None;
    };
    let Some(&LuaValue::UserData(data)) = function.upvalues.borrow().first() else {
        return None;
    };
    let value = data.host_value()?;
    value.downcast_ref::<Cell<Settings>>().map(run)
}

fn settings(state: &LuaState) -> Settings {
    with_settings(state, Cell::get).unwrap_or(DEFAULTS)
}

fn encode(state: &mut LuaState) -> Result<usize, Refusal> {
    if argument_count(state) != 1 {
        return Err(Refusal::argument(1, "expected 1 argument"));
    }
    let text = encode::Encoder::new(state, settings(state)).encode(argument(state, 1))?;
    Ok(push_result(state, &text)?)
}

fn decode(state: &mut LuaState) -> Result<usize, Refusal> {
    if argument_count(state) != 1 {
        return Err(Refusal::argument(1, "expected 1 argument"));
    }
    let text = string_argument(state, 1)?;
    let value = decode::decode(state, text.as_bytes(), settings(state))?;
    state.push(value);
    Ok(1)
}

/// Runs a function that shows and changes settings. What is set before an argument is refused stays set.
fn configure(
    state: &mut LuaState,
    arguments: usize,
    change: fn(&mut LuaState, &mut Settings) -> Result<usize, Refusal>,
) -> Result<usize, LuaError> {
    if argument_count(state) > arguments {
        return Err(Refusal::argument(arguments + 1, "found too many arguments").raise(state));
    }
    let mut changed = settings(state);
    // Pushed results would become arguments: the function pushes them at its end.
    let result = change(state, &mut changed);
    with_settings(state, |settings| settings.set(changed));
    result.map_err(|refusal| refusal.raise(state))
}

fn sparse_array(state: &mut LuaState, settings: &mut Settings) -> Result<usize, Refusal> {
    read_switch(state, &mut settings.sparse_convert)?;
    read_integer(state, 2, 0, i32::MAX, &mut settings.sparse_ratio)?;
    read_integer(state, 3, 0, i32::MAX, &mut settings.sparse_safe)?;
    state.push(LuaValue::Bool(settings.sparse_convert));
    state.push(LuaValue::Float(f64::from(settings.sparse_ratio)));
    state.push(LuaValue::Float(f64::from(settings.sparse_safe)));
    Ok(3)
}

fn encode_invalid_numbers(state: &mut LuaState, settings: &mut Settings) -> Result<usize, Refusal> {
    settings.encode_invalid = match argument(state, 1) {
        LuaValue::Nil => settings.encode_invalid,
        LuaValue::Bool(false) => InvalidNumbers::Refused,
        LuaValue::Bool(true) => InvalidNumbers::Written,
        _ => match option(state, &[b"off", b"on", b"null"])? {
            0 => InvalidNumbers::Refused,
            1 => InvalidNumbers::Written,
            _ => InvalidNumbers::Null,
        },
    };
    let value = match settings.encode_invalid {
        InvalidNumbers::Null => string(state, b"null")?,
        other => LuaValue::Bool(other == InvalidNumbers::Written),
    };
    state.push(value);
    Ok(1)
}

fn integer(state: &mut LuaState, index: usize, least: i32, most: i32, setting: &mut i32) -> Result<usize, Refusal> {
    read_integer(state, index, least, most, setting)?;
    state.push(LuaValue::Float(f64::from(*setting)));
    Ok(1)
}

fn read_integer(state: &mut LuaState, index: usize, least: i32, most: i32, setting: &mut i32) -> Result<(), Refusal> {
    if matches!(argument(state, index), LuaValue::Nil) {
        return Ok(());
    }
    let value = int(number_argument(state, index)?);
    if !(least..=most).contains(&value) {
        return Err(Refusal::Argument(1, format!("expected integer between {least} and {most}")));
    }
    *setting = value;
    Ok(())
}

fn switch(state: &mut LuaState, setting: &mut bool) -> Result<usize, Refusal> {
    read_switch(state, setting)?;
    state.push(LuaValue::Bool(*setting));
    Ok(1)
}

fn read_switch(state: &mut LuaState, setting: &mut bool) -> Result<(), Refusal> {
    match argument(state, 1) {
        LuaValue::Nil => {}
        LuaValue::Bool(value) => *setting = value,
        _ => *setting = option(state, &[b"off", b"on"])? == 1,
    }
    Ok(())
}

/// Number of the option that the first argument names.
fn option(state: &mut LuaState, options: &[&[u8]]) -> Result<usize, Refusal> {
    let name = string_argument(state, 1)?;
    let name = name.as_bytes();
    options.iter().position(|option| *option == name).ok_or_else(|| {
        Refusal::Argument(1, format!("invalid option '{}'", alloc::string::String::from_utf8_lossy(name)))
    })
}
