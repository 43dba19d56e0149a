//! Saving on request: SAVE, BGSAVE, BGREWRITEAOF and LASTSAVE. The store is the host's: a command requests the save, and
//! the host reports how it ended.

use super::table::args::{Args, is};
use super::table::row::{Group, flags::*};
use super::{BlockOn, Blocking, Context, HostReport, Reply, Row};
use crate::resp::error::CommandError;
use crate::server::saving::SaveKind;

const MS_PER_SECOND: i64 = 1000;

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row::of(Group::Server, name, arity, flags, &[], handler)
}

pub(super) const ROWS: &[Row] = &[
    Row {
        summary: "Starts to write the log anew, without its history.",
        reply: "status",
        ..row("bgrewriteaof", 1, ADMIN | NOSCRIPT | SERVER_STATE, bgrewriteaof)
    },
    Row {
        arguments: "[SCHEDULE]",
        summary: "Starts to save a snapshot.",
        reply: "status",
        ..row("bgsave", -1, ADMIN | NOSCRIPT | SERVER_STATE, bgsave)
    },
    Row {
        summary: "Returns the Unix time in seconds of the last save.",
        reply: "integer",
        ..row("lastsave", 1, ADMIN | FAST | LOADING | STALE | TIME | SERVER_STATE, lastsave)
    },
    Row {
        complexity: "O(N) with N the number of keys in all databases.",
        summary: "Saves a snapshot, and replies when it is saved.",
        ..row("save", 1, ADMIN | NOSCRIPT | NO_MULTI | SERVER_STATE, save)
    },
];

fn require_store(cx: &Context<'_>) -> Reply {
    match &cx.server.saving {
        saving if saving.is_read_only => Err(CommandError::READ_ONLY),
        saving if saving.is_available => Ok(()),
        _ => Err(CommandError::NO_STORE),
    }
}

/// `SAVE`. The client is blocked until the host reports the end, as `engine/host_store` describes.
fn save(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    require_store(cx)?;
    if cx.blocking == Blocking::TimedOut {
        return Err(CommandError::UNBLOCKED);
    }
    if cx.server.saving.is_active(SaveKind::Snapshot) {
        return Err(CommandError::SAVE_RUNNING);
    }
    cx.server.saving.request(SaveKind::Snapshot);
    cx.block_on = Some(BlockOn::report(HostReport::SnapshotSaved));
    Ok(())
}

/// `BGSAVE [SCHEDULE]`. In a transaction the save is always scheduled.
fn bgsave(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let schedules = match (args.optional(), args.left()) {
        (None, _) => false,
        (Some(word), 0) if is(word, "SCHEDULE") => true,
        _ => return Err(CommandError::SYNTAX),
    };
    require_store(cx)?;
    let is_deferred = cx.blocking == Blocking::Denied;
    let saving = &mut cx.server.saving;
    if saving.is_active(SaveKind::Snapshot) {
        return Err(CommandError::SAVE_RUNNING);
    }
    if saving.is_busy() && !schedules && !is_deferred {
        return Err(CommandError::OTHER_SAVE_RUNNING);
    }
    let is_scheduled = saving.is_busy() || is_deferred;
    saving.request(SaveKind::Snapshot);
    cx.reply.simple(if is_scheduled { "Background saving scheduled" } else { "Background saving started" });
    Ok(())
}

/// `BGREWRITEAOF`. In a transaction the rewrite is always scheduled.
fn bgrewriteaof(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    require_store(cx)?;
    let saving = &mut cx.server.saving;
    if saving.is_active(SaveKind::LogRewrite) {
        return Err(CommandError::REWRITE_RUNNING);
    }
    let is_scheduled = saving.is_busy() || cx.blocking == Blocking::Denied;
    saving.request(SaveKind::LogRewrite);
    let started = "Background append only file rewriting started";
    cx.reply.simple(if is_scheduled { "Background append only file rewriting scheduled" } else { started });
    Ok(())
}

fn lastsave(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.integer(cx.server.saving.saved_at.as_ms() / MS_PER_SECOND);
    Ok(())
}
