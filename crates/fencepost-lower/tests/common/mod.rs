//! What several test files need.

use fencepost_ir::Program;
use fencepost_lower::{Language, load};

/// Reads a program that is right.
pub(crate) fn program(language: Language, text: &str) -> Program {
    let loaded = load(language, text);
    loaded.program.unwrap_or_else(|| panic!("{text}\n{:#?}", loaded.diagnostics))
}
