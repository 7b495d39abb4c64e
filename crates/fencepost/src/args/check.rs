//! `check`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::FailOn;
use super::common::{CommonArgs, DeviceArgs, LimitArgs, ScaleArgs, SearchArgs};
use super::models::{ModelsChoice, models_help, models_parser};

/// Check programs for robustness against a memory model
///
/// Explores every SC run of each program together with a monitor of the memory model: the answer is
/// exact, loops included. ROBUST means that the state space was exhausted; NOT ROBUST comes with a
/// run that was replayed on the axioms of the model; UNKNOWN says which limit was reached.
/// Assertions and run-time errors are checked in the same search.
///
/// Of a program that is not robust, all executions with one stale step are looked at next: does a
/// data race or a failure follow, or is it harmless?
///
/// What is found in a single file is explained; several files get one line each, and a table at the
/// end. Comments such as `//: ra violation` say what a file expects: then that is compared with
/// what is found.
#[derive(clap::Args, Debug)]
#[command(after_help = CHECK_CODES, after_long_help = CHECK_HELP)]
pub(crate) struct CheckArgs {
    /// Files, directories (searched for .fp, .tpl and .litmus files, and .txt files of Trencher),
    /// or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    #[arg(long, short, value_name = "MODEL", help = models_help(), value_parser = models_parser(), value_delimiter = ',')]
    pub(crate) model: Vec<ModelsChoice>,

    /// Allow stale reads that nothing depends on (sound: what is called observationally robust is)
    #[arg(long)]
    pub(crate) observational: bool,

    /// Of a program that is not robust, look for what goes wrong in executions with up to K stale
    /// steps; 0 looks for nothing
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) stale: u32,

    /// Which programs that are not robust count as violations, for the exit code
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = FailOn::Any)]
    pub(crate) fail_on: FailOn,

    /// Form of the results
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,

    /// Where to write the results instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Also print states, transitions, depth, memory and time
    #[arg(long)]
    pub(crate) stats: bool,

    /// One line per file, no explanations, no warnings
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Explain what is found in several files, too, and what does no harm
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) details: bool,

    /// Do not compare with what comments such as `//: ra violation` expect
    #[arg(long)]
    pub(crate) ignore_expectations: bool,

    /// Print all steps of long runs
    #[arg(long)]
    pub(crate) full_trace: bool,

    /// No progress line, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Store buffers: one search for all attacks together, or one for each
    #[arg(long, value_enum, value_name = "HOW", default_value_t = AttacksChoice::Together)]
    pub(crate) attacks: AttacksChoice,

    /// Store buffers: how many stores an attacker delays, if not the fewest that are enough
    /// [default: those]
    #[arg(long, value_enum, value_name = "NUMBER")]
    pub(crate) delays: Option<DelaysChoice>,

    /// Check again whenever a file changes, until Ctrl-C
    ///
    /// First all files are checked, then those that have changed, and new ones in directories. A
    /// check that is under way when a file changes is given up.
    #[arg(long, conflicts_with_all = ["output", "checkpoint"])]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) scale: ScaleArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckFormat {
    /// Text for people
    Human,
    /// One JSON object per verdict and line
    Json,
    /// One SARIF 2.1.0 log at the end
    Sarif,
    /// One page for a browser at the end
    Html,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttacksChoice {
    /// One program in which every attack is possible
    Together,
    /// One program for each attack
    Each,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DelaysChoice {
    /// A single one (singularity), or as many as are needed: enough for buffers per location,
    /// without light fences, if no thread blocks on a location that another stores to repeatedly
    One,
    /// Any number (locality)
    Many,
}

/// The exit codes of `check`.
macro_rules! check_codes {
    () => {
        "\
Exit codes:
  0    robust, or as the file expects
  1    not robust, something fails under SC, or not as the file expects
  2    bad usage, unreadable or malformed input
  3    undecided: time, memory or states ran out, or it was interrupted
  101  a bug in fencepost: please report it
  With several files, the worst: 101, then 2, 1, 3, 0."
    };
}

const CHECK_CODES: &str = check_codes!();

const CHECK_HELP: &str = concat!(
    "\
Examples:
  fencepost check sb.fp                               check one file
  fencepost check sb.fp --model all                   check it against every model
  fencepost check litmus mine.tpl --details           check a directory and a file, and explain
  fencepost check seqlock.fp --observational          are its stale reads harmless?
  fencepost check ring.fp --watch                     again after every change
  fencepost check ring.fp --fail-on failure           exit with 1 only if something goes wrong
  fencepost check peterson.fp --timeout 30s --stats   at most 30 seconds; what did it cost?
  fencepost check peterson.fp --no-por --jobs 1       the same verdict, in another way
  fencepost check - --language tpl < program          check standard input
  fencepost check litmus --format json | jq .verdict  verdicts for a script
  fencepost check sb.fp --format html -o report.html  a page for a browser: step through what is found

",
    check_codes!()
);
