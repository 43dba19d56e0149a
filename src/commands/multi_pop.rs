//! Arguments that LMPOP, ZMPOP, BLMPOP and BZMPOP share, regardless of the type of the values.

use super::table::args::{Args, at_least, is};
use crate::resp::error::CommandError;
use crate::values::End;

/// Arguments `numkeys key [key ...] END [COUNT n]`.
pub(super) struct MultiPop<K> {
    pub(super) keys: K,
    pub(super) end: End,
    pub(super) count: usize,
}

impl<'a> MultiPop<()> {
    /// Reads the arguments; `end` parses the word that names an end.
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
