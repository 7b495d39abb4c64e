//! `cargo xtask spin`: another model checker's opinion.

pub(crate) mod runner;
