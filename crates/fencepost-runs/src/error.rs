//! What can go wrong with files.

use std::fmt;
use std::io;

/// A file that cannot be used any more, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// Something could not be done with a file.
    pub fn new(action: &str, name: &str, error: &io::Error) -> Self {
        Error(match error.kind() {
            io::ErrorKind::UnexpectedEof => format!("`{name}` is shorter than it was written"),
            _ => format!("cannot {action} `{name}`: {error}"),
        })
    }

    /// A file has changed since it was written.
    pub fn damaged(name: &str, how: &str) -> Self {
        Error(format!("`{name}` is damaged: {how}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
