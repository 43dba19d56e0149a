//! Rows of the scripting family, and the smallest handlers.

use super::execution;
use super::flush_type::check_flush_type;
use super::library_commands::{function_delete, function_dump, function_flush, function_load};
use crate::commands::help::write_help;
use crate::commands::table::args::Args;
use crate::commands::table::row::{Group, KeyAccess, KeySpec, Role, flags::*};
use crate::commands::{Context, Handler, Reply, Row};
use crate::resp::error::CommandError;

const fn row(name: &'static str, arity: i32, flags: u32, handler: Handler) -> Row {
    Row::of(Group::Scripting, name, arity, flags, &[], handler)
}

/// Flags of commands that run a script or a function.
const RUNS: u32 = NOSCRIPT | STALE | SKIP_MONITOR | MOVABLEKEYS | TIME | RUNS_SCRIPT;

const KEYS: &[KeySpec] = &[KeySpec::counted(2, KeyAccess::ReadWriteAccess)];
const READ_KEYS: &[KeySpec] = &[KeySpec::counted(2, KeyAccess::ReadAccess)];

/// Returns the row of a command that runs a script or a function.
const fn run(name: &'static str, role: Role, keys: &'static [KeySpec], flags: u32, handler: Handler) -> Row {
    Row { complexity: "Depends on the script.", reply: "any", keys, role, ..row(name, -3, RUNS | flags, handler) }
}

const ALL_NODES: &[&str] = &["request_policy:all_nodes", "response_policy:all_succeeded"];

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        since: "2.6.0",
        arguments: "script:string numkeys:integer [key:key...] [arg:string...]",
        summary: "Runs a Lua script.",
        ..run("eval", Role::RunsText, KEYS, 0, execution::eval)
    },
    Row {
        since: "7.0.0",
        arguments: "script:string numkeys:integer [key:key...] [arg:string...]",
        summary: "Runs a Lua script that only reads.",
        ..run("eval_ro", Role::RunsText, READ_KEYS, READONLY, execution::eval_ro)
    },
    Row {
        since: "2.6.0",
        arguments: "sha1:string numkeys:integer [key:key...] [arg:string...]",
        summary: "Runs a loaded Lua script by the SHA-1 of its text.",
        ..run("evalsha", Role::RunsDigest, KEYS, SERVER_STATE, execution::evalsha)
    },
    Row {
        since: "7.0.0",
        arguments: "sha1:string numkeys:integer [key:key...] [arg:string...]",
        summary: "Runs a loaded Lua script that only reads, by the SHA-1 of its text.",
        ..run("evalsha_ro", Role::RunsDigest, READ_KEYS, READONLY | SERVER_STATE, execution::evalsha_ro)
    },
    Row {
        since: "7.0.0",
        arguments: "function:string numkeys:integer [key:key...] [arg:string...]",
        summary: "Runs a function.",
        ..run("fcall", Role::RunsFunction, KEYS, SERVER_STATE, execution::fcall)
    },
    Row {
        since: "7.0.0",
        arguments: "function:string numkeys:integer [key:key...] [arg:string...]",
        summary: "Runs a function that only reads.",
        ..run("fcall_ro", Role::RunsFunction, READ_KEYS, READONLY | SERVER_STATE, execution::fcall_ro)
    },
    Row {
        since: "7.0.0",
        complexity: "Depends on the subcommand.",
        summary: "Manages libraries of functions.",
        reply: "any",
        subcommands: FUNCTION_ROWS,
        ..row("function", -2, NOSCRIPT, function_help)
    },
    Row {
        since: "2.6.0",
        complexity: "Depends on the subcommand.",
        summary: "Manages scripts.",
        reply: "any",
        subcommands: SCRIPT_ROWS,
        ..row("script", -2, NOSCRIPT, script_help)
    },
];

const ALL_SHARDS: &[&str] = &["request_policy:all_shards", "response_policy:all_succeeded"];
const ONE_SHARD: &[&str] = &["request_policy:all_shards", "response_policy:one_succeeded"];

/// Returns the row of a subcommand of FUNCTION.
const fn function(name: &'static str, arity: i32, flags: u32, handler: Handler) -> Row {
    Row { since: "7.0.0", ..row(name, arity, flags, handler) }
}

const FUNCTION_ROWS: &[Row] = &[
    Row {
        arguments: "library-name:string",
        summary: "Deletes a library and its functions.",
        tips: ALL_SHARDS,
        ..function("function|delete", 3, WRITE | NOSCRIPT | SERVER_STATE, function_delete)
    },
    Row {
        complexity: "O(N) with N the number of libraries.",
        summary: "Serializes all libraries for FUNCTION RESTORE, also of Redis and Valkey.",
        reply: "bulk",
        ..function("function|dump", 2, NOSCRIPT | SERVER_STATE, function_dump)
    },
    Row {
        arguments: "[flush-type=ASYNC | SYNC]",
        complexity: "O(N) with N the number of libraries.",
        summary: "Deletes all libraries.",
        tips: ALL_SHARDS,
        ..function("function|flush", -2, WRITE | NOSCRIPT | SERVER_STATE, function_flush)
    },
    Row {
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..function("function|help", 2, LOADING | STALE, function_help)
    },
    Row {
        summary: "Ends the function that runs, unless it has written.",
        tips: ONE_SHARD,
        ..function("function|kill", 2, NOSCRIPT | ALLOW_BUSY | SERVER_STATE, function_kill)
    },
    Row {
        arguments: "[LIBRARYNAME library-name-pattern:string] [WITHCODE]",
        complexity: "O(N) with N the number of functions.",
        summary: "Lists libraries with their functions.",
        reply: "array(map)",
        tips: &["nondeterministic_output_order"],
        ..function("function|list", -2, NOSCRIPT | SERVER_STATE, execution::function_list)
    },
    Row {
        arguments: "[REPLACE] function-code:string",
        complexity: "O(N) with N the length of the text.",
        summary: "Loads a library of functions and returns its name.",
        reply: "bulk",
        tips: ALL_SHARDS,
        role: Role::LoadsText,
        ..function("function|load", -3, WRITE | DENYOOM | NOSCRIPT | KEEPS | SERVER_STATE, function_load)
    },
    Row {
        arguments: "serialized-value:string [policy=FLUSH | APPEND | REPLACE]",
        complexity: "O(N) with N the number of functions.",
        summary: "Loads libraries from the output of FUNCTION DUMP.",
        tips: ALL_SHARDS,
        ..function(
            "function|restore",
            -3,
            WRITE | DENYOOM | NOSCRIPT | KEEPS | SERVER_STATE,
            execution::function_restore,
        )
    },
    Row {
        summary: "Returns the function that runs, and the numbers of libraries and functions.",
        reply: "map",
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        ..function("function|stats", 2, NOSCRIPT | ALLOW_BUSY | SERVER_STATE, execution::function_stats)
    },
];

const SCRIPT_ROWS: &[Row] = &[
    Row {
        since: "2.6.0",
        arguments: "sha1:string...",
        complexity: "O(N) with N the number of names.",
        summary: "Tells whether scripts are loaded, by the SHA-1 of their texts.",
        reply: "array(integer)",
        tips: &["request_policy:all_shards", "response_policy:agg_logical_and"],
        ..row("script|exists", -3, NOSCRIPT | SERVER_STATE, execution::script_exists)
    },
    Row {
        since: "2.6.0",
        arguments: "[flush-type=ASYNC | SYNC]",
        complexity: "O(N) with N the number of scripts.",
        summary: "Forgets all scripts.",
        tips: ALL_NODES,
        ..row("script|flush", -2, NOSCRIPT | SERVER_STATE, script_flush)
    },
    Row {
        since: "5.0.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row("script|help", 2, LOADING | STALE, script_help)
    },
    Row {
        since: "2.6.0",
        summary: "Ends the script that runs, unless it has written.",
        tips: ONE_SHARD,
        ..row("script|kill", 2, NOSCRIPT | ALLOW_BUSY | SERVER_STATE, script_kill)
    },
    Row {
        since: "2.6.0",
        arguments: "script:string",
        complexity: "O(N) with N the length of the text.",
        summary: "Loads a script and returns the SHA-1 of its text.",
        reply: "bulk",
        tips: ALL_NODES,
        role: Role::LoadsText,
        ..row("script|load", 3, NOSCRIPT | STALE | KEEPS | GROWS | SERVER_STATE, execution::script_load)
    },
];

fn function_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    write_help(cx, "function")
}

fn script_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    write_help(cx, "script")
}

fn script_flush(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    check_flush_type(args, CommandError::SCRIPT_FLUSH_TYPE)?;
    execution::flush(cx);
    cx.reply.ok();
    Ok(())
}

fn script_kill(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    kill(cx, false)
}

fn function_kill(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    kill(cx, true)
}

/// Marks the suspended script, or function, as killed: it ends instead of going on.
fn kill(cx: &mut Context<'_>, is_function: bool) -> Reply {
    let suspended = cx.server.scripts.suspended.0.as_mut().ok_or(CommandError::NO_RUNNING_SCRIPT)?;
    if suspended.has_written {
        return Err(CommandError::UNKILLABLE);
    }
    match (is_function, &suspended.function) {
        (true, None) => return Err(CommandError::BUSY_SCRIPT),
        (false, Some(_)) => return Err(CommandError::BUSY_FUNCTION),
        _ => suspended.is_killed = true,
    }
    cx.reply.ok();
    Ok(())
}
