//! What the crate offers to other programs: sources, questions about them, answers that can be
//! shown.

mod answers;
mod limits;
mod source;

pub use answers::{Checked, Repair, Verified};
pub use limits::Limits;
pub use source::{ParseError, Source};

use fencepost_model::Model;
use fencepost_model::models::{MODELS, by_name};

/// Every memory model: SC, then machines and languages, the strongest of each first.
pub fn models() -> &'static [&'static dyn Model] {
    MODELS
}

/// The memory model of this name: `tso`, `ra`, `rc20`, …
pub fn model(name: &str) -> Option<&'static dyn Model> {
    by_name(name)
}
