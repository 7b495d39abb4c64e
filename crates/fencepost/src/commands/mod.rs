//! One file per command.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod models;
pub(crate) mod parse;
