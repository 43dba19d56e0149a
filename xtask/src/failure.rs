//! The one error type of xtask: a sentence for the user at the terminal, which names what is missing and how to get it.

use std::fmt;
use std::path::Path;

/// Result of functions without a value, by default.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

#[derive(Clone, Debug)]
pub(crate) struct Failure {
    message: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into() }
    }

    /// Error of a file operation, with the path that the operating system's message lacks.
    pub(crate) fn file(action: &str, path: &Path, error: &std::io::Error) -> Self {
        Failure::new(format!("cannot {action} {}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}
