//! From the events of an observed program to reports a person can act on.
//!
//! The runtime inside the program writes one JSON object per line ([`stream`]). A [`Reporter`]
//! follows the runs of a program, turns addresses into names ([`symbols`]), keeps each finding
//! once, leaves out what is suppressed ([`suppress`]), says what follows from it ([`provoke`], [`sequel`]),
//! looks for changes that would help in the recorded run ([`trace`]), and hands out
//! [`report::Report`]s. Each becomes a [`Finding`](fencepost_finding::Finding), which others turn
//! into bytes; [`text`] and [`json`] tell what else there is to say at the end.
//!
//! Nothing here reads anything but the program's own files (for symbols), and nothing prints.

mod advice;
mod blame;
mod excuse;
mod exploration;
pub mod json;
mod path;
mod process;
pub mod provoke;
mod replay;
pub mod report;
mod reporter;
pub mod sequel;
pub mod shard;
pub mod stream;
pub mod suppress;
pub mod symbols;
pub mod text;
pub mod trace;
mod wrappers;

pub use exploration::Exploration;
/// The name of the memory model that programs are judged by.
pub use fencepost_clock::MODEL;
pub use process::Process;
pub use reporter::{Ending, Item, LastRun, Options, Reporter, Totals};
