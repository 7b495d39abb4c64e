//! `verify`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::common::{CommonArgs, DeviceArgs, LimitArgs, ScaleArgs, SearchArgs};
use super::models::{ModelsChoice, all_models_parser};

/// Verify the conditions and assertions of programs under a memory model
///
/// For a program with a condition on final states (a C litmus test): lists the final states that
/// the model permits, says whether the condition is true in some (Sometimes), all (Always) or none
/// (Never) of them, and whether that is what its quantifier asks for. For other programs: can an
/// assertion fail? A data race is undefined behaviour, and never what was asked for.
///
/// Loops are allowed. Several arguments are tried in turn, and the answer says which one it rests
/// on; a failure comes with an execution that was replayed on the axioms of the model. For sc and
/// sra there always is an answer, given time and memory; for the others the question is undecidable
/// or no argument is complete, and the answer may be UNKNOWN, with what was tried.
#[derive(clap::Args, Debug)]
#[command(after_help = VERIFY_CODES, after_long_help = VERIFY_HELP)]
pub(crate) struct VerifyArgs {
    /// Files, directories (searched for programs), or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Memory model; may be given several times [default: as for check; with --format herd, the
    /// last of them]
    #[arg(long, short, value_name = "MODEL", value_parser = all_models_parser(), value_delimiter = ',')]
    pub(crate) model: Vec<ModelsChoice>,

    /// How to find out
    #[arg(long, value_enum, default_value_t = EngineChoice::Auto)]
    pub(crate) engine: EngineChoice,

    /// Form of the results
    #[arg(long, value_enum, default_value_t = VerifyFormat::Human)]
    pub(crate) format: VerifyFormat,

    /// Where to write the results instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// One line per answer, no states
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print all steps of long runs
    #[arg(long)]
    pub(crate) full_trace: bool,

    /// No progress line, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

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
pub(crate) enum EngineChoice {
    /// All that can settle the question, in turn, with more and more states
    Auto,
    /// Enumerate the executions that the axioms permit: small programs without loops
    Oracle,
    /// Explore runs under SC, which every model has
    Explore,
    /// Backward coverability: SRA, TSO; release/acquire without write/write races
    Cover,
    /// Robustness, or observational robustness, and runs under SC
    Robustness,
    /// Search executions of the model, or states of its store buffers
    Search,
    /// Search states of a machine of messages and views: SRA, RA, RC20
    Views,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerifyFormat {
    /// Text for people
    Human,
    /// One JSON object per answer and line
    Json,
    /// One SARIF 2.1.0 log at the end
    Sarif,
    /// One page for a browser at the end
    Html,
    /// Logs as those of the herd simulator
    Herd,
}

/// The exit codes of `verify`.
macro_rules! verify_codes {
    () => {
        "\
Exit codes:
  0    the condition is met (`exists`: by some final state), assertions hold
  1    it is not, an assertion fails, or there is a data race
  2    bad usage, unreadable or malformed input
  3    undecided: a limit was reached, it was interrupted, or no engine knows how
  101  a bug in fencepost: please report it
  With several files or models, the worst: 101, then 2, 1, 3, 0."
    };
}

const VERIFY_CODES: &str = verify_codes!();

const VERIFY_HELP: &str = concat!(
    "\
Examples:
  fencepost verify sb.litmus --model all            which final states does it have, under every model?
  fencepost verify sb.litmus --model tso,cpp20 -q    only the answers, for two models
  fencepost verify tests --format herd              logs for herd's scripts
  fencepost verify peterson.fp --model sc,sra,tso   can an assertion fail?
  fencepost verify dekker.fp --timeout 10m          at most ten minutes, not one, for each model
  fencepost verify ring.fp --engine search          only look for a failing execution
  fencepost verify ring.fp --format html -o r.html  a page for a browser

",
    verify_codes!()
);
