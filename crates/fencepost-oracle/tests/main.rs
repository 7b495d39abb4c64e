//! All tests of this crate in one program: it is linked once, and no processor waits for the
//! slowest test of each file.

mod attempts;
mod buffers;
mod classes;
mod common;
mod cpp20_monitor;
mod definitions;
mod finals;
mod interpreter;
mod monitor;
mod observational;
mod rc20_monitor;
mod replay;
mod shapes;
mod watches;
