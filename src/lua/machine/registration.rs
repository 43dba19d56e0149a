//! `redis.register_function`: what libraries tell about their functions while they are loaded.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::{ExternalRootKey, LuaState};

use super::errors::raise;
use super::natives::{argument, argument_count, display_number, set_closure};
use crate::lua::shebang::{self, is_valid_name};

/// Function that a library registered.
#[derive(Clone, Debug)]
pub struct Registered {
    pub name: Vec<u8>,
    pub description: Option<Vec<u8>>,
    pub flags: u32,
    pub callback: ExternalRootKey,
}

/// Functions of the library that is loaded; `None` while none is loaded.
pub type Registrations = Rc<RefCell<Option<Vec<Registered>>>>;

/// Adds `register_function` to the table `redis` of loading.
pub fn fill(state: &mut LuaState, table: &GcRef<LuaTable>, registrations: &Registrations) -> Result<(), LuaError> {
    let registrations = registrations.clone();
    set_closure(state, table, "register_function", Rc::new(move |state| register(state, &registrations)))
}

/// Arguments of a registration.
#[derive(Default)]
struct Description {
    name: Option<Vec<u8>>,
    description: Option<Vec<u8>>,
    flags: u32,
    callback: Option<LuaValue>,
}

fn register(state: &mut LuaState, registrations: &Registrations) -> Result<usize, LuaError> {
    let mut registrations = registrations.borrow_mut();
    // A library may keep the function, and call it when it runs.
    let Some(registered) = registrations.as_mut() else {
        return Err(raise(state, b"ERR redis.register_function can only be called on FUNCTION LOAD command"));
    };
    match checked(state, registered) {
        Ok((described, name, callback)) => {
            let callback = state.external_root_value(callback);
            let Description { description, flags, .. } = described;
            registered.push(Registered { name, description, flags, callback });
            Ok(0)
        }
        Err(text) => Err(raise(state, text.as_bytes())),
    }
}

fn checked(state: &LuaState, registered: &[Registered]) -> Result<(Description, Vec<u8>, LuaValue), &'static str> {
    let mut described = match argument_count(state) {
        1 => named_arguments(argument(state, 1))?,
        2 => positional_arguments(argument(state, 1), argument(state, 2))?,
        _ => return Err("ERR wrong number of arguments to redis.register_function"),
    };
    let name = described.name.take().ok_or("ERR redis.register_function must get a function name argument")?;
    let callback = described.callback.take().ok_or("ERR redis.register_function must get a callback argument")?;
    if !is_valid_name(&name) {
        return Err(
            "ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long",
        );
    }
    if registered.iter().any(|other| other.name == name) {
        return Err("ERR Function already exists in the library");
    }
    Ok((described, name, callback))
}

fn positional_arguments(name: LuaValue, callback: LuaValue) -> Result<Description, &'static str> {
    let name = text(&name).ok_or("ERR first argument to redis.register_function must be a string")?;
    let LuaValue::Function(_) = callback else {
        return Err("ERR second argument to redis.register_function must be a function");
    };
    Ok(Description { name: Some(name), callback: Some(callback), ..Description::default() })
}

fn named_arguments(arguments: LuaValue) -> Result<Description, &'static str> {
    let LuaValue::Table(arguments) = arguments else {
        return Err(
            "ERR calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).",
        );
    };
    let (mut described, mut last) = (Description::default(), LuaValue::Nil);
    while let Some((key, value)) = arguments.next_pair(&last) {
        last = key;
        let key = text(&key).ok_or("ERR named argument key given to redis.register_function is not a string")?;
        match &key[..] {
            b"function_name" => {
                let name = text(&value);
                described.name =
                    Some(name.ok_or("ERR function_name argument given to redis.register_function must be a string")?);
            }
            b"description" => {
                let description = text(&value);
                described.description = Some(
                    description.ok_or("ERR description argument given to redis.register_function must be a string")?,
                );
            }
            b"callback" => {
                let LuaValue::Function(_) = value else {
                    return Err("ERR callback argument given to redis.register_function must be a function");
                };
                described.callback = Some(value);
            }
            b"flags" => described.flags = flags(&value)?,
            _ => return Err("ERR unknown argument given to redis.register_function"),
        }
    }
    Ok(described)
}

fn flags(value: &LuaValue) -> Result<u32, &'static str> {
    let LuaValue::Table(names) = value else {
        return Err("ERR flags argument to redis.register_function must be a table representing function flags");
    };
    let (mut flags, mut index) = (0, 1.0);
    loop {
        match names.get(&LuaValue::Float(index)) {
            LuaValue::Nil => return Ok(flags),
            LuaValue::Str(name) => flags |= shebang::flag(name.as_bytes()).ok_or("ERR unknown flag given")?,
            _ => return Err("ERR unknown flag given"),
        }
        index += 1.0;
    }
}

/// Text of a string or number.
fn text(value: &LuaValue) -> Option<Vec<u8>> {
    match value {
        LuaValue::Str(text) => Some(text.as_bytes().to_vec()),
        LuaValue::Float(number) => Some(display_number(*number)),
        LuaValue::Int(number) => Some(display_number(*number as f64)),
        _ => None,
    }
}
