//! SHUTDOWN. The server is the host's: the command requests its end, and the client waits until the connection is closed or
//! the host reports that it goes on.

use super::table::args::{Args, is};
use super::table::row::{Group, flags::*};
use super::{BlockOn, Blocking, Context, HostReport, Reply, Row};
use crate::resp::error::CommandError;
use crate::server::shutdown::{LastSave, ShutdownRequest};

pub(super) const ROWS: &[Row] = &[Row {
    arguments: "[NOSAVE|SAVE] [NOW] [FORCE] [ABORT]",
    complexity: "O(N) with N the number of keys in all databases if a snapshot is saved, O(1) otherwise.",
    summary: "Ends the server, after saving a snapshot if the parameter save asks for one.",
    ..Row::of(
        Group::Server,
        "shutdown",
        -1,
        ADMIN | NOSCRIPT | LOADING | STALE | NO_MULTI | ALLOW_BUSY | SERVER_STATE,
        &[],
        shutdown,
    )
}];

/// `SHUTDOWN [NOSAVE|SAVE] [NOW] [FORCE] [ABORT]`. There are no replicas to wait for, so NOW changes nothing.
fn shutdown(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (mut saves, mut never_saves, mut is_forced, mut is_now, mut aborts) = (false, false, false, false, false);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "NOSAVE") => never_saves = true,
            _ if is(word, "SAVE") => saves = true,
            _ if is(word, "NOW") => is_now = true,
            _ if is(word, "FORCE") => is_forced = true,
            _ if is(word, "ABORT") => aborts = true,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    if saves && never_saves || aborts && (saves || never_saves || is_forced || is_now) {
        return Err(CommandError::SYNTAX);
    }
    if aborts {
        return abort(cx);
    }
    if let Some(suspended) = &cx.server.scripts.suspended.0
        && !never_saves
    {
        return Err(suspended.busy_error());
    }
    if !cx.server.shutdown.is_available {
        return Err(CommandError::NO_SERVER);
    }
    if cx.blocking == Blocking::TimedOut {
        return Err(CommandError::UNBLOCKED);
    }
    let last_save = match (saves, never_saves) {
        (true, _) => LastSave::Always,
        (_, true) => LastSave::Never,
        _ => LastSave::ByRule,
    };
    cx.server.shutdown.request(ShutdownRequest { last_save, is_forced });
    cx.block_on = Some(BlockOn::report(HostReport::GoesOn));
    Ok(())
}

/// `SHUTDOWN ABORT`. The host answers the clients that wait.
fn abort(cx: &mut Context<'_>) -> Reply {
    if !cx.server.shutdown.abort() {
        return Err(CommandError::NO_SHUTDOWN);
    }
    cx.reply.ok();
    Ok(())
}
