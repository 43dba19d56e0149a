//! The longest common subsequence of two strings: the typed operation behind LCS.
//!
//! Redis fills a table with a number for each pair of positions and walks back through it. All the walk asks of the
//! table is one bit a cell: whether the subsequence of the first `i` bytes of one string and `j` of the other is longer
//! than with `j - 1`. Rows of such bits follow from each other a word at a time (Crochemore and others, 2001), so this
//! table is 32 times smaller and quicker to fill. The answers are the same, down to which of several longest
//! subsequences it is.

use alloc::vec::Vec;

use super::strings::STRING_MAX;
use crate::keyspace::ops::strings;
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, Slot};

/// What Redis' table takes a cell; it refuses tables above the longest string, so we do.
const REDIS_CELL_BYTES: u64 = 4;
const WORD_BITS: usize = 64;

/// Bytes that both strings have in a row, as part of the subsequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommonRun {
    /// Where it begins in either string.
    pub starts: [usize; 2],
    pub len: usize,
}

/// The subsequence, and where it lies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommonSubsequence {
    pub bytes: Vec<u8>,
    /// The last one first.
    pub runs: Vec<CommonRun>,
}

/// Where each byte of the rows' string is met in the columns: a row of bits for each that is met at all.
struct Indices {
    words_per_row: usize,
    /// By byte; the first row is all clear, for bytes that only the rows have.
    row_of: [usize; 256],
    bits: Vec<u64>,
}

/// A row of the table, and those above it when they are kept. A cleared bit `j` says that with column `j` the
/// subsequence is longer than with the columns before it.
struct HashIndex {
    words_per_row: usize,
    words: Vec<u64>,
}

/// The longest common subsequence of two strings; a missing key is an empty one.
pub fn common_subsequence(txn: &mut Txn<'_>, keys: [&[u8]; 2]) -> Result<CommonSubsequence, Error> {
    with_sources(txn, keys, |rows, columns| {
        let table = HashIndex::fill(rows, columns, Keep::All)?;
        Ok(table.walk_back(rows, columns))
    })
}

/// The length of the longest common subsequence alone, which takes no more than a row of the table.
pub fn common_length(txn: &mut Txn<'_>, keys: [&[u8]; 2]) -> Result<usize, Error> {
    with_sources(txn, keys, |rows, columns| {
        let table = HashIndex::fill(rows, columns, Keep::Last)?;
        Ok(table.words.iter().map(|word| word.count_zeros() as usize).sum())
    })
}

/// Refuses keys that hold another type.
pub fn expect_sources(txn: &mut Txn<'_>, keys: [&[u8]; 2]) -> Result<(), Error> {
    sources(txn, keys).map(drop)
}

fn with_sources<R>(
    txn: &mut Txn<'_>,
    keys: [&[u8]; 2],
    compute: impl FnOnce(&[u8], &[u8]) -> Result<R, Error>,
) -> Result<R, Error> {
    let [rows, columns] = sources(txn, keys)?.map(|slot| strings::string_of(txn, slot));
    let cells = (rows.len() as u64 + 1) * (columns.len() as u64 + 1);
    if cells * REDIS_CELL_BYTES > STRING_MAX as u64 {
        return Err(Error::SubsequenceTooLarge);
    }
    compute(rows, columns)
}

fn sources(txn: &mut Txn<'_>, keys: [&[u8]; 2]) -> Result<[Slot; 2], Error> {
    let slots = keys.map(|key| txn.entry(key, Access::Read));
    let all_strings = slots.iter().all(|slot| slot.is_vacant() || strings::is_string(txn, *slot));
    if all_strings { Ok(slots) } else { Err(Error::NeedsStrings) }
}

/// Which rows of the table are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    All,
    Last,
}

impl Indices {
    fn of(rows: &[u8], columns: &[u8]) -> Result<Indices, Error> {
        let words_per_row = columns.len().div_ceil(WORD_BITS);
        let (mut row_of, mut count) = ([0; 256], 1);
        for &byte in rows {
            let row = &mut row_of[usize::from(byte)];
            if *row == 0 {
                *row = count;
                count += 1;
            }
        }
        let mut bits = words(0, count * words_per_row)?;
        for (column, &byte) in columns.iter().enumerate() {
            let row = row_of[usize::from(byte)];
            if row != 0 {
                bits[row * words_per_row + column / WORD_BITS] |= 1 << (column % WORD_BITS);
            }
        }
        Ok(Indices { words_per_row, row_of, bits })
    }

    fn of_byte(&self, byte: u8) -> &[u64] {
        let start = self.row_of[usize::from(byte)] * self.words_per_row;
        &self.bits[start..start + self.words_per_row]
    }
}

impl HashIndex {
    fn fill(rows: &[u8], columns: &[u8], keep: Keep) -> Result<HashIndex, Error> {
        let places = Indices::of(rows, columns)?;
        let words_per_row = places.words_per_row;
        let kept = if keep == Keep::All { rows.len() } else { 1 };
        // Nothing grows in the row above the first.
        let mut row = words(u64::MAX, words_per_row)?;
        let mut table = words(u64::MAX, kept * words_per_row)?;
        for (index, &byte) in rows.iter().enumerate() {
            next_row(&mut row, places.of_byte(byte));
            let start = if keep == Keep::All { index * words_per_row } else { 0 };
            table[start..start + words_per_row].copy_from_slice(&row);
        }
        Ok(HashIndex { words_per_row, words: table })
    }

    /// Whether the last of the first `columns` lengthens the subsequence with the first `rows`.
    fn grows(&self, rows: usize, columns: usize) -> bool {
        let column = columns - 1;
        let word = self.words[(rows - 1) * self.words_per_row + column / WORD_BITS];
        word >> (column % WORD_BITS) & 1 == 0
    }

    /// From the end of both strings, where they differ towards the longer subsequence: the way Redis takes.
    fn walk_back(&self, rows: &[u8], columns: &[u8]) -> CommonSubsequence {
        let mut common = CommonSubsequence::default();
        let (mut row, mut column) = (rows.len(), columns.len());
        while row > 0 && column > 0 {
            if rows[row - 1] == columns[column - 1] {
                common.prepend(rows[row - 1], [row - 1, column - 1]);
                (row, column) = (row - 1, column - 1);
            } else if self.grows(row, column) {
                row -= 1;
            } else {
                column -= 1;
            }
        }
        common.bytes.reverse();
        common
    }
}

impl CommonSubsequence {
    /// A byte in front of those found so far, which until the end are in reverse.
    fn prepend(&mut self, byte: u8, at: [usize; 2]) {
        self.bytes.push(byte);
        match self.runs.last_mut() {
            Some(run) if run.starts == at.map(|at| at + 1) => *run = CommonRun { starts: at, len: run.len + 1 },
            _ => self.runs.push(CommonRun { starts: at, len: 1 }),
        }
    }
}

/// Turns a row of the table into the one below it, whose byte is met in these places. The sum carries from word to
/// word like one long number.
fn next_row(row: &mut [u64], places: &[u64]) {
    let mut carry = false;
    for (word, &places) in row.iter_mut().zip(places) {
        let (sum, carries) = word.overflowing_add(*word & places);
        let (sum, carries_again) = sum.overflowing_add(carry.into());
        carry = carries || carries_again;
        *word = sum | *word & !places;
    }
}

fn words(filler: u64, len: usize) -> Result<Vec<u64>, Error> {
    let mut words = Vec::new();
    words.try_reserve_exact(len).map_err(|_| Error::SubsequenceMemory)?;
    words.resize(len, filler);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// The table as Redis fills it, and its walk.
    fn expected(rows: &[u8], columns: &[u8]) -> CommonSubsequence {
        let mut lens = alloc::vec![alloc::vec![0; columns.len() + 1]; rows.len() + 1];
        for row in 1..=rows.len() {
            for column in 1..=columns.len() {
                lens[row][column] = match rows[row - 1] == columns[column - 1] {
                    true => lens[row - 1][column - 1] + 1,
                    false => usize::max(lens[row - 1][column], lens[row][column - 1]),
                };
            }
        }
        let mut common = CommonSubsequence::default();
        let (mut row, mut column) = (rows.len(), columns.len());
        while row > 0 && column > 0 {
            if rows[row - 1] == columns[column - 1] {
                common.prepend(rows[row - 1], [row - 1, column - 1]);
                (row, column) = (row - 1, column - 1);
            } else if lens[row - 1][column] > lens[row][column - 1] {
                row -= 1;
            } else {
                column -= 1;
            }
        }
        common.bytes.reverse();
        common
    }

    #[test]
    fn rows_of_bits_find_what_a_table_of_numbers_finds() {
        let mut random = Random::new(7);
        for _ in 0..400 {
            let letters = 1 + random.below(5);
            let mut text =
                |max: u64| -> Vec<u8> { (0..random.below(max)).map(|_| b'a' + random.below(letters) as u8).collect() };
            let (rows, columns) = (text(150), text(200));
            let expected = expected(&rows, &columns);
            let table = HashIndex::fill(&rows, &columns, Keep::All).unwrap();
            assert_eq!(table.walk_back(&rows, &columns), expected);
            let last = HashIndex::fill(&rows, &columns, Keep::Last).unwrap();
            let len: u32 = last.words.iter().map(|word| word.count_zeros()).sum();
            assert_eq!(len as usize, expected.bytes.len());
        }
    }
}
