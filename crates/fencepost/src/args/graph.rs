//! `graph`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::common::{CommonArgs, LimitArgs, SearchArgs};
use super::models::{ModelsChoice, all_models_parser};

/// Draw the execution that violates robustness, the one that `verify` has found, or all
///
/// Writes the execution graph of the violation that `check` would report: one column per thread,
/// program order (po) black, reads-from (rf) red, modification order (mo) blue, from-read (fr)
/// orange, the cycle that SC forbids in bold. If the program is robust nothing is written.
///
/// With --verify: an execution in which an assertion fails, or that ends in a state that the
/// condition is about.
///
/// With --all: every execution in which all threads come to their end, of a program without loops.
/// `-o out.svg` writes out-1.svg, out-2.svg, …; on standard output there are several graphs in DOT.
#[derive(clap::Args, Debug)]
#[command(after_long_help = GRAPH_HELP)]
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

    /// Every execution of a program without loops, in one model [default model: rc20]
    #[arg(long, conflicts_with = "verify")]
    pub(crate) all: bool,

    /// With --all: draw at most this many executions
    #[arg(long, value_name = "N", default_value_t = 100, requires = "all", value_parser = limit_parser())]
    pub(crate) limit: u64,

    /// Relations to draw as well: `hb`, `sw`, `S` as far as the model has them; `rf`, `mo`, `fr`
    /// with all their edges, also those that others imply
    #[arg(long, value_name = "RELATIONS", value_delimiter = ',')]
    pub(crate) show: Vec<String>,

    /// Where to write the picture; `-` for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,

    /// Form of the picture [default: by the extension of the output file, else svg; dot for several
    /// on standard output]
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

fn limit_parser() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=100_000)
}

const GRAPH_HELP: &str = "\
Examples:
  fencepost graph sb.fp -o sb.svg                          how does it leave SC?
  fencepost graph sb.fp --model tso --format dot | dot -Tpdf > sb.pdf
  fencepost graph mp.litmus --verify --show hb,sw          why is this forbidden, or not?
  fencepost graph mp.litmus --all --model rc20 -o mp.svg   mp-1.svg, mp-2.svg, …: all there are";

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphFormat {
    /// A picture
    Svg,
    /// Input of Graphviz
    Dot,
}
