//! One file per command.

#[cfg(fencepost_runtime)]
mod cc;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod models;
pub(crate) mod parse;
#[cfg(fencepost_runtime)]
mod reporter;
#[cfg(fencepost_runtime)]
mod run;
pub(crate) mod sanitizer;
