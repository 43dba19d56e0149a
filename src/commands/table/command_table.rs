//! Command table: numbers of rows, and a hash table of names.

use alloc::vec::Vec;

use super::row::Row;
use crate::base::bytes::{ends, word_at};

/// Upper bound, in bytes, for the length of a command's name.
const NAME_MAX: usize = 32;

/// Returns the row of a name among `commands`, in any case.
pub fn find_among<H: Copy + 'static>(
    mut commands: impl Iterator<Item = &'static Row<H>>,
    name: &str,
) -> Option<&'static Row<H>> {
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

/// Returns commands, each followed by its subcommands.
pub fn with_subcommands<H: Copy + 'static>(
    commands: impl Iterator<Item = &'static Row<H>> + Clone,
) -> impl Iterator<Item = &'static Row<H>> + Clone {
    commands.flat_map(|row| core::iter::once(row).chain(row.subcommands))
}

/// Rows by number, and a static hash table of their names. Buckets are adjacent ranges of one array.
#[derive(Clone, Debug)]
pub struct CommandTable<H: 'static> {
    rows: Vec<&'static Row<H>>,
    /// Entries of all buckets, bucket by bucket.
    entries: Vec<NameEntry>,
    /// Index in `entries` of each bucket's first entry. A bucket ends at the start of the next.
    starts: [u16; BUCKETS + 1],
}

/// Entry of the hash table of names.
#[derive(Clone, Copy, Debug, Default)]
struct NameEntry {
    number: u16,
    len: u16,
    /// Whether the name is that of a container, a bar and a word. A request has them as two arguments.
    is_subcommand: bool,
    key: NameKey,
    /// Name to compare after the key matched; `None` if length and key identify the name.
    full_name: Option<&'static str>,
}

impl NameEntry {
    fn of<H: Copy + 'static>(row: &Row<H>, number: u16) -> NameEntry {
        let name = row.name;
        let is_identified = name.len() <= NAME_KEY_MAX && name.bytes().all(|byte| byte.is_ascii_lowercase());
        let full_name = if is_identified { None } else { Some(name) };
        let (len, is_subcommand) = (name.len() as u16, name.contains('|'));
        NameEntry { number, len, is_subcommand, key: name_key(name.as_bytes()), full_name }
    }

    /// Whether a name with the same key is the name of this entry.
    #[inline(always)]
    fn has_name(&self, name: &[u8]) -> bool {
        usize::from(self.len) == name.len()
            && self.full_name.is_none_or(|own| own.as_bytes().eq_ignore_ascii_case(name))
    }
}

/// Length in bytes up to which the key of a name contains all its bytes.
const NAME_KEY_MAX: usize = 16;
const BUCKETS: usize = 256;

/// First and last eight bytes of a name, which overlap in short names, with the case bits set. Names that differ only
/// in case have the same key. So may names with bytes that are no letters.
type NameKey = (u64, u64);

/// Bit that distinguishes a lower-case ASCII letter from its upper-case form, in every byte.
const CASE_BITS: u64 = 0x2020_2020_2020_2020;

#[inline(always)]
fn name_key(name: &[u8]) -> NameKey {
    let (first, last) = match name.len() {
        8.. => (word_at(name, 0), word_at(name, name.len() - 8)),
        _ => {
            let (first, last) = ends(name);
            (first.into(), last.into())
        }
    };
    (first | CASE_BITS, last | CASE_BITS)
}

/// Returns the bucket of a name by its key and length.
#[inline(always)]
fn bucket((first, last): NameKey, len: usize) -> usize {
    let mixed = (first ^ last.rotate_left(29) ^ len as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - BUCKETS.trailing_zeros())) as usize
}

fn bucket_of<H: Copy + 'static>(row: &Row<H>) -> usize {
    bucket(name_key(row.name.as_bytes()), row.name.len())
}

impl<H: Copy + 'static> CommandTable<H> {
    /// Returns a table of these commands and of the subcommands in their rows.
    pub fn new(commands: impl Iterator<Item = &'static Row<H>> + Clone) -> CommandTable<H> {
        let rows: Vec<&Row<H>> = with_subcommands(commands).collect();
        let mut starts = [0; BUCKETS + 1];
        for row in &rows {
            starts[bucket_of(row) + 1] += 1;
        }
        for bucket in 0..BUCKETS {
            starts[bucket + 1] += starts[bucket];
        }
        let (mut entries, mut next_indices) = (alloc::vec![NameEntry::default(); rows.len()], starts);
        for (number, row) in (0..).zip(&rows) {
            let next_index = &mut next_indices[bucket_of(row)];
            entries[usize::from(*next_index)] = NameEntry::of(row, number);
            *next_index += 1;
        }
        CommandTable { rows, entries, starts }
    }

    /// Returns all commands, each followed by its subcommands, in the order of their numbers.
    pub fn rows(&self) -> impl Iterator<Item = &'static Row<H>> + Clone + use<'_, H> {
        self.rows.iter().copied()
    }

    /// Returns all commands without their subcommands, in the order of the families.
    pub fn commands(&self) -> impl Iterator<Item = &'static Row<H>> + Clone + use<'_, H> {
        self.rows.iter().copied().filter(|row| !row.name.contains('|'))
    }

    /// Returns the row of a command by its name in any case. A subcommand is `object|encoding` or `object encoding`.
    pub fn find(&self, name: &str) -> Option<&'static Row<H>> {
        find_among(self.commands(), name)
    }

    /// Number of commands and subcommands. Row numbers are less than that.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of a command, not of a subcommand, by its name in any case.
    pub fn number(&self, name: &[u8]) -> Option<u16> {
        self.find_entry(name).filter(|entry| !entry.is_subcommand).map(|entry| entry.number)
    }

    #[inline(always)]
    fn find_entry(&self, name: &[u8]) -> Option<&NameEntry> {
        let key = name_key(name);
        let bucket = bucket(key, name.len());
        let range = usize::from(self.starts[bucket])..usize::from(self.starts[bucket + 1]);
        self.entries.get(range)?.iter().find(|entry| entry.key == key && entry.has_name(name))
    }

    /// Returns the number of a container's subcommand.
    pub fn subcommand(&self, container: u16, word: &[u8]) -> Option<u16> {
        let container = self.row(container).name.as_bytes();
        let mut name = [0; NAME_MAX];
        let len = container.len() + 1 + word.len();
        let name = name.get_mut(..len)?;
        name[..container.len()].copy_from_slice(container);
        name[container.len()] = b'|';
        name[container.len() + 1..].copy_from_slice(word);
        self.find_entry(name).map(|entry| entry.number)
    }

    /// Returns the row with an unchecked number; `None` if there is no such row.
    #[inline(always)]
    #[cfg(feature = "wasm")]
    pub fn numbered(&self, number: u32) -> Option<(u16, &'static Row<H>)> {
        Some((number as u16, self.rows.get(number as usize)?))
    }

    /// Returns the row with a number of this table. Panics for any other number.
    pub fn row(&self, number: u16) -> &'static Row<H> {
        self.rows[usize::from(number)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::table::catalog::{all_rows, find, rows};

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
                assert_eq!(table.number(sub.name.as_bytes()), None);
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
