//! Longest common subsequence of two strings: the typed operation of LCS.
//!
//! Redis fills a table of lengths and backtracks through it. Backtracking needs only one bit per cell: whether column
//! `j` lengthens the subsequence of the first `i` bytes of one string. Rows of such bits are computed a word at a time
//! (Crochemore et al., 2001). The table is 32 times smaller and faster to fill. The result is identical, including the
//! choice among several longest subsequences.

use alloc::vec::Vec;

use crate::keyspace::ops::strings;
use crate::keyspace::txn::{Access, Txn, count_visits};
use crate::keyspace::{Error, Lookup};

/// Bytes per cell of Redis' table. Redis refuses tables larger than the longest string, and so does this operation.
const REDIS_CELL_BYTES: u64 = 4;
const WORD_BITS: usize = 64;

/// Contiguous part of the subsequence in both strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommonRun {
    /// Start offset in each string.
    pub starts: [usize; 2],
    pub len: usize,
}

/// Longest common subsequence with its location in both strings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommonSubsequence {
    pub bytes: Vec<u8>,
    /// In descending order of their offsets.
    pub runs: Vec<CommonRun>,
}

/// Match bits: for each byte of the row string, the columns that hold it.
struct MatchBits {
    words_per_row: usize,
    /// Row of bits by byte. Row 0 is clear, for bytes that do not occur in the row string.
    row_of: [usize; 256],
    bits: Vec<u64>,
}

/// Rows of the table: all of them, or the last. A cleared bit `j` means that column `j` lengthens the subsequence of
/// the columns before it.
struct LcsTable {
    words_per_row: usize,
    words: Vec<u64>,
}

/// Returns the longest common subsequence of two strings. A missing key is an empty string.
pub fn common_subsequence(txn: &mut Txn<'_>, keys: [&[u8]; 2]) -> Result<CommonSubsequence, Error> {
    with_sources(txn, keys, |rows, columns| {
        let table = LcsTable::fill(rows, columns, Keep::All)?;
        Ok(table.backtrack(rows, columns))
    })
}

/// Returns the length of the longest common subsequence. Memory: one row of the table.
pub fn common_length(txn: &mut Txn<'_>, keys: [&[u8]; 2]) -> Result<usize, Error> {
    with_sources(txn, keys, |rows, columns| {
        let table = LcsTable::fill(rows, columns, Keep::Last)?;
        Ok(table.words.iter().map(|word| word.count_zeros() as usize).sum())
    })
}

/// Fails with `NeedsStrings` if a key holds another type.
pub fn expect_sources(txn: &mut Txn<'_>, keys: [&[u8]; 2]) -> Result<(), Error> {
    sources(txn, keys).map(drop)
}

fn with_sources<R>(
    txn: &mut Txn<'_>,
    keys: [&[u8]; 2],
    compute: impl FnOnce(&[u8], &[u8]) -> Result<R, Error>,
) -> Result<R, Error> {
    let slots = sources(txn, keys)?;
    let [rows, columns] = slots.map(|lookup| strings::string_of(txn, lookup).len());
    let cells = (rows as u64 + 1) * (columns as u64 + 1);
    if cells * REDIS_CELL_BYTES > txn.limits().string_bytes as u64 {
        return Err(Error::SubsequenceTooLarge);
    }
    count_visits(txn, rows.saturating_mul(columns.div_ceil(WORD_BITS)));
    let [rows, columns] = slots.map(|lookup| strings::string_of(txn, lookup));
    compute(rows, columns)
}

fn sources(txn: &mut Txn<'_>, keys: [&[u8]; 2]) -> Result<[Lookup; 2], Error> {
    let slots = keys.map(|key| txn.entry(key, Access::Read));
    let all_strings = slots.iter().all(|lookup| lookup.is_vacant() || strings::is_string(txn, *lookup));
    if all_strings { Ok(slots) } else { Err(Error::NeedsStrings) }
}

/// Rows of the table that are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    All,
    Last,
}

impl MatchBits {
    fn of(rows: &[u8], columns: &[u8]) -> Result<MatchBits, Error> {
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
        Ok(MatchBits { words_per_row, row_of, bits })
    }

    fn of_byte(&self, byte: u8) -> &[u64] {
        let start = self.row_of[usize::from(byte)] * self.words_per_row;
        &self.bits[start..start + self.words_per_row]
    }
}

impl LcsTable {
    fn fill(rows: &[u8], columns: &[u8], keep: Keep) -> Result<LcsTable, Error> {
        let matches = MatchBits::of(rows, columns)?;
        let words_per_row = matches.words_per_row;
        let kept = if keep == Keep::All { rows.len() } else { 1 };
        // In the row above the first, no column lengthens the subsequence.
        let mut row = words(u64::MAX, words_per_row)?;
        let mut table = words(u64::MAX, kept * words_per_row)?;
        for (index, &byte) in rows.iter().enumerate() {
            next_row(&mut row, matches.of_byte(byte));
            let start = if keep == Keep::All { index * words_per_row } else { 0 };
            table[start..start + words_per_row].copy_from_slice(&row);
        }
        Ok(LcsTable { words_per_row, words: table })
    }

    /// Whether column `columns - 1` lengthens the subsequence of the first `rows` rows.
    fn grows(&self, rows: usize, columns: usize) -> bool {
        let column = columns - 1;
        let word = self.words[(rows - 1) * self.words_per_row + column / WORD_BITS];
        word >> (column % WORD_BITS) & 1 == 0
    }

    /// Backtracks from the end of both strings. Where they differ, the step follows the longer subsequence, as in
    /// Redis.
    fn backtrack(&self, rows: &[u8], columns: &[u8]) -> CommonSubsequence {
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
    /// Prepends a byte. Bytes are stored in reverse until backtracking ends.
    fn prepend(&mut self, byte: u8, at: [usize; 2]) {
        self.bytes.push(byte);
        match self.runs.last_mut() {
            Some(run) if run.starts == at.map(|at| at + 1) => *run = CommonRun { starts: at, len: run.len + 1 },
            _ => self.runs.push(CommonRun { starts: at, len: 1 }),
        }
    }
}

/// Replaces a row of the table by the next one, given the match bits of its byte. The sum carries from word to word.
fn next_row(row: &mut [u64], matches: &[u64]) {
    let mut carry = false;
    for (word, &matches) in row.iter_mut().zip(matches) {
        let (sum, carries) = word.overflowing_add(*word & matches);
        let (sum, carries_again) = sum.overflowing_add(carry.into());
        carry = carries || carries_again;
        *word = sum | *word & !matches;
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

    /// Reference implementation: Redis' table of lengths and its backtracking.
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
    fn the_table_of_bits_agrees_with_a_table_of_lengths() {
        let mut random = Random::new(7);
        for _ in 0..400 {
            let letters = 1 + random.below(5);
            let mut text =
                |max: u64| -> Vec<u8> { (0..random.below(max)).map(|_| b'a' + random.below(letters) as u8).collect() };
            let (rows, columns) = (text(150), text(200));
            let expected = expected(&rows, &columns);
            let table = LcsTable::fill(&rows, &columns, Keep::All).unwrap();
            assert_eq!(table.backtrack(&rows, &columns), expected);
            let last = LcsTable::fill(&rows, &columns, Keep::Last).unwrap();
            let len: u32 = last.words.iter().map(|word| word.count_zeros()).sum();
            assert_eq!(len as usize, expected.bytes.len());
        }
    }
}
