//! The argument of FUNCTION FLUSH and SCRIPT FLUSH.

use crate::commands::table::args::{Args, is};
use crate::resp::error::CommandError;

/// Checks the type of a flush. Both have the same effect.
pub fn check_flush_type(args: &mut Args<'_>, wrong_type: CommandError) -> Result<(), CommandError> {
    let is_known = |word| is(word, "ASYNC") || is(word, "SYNC");
    if args.left() > 1 || args.optional().is_some_and(|word| !is_known(word)) {
        return Err(wrong_type);
    }
    Ok(())
}
