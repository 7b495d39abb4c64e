//! Programs in other languages: for other model checkers, for compilers, and with their attacks.
//!
//! What does not fit into a language is refused, never approximated.

pub mod attacks;
pub mod c;
mod infix;
pub mod promela;

pub use infix::Unsupported;
