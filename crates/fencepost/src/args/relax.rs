//! `relax`.

use super::edits::EditArgs;

/// Find fences and orders that robust programs can do without
///
/// The converse of `repair`: weakens orders and removes fences, those that are written in the
/// source, as long as the program stays robust, what saves most first; in the end no single further
/// weakening is possible, and each has a violation that says why. Not necessarily the cheapest
/// program there is.
#[derive(clap::Args, Debug)]
#[command(after_help = RELAX_CODES, after_long_help = RELAX_HELP)]
pub(crate) struct RelaxArgs {
    /// Allow stale reads that nothing depends on, as in `check --observational`
    #[arg(long)]
    pub(crate) observational: bool,

    #[command(flatten)]
    pub(crate) edits: EditArgs,
}

/// The exit codes of `relax`.
macro_rules! relax_codes {
    () => {
        "\
Exit codes:
  0    relaxed, or nothing can be weakened
  1    the program is not robust to begin with
  2    bad usage, unreadable or malformed input, table or file
  3    undecided: time, memory or states ran out, or it was interrupted
  101  a bug in fencepost: please report it
  With several files, the worst: 101, then 2, 1, 3, 0."
    };
}

const RELAX_CODES: &str = relax_codes!();

const RELAX_HELP: &str = concat!(
    "\
Examples:
  fencepost relax peterson.fp --model cpp20                  which orders can be weaker?
  fencepost relax seqlock.fp --model cpp20 --observational   if harmless stale reads are allowed?
  fencepost relax queue.fp --model cpp20 --cost power --write

",
    relax_codes!()
);
