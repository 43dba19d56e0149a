//! The table `redis` of scripts: commands, replies, the log and constants.

use alloc::rc::Rc;
use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::api;
use lua_vm::state::LuaState;

use super::conversion::{from_reply, truncated};
use super::errors::{error_table, raise};
use super::memory::bound_memory;
use super::natives::{
    argument, argument_count, charge, memory_limit, push_string, reserve, set_closure, set_field, set_function, string,
    write_general,
};
use crate::base::argv::Argv;
use crate::base::headroom::OutOfMemory;
use crate::base::number::write_double;
use crate::base::sha1;
use crate::lua::charges::functions::charge_bytes;
use crate::lua::host::{SharedHost, Work};
use crate::resp::REDIS_VERSION;
use crate::resp::encode::Protocol;

/// Instructions of Lua that take the time of a small command.
const COMMAND_INSTRUCTIONS: usize = 40;
/// Instructions of Lua that take the time of an argument of a command.
const ARGUMENT_INSTRUCTIONS: usize = 16;
/// Bytes of values that a command visits in the time of one instruction, if it does so fast.
const VISITED_BYTES_PER_INSTRUCTION: u64 = 64;
/// Instructions of Lua that take the time of visiting an element, which is looked up, compared or copied.
const VISIT_INSTRUCTIONS: u64 = 8;
/// Instructions of Lua that take the time of hashing an empty text.
const HASH: usize = 100;
/// Bytes that are hashed in the time of one instruction.
const HASHED_BYTES_PER_INSTRUCTION: usize = 2;

/// Constants of the table.
const CONSTANTS: &[(&str, f64)] =
    &[("LOG_DEBUG", 0.0), ("LOG_VERBOSE", 1.0), ("LOG_NOTICE", 2.0), ("LOG_WARNING", 3.0)];
const REPLICATION: &[(&str, f64)] =
    &[("REPL_NONE", 0.0), ("REPL_AOF", 1.0), ("REPL_SLAVE", 2.0), ("REPL_REPLICA", 2.0), ("REPL_ALL", 3.0)];

/// Fills the table that scripts and running functions see.
pub fn fill(state: &mut LuaState, table: &GcRef<LuaTable>, host: &SharedHost) -> Result<(), LuaError> {
    fill_common(state, table)?;
    for &(name, value) in REPLICATION {
        set_field(state, table, name, LuaValue::Float(value))?;
    }
    let shared = host.clone();
    set_closure(state, table, "call", Rc::new(move |state| call(state, &shared, true)))?;
    let shared = host.clone();
    set_closure(state, table, "pcall", Rc::new(move |state| call(state, &shared, false)))?;
    let shared = host.clone();
    set_closure(state, table, "setresp", Rc::new(move |state| set_protocol(state, &shared)))?;
    let shared = host.clone();
    set_closure(state, table, "acl_check_cmd", Rc::new(move |state| check_access(state, &shared)))?;
    set_function(state, table, "error_reply", error_reply)?;
    set_function(state, table, "status_reply", status_reply)?;
    set_function(state, table, "sha1hex", sha1hex)?;
    set_function(state, table, "set_repl", set_replication)
}

/// Adds what only scripts see.
pub fn fill_script(state: &mut LuaState, table: &GcRef<LuaTable>) -> Result<(), LuaError> {
    set_function(state, table, "replicate_commands", |state| result(state, LuaValue::Bool(true)))?;
    set_function(state, table, "breakpoint", |state| result(state, LuaValue::Bool(false)))?;
    set_function(state, table, "debug", |_| Ok(0))
}

/// Adds what libraries see while they are loaded, too.
pub fn fill_common(state: &mut LuaState, table: &GcRef<LuaTable>) -> Result<(), LuaError> {
    for &(name, value) in CONSTANTS {
        set_field(state, table, name, LuaValue::Float(value))?;
    }
    let version = string(state, REDIS_VERSION.as_bytes())?;
    set_field(state, table, "REDIS_VERSION", version)?;
    set_field(state, table, "REDIS_VERSION_NUM", LuaValue::Float(version_number()))?;
    set_function(state, table, "log", log)
}

/// Version of Redis as one number: a byte each for major, minor and patch.
fn version_number() -> f64 {
    let parts = REDIS_VERSION.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    f64::from(parts.fold(0, |number, part| number * 256 + part))
}

fn result(state: &mut LuaState, value: LuaValue) -> Result<usize, LuaError> {
    state.push(value);
    Ok(1)
}

/// `redis.call` and `redis.pcall`.
fn call(state: &mut LuaState, host: &SharedHost, raises: bool) -> Result<usize, LuaError> {
    // A string may be an argument many times: its copies are part of the script's memory.
    reserve(state, argument_bytes(state))?;
    let mut host = host.borrow_mut();
    let mut argv = host.take_request();
    if let Err(text) = write_command(state, &mut argv) {
        return refuse(state, text.as_bytes(), raises);
    }
    charge(state, COMMAND_INSTRUCTIONS + argv.as_ref().len() * ARGUMENT_INSTRUCTIONS)?;
    let Work { grows_memory, visited_bytes, visits } = match host.run(argv.as_ref()) {
        Ok(work) => work,
        Err(error) => return refuse(state, error.bytes(), raises),
    };
    if grows_memory {
        bound_memory(state, memory_limit(state)).or_else(|OutOfMemory| reserve(state, usize::MAX))?;
    }
    let (reply, protocol) = (host.reply(), host.protocol());
    charge_bytes(state, argv.as_ref().bytes_len() + reply.len())?;
    let visits = visits.saturating_mul(VISIT_INSTRUCTIONS);
    let visited = (visited_bytes / VISITED_BYTES_PER_INSTRUCTION).saturating_add(visits);
    charge(state, usize::try_from(visited).unwrap_or(usize::MAX))?;
    let is_error = reply.first() == Some(&b'-');
    let value = from_reply(state, reply, protocol)?;
    host.keep_request(argv);
    if is_error && raises { Err(LuaError::Runtime(value)) } else { result(state, value) }
}

/// Raises an error, or returns its table.
fn refuse(state: &mut LuaState, text: &[u8], raises: bool) -> Result<usize, LuaError> {
    let table = LuaValue::Table(error_table(state, text)?);
    if raises { Err(LuaError::Runtime(table)) } else { result(state, table) }
}

/// Sum of the lengths of all arguments that are strings.
fn argument_bytes(state: &LuaState) -> usize {
    let length = |index| match argument(state, index) {
        LuaValue::Str(text) => text.as_bytes().len(),
        _ => 0,
    };
    (1..=argument_count(state)).map(length).fold(0, usize::saturating_add)
}

/// Writes the command of a call: strings, and numbers in the shortest form that reads back.
fn write_command(state: &LuaState, argv: &mut Argv) -> Result<(), &'static str> {
    let count = argument_count(state);
    if count == 0 {
        return Err("ERR Please specify at least one argument for this redis lib call");
    }
    let mut text = Vec::new();
    for index in 1..=count {
        match argument(state, index) {
            LuaValue::Str(argument) => argv.push(argument.as_bytes()),
            LuaValue::Int(number) => argv.push(alloc::format!("{number}").as_bytes()),
            LuaValue::Float(number) => {
                text.clear();
                write_number(number, &mut text);
                argv.push(&text);
            }
            _ => return Err("ERR Lua redis lib command arguments must be strings or integers"),
        }
    }
    Ok(())
}

/// Writes a number as Redis does since 7.2: zero has no sign, but a value that is no number may have one.
fn write_number(number: f64, out: &mut Vec<u8>) {
    if number.is_nan() && number.is_sign_negative() {
        out.push(b'-');
    }
    write_double(if number == 0.0 { 0.0 } else { number }, out);
}

/// `redis.setresp(2 | 3)`
fn set_protocol(state: &mut LuaState, host: &SharedHost) -> Result<usize, LuaError> {
    if argument_count(state) != 1 {
        return Err(raise(state, b"ERR redis.setresp() requires one argument."));
    }
    let protocol = match api::to_number_x(state, 1).map(truncated) {
        Some(2) => Protocol::Resp2,
        Some(3) => Protocol::Resp3,
        _ => return Err(raise(state, b"ERR RESP version must be 2 or 3.")),
    };
    host.borrow_mut().set_protocol(protocol);
    Ok(0)
}

/// `redis.acl_check_cmd(command, ...)`: every command is allowed.
fn check_access(state: &mut LuaState, host: &SharedHost) -> Result<usize, LuaError> {
    let mut argv = Argv::default();
    match write_command(state, &mut argv) {
        Ok(()) if host.borrow().knows(argv.as_ref()) => result(state, LuaValue::Bool(true)),
        Ok(()) => Err(raise(state, b"ERR Invalid command passed to redis.acl_check_cmd()")),
        Err(text) => Err(raise(state, text.as_bytes())),
    }
}

/// `redis.error_reply(text)`
fn error_reply(state: &mut LuaState) -> Result<usize, LuaError> {
    let (1, LuaValue::Str(text)) = (argument_count(state), argument(state, 1)) else {
        let table = error_table(state, b"ERR wrong number or type of arguments")?;
        return result(state, LuaValue::Table(table));
    };
    let text = text.as_bytes();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let text = if text.contains(&b' ') { text.to_vec() } else { [b"ERR ", text].concat() };
    let table = error_table(state, &text)?;
    result(state, LuaValue::Table(table))
}

/// `redis.status_reply(text)`
fn status_reply(state: &mut LuaState) -> Result<usize, LuaError> {
    let (1, text @ LuaValue::Str(_)) = (argument_count(state), argument(state, 1)) else {
        let table = error_table(state, b"ERR wrong number or type of arguments")?;
        return result(state, LuaValue::Table(table));
    };
    let table = state.new_table_with_sizes(0, 1)?;
    set_field(state, &table, "ok", text)?;
    result(state, LuaValue::Table(table))
}

/// `redis.sha1hex(text)`
fn sha1hex(state: &mut LuaState) -> Result<usize, LuaError> {
    if argument_count(state) != 1 {
        return Err(raise(state, b"ERR wrong number of arguments"));
    }
    let mut text = Vec::new();
    match argument(state, 1) {
        LuaValue::Str(argument) => text.extend_from_slice(argument.as_bytes()),
        LuaValue::Float(number) => write_general(number, 14, &mut text),
        _ => {}
    }
    charge(state, HASH + text.len() / HASHED_BYTES_PER_INSTRUCTION)?;
    push_string(state, &sha1::hex(&text))?;
    Ok(1)
}

/// `redis.log(level, text, ...)`: checked; there is no log file.
fn log(state: &mut LuaState) -> Result<usize, LuaError> {
    if argument_count(state) < 2 {
        return Err(raise(state, b"ERR redis.log() requires two arguments or more."));
    }
    match api::to_number_x(state, 1).map(f64::trunc) {
        Some(level) if (0.0..=3.0).contains(&level) => Ok(0),
        Some(_) => Err(raise(state, b"ERR Invalid log level.")),
        None => Err(raise(state, b"ERR First argument must be a number (log level).")),
    }
}

/// `redis.set_repl(flags)`: checked; effects of scripts are always logged.
fn set_replication(state: &mut LuaState) -> Result<usize, LuaError> {
    if argument_count(state) != 1 {
        return Err(raise(state, b"ERR redis.set_repl() requires one argument."));
    }
    // Other values than numbers count as 0.
    match api::to_number_x(state, 1).unwrap_or_default().trunc() {
        0.0..=3.0 => Ok(0),
        _ => Err(raise(state, b"ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")),
    }
}
