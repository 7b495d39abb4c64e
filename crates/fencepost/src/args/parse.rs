//! `parse`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::common::CommonArgs;

/// Print what was understood of a program
#[derive(clap::Args, Debug)]
pub(crate) struct ParseArgs {
    /// File to parse, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// What to print
    #[arg(long, value_enum, default_value_t = Emit::Ast)]
    pub(crate) emit: Emit,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emit {
    /// The syntax tree
    Ast,
    /// The instructions of each thread
    Ir,
}
