//! The commands that may go the short way ([`Guarded`](super::Guarded)).

use crate::command::Table;

/// The commands that may run the short way; the numbers of their rows are looked up once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "wasm"), allow(dead_code))] // The rest is called by that face.
pub enum PlainRow {
    Get,
    Set,
    SetNx,
    Del,
    Exists,
    Incr,
    Expire,
    Ttl,
    MGet,
    MSet,
    DelEx,
    DelIfEq,
}

impl PlainRow {
    pub(super) fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// How many these are.
pub(super) const ROWS: usize = 12;
/// In the order of [`PlainRow`].
const NAMES: [&str; ROWS] =
    ["get", "set", "setnx", "del", "exists", "incr", "expire", "ttl", "mget", "mset", "delex", "delifeq"];

/// The numbers of those rows.
#[derive(Clone, Debug)]
pub(super) struct PlainRows([u16; NAMES.len()]);

impl PlainRows {
    pub(super) fn new(table: &Table) -> PlainRows {
        // A test holds every name against the table.
        PlainRows(NAMES.map(|name| table.number(name.as_bytes()).unwrap_or_default()))
    }

    #[inline(always)]
    pub(super) fn number(&self, row: PlainRow) -> u16 {
        self.at(row as usize)
    }

    /// By the place of the row among them.
    #[inline(always)]
    pub(super) fn at(&self, place: usize) -> u16 {
        self.0[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_found_by_their_names() {
        let table = Table::new();
        for name in NAMES {
            assert_eq!(table.number(name.as_bytes()).map(|number| table.row(number).name), Some(name));
        }
    }
}
