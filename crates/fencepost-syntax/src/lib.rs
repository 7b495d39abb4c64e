//! Text to tree and back, for every input language.
//!
//! Any text gives a tree and a list of diagnostics, and nothing here panics on input. What a tree
//! means is decided by `fencepost-lower`.

pub mod ast;
pub mod format;
pub mod lexer;
pub mod messages;
pub mod parse;
pub mod print;
pub mod words;

mod dump;
mod language;

pub use dump::dump;
pub use language::Language;
pub use parse::{Foreign, Parsed, foreign, is_method, methods, parse, parse_within, statement_habit};
