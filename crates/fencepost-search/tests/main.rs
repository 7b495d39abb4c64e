//! All tests of this crate in one program: it is linked once, and no processor waits for the
//! slowest test of each file.

mod agreement;
mod common;
mod corpus;
mod events;
mod executions;
mod models;
mod programs;
mod stray;
mod views;
