//! `fmt`.

use std::path::PathBuf;

use super::common::CommonArgs;

/// Format programs in place
#[derive(clap::Args, Debug)]
pub(crate) struct FmtArgs {
    /// Files, directories, or `-` for standard input to standard output
    #[arg(value_name = "PATH", default_value = "-")]
    pub(crate) paths: Vec<PathBuf>,

    /// Change nothing; list the files that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
