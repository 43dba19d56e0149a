//! The machine: compiled texts and their calls, within limits of instructions, memory and nesting.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

use lua_types::{LuaClosure, LuaError, LuaValue};
use lua_vm::api;
use lua_vm::state::{ExternalRootKey, LuaState};

use super::builtins::COMPILED_FACTOR;
use super::collections;
use super::conversion::write_result;
use super::errors::{Failure, failure, message_handler, worded};
use super::globals::{Environments, World};
use super::natives::{bound_memory, heap_guard, reserve, set, set_element, string};
use super::redis_table::SharedHost;
use super::registration::{Registered, Registrations};
use super::standard::standard_state;
use crate::base::argv::ArgvRef;
use crate::base::headroom::OutOfMemory;
use crate::commands::script::host::Host;
use crate::resp::encode::Writer;
use crate::server::ScriptLimits;

/// Nested calls between Lua and its library, such as `pcall` within `pcall`, of the 200 that the machine allows. The others
/// would not fit the stack of WebAssembly.
const NESTED_CALLS_MAX: u32 = 64;
const UNUSED_CALLS: u32 = 200 - NESTED_CALLS_MAX;
/// Instructions between two checks of the limits: each one, since a string may double with each instruction.
const CHECK_INTERVAL: i32 = 1;

/// Function of a machine, to be called or released.
#[derive(Clone, Copy, Debug)]
pub struct Compiled(ExternalRootKey);

/// Function of a loaded library.
#[derive(Clone, Debug)]
pub struct LoadedFunction {
    pub name: Vec<u8>,
    pub description: Option<Vec<u8>>,
    pub flags: u32,
    pub compiled: Compiled,
}

/// A state of Lua with the globals of scripts and functions.
pub struct Machine {
    state: LuaState,
    host: SharedHost,
    environments: Environments,
    registrations: Registrations,
    handler: LuaValue,
    /// Largest reply of a script.
    reply_bytes_max: usize,
    /// Bytes that the last collection left.
    kept_bytes: usize,
    /// Bytes that the loading of libraries left.
    loaded_bytes: usize,
}

impl fmt::Debug for Machine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Machine").finish_non_exhaustive()
    }
}

impl Machine {
    /// Builds a machine. Fails if memory is short.
    pub fn new() -> Result<Machine, Vec<u8>> {
        let shown = |error: LuaError| error.message_lossy().into_bytes();
        let mut state = standard_state().map_err(shown)?;
        let host = Rc::new(RefCell::new(Host::default()));
        let _guard = heap_guard(&state);
        let registrations = Registrations::default();
        let environments = Environments::new(&mut state, &host, &registrations).map_err(shown)?;
        let globals = [environments.script, environments.function, LuaValue::Table(environments.load_real)];
        for value in globals.into_iter().chain(environments.list_names) {
            state.external_root_value(value);
        }
        collections::charge_cycles(&mut state).map_err(shown)?;
        let handler = state.register_c_function(message_handler, true);
        Ok(Machine {
            state,
            host,
            environments,
            registrations,
            handler: LuaValue::Function(LuaClosure::LightC(handler)),
            reply_bytes_max: usize::MAX,
            kept_bytes: 0,
            loaded_bytes: 0,
        })
    }

    /// Frees garbage if much was allocated since the last time: the next script shall find its memory free. Returns false
    /// if more is kept than half of the memory, and a quarter beside what libraries kept when they were loaded. Another
    /// machine would keep that again.
    pub fn has_room(&mut self, limits: ScriptLimits) -> bool {
        let limit = limits.memory_bytes;
        if self.state.global().total_bytes() > (limit / 4).max(self.kept_bytes + limit / 8) {
            self.collect();
        }
        self.kept_bytes <= (limit / 2).max(self.loaded_bytes + limit / 4)
    }

    /// Measures what is kept after libraries were loaded. Returns false if that is more than all memory.
    pub fn count_loaded(&mut self, limits: ScriptLimits) -> bool {
        self.collect();
        self.loaded_bytes = self.kept_bytes;
        self.loaded_bytes <= limits.memory_bytes
    }

    /// Counts libraries as not loaded.
    pub fn count_unloaded(&mut self) {
        self.loaded_bytes = 0;
    }

    fn collect(&mut self) {
        let state = &mut self.state;
        let _guard = heap_guard(state);
        // Keys and arguments of the last script. Setting what is there allocates nothing.
        for name in self.environments.list_names {
            let _ = set(state, &self.environments.script_real, name, LuaValue::Nil);
        }
        state.gc_clear_dead_stack_tails();
        state.gc().full_collect();
        self.kept_bytes = state.global().total_bytes();
    }

    /// Sets the limits of what follows. Scripts have half of the memory at least, whatever libraries keep. Fails if there is
    /// no memory for any script.
    pub fn limit(&mut self, limits: ScriptLimits) -> Result<(), OutOfMemory> {
        let state = &mut self.state;
        state.install_sandbox_limits(CHECK_INTERVAL, Some(limits.instructions), None);
        self.reply_bytes_max = limits.reply_bytes;
        let (limit, loaded) = (limits.memory_bytes, self.loaded_bytes);
        bound_memory(state, limit.max(loaded + limit / 2))?;
        collections::begin_before_limit(state);
        Ok(())
    }

    /// State of the engine while a script runs.
    pub fn host(&self) -> &SharedHost {
        &self.host
    }

    /// Compiles a text. The error is that of the compiler.
    pub fn compile(&mut self, world: World, text: &[u8]) -> Result<Compiled, Vec<u8>> {
        let environment = self.environment(world);
        let state = &mut self.state;
        let _guard = heap_guard(state);
        state.sandbox_reset();
        state.global_mut().globals = environment;
        let shown = |error: LuaError| worded(error.message_lossy().as_bytes()).to_vec();
        reserve(state, text.len().saturating_mul(COMPILED_FACTOR)).map_err(shown)?;
        let top = state.top_idx();
        let status = lua_stdlib::auxlib::load_bufferx(state, text, world.chunk_name(), Some(b"t")).map_err(shown)?;
        let value = state.get_at(state.top_idx() - 1);
        let compiled = match value {
            function @ LuaValue::Function(_) if status == 0 => Ok(Compiled(state.external_root_value(function))),
            error => Err(super::errors::display(&error)),
        };
        state.set_top(top);
        compiled
    }

    /// Loads a library, of which `body` is the text from the end of its first line on. The error is that of the compiler, or
    /// of what the library does.
    pub fn load_library(&mut self, body: &[u8]) -> Result<Vec<LoadedFunction>, Vec<u8>> {
        let failed = |message: Vec<u8>| [b"ERR Error compiling function: ", &message[..]].concat();
        let library = self.compile(World::Function, body).map_err(failed)?;
        self.registrations.replace(Some(Vec::new()));
        let environments = self.environments;
        let state = &mut self.state;
        let _guard = heap_guard(state);
        state.n_ccalls = UNUSED_CALLS;
        let top = state.top_idx();
        let loaded = environments.set_loading(state, true).and_then(|()| {
            state.push(state.external_rooted_value(library.0).unwrap_or(LuaValue::Nil));
            api::pcall_k(state, 0, 0, 0, 0, None)
        });
        let restored = environments.set_loading(state, false);
        let error = loaded.map(drop).and(restored).err().map(|error| failure(state, &error));
        state.set_top(top);
        state.external_unroot_value(library.0);
        let registered = self.registrations.take().unwrap_or_default();
        if let Some(error) = error {
            for function in &registered {
                state.external_unroot_value(function.callback);
            }
            return Err([b"ERR Error registering functions: ", &error.message[..]].concat());
        }
        let function = |registered: Registered| LoadedFunction {
            name: registered.name,
            description: registered.description,
            flags: registered.flags,
            compiled: Compiled(registered.callback),
        };
        Ok(registered.into_iter().map(function).collect())
    }

    /// Forgets a function.
    pub fn release(&mut self, compiled: Compiled) {
        self.state.external_unroot_value(compiled.0);
    }

    /// Opens the libraries of a world anew: their settings are those of the start again.
    pub fn renew_libraries(&mut self, world: World) -> Result<(), OutOfMemory> {
        let state = &mut self.state;
        let _guard = heap_guard(state);
        self.environments.open_libraries(state, world).map_err(|_| OutOfMemory)?;
        state.gc_check_step();
        Ok(())
    }

    /// Runs a script, with keys and arguments as the global variables KEYS and ARGV, or a function, with both as arguments.
    pub fn call(
        &mut self,
        world: World,
        compiled: Compiled,
        lists: [ArgvRef<'_>; 2],
        reply: &mut Writer,
    ) -> Result<(), Failure> {
        let environment = self.environment(world);
        let (environments, handler) = (self.environments, self.handler);
        let state = &mut self.state;
        let _guard = heap_guard(state);
        state.sandbox_reset();
        state.global_mut().globals = environment;
        state.n_ccalls = UNUSED_CALLS;
        let top = state.top_idx();
        let called = prepare(state, world, compiled, lists, &environments, handler);
        let outcome = called.and_then(|count| {
            let handler_index = api::get_top(state) - count - 1;
            api::pcall_k(state, count, 1, handler_index, 0, None)
        });
        let outcome = match outcome {
            Ok(_) => {
                let value = state.get_at(state.top_idx() - 1);
                let protocol = self.host.borrow().protocol;
                write_result(state, &value, protocol, reply, self.reply_bytes_max);
                Ok(())
            }
            Err(error) => Err(failure(state, &error)),
        };
        state.set_top(top);
        state.gc_check_step();
        outcome
    }

    fn environment(&self, world: World) -> LuaValue {
        match world {
            World::Script => self.environments.script,
            World::Function => self.environments.function,
        }
    }
}

/// Pushes the handler, the function and its arguments; returns the number of arguments.
fn prepare(
    state: &mut LuaState,
    world: World,
    compiled: Compiled,
    lists: [ArgvRef<'_>; 2],
    environments: &Environments,
    handler: LuaValue,
) -> Result<i32, LuaError> {
    let function = state.external_rooted_value(compiled.0).unwrap_or(LuaValue::Nil);
    state.push(handler);
    state.push(function);
    let [keys, arguments] = lists;
    let (keys, arguments) = (list(state, keys)?, list(state, arguments)?);
    match world {
        World::Script => {
            for (name, list) in environments.list_names.into_iter().zip([keys, arguments]) {
                set(state, &environments.script_real, name, list)?;
            }
            Ok(0)
        }
        World::Function => {
            state.push(keys);
            state.push(arguments);
            Ok(2)
        }
    }
}

/// Creates the table of a list of arguments.
fn list(state: &mut LuaState, arguments: ArgvRef<'_>) -> Result<LuaValue, LuaError> {
    reserve(state, arguments.bytes_len().saturating_add(arguments.len().saturating_mul(64)))?;
    let table = state.new_table_with_sizes(arguments.len() as u32, 0)?;
    for (index, argument) in arguments.iter().enumerate() {
        let value = string(state, argument)?;
        set_element(state, &table, index, value)?;
    }
    Ok(LuaValue::Table(table))
}
