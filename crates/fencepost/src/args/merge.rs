//! `merge`.

use std::path::PathBuf;

use fencepost_protocol::FOUND;

use super::FailOn;
use super::run::ReportFormat;

/// Join the reports of the parts of a series: of `fencepost run --shard`
///
/// Says what one series over all runs would have said: each finding once, the worst first, counts
/// summed up. The order of the files does not matter.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = MERGE_HELP)]
pub(crate) struct MergeArgs {
    /// Reports of `fencepost run --shard I/N --format json` with the same program and options
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Tell what is harmless in full, too, and show all frames of all stacks
    #[arg(long)]
    pub(crate) all: bool,

    /// What to end with exit code 66 for
    #[arg(long, value_enum, value_name = "RANK", default_value_t)]
    pub(crate) fail_on: FailOn,

    /// Form of the report: a human one goes to standard error, others to standard output
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,

    /// Where to write the report instead
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Draw each report as well: DIR/report-1.svg, DIR/report-2.svg, …
    #[arg(long, value_name = "DIR")]
    pub(crate) graph: Option<PathBuf>,

    /// Exit code if something was reported
    #[arg(long, value_name = "N", default_value_t = FOUND)]
    pub(crate) exitcode: u8,

    /// Colours; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = clap::ColorChoice::Auto)]
    pub(crate) color: clap::ColorChoice,
}

const MERGE_HELP: &str = "\
Examples:
  fencepost run --seeds 0..900 --shard 2/3 --format json -o 2.json -- ./queue 4   on the second of three machines
  fencepost merge 1.json 2.json 3.json                                            all of them together
  fencepost merge *.json --format sarif -o findings.sarif                         for code scanning

Exit codes:
  66   something was reported (--exitcode), as bad as --fail-on says
  2    the files cannot be joined, a part is missing, or a program could not be watched
  else the exit code of the first run that did not end with 0";
