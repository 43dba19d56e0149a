//! Commands of a cluster, which all return an error: the server is not part of one.

use super::table::args::Args;
use super::table::row::{FamilyCategory, Group, flags::*};
use super::{Context, Reply, Row};
use crate::resp::error::CommandError;

/// Returns the row of a cluster command.
const fn cluster_row(name: &'static str, arity: i32, flags: u32) -> Row {
    Row { since: "3.0.0", reply: "error", ..Row::of(Group::Cluster, name, arity, flags, &[], no_cluster) }
}

/// Returns the row of a command for connections to a node of a cluster.
const fn connection_row(name: &'static str, flags: u32) -> Row {
    Row {
        summary: "Returns an error: cluster mode is not supported.",
        category: FamilyCategory::Connection,
        ..cluster_row(name, 1, flags)
    }
}

const LOADING_STALE: u32 = LOADING | STALE;

pub(super) const ROWS: &[Row] = &[
    connection_row("asking", FAST),
    Row {
        complexity: "Depends on the subcommand.",
        summary: "Returns an error: cluster mode is not supported.",
        subcommands: CLUSTER_ROWS,
        ..cluster_row("cluster", -2, 0)
    },
];

/// Commands for clients of replicas, in a list of their own because of the order in COMMAND LIST.
pub(super) const REPLICA_ROWS: &[Row] =
    &[connection_row("readonly", FAST | LOADING_STALE), connection_row("readwrite", FAST | LOADING_STALE)];

const CLUSTER_ROWS: &[Row] = &[
    Row { summary: "Describes the subcommands.", since: "5.0.0", ..cluster_row("cluster|help", 2, LOADING_STALE) },
    Row { summary: "Returns the state of the cluster.", ..cluster_row("cluster|info", 2, STALE) },
    Row { summary: "Returns the hash slot of a key.", arguments: "key", ..cluster_row("cluster|keyslot", 3, STALE) },
    Row { summary: "Returns the ID of this node.", ..cluster_row("cluster|myid", 2, STALE) },
    Row { summary: "Returns the cluster nodes.", ..cluster_row("cluster|nodes", 2, STALE) },
    Row { summary: "Returns the cluster shards.", since: "7.0.0", ..cluster_row("cluster|shards", 2, LOADING_STALE) },
    Row { summary: "Returns the hash slots of each node.", ..cluster_row("cluster|slots", 2, LOADING_STALE) },
];

fn no_cluster(_: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    Err(CommandError::NO_CLUSTER)
}
