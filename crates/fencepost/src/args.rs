//! What can be typed: one file per command.

mod cargo;
mod cc;
mod check;
mod common;
mod edits;
mod explain;
mod export;
mod fail_on;
mod fmt;
mod graph;
mod lsp;
mod merge;
mod models;
mod parse;
mod relax;
mod repair;
mod resume;
mod run;
mod shard;
mod verify;

use std::path::PathBuf;

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use cargo::CargoArgs;
#[cfg(fencepost_runtime)]
pub(crate) use cargo::{CargoOptions, Std};
pub(crate) use cc::CcArgs;
pub(crate) use check::{AttacksChoice, CheckArgs, CheckFormat, DelaysChoice};
pub(crate) use common::{
    CommonArgs, DerefChoice, DeviceArgs, Format, LanguageChoice, LimitArgs, ScaleArgs, SearchArgs, Space,
};
pub(crate) use edits::EditArgs;
pub(crate) use explain::ExplainArgs;
pub(crate) use export::{ExportArgs, ExportFormat};
pub(crate) use fail_on::FailOn;
pub(crate) use fmt::FmtArgs;
pub(crate) use graph::{GraphArgs, GraphFormat};
pub(crate) use lsp::{CheckWhen, LspArgs};
pub(crate) use merge::MergeArgs;
pub(crate) use models::{ModelsArgs, ModelsChoice};
pub(crate) use parse::{Emit, ParseArgs};
pub(crate) use relax::RelaxArgs;
pub(crate) use repair::RepairArgs;
pub(crate) use resume::ResumeArgs;
#[cfg(fencepost_runtime)]
pub(crate) use run::ReportFormat;
pub(crate) use run::{RunArgs, Seeds, Told, Who};
#[cfg(fencepost_runtime)]
pub(crate) use shard::Shard;
pub(crate) use verify::{EngineChoice, VerifyArgs, VerifyFormat};

/// Does your concurrent code still behave as under sequential consistency?
///
/// fencepost checks whether a concurrent program that uses weak memory accesses nevertheless
/// behaves as if memory were sequentially consistent (SC): whether it is robust. If it is not,
/// fencepost shows which access can see or write a stale value, and a run that leads there.
#[derive(Parser, Debug)]
#[command(name = "fencepost", version, after_help = EXIT_CODES, after_long_help = LONG_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Check(CheckArgs),
    Verify(VerifyArgs),
    Resume(ResumeArgs),
    Repair(RepairArgs),
    Relax(RelaxArgs),
    Graph(GraphArgs),
    Export(ExportArgs),
    Fmt(FmtArgs),
    Parse(ParseArgs),
    Models(ModelsArgs),
    Explain(ExplainArgs),
    Cc(CcArgs),
    /// Compile and link C++ for the sanitizer: a drop-in for c++
    #[command(name = "c++")]
    Cpp(CcArgs),
    // Much larger than the others.
    Run(Box<RunArgs>),
    Merge(MergeArgs),
    Cargo(CargoArgs),
    /// Reports for a program that nobody runs with `fencepost run`; started by its runtime
    #[command(hide = true)]
    Reporter,
    Lsp(LspArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// Is there something that a project can say about it?
    pub(crate) fn wants_project(&self) -> bool {
        use Command::{Check, Graph, Lsp, Relax, Repair, Run, Verify};
        matches!(self, Check(_) | Verify(_) | Repair(_) | Relax(_) | Graph(_) | Run(_) | Lsp(_))
    }
}

/// The long help of a command.
pub(crate) fn help_of(command: &str) -> String {
    let mut all = Args::command();
    all.build();
    all.find_subcommand_mut(command).map_or_else(String::new, |command| command.render_long_help().to_string())
}

/// Print a completion script for a shell
#[derive(clap::Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Write manual pages, one for each command
#[derive(clap::Args, Debug)]
pub(crate) struct ManArgs {
    /// Where to; `man -M` and `MANPATH` want it to be called `man1`
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

/// A macro, because only literals can be joined in constants.
macro_rules! exit_codes {
    () => {
        "\
Exit codes:
  0    the property holds
  1    a violation was found, or something fails under SC
  2    bad usage, unreadable or malformed input
  3    undecided: time, memory or states ran out, or it was interrupted
  101  a bug in fencepost: please report it
  With several files, the worst: 101, then 2, 1, 3, 0."
    };
}

const EXIT_CODES: &str = exit_codes!();

const LONG_HELP: &str = concat!(
    "\
Examples:
  fencepost check sb.fp                      is it robust?
  fencepost check litmus                     a verdict for every file of a directory
  fencepost check sb.fp --format json        the same for scripts
  fencepost verify sb.litmus --model tso     which final states does it have?
  fencepost repair sb.fp                     which fences make it robust?
  fencepost relax seqlock.fp --model rc20    which orders are stronger than needed?
  fencepost graph sb.fp -o sb.svg            a picture of the violation
  fencepost export sb.fp --to promela        the same question for SPIN
  fencepost fmt --check litmus               are all files formatted?
  fencepost models ra                        what is this model?
  fencepost explain SB                       what is this shape, this verdict, this word?
  fencepost cc -O1 queue.c -o queue          build a C program for the sanitizer
  fencepost run -- ./queue                   which of its accesses can go wrong?
  fencepost merge 1.json 2.json              what several machines have found, in one report
  cargo fencepost test                       the same for the tests of a Rust project

",
    exit_codes!()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }
}
