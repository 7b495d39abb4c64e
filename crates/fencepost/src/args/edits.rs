//! What the commands that edit programs have in common.

use std::path::PathBuf;

use fencepost_repair::Costs;

use super::common::{CommonArgs, Format, LimitArgs, SearchArgs};
use super::models::{ModelsChoice, models_parser};

/// What the commands that edit programs have in common.
#[derive(clap::Args, Debug)]
pub(crate) struct EditArgs {
    /// Files, directories (searched for programs), or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Memory model; with several, one edited program that is robust against all [default: as for
    /// check]
    #[arg(long, short, value_name = "MODEL", value_parser = models_parser(), value_delimiter = ',')]
    pub(crate) model: Vec<ModelsChoice>,

    /// What edits cost: portable, x86, armv8, power, riscv, or a file with a table of your own
    ///
    /// An edit costs what is written minus what stood there. Among edits of equal cost, fewer,
    /// weaker and those outside loops come first. The format of a table is in
    /// docs/reference/repair.md.
    #[arg(long, value_name = "TABLE", default_value = "portable")]
    pub(crate) cost: String,

    /// How many times as much an edit costs in a loop, from 1 to 10
    ///
    /// In a loop in a loop it is the square, up to three loops deep. With 1, the number of fences
    /// in the text counts, wherever they are; with more, a fence before a loop is preferred to one
    /// inside, and two before it to one inside from 3 on.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(Costs::GREATEST_LOOP_WEIGHT)))]
    pub(crate) loop_weight: u32,

    /// Change the files
    #[arg(long)]
    pub(crate) write: bool,

    /// Form of the results
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

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
