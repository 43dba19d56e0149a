//! Commands of a cluster, which all return an error: the server is not part of one.

use super::Context;
use super::args::Args;
use super::row::{Group, Reply, Row, flags::*};
use crate::resp::error::CommandError;

/// A row of a server that is part of no cluster.
const fn clustered(name: &'static str, arity: i32, flags: u32) -> Row {
    Row { since: "3.0.0", ..Row::of(Group::Cluster, name, arity, flags, &[], no_cluster) }
}

const ASKING: u32 = LOADING | STALE;

pub(super) const ROWS: &[Row] = &[
    Row { summary: "Returns an error: cluster mode is not supported.", ..clustered("asking", 1, FAST) },
    Row {
        complexity: "Depends on the subcommand.",
        summary: "Returns an error: cluster mode is not supported.",
        subcommands: CLUSTER_ROWS,
        ..clustered("cluster", -2, 0)
    },
];

/// What a client of a replica says; apart, so that COMMAND LIST keeps its order.
pub(super) const REPLICA_ROWS: &[Row] = &[
    Row { summary: "Returns an error: cluster mode is not supported.", ..clustered("readonly", 1, FAST | ASKING) },
    Row { summary: "Returns an error: cluster mode is not supported.", ..clustered("readwrite", 1, FAST | ASKING) },
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

fn no_cluster(_: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    Err(CommandError::NO_CLUSTER)
}
