//! Pure functions from outcomes and diagnostics to text.
//!
//! A caller hands in a [`Subject`], that is, a program with its source, and an outcome. It receives
//! text for a terminal, JSON, or a picture. Nothing here reads files, clocks or the environment.

pub mod graph;
pub mod herd;
pub mod json;
pub mod shapes;
pub mod terminal;

mod diff;
mod execution;
mod subject;
mod words;

pub use execution::Shown;
pub use subject::{Spot, Subject};
