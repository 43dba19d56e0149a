//! Cursor over the arguments of a request.

use core::cell::OnceCell;

use crate::base::argv::ArgvRef;
use crate::base::number::parse_integer;
use crate::resp::error::{CommandError, ErrorText};

/// Cursor over the arguments of a request. A copy continues at the same argument.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    argv: ArgvRef<'a>,
    next: usize,
    /// Error text that a handler composed for this request.
    custom_error: &'a OnceCell<ErrorText>,
}

impl<'a> Args<'a> {
    /// Returns a cursor at the first argument after the command's name, which has `words` words.
    pub fn new(argv: ArgvRef<'a>, words: usize, custom_error: &'a OnceCell<ErrorText>) -> Args<'a> {
        Args { argv, next: words, custom_error }
    }

    /// Stores an error text composed for this request and returns the error that stands for it.
    #[inline(never)]
    pub fn refuse(&self, text: ErrorText) -> CommandError {
        // A request has one error reply: the first text is kept.
        let _ = self.custom_error.set(text);
        CommandError::MADE
    }

    /// Returns the whole request, name included.
    pub fn argv(&self) -> ArgvRef<'a> {
        self.argv
    }

    pub fn is_done(&self) -> bool {
        self.next >= self.argv.len()
    }

    /// Number of remaining arguments.
    pub fn left(&self) -> usize {
        self.argv.len().saturating_sub(self.next)
    }

    /// Consumes and returns the next argument; a missing argument is a syntax error.
    #[inline(never)]
    pub fn bytes(&mut self) -> Result<&'a [u8], CommandError> {
        let argument = self.argv.get(self.next).ok_or(CommandError::SYNTAX)?;
        self.next += 1;
        Ok(argument)
    }

    /// Consumes and returns the next argument, if there is one.
    pub fn optional(&mut self) -> Option<&'a [u8]> {
        self.bytes().ok()
    }

    /// Returns the next argument without consuming it.
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.argv.get(self.next)
    }

    /// Consumes the next argument as a 64-bit integer; a missing argument is a syntax error.
    pub fn integer(&mut self) -> Result<i64, CommandError> {
        parse_integer(self.bytes()?).ok_or(CommandError::NOT_AN_INTEGER)
    }

    /// Consumes and returns all remaining arguments.
    pub fn rest(&mut self) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a> {
        self.take(usize::MAX).iter()
    }

    /// Consumes and returns the next `count` arguments, or fewer if fewer remain.
    pub fn many(&mut self, count: usize) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a> {
        self.take(count).iter()
    }

    /// Consumes and returns the next `count` pairs, or fewer if fewer remain.
    pub fn pairs(&mut self, count: usize) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone + use<'a> {
        self.take(count.saturating_mul(2)).pairs()
    }

    /// Consumes the next `count` arguments, or fewer if fewer remain, and returns them as a request.
    #[inline(never)]
    pub fn take(&mut self, count: usize) -> ArgvRef<'a> {
        let taken = self.argv.from_index(self.next).first(count);
        self.next = self.next.saturating_add(count);
        taken
    }

    /// Skips the next `count` arguments.
    pub fn skip(&mut self, count: usize) {
        self.next += count;
    }

    /// Returns a syntax error if arguments remain.
    pub fn finish(&self) -> Result<(), CommandError> {
        if self.is_done() { Ok(()) } else { Err(CommandError::SYNTAX) }
    }
}

/// Whether an argument is this keyword, regardless of case.
#[inline(never)]
pub fn is(argument: &[u8], keyword: &str) -> bool {
    argument.eq_ignore_ascii_case(keyword.as_bytes())
}

/// Converts a number to a count; `None` if it is negative. Larger numbers become `usize::MAX`, so that no reply depends
/// on the width of addresses.
pub fn count_of(number: i64) -> Option<usize> {
    (number >= 0).then(|| usize::try_from(number).unwrap_or(usize::MAX))
}

/// Parses a number that is at least `min`; `error` stands for any other text.
pub fn at_least(text: &[u8], min: i64, error: CommandError) -> Result<usize, CommandError> {
    parse_integer(text).filter(|&number| number >= min).and_then(count_of).ok_or(error)
}
