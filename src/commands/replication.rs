//! Replication: the server is always a master without replicas.

use super::blocking::timeout_ms;
use super::table::args::{Args, is};
use super::table::row::{FamilyCategory, Group, flags::*};
use super::{BlockOn, Blocking, Context, HostReport, Reply, Row};
use crate::base::number::parse_integer;
use crate::resp::error::CommandError;

const MASTER_PORT_MAX: i64 = 65_535;

const fn row(group: Group, name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row::of(group, name, arity, flags, &[], handler)
}

pub(super) const ROWS: &[Row] = &[
    Row {
        since: "5.0.0",
        arguments: "<args=(host port:integer) | (NO ONE)>",
        summary: "Accepts NO ONE only: the server cannot be a replica.",
        ..row(Group::Server, "replicaof", 3, ADMIN | NOSCRIPT | STALE | SERVER_STATE, replicaof)
    },
    Row {
        since: "2.8.12",
        summary: "Returns the role, always master, and an empty list of replicas.",
        reply: "array(any)",
        ..row(Group::Server, "role", 1, ADMIN | FAST | NOSCRIPT | LOADING | STALE | SERVER_STATE, role)
    },
    Row {
        arguments: "<args=(host port:integer) | (NO ONE)>",
        summary: "Accepts NO ONE only; deprecated in favor of REPLICAOF.",
        ..row(Group::Server, "slaveof", 3, ADMIN | NOSCRIPT | STALE | SERVER_STATE, replicaof)
    },
    Row {
        since: "7.2.0",
        arguments: "numlocal:integer numreplicas:integer timeout:integer",
        summary: "Blocks until the log is forced to the medium; for replicas until the timeout, since there are none.",
        reply: "array(integer,integer)",
        tips: &["request_policy:all_shards", "response_policy:agg_min"],
        category: FamilyCategory::Connection,
        ..row(Group::Generic, "waitaof", 4, BLOCKING | TIME | SERVER_STATE, waitaof)
    },
];

/// `REPLICAOF host port | NO ONE`
fn replicaof(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (host, port) = (args.bytes()?, args.bytes()?);
    if is(host, "NO") && is(port, "ONE") {
        cx.reply.ok();
        return Ok(());
    }
    let port = parse_integer(port).filter(|port| (0..=MASTER_PORT_MAX).contains(port));
    Err(port.map_or(CommandError::BAD_MASTER_PORT, |_| CommandError::NO_REPLICA))
}

fn role(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.array(3);
    cx.reply.bulk(b"master");
    // Replication offset and list of replicas.
    cx.reply.integer(0);
    cx.reply.array(0);
    Ok(())
}

/// `WAITAOF numlocal numreplicas timeout`. Waits until the host's log is forced to the medium with everything that the client
/// may have seen, and for replicas until the timeout: there are none.
fn waitaof(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let local = args.integer()?;
    if !(0..=1).contains(&local) {
        return Err(CommandError::LOCAL_FILES);
    }
    let replicas = args.integer()?;
    if replicas < 0 {
        return Err(CommandError::NOT_POSITIVE);
    }
    let timeout_ms = timeout_ms(args.bytes()?)?;
    if local > 0 && !cx.server.saving.log.is_kept {
        return Err(CommandError::NO_LOCAL_FILE);
    }
    let effects = awaited_effects(cx);
    let log = &mut cx.server.saving.log;
    let is_synced = log.covers(effects);
    let is_enough = replicas == 0 && (local == 0 || is_synced);
    if !is_enough && cx.blocking == Blocking::Allowed {
        if local > 0 && !is_synced {
            log.want();
        }
        let until = cx.now.checked_add_ms(timeout_ms).filter(|_| timeout_ms > 0);
        let report = (local > 0).then_some(HostReport::LogSynced);
        cx.block_on = Some(BlockOn { report, ..BlockOn::timeout(until) });
        return Ok(());
    }
    cx.reply.array(2);
    cx.reply.integer(i64::from(is_synced));
    cx.reply.integer(0);
    Ok(())
}

/// Number of effects that WAITAOF waits for: those before its first run, also when it runs again.
fn awaited_effects(cx: &mut Context<'_>) -> u64 {
    let (effects, is_first) = (cx.keyspace.effects.count(), cx.resumed.is_none());
    let Some(client) = cx.client() else { return effects };
    if is_first {
        client.awaited_effects = effects;
    }
    client.awaited_effects
}
