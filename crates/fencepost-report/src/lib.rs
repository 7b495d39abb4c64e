//! Pure functions from outcomes, findings and diagnostics to bytes.
//!
//! Nothing here reads files, clocks or the environment: whoever asks hands
//! in a [`Subject`] and an outcome, or a finding, and receives text.

pub mod diagram;
pub mod finding;
pub mod graph;
pub mod herd;
pub mod html;
pub mod json;
pub mod sarif;
pub mod shapes;
pub mod terminal;

mod diff;
mod execution;
mod subject;
mod words;

pub use diff::diff;
pub use execution::Shown;
pub use subject::Subject;
pub use words::while_reading;
