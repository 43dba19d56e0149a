//! Runs of scripts and functions: the machine, what a script may do, and its error.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::bridge::Bridge;
use super::program::{OwnedProgram, Program};
use super::rights;
use crate::base::argv::ArgvRef;
use crate::base::headroom::{OutOfMemory, ensure};
use crate::commands::Context;
use crate::lua::limits::ScriptLimits;
use crate::lua::machine::{Compiled, Failure, LoadedFunction, Machine, Progress, World};
use crate::lua::shebang;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::monitors;
use crate::server::scripts::library::header;
use crate::server::scripts::suspended::Suspended;
use crate::server::secrets::Secrets;

/// Upper bound of the memory of a machine that has compiled nothing.
const MACHINE_BYTES: usize = 1024 * 1024;

/// Function of a library.
#[derive(Clone, Debug)]
pub struct Function {
    pub description: Option<Vec<u8>>,
    pub flags: u32,
    library: Vec<u8>,
    compiled: Compiled,
    /// Position among the functions of its library.
    position: usize,
}

/// The machine with what it compiled.
#[derive(Debug)]
pub struct Runner {
    machine: Machine,
    /// State of the engine while a script runs; the machine shares it.
    bridge: Rc<RefCell<Bridge>>,
    /// Compiled scripts by their slots in the cache, with their flags.
    scripts: Vec<Option<(Compiled, u32)>>,
    /// Functions by their names in lowercase and as they are. Names of one library may differ in their case alone.
    functions: BTreeMap<[Vec<u8>; 2], Function>,
    /// Changes of the libraries that the functions are of; `None` before the first load.
    libraries_at: Option<u64>,
    /// Program that is suspended, with the database that its client selected.
    suspended: Option<(OwnedProgram, u8)>,
}

impl Runner {
    fn new() -> Result<Runner, ErrorText> {
        ensure(MACHINE_BYTES).map_err(CommandError::from)?;
        let bridge = Rc::new(RefCell::new(Bridge::default()));
        let machine = Machine::new(bridge.clone()).map_err(|_| ErrorText::from(CommandError::OUT_OF_MEMORY))?;
        Ok(Runner {
            machine,
            bridge,
            scripts: Vec::new(),
            functions: BTreeMap::new(),
            libraries_at: None,
            suspended: None,
        })
    }

    /// Compiles a script; returns it with its flags.
    pub fn compile_script(&mut self, text: &[u8]) -> Result<(Compiled, u32), ErrorText> {
        let (flags, body) = shebang::read(text)?;
        let compiled = self.machine.compile(World::Script, body);
        Ok((compiled.map_err(|message| ErrorText::not_compiled(&message))?, flags))
    }

    /// Keeps a compiled script for its slot.
    pub fn keep(&mut self, slot: u32, compiled: (Compiled, u32)) {
        let slot = slot as usize;
        if slot >= self.scripts.len() {
            self.scripts.resize(slot + 1, None);
        }
        self.scripts[slot] = Some(compiled);
    }

    /// Forgets the scripts of slots.
    pub fn forget(&mut self, slots: &[u32]) {
        for slot in slots {
            if let Some((compiled, _)) = self.scripts.get_mut(*slot as usize).and_then(Option::take) {
                self.machine.release(compiled);
            }
        }
    }

    /// Forgets all scripts, and the settings of their libraries.
    pub fn forget_scripts(&mut self) -> Result<(), OutOfMemory> {
        for (compiled, _) in core::mem::take(&mut self.scripts).into_iter().flatten() {
            self.machine.release(compiled);
        }
        self.machine.renew_libraries(World::Script)
    }

    /// Forgets all functions, and the settings of their libraries.
    pub fn forget_functions(&mut self) -> Result<(), OutOfMemory> {
        self.forget_libraries();
        self.machine.renew_libraries(World::Function)
    }

    /// Number of functions of all libraries.
    pub fn function_count(&self) -> usize {
        self.functions.len()
    }

    /// Function with a name in any case, with its name as it was registered.
    pub fn function(&self, name: &[u8]) -> Option<(&[u8], &Function)> {
        let folded = name.to_ascii_lowercase();
        let ([key, own], function) = self.functions.range([folded, Vec::new()]..).next()?;
        key.eq_ignore_ascii_case(name).then_some((own, function))
    }

    /// Returns a compiled script with its flags; compiles it if the machine is new.
    fn script(&mut self, cx: &Context<'_>, slot: u32) -> Result<(Compiled, u32), ErrorText> {
        if let Some(Some(compiled)) = self.scripts.get(slot as usize) {
            return Ok(*compiled);
        }
        let script = cx.server.scripts.evaluation.cache.script(slot).ok_or(CommandError::NO_SCRIPT)?;
        let compiled = self.compile_script(&script.text)?;
        self.keep(slot, compiled);
        Ok(compiled)
    }

    /// Loads the body of a library, of which no function may have the name of another library's.
    pub fn load_library(&mut self, library: &[u8], body: &[u8]) -> Result<Vec<LoadedFunction>, ErrorText> {
        let loaded = self.machine.load_library(body).map_err(ErrorText::made)?;
        if loaded.is_empty() {
            return Err(CommandError::NO_FUNCTIONS.into());
        }
        let is_taken = |function: &&LoadedFunction| {
            self.function(&function.name).is_some_and(|(_, other)| other.library != library)
        };
        match loaded.iter().find(is_taken).map(|taken| taken.name.clone()) {
            None => Ok(loaded),
            Some(name) => {
                loaded.iter().for_each(|function| self.machine.release(function.compiled));
                Err(ErrorText::around("ERR Function ", &name, " already exists"))
            }
        }
    }

    /// Replaces the functions of a library.
    pub fn adopt(&mut self, library: &[u8], loaded: Vec<LoadedFunction>) {
        let machine = &mut self.machine;
        self.functions.retain(|_, function| {
            let stays = function.library != library;
            if !stays {
                machine.release(function.compiled);
            }
            stays
        });
        for (position, function) in loaded.into_iter().enumerate() {
            let LoadedFunction { name, description, flags, compiled } = function;
            let function = Function { description, flags, library: library.to_vec(), compiled, position };
            self.functions.insert([name.to_ascii_lowercase(), name], function);
        }
    }

    /// Makes the next use load all libraries again.
    pub fn forget_libraries(&mut self) {
        for function in core::mem::take(&mut self.functions).into_values() {
            self.machine.release(function.compiled);
        }
        self.libraries_at = None;
        self.machine.count_unloaded();
    }

    /// Measures what the libraries keep. Fails if that is more than the memory limit.
    pub fn count_libraries(&mut self, limits: ScriptLimits) -> Result<(), ErrorText> {
        if self.machine.count_loaded(limits) { Ok(()) } else { Err(CommandError::LIBRARIES_KEEP_MEMORY.into()) }
    }

    /// Takes the loaded libraries for those of the engine after a number of changes.
    pub fn mark_loaded(&mut self, changes: u64) {
        self.libraries_at = Some(changes);
    }

    /// Functions of a library in the order of their registration.
    pub fn functions_of(&self, library: &[u8]) -> Vec<(&[u8], &Function)> {
        let functions = self.functions.iter().filter(|(_, function)| function.library == library);
        let mut functions: Vec<_> = functions.map(|([_, name], function)| (&name[..], function)).collect();
        functions.sort_by_key(|(_, function)| function.position);
        functions
    }

    /// Loads all libraries, if others than those of the engine are loaded. One that cannot be loaded has no functions, so
    /// each of them has the instructions that it had when it was loaded first.
    fn load_all(&mut self, cx: &Context<'_>) -> Result<(), ErrorText> {
        let libraries = &cx.server.scripts.libraries;
        if self.libraries_at == Some(libraries.changes()) {
            return Ok(());
        }
        self.forget_libraries();
        for library in libraries.iter() {
            self.limit(cx, cx.server.settings.script_limits)?;
            let Ok(header) = header(&library.code) else { continue };
            if let Ok(loaded) = self.load_library(&library.name, &library.code[header.len..]) {
                self.adopt(&library.name, loaded);
            }
        }
        self.machine.count_loaded(cx.server.settings.script_limits);
        self.mark_loaded(libraries.changes());
        self.limit(cx, limits_left(cx))
    }

    fn limit(&mut self, cx: &Context<'_>, limits: ScriptLimits) -> Result<(), ErrorText> {
        self.machine.limit(limits, cx.keyspace.seed()).map_err(|error| CommandError::from(error).into())
    }
}

/// Limits of the next script of a command or transaction.
fn limits_left(cx: &Context<'_>) -> ScriptLimits {
    let limits = cx.server.settings.script_limits;
    ScriptLimits { instructions: cx.server.scripts.evaluation.budget.left(limits.instructions), ..limits }
}

/// Keeps for the next script of a command or transaction what this one left.
fn keep_left(cx: &mut Context<'_>, runner: &Runner) {
    let limit = cx.server.settings.script_limits.instructions;
    cx.server.scripts.evaluation.budget.keep(limit, runner.machine.instructions_left());
}

/// Takes the machine out of its place, if there is one.
fn take_machine(cx: &mut Context<'_>) -> Option<Box<Runner>> {
    cx.server.scripts.evaluation.machine.take()?.downcast().ok()
}

/// Changes the machine, if there is one. One that cannot be changed is dropped: the next use builds another.
pub fn renew(cx: &mut Context<'_>, change: impl FnOnce(&mut Runner) -> Result<(), OutOfMemory>) {
    if let Some(mut runner) = take_machine(cx)
        && change(&mut runner).is_ok()
    {
        cx.server.scripts.evaluation.machine.put(runner);
    }
}

/// Starts a command that may run scripts.
pub fn begin(cx: &mut Context<'_>) {
    cx.server.scripts.evaluation.budget.begin();
}

/// Does something with the machine. One is built if there is none, or if libraries and compiled scripts fill the present one.
pub fn with_machine<T>(
    cx: &mut Context<'_>,
    act: impl FnOnce(&mut Context<'_>, &mut Runner) -> Result<T, ErrorText>,
) -> Result<T, ErrorText> {
    let limits = cx.server.settings.script_limits;
    let present = take_machine(cx).and_then(|mut runner| runner.machine.has_room(limits).then_some(runner));
    let mut runner = match present {
        Some(runner) => runner,
        None => Box::new(Runner::new()?),
    };
    runner.forget(&cx.server.scripts.evaluation.cache.take_forgotten());
    let result = runner.limit(cx, limits_left(cx)).and_then(|()| act(cx, &mut runner));
    keep_left(cx, &runner);
    cx.server.scripts.evaluation.machine.put(runner);
    result
}

/// Shows the command to monitors, before those that the script calls.
pub fn show_monitors(cx: &mut Context<'_>, argv: ArgvRef<'_>) {
    if cx.clients.has_monitors() {
        monitors::show(cx.clients, cx.now, cx.client, monitors::Origin::Client, argv, Secrets::None);
    }
}

/// Does something with the machine after it loaded the libraries of the engine.
pub fn with_libraries<T>(
    cx: &mut Context<'_>,
    act: impl FnOnce(&mut Context<'_>, &mut Runner) -> Result<T, ErrorText>,
) -> Result<T, ErrorText> {
    with_machine(cx, |cx, runner| {
        runner.load_all(cx)?;
        act(cx, runner)
    })
}

/// Runs a script or function with its keys and arguments.
pub fn run_program(
    cx: &mut Context<'_>,
    program: Program<'_>,
    read_only: bool,
    [keys, arguments]: [ArgvRef<'_>; 2],
) -> Result<(), ErrorText> {
    with_machine(cx, |cx, runner| {
        let (world, (compiled, flags)) = match program {
            Program::Script(slot) => (World::Script, runner.script(cx, slot)?),
            Program::Function(name) => {
                runner.load_all(cx)?;
                let (_, function) = runner.function(name).ok_or(CommandError::NO_SUCH_FUNCTION)?;
                (World::Function, (function.compiled, function.flags))
            }
        };
        let rights = rights::check(cx, flags, read_only)?;
        let database = cx.database();
        let bridge = runner.bridge.clone();
        bridge.borrow_mut().begin(cx, rights);
        match runner.machine.call(world, compiled, [keys, arguments], cx.slice, cx.reply) {
            Progress::Done(outcome) => {
                bridge.borrow_mut().end(cx, database);
                outcome.map_err(|failure| failed(cx, runner, &failure, program))
            }
            Progress::Suspended => {
                let mut suspended = Box::new(Suspended::new(cx.client));
                suspended.has_written = bridge.borrow().has_written();
                suspended.function = match program {
                    Program::Script(_) => None,
                    Program::Function(name) => Some(name.to_vec()),
                };
                runner.suspended = Some((program.to_owned(), database));
                bridge.borrow_mut().pause(cx);
                cx.suspended = Some(suspended);
                Ok(())
            }
        }
    })
}

/// Runs the next slice of a suspended script, or ends it if it was killed. Returns whether it is suspended again.
pub fn resume(cx: &mut Context<'_>, suspended: &mut Suspended) -> Result<bool, ErrorText> {
    let Some(mut runner) = take_machine(cx) else { return Err(CommandError::NO_RUNNING_SCRIPT.into()) };
    let Some((program, database)) = runner.suspended.take() else {
        return Err(CommandError::NO_RUNNING_SCRIPT.into());
    };
    let bridge = runner.bridge.clone();
    let progress = if suspended.is_killed {
        bridge.borrow_mut().clear(cx, database);
        Progress::Done(Err(runner.machine.kill(ErrorText::from(CommandError::SCRIPT_KILLED).bytes())))
    } else {
        bridge.borrow_mut().pause(cx);
        let progress = runner.machine.go_on(cx.slice, cx.reply);
        suspended.has_written = bridge.borrow().has_written();
        match progress {
            Progress::Done(_) => bridge.borrow_mut().end(cx, database),
            Progress::Suspended => bridge.borrow_mut().pause(cx),
        }
        progress
    };
    let result = match progress {
        Progress::Done(outcome) => {
            outcome.map(|()| false).map_err(|failure| failed(cx, &runner, &failure, program.borrowed()))
        }
        Progress::Suspended => {
            runner.suspended = Some((program, database));
            Ok(true)
        }
    };
    keep_left(cx, &runner);
    cx.server.scripts.evaluation.machine.put(runner);
    result
}

/// Number of functions while one of them is suspended; `None` otherwise. The machine must not be used in other ways then.
pub fn suspended_functions(cx: &mut Context<'_>) -> Option<usize> {
    cx.server.scripts.suspended.0.as_ref()?;
    let runner = take_machine(cx)?;
    let count = runner.function_count();
    cx.server.scripts.evaluation.machine.put(runner);
    Some(count)
}

fn failed(cx: &Context<'_>, runner: &Runner, failure: &Failure, program: Program<'_>) -> ErrorText {
    let name = match program {
        Program::Script(slot) => cx.server.scripts.evaluation.cache.script(slot).map(|script| &script.name[..]),
        Program::Function(name) => runner.function(name).map(|(name, _)| name),
    };
    let place = failure.source.as_ref().map(|(source, line)| (&source[..], *line));
    ErrorText::script_failed(&failure.message, name.unwrap_or_default(), place)
}
