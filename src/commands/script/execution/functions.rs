//! FUNCTION and FCALL: libraries of functions.

use alloc::vec::Vec;

use super::eval::keys_and_arguments;
use super::program::Program;
use super::run::{Function, Runner, begin, renew, run_program, show_monitors, suspended_functions, with_libraries};
use crate::base::glob;
use crate::commands::table::args::{Args, is};
use crate::commands::{Context, Reply};
use crate::lua::shebang::{is_valid_name, script_flags};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::scripts::library::{Library, header};
use crate::server::scripts::suspended::Suspended;
use crate::values::rdb::{FUNCTION_2, Input, crc64};

const VERSION_BYTES: usize = 2;
const CHECKSUM_BYTES: usize = 8;
/// Newest supported RDB version of Redis.
const REDIS_VERSION_MAX: u16 = 13;

pub fn fcall(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    call(cx, args, false)
}

pub fn fcall_ro(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    call(cx, args, true)
}

fn call(cx: &mut Context<'_>, args: &mut Args<'_>, read_only: bool) -> Reply {
    begin(cx);
    show_monitors(cx, args.argv());
    let name = args.bytes()?;
    let is_known = with_libraries(cx, |_, runner| Ok(runner.function(name).is_some()));
    if !is_known.map_err(|error| args.refuse(error))? {
        return Err(CommandError::NO_SUCH_FUNCTION);
    }
    let (keys, arguments) = keys_and_arguments(args, CommandError::BAD_KEY_COUNT)?;
    run_program(cx, Program::Function(name), read_only, [keys, arguments]).map_err(|error| args.refuse(error))
}

/// `FUNCTION LOAD [REPLACE] code`
pub fn function_load(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    begin(cx);
    let mut replace = false;
    while args.left() > 1 {
        let word = args.bytes()?;
        if !is(word, "REPLACE") {
            return Err(args.refuse(ErrorText::with_bytes("ERR Unknown option given: ", word)));
        }
        replace = true;
    }
    let code = args.bytes()?;
    let name = load(cx, code, replace).map_err(|error| args.refuse(error))?;
    log_library(cx, code);
    cx.reply.bulk(&name);
    Ok(())
}

/// Loads a library into the machine and keeps its text; returns its name.
fn load(cx: &mut Context<'_>, code: &[u8], replace: bool) -> Result<Vec<u8>, ErrorText> {
    let header = header(code)?;
    if !is_valid_name(&header.name) {
        return Err(CommandError::LIBRARY_NAME.into());
    }
    if !header.engine.eq_ignore_ascii_case(b"lua") {
        return Err(ErrorText::around("ERR Engine '", &header.engine, "' not found"));
    }
    with_libraries(cx, |cx, runner| {
        if !replace && cx.server.scripts.libraries.contains(&header.name) {
            return Err(ErrorText::around("ERR Library '", &header.name, "' already exists"));
        }
        let loaded = runner.load_library(&header.name, &code[header.len..])?;
        runner.adopt(&header.name, loaded);
        let counted = runner.count_libraries(cx.server.settings.script_limits);
        let libraries = &mut cx.server.scripts.libraries;
        let kept = counted.and_then(|()| Ok(libraries.insert(code).map_err(CommandError::from)?));
        match kept {
            Ok(()) => runner.mark_loaded(libraries.changes()),
            Err(_) => runner.forget_libraries(),
        }
        kept
    })?;
    Ok(header.name)
}

/// Forgets all functions, and what they set in libraries such as `cjson`.
pub fn flush_functions(cx: &mut Context<'_>) {
    renew(cx, Runner::forget_functions);
}

/// `FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE]`
pub fn function_list(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    begin(cx);
    let (mut pattern, mut with_code) = (None, false);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "WITHCODE") && !with_code => with_code = true,
            _ if is(word, "LIBRARYNAME") && pattern.is_none() => {
                pattern = Some(args.bytes().map_err(|_| CommandError::NO_LIBRARY_PATTERN)?);
            }
            _ => return Err(args.refuse(ErrorText::with_bytes("ERR Unknown argument ", word))),
        }
    }
    let listed = with_libraries(cx, |cx, runner| {
        let Context { server, reply, .. } = cx;
        let is_listed = |library: &&Library| {
            let name = library.name.to_ascii_lowercase();
            pattern.is_none_or(|pattern| glob::matches(&pattern.to_ascii_lowercase(), &name))
        };
        let libraries: Vec<&Library> = server.scripts.libraries.iter().filter(is_listed).collect();
        reply.array(libraries.len());
        for library in libraries {
            let functions = runner.functions_of(&library.name);
            write_library(reply, library, &functions, with_code);
        }
        Ok(())
    });
    listed.map_err(|error| args.refuse(error))
}

fn write_library(reply: &mut Writer, library: &Library, functions: &[(&[u8], &Function)], with_code: bool) {
    reply.map(if with_code { 4 } else { 3 });
    reply.bulk(b"library_name");
    reply.bulk(&library.name);
    reply.bulk(b"engine");
    reply.bulk(b"LUA");
    reply.bulk(b"functions");
    reply.array(functions.len());
    for (name, function) in functions {
        reply.map(3);
        reply.bulk(b"name");
        reply.bulk(name);
        reply.bulk(b"description");
        reply.optional_bulk(function.description.as_deref());
        reply.bulk(b"flags");
        let names = script_flags::NAMES.iter().filter(|(flag, _)| function.flags & flag != 0);
        reply.set(names.clone().count());
        names.for_each(|(_, name)| reply.simple(name));
    }
    if with_code {
        reply.bulk(b"library_code");
        reply.bulk(&library.code);
    }
}

/// `FUNCTION STATS`
pub fn function_stats(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    begin(cx);
    let functions = match suspended_functions(cx) {
        Some(count) => count,
        None => {
            let counted = with_libraries(cx, |_, runner| Ok(runner.function_count()));
            counted.map_err(|error| args.refuse(error))?
        }
    };
    let Context { server, reply, .. } = cx;
    let running = server.scripts.suspended.0.as_deref();
    let function = running.and_then(|running| running.function.as_deref());
    if running.is_some() && function.is_none() {
        return Err(CommandError::BUSY_SCRIPT);
    }
    reply.map(2);
    reply.bulk(b"running_script");
    match (running, function) {
        (Some(running), Some(name)) => write_running(reply, running, name),
        _ => reply.null(),
    }
    cx.reply.bulk(b"engines");
    cx.reply.map(1);
    cx.reply.bulk(b"LUA");
    cx.reply.map(2);
    cx.reply.bulk(b"libraries_count");
    cx.reply.integer(cx.server.scripts.libraries.len() as i64);
    cx.reply.bulk(b"functions_count");
    cx.reply.integer(functions as i64);
    Ok(())
}

/// Writes the function that runs, with its request and the time it has taken so far.
fn write_running(reply: &mut Writer, running: &Suspended, name: &[u8]) {
    reply.map(3);
    reply.bulk(b"name");
    reply.bulk(name);
    reply.bulk(b"command");
    let argv = running.script.as_ref().map(|script| script.argv.as_ref());
    reply.array(argv.map_or(0, |argv| argv.len()));
    argv.into_iter().flat_map(|argv| argv.iter()).for_each(|argument| reply.bulk(argument));
    reply.bulk(b"duration_ms");
    reply.integer((running.elapsed_us / 1000).cast_signed());
}

/// Policies of FUNCTION RESTORE.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    Append,
    Replace,
    Flush,
}

/// `FUNCTION RESTORE payload [FLUSH | APPEND | REPLACE]`
pub fn function_restore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    begin(cx);
    if args.left() > 2 {
        return Err(args.refuse(ErrorText::unknown_or_wrong("FUNCTION", b"RESTORE")));
    }
    let payload = args.bytes()?;
    let policy = match args.optional() {
        None => Policy::Append,
        Some(word) if is(word, "APPEND") => Policy::Append,
        Some(word) if is(word, "REPLACE") => Policy::Replace,
        Some(word) if is(word, "FLUSH") => Policy::Flush,
        Some(_) => return Err(CommandError::RESTORE_POLICY),
    };
    let codes = read_payload(payload)?;
    restore(cx, &codes, policy).map_err(|error| args.refuse(error))?;
    cx.reply.ok();
    Ok(())
}

/// Loads libraries one by one; on an error the libraries are those from before.
fn restore(cx: &mut Context<'_>, codes: &[Vec<u8>], policy: Policy) -> Result<(), ErrorText> {
    let before = cx.server.scripts.libraries.clone();
    if policy == Policy::Flush {
        cx.server.scripts.libraries.clear();
    }
    for code in codes {
        if let Err(error) = load(cx, code, policy == Policy::Replace) {
            cx.server.scripts.libraries.replace_with(before);
            return Err(error);
        }
    }
    if policy == Policy::Flush {
        let database = cx.database();
        cx.keyspace.log_change(database, &[b"FUNCTION", b"FLUSH"]);
    }
    codes.iter().for_each(|code| log_library(cx, code));
    Ok(())
}

/// Reads the texts of a dump.
fn read_payload(payload: &[u8]) -> Result<Vec<Vec<u8>>, CommandError> {
    let (checked, checksum) = payload.split_last_chunk::<CHECKSUM_BYTES>().ok_or(CommandError::BAD_PAYLOAD)?;
    let (body, version) = checked.split_last_chunk::<VERSION_BYTES>().ok_or(CommandError::BAD_PAYLOAD)?;
    if u16::from_le_bytes(*version) > REDIS_VERSION_MAX || crc64(checked) != u64::from_le_bytes(*checksum) {
        return Err(CommandError::BAD_PAYLOAD);
    }
    let (mut input, mut codes) = (Input::new(body), Vec::new());
    while !input.is_at_end() {
        if input.byte().ok() != Some(FUNCTION_2) {
            return Err(CommandError::BAD_FUNCTIONS);
        }
        codes.push(input.string().map_err(|_| CommandError::BAD_FUNCTIONS)?.to_vec());
    }
    Ok(codes)
}

/// Logs a library.
fn log_library(cx: &mut Context<'_>, code: &[u8]) {
    let database = cx.database();
    cx.keyspace.log_change(database, &[b"FUNCTION", b"LOAD", b"REPLACE", code]);
}
