//! One file per command.

#[cfg(fencepost_runtime)]
pub(crate) mod cc;
#[cfg(not(fencepost_runtime))]
#[path = "no_cc.rs"]
pub(crate) mod cc;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod models;
pub(crate) mod parse;
