//! All tests of this crate in one program: it is linked once, and no processor waits for the
//! slowest test of each file.

mod automata;
mod automata_meaning;
mod common;
mod control;
mod effort;
mod errors;
mod laws;
mod litmus;
mod lowering;
