//! Global variables of scripts, of functions, and of libraries while they are loaded: what Redis leaves of Lua, in
//! protected tables.

use lua_types::{GcRef, LuaError, LuaTable, LuaType, LuaValue};
use lua_vm::state::LuaState;

use super::builtins;
use super::coroutines;
use super::natives::{error_at_call, field, set_field, set_function, string};
use super::protected_calls;
use super::protection::{guard_functions, protect};
use super::redis_table;
use super::registration::{self, Registrations};
use super::results;
use super::strings;
use super::suspension::SharedSuspension;
use crate::lua::charges::functions;
use crate::lua::host::SharedHost;
use crate::lua::libraries::LIBRARIES;

/// Functions of Lua that scripts may call, with what replaces some of them.
const KEPT: &[&str] = &[
    "_VERSION",
    "assert",
    "collectgarbage",
    "coroutine",
    "error",
    "gcinfo",
    "getmetatable",
    "ipairs",
    "load",
    "loadstring",
    "math",
    "next",
    "os",
    "pairs",
    "pcall",
    "rawequal",
    "rawget",
    "rawset",
    "select",
    "setmetatable",
    "string",
    "table",
    "tonumber",
    "tostring",
    "type",
    "unpack",
    "xpcall",
];

/// Libraries of Lua that scripts see.
const LUA_LIBRARIES: &[&str] = &["coroutine", "math", "os", "string", "table"];

/// Purpose of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum World {
    Script,
    Function,
}

impl World {
    pub fn chunk_name(self) -> &'static [u8] {
        match self {
            World::Script => b"@user_script",
            World::Function => b"@user_function",
        }
    }
}

/// Environments: the global variables of scripts, of functions that run, and of libraries that are loaded.
#[derive(Clone, Copy, Debug)]
pub struct Environments {
    /// Protected globals of scripts.
    pub script: LuaValue,
    /// Real globals of scripts, where KEYS and ARGV are set.
    pub script_real: GcRef<LuaTable>,
    /// Protected globals of libraries and their functions.
    pub function: LuaValue,
    /// Real globals of functions that run.
    pub function_real: GcRef<LuaTable>,
    /// Real globals of libraries that are loaded.
    pub load_real: GcRef<LuaTable>,
    /// Names of the lists that are set for each script: KEYS and ARGV.
    pub list_names: [LuaValue; 2],
}

impl Environments {
    /// Builds the environments out of the globals of a new state.
    pub fn new(
        state: &mut LuaState,
        host: &SharedHost,
        registrations: &Registrations,
        suspension: &SharedSuspension,
    ) -> Result<Environments, LuaError> {
        let LuaValue::Table(globals) = state.global().globals else {
            return Err(LuaError::runtime(format_args!("no globals")));
        };
        functions::add(state, &globals)?;
        results::replace(state, &globals)?;
        coroutines::replace(state, &globals, suspension)?;
        protected_calls::replace(state, &globals)?;
        guard_functions(state, &globals)?;
        builtins::replace(state, &globals)?;
        strings::replace(state, &globals)?;
        builtins::replace_random(state, &globals, host)?;
        protect_strings(state, &globals)?;
        let script_real = state.new_table();
        let function_real = state.new_table();
        for name in KEPT {
            let mut value = field(state, &globals, name)?;
            if let (LuaValue::Table(table), true) = (value, LUA_LIBRARIES.contains(name)) {
                value = protect(state, &table)?;
            }
            set_field(state, &script_real, name, value)?;
            set_field(state, &function_real, name, value)?;
        }
        let load_real = state.new_table();
        add_redis_tables(state, [&script_real, &function_real, &load_real], host, registrations)?;
        for real in [&script_real, &function_real, &load_real] {
            refuse_missing(state, real)?;
        }
        let script = protect(state, &script_real)?;
        let function = protect(state, &function_real)?;
        set_field(state, &script_real, "_G", script)?;
        set_field(state, &function_real, "_G", function)?;
        let list_names = [string(state, b"KEYS")?, string(state, b"ARGV")?];
        let environments = Environments { script, script_real, function, function_real, load_real, list_names };
        environments.open_libraries(state, World::Script)?;
        environments.open_libraries(state, World::Function)?;
        Ok(environments)
    }

    /// Opens the libraries of a world, or opens them anew. Each world has its own, since some have settings.
    pub fn open_libraries(&self, state: &mut LuaState, world: World) -> Result<(), LuaError> {
        let real = match world {
            World::Script => self.script_real,
            World::Function => self.function_real,
        };
        for &(name, open) in LIBRARIES {
            let table = state.new_table();
            open(state, &table)?;
            let value = protect(state, &table)?;
            set_field(state, &real, name, value)?;
        }
        Ok(())
    }

    /// Shows libraries the globals of loading, or functions those of running.
    pub fn set_loading(&self, state: &mut LuaState, loading: bool) -> Result<(), LuaError> {
        let real = if loading { self.load_real } else { self.function_real };
        let LuaValue::Table(function) = self.function else { return Ok(()) };
        let Some(metatable) = function.metatable() else { return Ok(()) };
        set_field(state, &metatable, "__index", LuaValue::Table(real))
    }
}

/// Adds the table `redis` of each environment.
fn add_redis_tables(
    state: &mut LuaState,
    [script, function, load]: [&GcRef<LuaTable>; 3],
    host: &SharedHost,
    registrations: &Registrations,
) -> Result<(), LuaError> {
    let tables = [state.new_table(), state.new_table(), state.new_table()];
    redis_table::fill(state, &tables[0], host)?;
    redis_table::fill_script(state, &tables[0])?;
    redis_table::fill(state, &tables[1], host)?;
    redis_table::fill_common(state, &tables[2])?;
    registration::fill(state, &tables[2], registrations)?;
    // Libraries may only use what is there; scripts and functions read missing fields as nil.
    refuse_missing(state, &tables[2])?;
    for (table, globals) in tables.iter().zip([script, function, load]) {
        let value = protect(state, table)?;
        set_field(state, globals, "redis", value)?;
    }
    Ok(())
}

/// Makes reading a missing field an error.
fn refuse_missing(state: &mut LuaState, table: &GcRef<LuaTable>) -> Result<(), LuaError> {
    let metatable = state.new_table();
    set_function(state, &metatable, "__index", missing_field)?;
    table.set_metatable(Some(metatable));
    Ok(())
}

fn missing_field(state: &mut LuaState) -> Result<usize, LuaError> {
    let name = super::natives::argument(state, 2);
    let mut message = b"Script attempted to access nonexistent global variable '".to_vec();
    message.extend_from_slice(&super::errors::display(&name));
    message.push(b'\'');
    Err(error_at_call(state, &message))
}

/// Makes methods of strings read the protected library.
fn protect_strings(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    let LuaValue::Table(library) = field(state, globals, "string")? else { return Ok(()) };
    let Some(metatable) = state.global().mt[LuaType::String as usize] else { return Ok(()) };
    let shown = state.new_table();
    let protected = protect(state, &library)?;
    set_field(state, &shown, "__index", protected)?;
    let shown = protect(state, &shown)?;
    set_field(state, &metatable, "__index", LuaValue::Table(library))?;
    set_field(state, &metatable, "__metatable", shown)
}
