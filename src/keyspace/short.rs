//! Short strings, read and replaced one after another where nobody has to be told of it: what each of these operations would
//! ask first is asked once for all of them. Whatever is not found at once as such a string is left to the operations that
//! know every case.

use super::space::Space;
use super::{Db, INLINE_MAX};

/// The short strings of one database at one instant at which nothing is due.
#[derive(Debug)]
pub(crate) struct ShortStrings<'a> {
    db: &'a mut Db,
    hits: &'a mut u64,
    /// What each use leaves at its key.
    last_use: u32,
}

impl Space<'_> {
    /// `None` where the uses of keys differ, somebody may be dead or wants to be told of changes.
    #[inline(always)]
    pub(crate) fn short_strings(&mut self) -> Option<ShortStrings<'_>> {
        let last_use = self.word_of_any_use()??;
        if !self.is_quiet() {
            return None;
        }
        let (db, counts) = self.db_and_counts();
        Some(ShortStrings { db, hits: &mut counts.hits, last_use })
    }
}

impl ShortStrings<'_> {
    /// Uses a string of at most [`INLINE_MAX`] bytes as GET does, but for [`ShortStrings::count_hits`]; `None` when nothing was
    /// done.
    #[inline(always)]
    pub(crate) fn get(&mut self, key: &[u8]) -> Option<&[u8]> {
        let value = self.db.short_of(key, self.last_use)?;
        if value.len() <= INLINE_MAX { Some(value) } else { None }
    }

    /// Puts a string in the place of another as SET does; false when nothing was done.
    #[inline(always)]
    pub(crate) fn set(&mut self, key: &[u8], value: &[u8]) -> bool {
        self.db.overwrite_short_of(key, value, self.last_use)
    }

    /// So many keys were found.
    pub(crate) fn count_hits(&mut self, hits: u32) {
        *self.hits += u64::from(hits);
    }
}
