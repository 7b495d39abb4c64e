//! `merge`.

use std::path::PathBuf;

use super::FailOn;
use super::run::Told;

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

    #[command(flatten)]
    pub(crate) told: Told,
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
