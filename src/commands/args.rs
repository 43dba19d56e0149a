//! The cursor handlers read their arguments with.

use core::cell::OnceCell;

use crate::base::argv::ArgvRef;
use crate::base::number::parse_integer;
use crate::resp::error::{CommandError, ErrorText};

#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    argv: ArgvRef<'a>,
    next: usize,
    /// The text of an error that was made for this request.
    made: &'a OnceCell<ErrorText>,
}

impl<'a> Args<'a> {
    /// Begins behind the first `words` words, the name of the command.
    pub fn new(argv: ArgvRef<'a>, words: usize, made: &'a OnceCell<ErrorText>) -> Args<'a> {
        Args { argv, next: words, made }
    }

    /// An error with a text of its own.
    #[inline(never)]
    pub fn refuse(&self, text: ErrorText) -> CommandError {
        // Only one error of a request is answered, the first.
        let _ = self.made.set(text);
        CommandError::MADE
    }

    /// The whole request, name included.
    pub fn argv(&self) -> ArgvRef<'a> {
        self.argv
    }

    pub fn is_done(&self) -> bool {
        self.next >= self.argv.len()
    }

    /// How many arguments are left.
    pub fn left(&self) -> usize {
        self.argv.len().saturating_sub(self.next)
    }

    /// The next argument; a missing one is a syntax error.
    #[inline(never)]
    pub fn bytes(&mut self) -> Result<&'a [u8], CommandError> {
        let argument = self.argv.get(self.next).ok_or(CommandError::SYNTAX)?;
        self.next += 1;
        Ok(argument)
    }

    /// The next argument, if there is one.
    pub fn optional(&mut self) -> Option<&'a [u8]> {
        self.bytes().ok()
    }

    /// The next argument without taking it.
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.argv.get(self.next)
    }

    /// The next argument as a 64-bit integer.
    pub fn integer(&mut self) -> Result<i64, CommandError> {
        parse_integer(self.bytes()?).ok_or(CommandError::NOT_AN_INTEGER)
    }

    /// All that is left.
    pub fn rest(&mut self) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a> {
        self.take(usize::MAX).iter()
    }

    /// The next `count` arguments.
    pub fn many(&mut self, count: usize) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a> {
        self.take(count).iter()
    }

    /// The next `count` pairs.
    pub fn pairs(&mut self, count: usize) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone + use<'a> {
        self.take(count.saturating_mul(2)).pairs()
    }

    /// The next `count` arguments, or as many as there are.
    #[inline(never)]
    pub fn take(&mut self, count: usize) -> ArgvRef<'a> {
        let taken = self.argv.from_index(self.next).first(count);
        self.next = self.next.saturating_add(count);
        taken
    }

    /// Passes over the next `count` arguments.
    pub fn skip(&mut self, count: usize) {
        self.next += count;
    }

    /// Refuses whatever is left.
    pub fn finish(&self) -> Result<(), CommandError> {
        if self.is_done() { Ok(()) } else { Err(CommandError::SYNTAX) }
    }
}

/// Whether an argument is this keyword; keywords ignore case.
#[inline(never)]
pub(super) fn is(argument: &[u8], keyword: &str) -> bool {
    argument.eq_ignore_ascii_case(keyword.as_bytes())
}

/// A number as a count, unless it is negative. More than a target can count is more than there is of anything: no reply
/// depends on how wide its addresses are.
pub(super) fn count_of(number: i64) -> Option<usize> {
    (number >= 0).then(|| usize::try_from(number).unwrap_or(usize::MAX))
}

/// A number that is at least `least`; everything else is the one error.
pub(super) fn at_least(text: &[u8], least: i64, error: CommandError) -> Result<usize, CommandError> {
    parse_integer(text).filter(|&number| number >= least).and_then(count_of).ok_or(error)
}
