//! The one error type of xtask: a sentence for the person at the terminal, naming what is missing and how to get it.

use std::fmt;
use std::path::Path;

/// Most functions here do something and answer nothing.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

#[derive(Clone, Debug)]
pub(crate) struct Failure {
    message: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into() }
    }

    /// A file operation that failed, with the path the operating system leaves out of its message.
    pub(crate) fn file(action: &str, path: &Path, error: &std::io::Error) -> Self {
        Failure::new(format!("cannot {action} {}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}
