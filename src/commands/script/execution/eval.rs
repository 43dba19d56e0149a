//! EVAL and SCRIPT: scripts by text and by name.

use super::program::Program;
use super::run::{Runner, run_program, with_machine};
use crate::base::argv::ArgvRef;
use crate::base::sha1::HEX_LEN;
use crate::commands::table::args::Args;
use crate::commands::{Context, Reply, Role, Row, flags};
use crate::lua::shebang::{self, script_flags};
use crate::resp::error::{CommandError, ErrorText};
use crate::server::Server;

/// How a command names its script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Text,
    Name,
}

pub fn eval(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    evaluate(cx, args, By::Text, false)
}

pub fn eval_ro(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    evaluate(cx, args, By::Text, true)
}

pub fn evalsha(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    evaluate(cx, args, By::Name, false)
}

pub fn evalsha_ro(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    evaluate(cx, args, By::Name, true)
}

fn evaluate(cx: &mut Context<'_>, args: &mut Args<'_>, by: By, read_only: bool) -> Reply {
    super::run::begin(cx);
    super::run::show_monitors(cx, args.argv());
    let script = args.bytes()?;
    if by == By::Name && script.len() != HEX_LEN {
        return Err(CommandError::NO_SCRIPT);
    }
    let (keys, arguments) = keys_and_arguments(args, CommandError::NOT_AN_INTEGER)?;
    let slot = match by {
        By::Name => find(cx, script).ok_or(CommandError::NO_SCRIPT)?,
        By::Text => match cx.server.scripts.evaluation.cache.find_text(script) {
            Some(slot) => slot,
            None => add(cx, script, false).map_err(|error| args.refuse(error))?,
        },
    };
    run_program(cx, Program::Script(slot), read_only, [keys, arguments]).map_err(|error| args.refuse(error))
}

/// Slot of the script with a name, of which the letters may be capitals.
fn find(cx: &Context<'_>, name: &[u8]) -> Option<u32> {
    let cache = &cx.server.scripts.evaluation.cache;
    cache.find(name).or_else(|| cache.find(&name.to_ascii_lowercase()))
}

/// Reads the number of keys, the keys and the other arguments.
pub fn keys_and_arguments<'a>(
    args: &mut Args<'a>,
    not_a_number: CommandError,
) -> Result<(ArgvRef<'a>, ArgvRef<'a>), CommandError> {
    let count = args.integer().map_err(|_| not_a_number)?;
    if count > args.left() as i64 {
        return Err(CommandError::TOO_MANY_KEYS);
    }
    let count = usize::try_from(count).map_err(|_| CommandError::NEGATIVE_KEYS)?;
    Ok((args.take(count), args.take(usize::MAX)))
}

/// `SCRIPT LOAD script`
pub fn script_load(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    super::run::begin(cx);
    let text = args.bytes()?;
    let slot = match cx.server.scripts.evaluation.cache.find_text(text) {
        Some(slot) => slot,
        None => add(cx, text, true).map_err(|error| args.refuse(error))?,
    };
    cx.server.scripts.evaluation.cache.keep(slot);
    let name = cx.server.scripts.evaluation.cache.script(slot).map(|script| script.name);
    cx.reply.optional_bulk(name.as_ref().map(|name| &name[..]));
    Ok(())
}

/// Compiles a script and adds it to the cache; returns its slot.
fn add(cx: &mut Context<'_>, text: &[u8], is_loaded: bool) -> Result<u32, ErrorText> {
    with_machine(cx, |cx, machine| {
        let compiled = machine.compile_script(text)?;
        let slot = cx.server.scripts.evaluation.cache.add(text, is_loaded);
        machine.forget(&cx.server.scripts.evaluation.cache.take_forgotten());
        machine.keep(slot, compiled);
        Ok(slot)
    })
}

/// `SCRIPT EXISTS sha1...`
pub fn script_exists(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    cx.reply.array(args.left());
    for name in args.rest() {
        let is_loaded = cx.server.scripts.evaluation.cache.find(&name.to_ascii_lowercase()).is_some();
        cx.reply.integer(is_loaded.into());
    }
    Ok(())
}

/// Forgets all scripts, and what they set in libraries such as `cjson`.
pub fn flush(cx: &mut Context<'_>) {
    cx.server.scripts.evaluation.cache = Default::default();
    super::run::renew(cx, Runner::forget_scripts);
}

/// Whether a request runs a script that may write. A function may, and a script without the flag `no-writes`.
pub fn may_write(server: &Server, row: &Row, argv: ArgvRef<'_>) -> bool {
    if !row.has(flags::RUNS_SCRIPT) || row.has(flags::READONLY) {
        return false;
    }
    let named = argv.get(1).unwrap_or_default();
    let cache = &server.scripts.evaluation.cache;
    let text = match row.role {
        Role::RunsDigest => cache.find(&named.to_ascii_lowercase()).and_then(|slot| cache.script(slot)),
        _ => None,
    };
    let flags = shebang::read(text.map_or(named, |script| &script.text)).map(|(flags, _)| flags);
    row.role == Role::RunsFunction || flags.unwrap_or_default() & script_flags::NO_WRITES == 0
}
