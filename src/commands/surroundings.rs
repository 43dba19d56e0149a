//! What clients ask about clusters, replicas, users and modules. The engine is one server with one user: what is so is
//! answered, and what would need more is refused in the words of a server that has no more either.

use alloc::vec::Vec;

use super::Context;
use super::args::{Args, is};
use super::docs::{CATEGORY_ORDER, categories, without_sign};
use super::row::{Group, Park, Reply, Row, Waiting, flags::*};
use crate::base::number::parse_integer;
use crate::resp::error::{CommandError, ErrorText};

const MASTER_PORT_MAX: i64 = 65_535;

const fn row(group: Group, name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row::of(group, name, arity, flags, &[], handler)
}

/// A row of a server that is part of no cluster.
const fn clustered(name: &'static str, arity: i32, flags: u32) -> Row {
    Row { since: "3.0.0", ..row(Group::Cluster, name, arity, flags, no_cluster) }
}

const ASKING: u32 = LOADING | STALE;

pub(super) const ROWS: &[Row] = &[
    Row {
        since: "6.0.0",
        complexity: "Depends on the subcommand.",
        summary: "Inspects access control; the only user has all permissions.",
        reply: "any",
        subcommands: ACL_ROWS,
        ..row(Group::Server, "acl", -2, 0, acl_help)
    },
    Row { summary: "Returns an error: cluster mode is not supported.", ..clustered("asking", 1, FAST) },
    Row {
        complexity: "Depends on the subcommand.",
        summary: "Returns an error: cluster mode is not supported.",
        subcommands: CLUSTER_ROWS,
        ..clustered("cluster", -2, 0)
    },
    Row {
        since: "4.0.0",
        complexity: "Depends on the subcommand.",
        summary: "Inspects modules; none can be loaded.",
        reply: "any",
        subcommands: MODULE_ROWS,
        ..row(Group::Server, "module", -2, 0, module_help)
    },
    Row { summary: "Returns an error: cluster mode is not supported.", ..clustered("readonly", 1, FAST | ASKING) },
    Row { summary: "Returns an error: cluster mode is not supported.", ..clustered("readwrite", 1, FAST | ASKING) },
    Row {
        since: "5.0.0",
        arguments: "<args=(host port:integer) | (NO ONE)>",
        summary: "Accepts NO ONE only: the server cannot be a replica.",
        ..row(Group::Server, "replicaof", 3, ADMIN | NOSCRIPT | STALE, replicaof)
    },
    Row {
        since: "2.8.12",
        summary: "Returns the role, always master, and an empty list of replicas.",
        reply: "array(any)",
        ..row(Group::Server, "role", 1, ADMIN | FAST | NOSCRIPT | ASKING, role)
    },
    Row {
        arguments: "<args=(host port:integer) | (NO ONE)>",
        summary: "Accepts NO ONE only; deprecated in favor of REPLICAOF.",
        ..row(Group::Server, "slaveof", 3, ADMIN | NOSCRIPT | STALE, replicaof)
    },
    Row {
        since: "7.2.0",
        arguments: "numlocal:integer numreplicas:integer timeout:integer",
        summary: "Blocks until the timeout if replicas are requested, and returns 0 and 0: there are none.",
        reply: "array(integer)",
        tips: &["request_policy:all_shards", "response_policy:agg_min"],
        ..row(Group::Generic, "waitaof", 4, BLOCKING | TIME, waitaof)
    },
];

const ACL_ROWS: &[Row] = &[
    Row {
        since: "6.0.0",
        arguments: "[category]",
        complexity: "O(N) with N the number of commands.",
        summary: "Returns the command categories, or the commands of one.",
        reply: "array(bulk)",
        ..row(Group::Server, "acl|cat", -2, NOSCRIPT | ASKING | UNORDERED, acl_cat)
    },
    Row {
        since: "6.0.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row(Group::Server, "acl|help", 2, ASKING, acl_help)
    },
    Row {
        since: "6.0.0",
        summary: "Returns the user names.",
        reply: "array(bulk)",
        ..row(Group::Server, "acl|users", 2, ADMIN | NOSCRIPT | ASKING, acl_users)
    },
    Row {
        since: "6.0.0",
        summary: "Returns the user name of the connection.",
        reply: "bulk",
        ..row(Group::Server, "acl|whoami", 2, NOSCRIPT | ASKING, acl_whoami)
    },
];

const CLUSTER_ROWS: &[Row] = &[
    Row { summary: "Describes the subcommands.", since: "5.0.0", ..clustered("cluster|help", 2, ASKING) },
    Row { summary: "Returns the state of the cluster.", ..clustered("cluster|info", 2, STALE) },
    Row { summary: "Returns the hash slot of a key.", arguments: "key", ..clustered("cluster|keyslot", 3, STALE) },
    Row { summary: "Returns the ID of this node.", ..clustered("cluster|myid", 2, STALE) },
    Row { summary: "Returns the cluster nodes.", ..clustered("cluster|nodes", 2, STALE) },
    Row { summary: "Returns the cluster shards.", since: "7.0.0", ..clustered("cluster|shards", 2, ASKING) },
    Row { summary: "Returns the hash slots of each node.", ..clustered("cluster|slots", 2, ASKING) },
];

const MODULE_ROWS: &[Row] = &[
    Row {
        since: "5.0.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row(Group::Server, "module|help", 2, ASKING, module_help)
    },
    Row {
        since: "4.0.0",
        summary: "Returns the loaded modules, always none.",
        reply: "array(any)",
        tips: &["nondeterministic_output_order"],
        ..row(Group::Server, "module|list", 2, ADMIN | NOSCRIPT, module_list)
    },
];

fn no_cluster(_: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    Err(CommandError::NO_CLUSTER)
}

fn acl_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::write_help(cx, "acl")
}

fn module_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::write_help(cx, "module")
}

/// `ACL CAT [category]`
fn acl_cat(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if args.left() > 1 {
        return Err(args.refuse(ErrorText::unknown_or_wrong("ACL", args.argv().get(1).unwrap_or_default())));
    }
    let names: Vec<&str> = match args.optional() {
        None => CATEGORY_ORDER.iter().map(|name| without_sign(name)).collect(),
        Some(word) => {
            let category = CATEGORY_ORDER.iter().find(|name| is(word, without_sign(name)));
            let category = category.ok_or_else(|| args.refuse(ErrorText::quoted("ERR Unknown category", word)))?;
            let all = cx.table.commands().flat_map(|row| core::iter::once(row).chain(row.subcommands));
            let belongs = |row: &&Row| row.subcommands.is_empty() && categories(row).contains(category);
            all.filter(belongs).map(|row| row.name).collect()
        }
    };
    cx.reply.array(names.len());
    names.iter().for_each(|name| cx.reply.bulk(name.as_bytes()));
    Ok(())
}

fn acl_users(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.array(1);
    cx.reply.bulk(super::connection::DEFAULT_USER);
    Ok(())
}

fn acl_whoami(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.bulk(super::connection::DEFAULT_USER);
    Ok(())
}

fn module_list(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.array(0);
    Ok(())
}

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
    // How much was replicated, and to whom.
    cx.reply.integer(0);
    cx.reply.array(0);
    Ok(())
}

/// `WAITAOF numlocal numreplicas timeout`: with no file and no replica, the only thing to wait for is the end of the
/// time.
fn waitaof(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let local = args.integer()?;
    if !(0..=1).contains(&local) {
        return Err(CommandError::LOCAL_FILES);
    }
    let replicas = args.integer()?;
    if replicas < 0 {
        return Err(CommandError::NOT_POSITIVE);
    }
    let timeout_ms = parse_integer(args.bytes()?).ok_or(CommandError::BAD_TIMEOUT)?;
    if timeout_ms < 0 {
        return Err(CommandError::NEGATIVE_TIMEOUT);
    }
    if local > 0 {
        return Err(CommandError::NO_LOCAL_FILE);
    }
    if replicas > 0 && cx.waiting == Waiting::Allowed {
        let until = cx.now.checked_add_ms(timeout_ms).filter(|_| timeout_ms > 0);
        cx.park = Some(Park { wanted: None, until });
        return Ok(());
    }
    cx.reply.array(2);
    cx.reply.integer(0);
    cx.reply.integer(0);
    Ok(())
}
