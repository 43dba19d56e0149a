//! What LMPOP and ZMPOP have in common, and their kin that wait: keys with their number in front, the end to take from,
//! and how many. It knows no type of value.

use super::args::{Args, at_least, is};
use crate::resp::error::CommandError;
use crate::values::End;

/// `numkeys key [key ...] END [COUNT n]`
pub(super) struct MultiPop<K> {
    pub(super) keys: K,
    pub(super) end: End,
    pub(super) count: usize,
}

impl<'a> MultiPop<()> {
    /// Reads them; `end` knows the words for an end.
    pub(super) fn read(
        args: &mut Args<'a>,
        end: fn(&[u8]) -> Result<End, CommandError>,
    ) -> Result<MultiPop<impl Iterator<Item = &'a [u8]> + Clone + use<'a>>, CommandError> {
        let number = at_least(args.bytes()?, 1, CommandError::NUMKEYS_NOT_POSITIVE)?;
        if number >= args.left() {
            return Err(CommandError::SYNTAX);
        }
        let (keys, end) = (args.many(number), end(args.bytes()?)?);
        let mut count = None;
        while let Some(word) = args.optional() {
            if !is(word, "COUNT") || count.is_some() || args.is_done() {
                return Err(CommandError::SYNTAX);
            }
            count = Some(at_least(args.bytes()?, 1, CommandError::COUNT_NOT_POSITIVE)?);
        }
        Ok(MultiPop { keys, end, count: count.unwrap_or(1) })
    }
}
