//! Sorted files of records.
//!
//! A *record* is a fixed number of words: a packed state, or a state and something about it. A
//! *run* is a file of records in ascending order, each once. Runs are written and read from the
//! beginning to the end, in blocks. A block has a checksum, and the order is looked at again when
//! records are read: a file that was damaged is an error, never a record.
//!
//! [`Sorter`] makes runs of records that come in any order, [`Merge`] makes one sequence of several
//! runs, and a [`Cursor`] looks up ascending records in a run, with a leap over blocks that none of
//! them can be in. Where the files are is somebody else's affair ([`fencepost_base::files::Files`]).

mod block;
mod error;
mod folder;
mod merge;
mod run;
mod sort;

pub use error::Error;
pub use folder::Folder;
pub use merge::{Merge, Source};
pub use run::{Cursor, Run, Writer};
pub use sort::{Sorted, Sorter};
