//! `repair`.

use super::edits::EditArgs;

/// Find the cheapest fences and orders that make programs robust
///
/// Tries fences at every control point, stronger orders at every access where the model tells
/// orders apart, and exchanges instead of stores where the model orders things through
/// read-modify-writes. The result is a diff; a fresh check of what it gives says ROBUST; nothing
/// cheaper does, and each edit comes with the violation that is there without it.
#[derive(clap::Args, Debug)]
#[command(after_help = REPAIR_CODES, after_long_help = REPAIR_HELP)]
pub(crate) struct RepairArgs {
    /// List all repairs of which no part is one, cheapest first
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all: list no more than this many
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,

    /// Repair only what does harm: no data race and no failure is to follow from one stale step;
    /// other violations of robustness may stay
    #[arg(long)]
    pub(crate) only_failures: bool,

    #[command(flatten)]
    pub(crate) edits: EditArgs,
}

/// The exit codes of `repair`.
macro_rules! repair_codes {
    () => {
        "\
Exit codes:
  0    repaired, or nothing to repair
  1    there is no repair among the candidates
  2    bad usage, unreadable or malformed input, table or file
  3    undecided: time, memory or states ran out, or it was interrupted
  101  a bug in fencepost: please report it
  With several files, the worst: 101, then 2, 1, 3, 0."
    };
}

const REPAIR_CODES: &str = repair_codes!();

const REPAIR_HELP: &str = concat!(
    "\
Examples:
  fencepost repair sb.fp --model ra                        what would make it robust?
  fencepost repair sb.fp --model ra --write                make it so
  fencepost repair peterson.fp --model cpp20 --all          in which ways can it be done?
  fencepost repair peterson.fp --model cpp20 --cost armv8   cheapest where?
  fencepost repair queue.fp --only-failures                 what would keep it from failing?
  fencepost repair litmus --model ra --format json         one object per file

",
    repair_codes!()
);
