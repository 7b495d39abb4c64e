//! `check`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::common::{CommonArgs, LimitArgs, SearchArgs};
use super::models::{ModelsChoice, models_parser};
use super::{EXIT_CODES, exit_codes};

/// Check programs for robustness against a memory model
///
/// Explores every SC run of each program together with a monitor of the memory model: the answer is exact, loops
/// included. ROBUST means that the state space was exhausted; NOT ROBUST comes with a run that was replayed on the
/// axioms of the model; UNKNOWN says which limit was reached. Assertions and run-time errors are checked in the same
/// search.
#[derive(clap::Args, Debug)]
#[command(after_help = EXIT_CODES, after_long_help = CHECK_HELP)]
pub(crate) struct CheckArgs {
    /// Files, directories (searched for .fp, .tpl and .litmus files, and .txt files of Trencher), or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Memory model; may be given several times [default: the models of languages; for Trencher's programs, tso]
    #[arg(long, short, value_name = "MODEL", value_parser = models_parser(), value_delimiter = ',')]
    pub(crate) model: Vec<ModelsChoice>,

    /// Allow stale reads that nothing depends on (sound: what is called observationally robust is)
    #[arg(long)]
    pub(crate) observational: bool,

    /// Form of the results
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,

    /// Also print states, transitions, depth, memory and time
    #[arg(long)]
    pub(crate) stats: bool,

    /// One line per verdict, no explanations
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print all steps of long runs
    #[arg(long)]
    pub(crate) full_trace: bool,

    /// No progress line, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Store buffers: one search for all attacks together, or one for each
    #[arg(long, value_enum, value_name = "HOW", default_value_t = AttacksChoice::Together)]
    pub(crate) attacks: AttacksChoice,

    /// Store buffers: how many stores an attacker delays, if not the fewest that are enough [default: those]
    #[arg(long, value_enum, value_name = "NUMBER")]
    pub(crate) delays: Option<DelaysChoice>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckFormat {
    /// Text for people
    Human,
    /// One JSON object per verdict and line
    Json,
    /// One SARIF 2.1.0 log at the end
    Sarif,
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
    /// A single one (singularity), or as many as are needed: enough for buffers per location, without light fences, if
    /// no thread blocks on a location that another stores to repeatedly
    One,
    /// Any number (locality)
    Many,
}

const CHECK_HELP: &str = concat!(
    "\
Examples:
  fencepost check sb.fp                               check one file against every model
  fencepost check litmus mine.tpl --model ra          check a directory and a file
  fencepost check seqlock.fp --observational          are its stale reads harmless?
  fencepost check peterson.fp --timeout 30s --stats   at most 30 seconds; what did it cost?
  fencepost check peterson.fp --no-por --jobs 1       the same verdict, in another way
  fencepost check - --language tpl < program          check standard input
  fencepost check litmus --format json | jq .verdict  verdicts for a script

",
    exit_codes!()
);
