//! The machine: compiled texts and their calls, within limits of instructions, memory and nesting.

use alloc::vec::Vec;
use core::fmt;

use lua_stdlib::coro_lib::co_resume;
use lua_types::{LuaClosure, LuaError, LuaValue};
use lua_vm::api;
use lua_vm::state::{ExternalRootKey, LuaState, SANDBOX_TRIP_NONE};

use super::arguments::prepare;
use super::builtins::check_compilation;
use super::collections;
use super::conversion::write_result;
use super::errors::{Failure, failure, worded};
use super::globals::{Environments, World};
use super::memory::bound_memory;
use super::natives::{heap_guard, set};
use super::registration::{Registered, Registrations};
use super::standard::standard_state;
use super::suspension::SharedSuspension;
use super::thread::ScriptThread;
use crate::base::argv::ArgvRef;
use crate::base::headroom::OutOfMemory;
use crate::lua::charges::sampling::INTERVAL;
use crate::lua::host::SharedHost;
use crate::lua::limits::ScriptLimits;
use crate::resp::encode::Writer;

/// Nested calls between Lua and its library, such as `pcall` within `pcall`, of the 200 that the machine allows. The others
/// would not fit the stack of WebAssembly.
const NESTED_CALLS_MAX: u32 = 64;
const UNUSED_CALLS: u32 = 200 - NESTED_CALLS_MAX - THREAD_CALLS;
/// Nested calls that resuming the thread of a script takes.
const THREAD_CALLS: u32 = 2;

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

/// State of a script after one of its slices.
#[derive(Debug)]
pub enum Progress {
    /// The script has ended, and its reply is written.
    Done(Result<(), Failure>),
    /// Nothing is written yet.
    Suspended,
}

/// A state of Lua with the globals of scripts and functions.
pub struct Machine {
    state: LuaState,
    host: SharedHost,
    environments: Environments,
    registrations: Registrations,
    suspension: SharedSuspension,
    /// Function that resumes a thread.
    resume: LuaValue,
    /// Thread of each world.
    threads: [Option<ScriptThread>; 2],
    /// World of the script that runs or is suspended.
    running: Option<World>,
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
    /// Builds a machine of scripts that use the host. Fails if memory is short.
    pub fn new(host: SharedHost) -> Result<Machine, Vec<u8>> {
        let shown = |error: LuaError| error.message_lossy().into_bytes();
        let mut state = standard_state().map_err(shown)?;
        let _guard = heap_guard(&state);
        let registrations = Registrations::default();
        let suspension = SharedSuspension::default();
        let environments = Environments::new(&mut state, &host, &registrations, &suspension).map_err(shown)?;
        let globals = [environments.script, environments.function, LuaValue::Table(environments.load_real)];
        for value in globals.into_iter().chain(environments.list_names) {
            state.external_root_value(value);
        }
        collections::charge_cycles(&mut state, &suspension.sampling).map_err(shown)?;
        suspension.watch(&mut state);
        let resume = state.register_c_function(co_resume, true);
        Ok(Machine {
            state,
            host,
            environments,
            registrations,
            suspension,
            resume: LuaValue::Function(LuaClosure::LightC(resume)),
            threads: [None, None],
            running: None,
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
    /// no memory for any script. The seed is that of the engine.
    pub fn limit(&mut self, limits: ScriptLimits, seed: u64) -> Result<(), OutOfMemory> {
        let state = &mut self.state;
        self.suspension.sampling.restart(seed);
        state.install_sandbox_limits(INTERVAL, Some(limits.instructions), None);
        self.reply_bytes_max = limits.reply_bytes;
        let (limit, loaded) = (limits.memory_bytes, self.loaded_bytes);
        bound_memory(state, limit.max(loaded + limit / 2))
    }

    /// Instructions that are left of the limit.
    pub fn instructions_left(&self) -> u64 {
        self.state.sandbox_instr_remaining()
    }

    /// Compiles a text. The error is that of the compiler.
    pub fn compile(&mut self, world: World, text: &[u8]) -> Result<Compiled, Vec<u8>> {
        let environment = self.environment(world);
        let state = &mut self.state;
        let _guard = heap_guard(state);
        end_abort(state);
        state.global_mut().globals = environment;
        let shown = |error: LuaError| worded(error.message_lossy().as_bytes()).to_vec();
        check_compilation(state, text).map_err(shown)?;
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
        self.suspension.load(true);
        let top = state.top_idx();
        let loaded = environments.set_loading(state, true).and_then(|()| {
            state.push(state.external_rooted_value(library.0).unwrap_or(LuaValue::Nil));
            api::pcall_k(state, 0, 0, 0, 0, None)
        });
        self.suspension.load(false);
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
    /// With a `slice` it is suspended after that many charges.
    pub fn call(
        &mut self,
        world: World,
        compiled: Compiled,
        lists: [ArgvRef<'_>; 2],
        slice: Option<u64>,
        reply: &mut Writer,
    ) -> Progress {
        if self.running.is_some() {
            // One that was left and is never resumed.
            self.kill(b"");
        }
        let environment = self.environment(world);
        let state = &mut self.state;
        let _guard = heap_guard(state);
        end_abort(state);
        state.global_mut().globals = environment;
        let top = state.top_idx();
        let staged = self.stage(world, compiled, lists);
        match staged {
            Ok(arguments) => self.advance(arguments, slice, reply),
            Err(error) => {
                self.running = None;
                self.state.set_top(top);
                Progress::Done(Err(failure(&mut self.state, &error)))
            }
        }
    }

    /// Runs the next slice of the suspended script, or the rest of it.
    pub fn go_on(&mut self, slice: Option<u64>, reply: &mut Writer) -> Progress {
        let Some(running) = self.running else { return Progress::Done(Ok(())) };
        let state = &mut self.state;
        let _guard = heap_guard(state);
        if let Some(thread) = &self.threads[running as usize] {
            state.push(self.resume);
            state.push(thread.value);
        }
        self.advance(0, slice, reply)
    }

    /// Ends the suspended script; returns the failure with its place.
    pub fn kill(&mut self, message: &[u8]) -> Failure {
        if let Some(thread) = self.running.take().and_then(|running| self.threads[running as usize].take()) {
            thread.release(&mut self.state);
        }
        Failure::of_text(message).at(self.suspension.abandon())
    }

    /// Puts the function on the thread of its world, and what resumes it on the stack; returns the number of arguments.
    fn stage(&mut self, world: World, compiled: Compiled, lists: [ArgvRef<'_>; 2]) -> Result<i32, LuaError> {
        let state = &mut self.state;
        let thread = match &self.threads[world as usize] {
            Some(thread) => thread.clone(),
            None => {
                let made = ScriptThread::new(state, &self.suspension)?;
                self.threads[world as usize] = Some(made.clone());
                made
            }
        };
        self.running = Some(world);
        state.push(self.resume);
        state.push(thread.value);
        let arguments = prepare(state, world, lists, &self.environments)?;
        thread.stage(state.external_rooted_value(compiled.0).unwrap_or(LuaValue::Nil));
        Ok(arguments)
    }

    /// Resumes the thread of the script, which is on the stack with its arguments.
    fn advance(&mut self, arguments: i32, slice: Option<u64>, reply: &mut Writer) -> Progress {
        let Some(world) = self.running else { return Progress::Done(Ok(())) };
        let Some(thread) = self.threads[world as usize].clone() else { return Progress::Done(Ok(())) };
        let state = &mut self.state;
        state.n_ccalls = UNUSED_CALLS;
        let first = state.top_idx() - (arguments + 2);
        self.suspension.start(state, thread.id, slice);
        let outcome = api::pcall_k(state, arguments + 1, -1, 0, 0, None);
        if self.suspension.stop() {
            state.set_top(first);
            return Progress::Suspended;
        }
        self.running = None;
        let value = if state.top_idx().0 > first.0 + 1 { state.get_at(first + 1) } else { LuaValue::Nil };
        let failed = match outcome {
            Ok(_) if state.get_at(first) == LuaValue::Bool(true) => None,
            Ok(_) => Some(LuaError::Runtime(value)),
            Err(error) => Some(error),
        };
        let outcome = match &failed {
            None => {
                let protocol = self.host.borrow().protocol();
                let written = write_result(state, &value, protocol, reply, self.reply_bytes_max);
                written.map_err(|error| failure(state, &error))
            }
            Some(error) => Err(failure(state, error).at(thread.place())),
        };
        if failed.is_some() || !thread.is_small() {
            self.threads[world as usize] = None;
            thread.release(state);
        }
        state.set_top(first);
        state.gc_check_step();
        Progress::Done(outcome)
    }

    fn environment(&self, world: World) -> LuaValue {
        match world {
            World::Script => self.environments.script,
            World::Function => self.environments.function,
        }
    }
}

/// Ends the abort of the last script: errors can be caught again. Its instructions stay used.
fn end_abort(state: &LuaState) {
    let global = state.global();
    global.sandbox.tripped.set(SANDBOX_TRIP_NONE);
    global.sandbox.aborting.set(false);
}
