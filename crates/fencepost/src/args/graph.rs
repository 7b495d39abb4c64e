//! `graph`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::common::{CommonArgs, LimitArgs, SearchArgs};
use super::models::{ModelsChoice, all_models_parser};

/// Draw the execution that violates robustness, or that `verify` has found
///
/// Writes the execution graph of the violation that `check` would report: one column per thread,
/// program order (po) black, reads-from (rf) red, modification order (mo) blue, from-read (fr)
/// orange, the cycle that SC forbids in bold. If the program is robust nothing is written.
///
/// With --verify: an execution in which an assertion fails, or that ends in a state that the
/// condition is about.
#[derive(clap::Args, Debug)]
pub(crate) struct GraphArgs {
    /// File to check, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Memory model; of several, the first with something to draw; sc and sra only with --verify
    /// [default: as for check]
    #[arg(long, short, value_name = "MODEL", value_parser = all_models_parser(), value_delimiter = ',')]
    pub(crate) model: Vec<ModelsChoice>,

    /// What `verify` finds, rather than what violates robustness
    #[arg(long)]
    pub(crate) verify: bool,

    /// Where to write the picture; `-` for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,

    /// Form of the picture [default: by the extension of the output file, else svg]
    #[arg(long, value_enum)]
    pub(crate) format: Option<GraphFormat>,

    /// No progress line, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphFormat {
    /// A picture
    Svg,
    /// Input of Graphviz
    Dot,
}
