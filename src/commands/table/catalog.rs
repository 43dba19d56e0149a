//! List of all command families.

use super::command_table::{find_among, with_subcommands};
use super::introspection;
use crate::commands::{
    CommandTable, Row, acl, bits, client, cluster, config, connection, diagnostics, dump, expiry, geo, hashes, info,
    keys, latches, lcs, lists, memory, module, pubsub, replication, saving, script, server, sets, shutdown, sketches,
    sort, sorted_sets, streams, strings, transactions,
};

const FAMILIES: &[&[Row]] = &[
    strings::ROWS,
    lcs::ROWS,
    bits::ROWS,
    keys::ROWS,
    expiry::ROWS,
    dump::ROWS,
    lists::ROWS,
    lists::blocking::ROWS,
    sets::ROWS,
    sort::ROWS,
    sorted_sets::ROWS,
    sorted_sets::range::ROWS,
    sorted_sets::pop::ROWS,
    sorted_sets::blocking::ROWS,
    sorted_sets::combine::ROWS,
    geo::ROWS,
    geo::search::ROWS,
    sketches::ROWS,
    hashes::ROWS,
    hashes::expiry::ROWS,
    streams::ROWS,
    streams::read::ROWS,
    streams::groups::ROWS,
    streams::pending::ROWS,
    streams::info::ROWS,
    transactions::ROWS,
    latches::ROWS,
    pubsub::ROWS,
    connection::ROWS,
    client::ROWS,
    server::ROWS,
    memory::ROWS,
    introspection::ROWS,
    config::ROWS,
    info::ROWS,
    diagnostics::ROWS,
    saving::ROWS,
    shutdown::ROWS,
    acl::ROWS,
    cluster::ROWS,
    module::ROWS,
    cluster::REPLICA_ROWS,
    replication::ROWS,
    script::ROWS,
];

/// Returns all commands, family by family. Subcommands are in their container's row.
pub fn rows() -> impl Iterator<Item = &'static Row> + Clone {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// Returns all commands, each followed by its subcommands, in the order of their numbers in a [`CommandTable`].
#[cfg_attr(not(any(feature = "wasm", feature = "internals")), allow(dead_code))]
pub fn all_rows() -> impl Iterator<Item = &'static Row> + Clone {
    with_subcommands(rows())
}

/// Returns the row of a command by its name in any case. A subcommand is `object|encoding` or `object encoding`.
pub fn find(name: &str) -> Option<&'static Row> {
    find_among(rows(), name)
}

impl Default for CommandTable {
    /// Returns the table of all commands.
    fn default() -> CommandTable {
        CommandTable::new(rows())
    }
}
