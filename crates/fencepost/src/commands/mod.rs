//! One file per command.

#[cfg(fencepost_runtime)]
pub(crate) mod cargo;
#[cfg(fencepost_runtime)]
mod cc;
pub(crate) mod check;
pub(crate) mod completions;
mod edits;
pub(crate) mod explain;
pub(crate) mod export;
mod fixes;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod lsp;
pub(crate) mod man;
pub(crate) mod models;
pub(crate) mod parse;
pub(crate) mod relax;
pub(crate) mod repair;
#[cfg(fencepost_runtime)]
mod reporter;
pub(crate) mod resume;
#[cfg(fencepost_runtime)]
mod run;
pub(crate) mod sanitizer;
pub(crate) mod verify;
