//! The table of commands: all families in one list, and an index by name.

use alloc::vec::Vec;

use hashbrown::HashTable;

use super::row::Row;
use super::{
    bits, client, config, connection, diagnostics, dump, expiry, geo, hashes, info, introspection, keys, lcs, lists,
    memory, pubsub, server, sets, sketches, sort, sorted_sets, strings, surroundings, transactions,
};
use crate::hash::hash_bytes;

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
    transactions::ROWS,
    pubsub::ROWS,
    connection::ROWS,
    client::ROWS,
    server::ROWS,
    memory::ROWS,
    introspection::ROWS,
    config::ROWS,
    info::ROWS,
    diagnostics::ROWS,
    surroundings::ROWS,
];
/// Longer names are no commands.
const NAME_MAX: usize = 32;

/// All commands, family by family; subcommands are in their container's row.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The row of a command by name, in any case; a subcommand as `object|encoding` or `object encoding`.
pub fn find(name: &str) -> Option<&'static Row> {
    let (container, sub) = match name.split_once(['|', ' ']) {
        Some((container, sub)) => (container, Some(sub)),
        None => (name, None),
    };
    let row = rows().find(|row| row.name.eq_ignore_ascii_case(container))?;
    match sub {
        None => Some(row),
        Some(sub) => row.subcommands.iter().find(|row| row.own_name().eq_ignore_ascii_case(sub)),
    }
}

/// Numbers rows and finds them by name without a search.
#[derive(Clone, Debug)]
pub struct Table {
    rows: Vec<&'static Row>,
    index: HashTable<u16>,
    /// A command for each shape of name, the first in the list of families: it is asked before the index, and saves most
    /// requests the hashing.
    shortcuts: [u16; SHAPES],
}

const SHAPES: usize = 64;
const NO_COMMAND: u16 = u16::MAX;

/// Tells most names apart by their length and their ends, whatever their case.
fn shape(name: &[u8]) -> usize {
    let lower = |byte: Option<&u8>| usize::from(byte.map_or(0, u8::to_ascii_lowercase));
    (name.len() * 5 + lower(name.first()) * 3 + lower(name.last())) % SHAPES
}

impl Default for Table {
    fn default() -> Table {
        Table::new()
    }
}

impl Table {
    pub fn new() -> Table {
        let mut table = Table { rows: Vec::new(), index: HashTable::new(), shortcuts: [NO_COMMAND; SHAPES] };
        for row in rows() {
            let shortcut = &mut table.shortcuts[shape(row.name.as_bytes())];
            if *shortcut == NO_COMMAND {
                *shortcut = table.rows.len() as u16;
            }
            table.add(row);
            row.subcommands.iter().for_each(|sub| table.add(sub));
        }
        table
    }

    /// How many commands and subcommands there are; their numbers are below that.
    #[allow(clippy::len_without_is_empty)] // it never is
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    fn add(&mut self, row: &'static Row) {
        let number = self.rows.len() as u16;
        self.rows.push(row);
        let Table { rows, index, .. } = self;
        index.insert_unique(hash_name(row.name.as_bytes()), number, |&number| {
            hash_name(rows[usize::from(number)].name.as_bytes())
        });
    }

    /// The number of a command by name, in any case.
    pub fn number(&self, name: &[u8]) -> Option<u16> {
        let likely = self.shortcuts[shape(name)];
        if self.rows.get(usize::from(likely)).is_some_and(|row| row.name.as_bytes().eq_ignore_ascii_case(name)) {
            return Some(likely);
        }
        let mut lower = [0; NAME_MAX];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        self.lookup(lower)
    }

    /// The number of a container's subcommand.
    pub fn subcommand(&self, container: u16, word: &[u8]) -> Option<u16> {
        let container = self.row(container).name.as_bytes();
        let mut name = [0; NAME_MAX];
        let len = container.len() + 1 + word.len();
        let name = name.get_mut(..len)?;
        name[..container.len()].copy_from_slice(container);
        name[container.len()] = b'|';
        name[container.len() + 1..].copy_from_slice(word);
        name.make_ascii_lowercase();
        self.lookup(name)
    }

    /// The row of a number that this table gave out.
    pub fn row(&self, number: u16) -> &'static Row {
        self.rows[usize::from(number)]
    }

    fn lookup(&self, name: &[u8]) -> Option<u16> {
        self.index.find(hash_name(name), |&number| self.row(number).name.as_bytes() == name).copied()
    }
}

/// Names are ours, not a user's: any seed will do.
fn hash_name(name: &[u8]) -> u64 {
    hash_bytes(0, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_in_any_case_and_only_by_its_name() {
        let table = Table::new();
        for row in rows() {
            let upper = row.name.to_ascii_uppercase();
            assert_eq!(table.number(upper.as_bytes()).map(|number| table.row(number).name), Some(row.name));
            for sub in row.subcommands {
                let container = table.number(row.name.as_bytes()).unwrap();
                let found = table.subcommand(container, sub.own_name().to_ascii_uppercase().as_bytes());
                assert_eq!(found.map(|number| table.row(number).name), Some(sub.name));
                assert_eq!(find(sub.name).map(|row| row.name), Some(sub.name));
            }
        }
        assert_eq!(table.number(b"nosuchcommand"), None);
        assert_eq!(table.number(&[b'x'; 100]), None);
    }

    #[test]
    fn names_are_unique_lower_case_and_short_enough() {
        let mut names: Vec<&str> =
            rows().flat_map(|row| core::iter::once(row).chain(row.subcommands)).map(|row| row.name).collect();
        assert!(names.iter().all(|name| name.len() <= NAME_MAX && *name == name.to_ascii_lowercase()));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
