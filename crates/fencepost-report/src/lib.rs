//! Pure functions from outcomes and diagnostics to bytes.
//!
//! Nothing here reads files, clocks or the environment: the command line and
//! the web page hand in a [`Subject`] and an outcome, and receive text.

pub mod finding;
pub mod graph;
pub mod herd;
pub mod json;
pub mod sarif;
pub mod shapes;
pub mod terminal;

mod diff;
mod execution;
mod subject;
mod words;

pub use execution::Shown;
pub use subject::Subject;
