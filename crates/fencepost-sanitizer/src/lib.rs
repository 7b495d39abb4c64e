//! From the events of a watched program to reports that a person can act on.
//!
//! The runtime inside the program writes one JSON object per line ([`stream`]). A [`Reporter`]
//! follows the runs of a program:
//!
//! - It turns addresses into names ([`symbols`]).
//! - It keeps each finding once, and leaves out what is suppressed ([`suppress`]).
//! - It looks in the recorded run for changes that would help ([`trace`]).
//! - It hands out [`report::Report`]s, which [`text`], [`json`] and [`sarif`] turn into bytes.
//!
//! Nothing here reads anything but the program's own files (for symbols), and nothing prints.

mod advice;
pub mod json;
mod path;
mod process;
mod replay;
pub mod report;
mod reporter;
pub mod sarif;
pub mod stream;
pub mod suppress;
pub mod symbols;
pub mod text;
pub mod trace;

pub use process::Process;
pub use reporter::{Ending, Item, Options, Reporter, Totals};
