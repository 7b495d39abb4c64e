//! Where runs are.

use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::files::Files;

use crate::{Error, Run, Writer};

/// The files of one search, whose names begin alike.
pub struct Folder<'a> {
    files: &'a dyn Files,
    prefix: String,
    block: usize,
    next: AtomicU64,
}

impl<'a> Folder<'a> {
    /// Files whose names begin with `prefix`, in blocks of about `block` bytes.
    pub fn new(files: &'a dyn Files, prefix: String, block: usize) -> Self {
        Folder { files, prefix, block, next: AtomicU64::new(0) }
    }

    /// The files.
    pub fn files(&self) -> &'a dyn Files {
        self.files
    }

    /// What the names of files begin with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Bytes of a block.
    pub fn block(&self) -> usize {
        self.block
    }

    /// A run to be written, of records of `width` words. It is called after what it is, `kind`, with
    /// a number of its own.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn create(&self, kind: &str, width: usize) -> Result<Writer, Error> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Writer::create(self.files, format!("{}{kind}-{number}", self.prefix), width, self.block)
    }

    /// The number of the next run,
    pub fn next(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// which an earlier process has got to.
    pub fn go_on_from(&self, next: u64) {
        self.next.fetch_max(next, Ordering::Relaxed);
    }

    /// Removes a run.
    ///
    /// # Errors
    /// If it is still there.
    pub fn remove(&self, run: &Run) -> Result<(), Error> {
        self.files.remove(run.name()).map_err(|error| Error::new("remove", run.name(), &error))
    }
}
