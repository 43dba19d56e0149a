//! The command table: numbers of rows, and an index by name.

use alloc::vec::Vec;

use super::row::Row;
use crate::base::bytes::{ends, word_at};

/// Longer names are no commands.
const NAME_MAX: usize = 32;

/// The row of a name among these commands.
pub(super) fn find_among(mut commands: impl Iterator<Item = &'static Row>, name: &str) -> Option<&'static Row> {
    let (container, sub) = match name.split_once(['|', ' ']) {
        Some((container, sub)) => (container, Some(sub)),
        None => (name, None),
    };
    let row = commands.find(|row| row.name.eq_ignore_ascii_case(container))?;
    match sub {
        None => Some(row),
        Some(sub) => row.subcommands.iter().find(|row| row.own_name().eq_ignore_ascii_case(sub)),
    }
}

/// Commands, each followed by its subcommands.
pub(super) fn with_subcommands(
    commands: impl Iterator<Item = &'static Row> + Clone,
) -> impl Iterator<Item = &'static Row> + Clone {
    commands.flat_map(|row| core::iter::once(row).chain(row.subcommands))
}

/// Numbers rows and finds them by name: those whose names are of one shape are few, and lie side by side.
#[derive(Clone, Debug)]
pub struct CommandTable {
    rows: Vec<&'static Row>,
    /// Numbers of rows by the shape of their names, in the order of the families.
    shaped: Vec<Named>,
    /// Where those of a shape begin in `shaped`; they end where those of the next begin.
    starts: [u16; SHAPES + 1],
}

/// A row with what finds it by its name.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    number: u16,
    len: u16,
    words: Words,
    /// Where the words do not tell the whole name, or other bytes than its own have the same words.
    checked: Option<&'static str>,
}

impl Named {
    fn of(row: &'static Row, number: u16) -> Named {
        let name = row.name;
        let is_told = name.len() <= WORDS_MAX && name.bytes().all(|byte| byte.is_ascii_lowercase());
        let checked = if is_told { None } else { Some(name) };
        Named { number, len: name.len() as u16, words: words(name.as_bytes()), checked }
    }

    /// Whether a name with the same words is this one.
    #[inline(always)]
    fn is(&self, name: &[u8]) -> bool {
        usize::from(self.len) == name.len() && self.checked.is_none_or(|own| own.as_bytes().eq_ignore_ascii_case(name))
    }
}

/// The longest name, in bytes, of which the words hold every byte.
const WORDS_MAX: usize = 16;
const SHAPES: usize = 256;

/// The first eight bytes of a name and its last eight, which overlap in short ones, as small letters: with the length they name
/// it, whatever its case. Some bytes that no name has become others by that.
type Words = (u64, u64);

/// What a small letter has and a capital has not.
const SMALL: u64 = 0x2020_2020_2020_2020;

#[inline(always)]
fn words(name: &[u8]) -> Words {
    let (first, last) = match name.len() {
        8.. => (word_at(name, 0), word_at(name, name.len() - 8)),
        _ => {
            let (first, last) = ends(name);
            (first.into(), last.into())
        }
    };
    (first | SMALL, last | SMALL)
}

/// Tells most names apart.
#[inline(always)]
fn shape((first, last): Words, len: usize) -> usize {
    let mixed = (first ^ last.rotate_left(29) ^ len as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - SHAPES.trailing_zeros())) as usize
}

fn shape_of(row: &Row) -> usize {
    shape(words(row.name.as_bytes()), row.name.len())
}

impl CommandTable {
    /// A table of these commands; subcommands are in their container's row.
    pub fn new(commands: impl Iterator<Item = &'static Row> + Clone) -> CommandTable {
        let rows: Vec<&Row> = with_subcommands(commands).collect();
        let mut starts = [0; SHAPES + 1];
        for row in &rows {
            starts[shape_of(row) + 1] += 1;
        }
        for shape in 0..SHAPES {
            starts[shape + 1] += starts[shape];
        }
        let (mut shaped, mut places) = (alloc::vec![Named::default(); rows.len()], starts);
        for (number, row) in (0..).zip(&rows) {
            let place = &mut places[shape_of(row)];
            shaped[usize::from(*place)] = Named::of(row, number);
            *place += 1;
        }
        CommandTable { rows, shaped, starts }
    }

    /// All commands, each followed by its subcommands: the order of their numbers.
    pub fn rows(&self) -> impl Iterator<Item = &'static Row> + Clone + use<'_> {
        self.rows.iter().copied()
    }

    /// All commands without their subcommands, in the order of the families.
    pub fn commands(&self) -> impl Iterator<Item = &'static Row> + Clone + use<'_> {
        self.rows.iter().copied().filter(|row| !row.name.contains('|'))
    }

    /// The row of a command by name, in any case; a subcommand as `object|encoding` or `object encoding`.
    pub fn find(&self, name: &str) -> Option<&'static Row> {
        find_among(self.commands(), name)
    }

    /// How many commands and subcommands there are; their numbers are below that.
    #[allow(clippy::len_without_is_empty)] // it never is
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of a command by name, in any case.
    pub fn number(&self, name: &[u8]) -> Option<u16> {
        let words = words(name);
        let shape = shape(words, name.len());
        let range = usize::from(self.starts[shape])..usize::from(self.starts[shape + 1]);
        for named in self.shaped.get(range)? {
            if named.words == words && named.is(name) {
                return Some(named.number);
            }
        }
        None
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
        self.number(name)
    }

    /// The row of a number from outside; `None` if there is no such row.
    #[inline(always)]
    #[cfg(feature = "wasm")]
    pub fn numbered(&self, number: u32) -> Option<(u16, &'static Row)> {
        Some((number as u16, self.rows.get(number as usize)?))
    }

    /// The row of a number that this table gave out.
    pub fn row(&self, number: u16) -> &'static Row {
        self.rows[usize::from(number)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::catalog::{all_rows, find, rows};

    #[test]
    fn every_row_is_found_in_any_case_and_only_by_its_name() {
        let table = CommandTable::new(rows());
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
        let mut names: Vec<&str> = all_rows().map(|row| row.name).collect();
        assert!(names.iter().all(|name| name.len() <= NAME_MAX && *name == name.to_ascii_lowercase()));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
