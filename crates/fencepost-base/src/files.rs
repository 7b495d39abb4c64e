//! Files that an engine may write, wherever they are.
//!
//! Engines touch no disk. Whoever has one gives them a folder, as it gives them a clock; tests give
//! them one whose disk is full.

use std::io::{self, Read, Seek, Write};

/// A folder of files that belong to an engine.
pub trait Files: Sync {
    /// A new file, or an old one that is emptied.
    ///
    /// # Errors
    /// If it cannot be written.
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>>;

    /// A file, from its beginning.
    ///
    /// # Errors
    /// If it cannot be read.
    fn open(&self, name: &str) -> io::Result<Box<dyn Input>>;

    /// Waits until what was written to a file would survive a power failure.
    ///
    /// # Errors
    /// If that is not known.
    fn sync(&self, name: &str) -> io::Result<()>;

    /// Gives a file another name, in one step that survives a power failure. A file that had this
    /// name is gone.
    ///
    /// # Errors
    /// If that is not possible; then nothing has changed.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// If it is still there.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// The names of all files.
    ///
    /// # Errors
    /// If they cannot be listed.
    fn names(&self) -> io::Result<Vec<String>>;
}

/// A file to read, from wherever one likes.
pub trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}
