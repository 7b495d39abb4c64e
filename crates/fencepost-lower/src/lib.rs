//! Text to programs and back: what the trees of every input language mean.
//!
//! [`load`] reads a program from its source, [`print`](print()) writes one as `.fp`. Engines need
//! neither: they start from a `Program`, and this crate is the only one between it and the syntax.

mod automata;
mod litmus;
mod lower;
mod print;

pub use automata::ANY_ADDRESSES;
pub use fencepost_syntax::Language;
pub use litmus::{Deref, Reading};
pub use lower::{Loaded, MAX_DEPTH, MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS, load, load_as, load_within};
pub use print::print;
