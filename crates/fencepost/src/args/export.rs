//! `export`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::common::CommonArgs;
use super::models::{ModelChoice, any_model_parser};

/// Write a program for another model checker, or in C
///
/// To Promela: with the monitor of a memory model, that is, with an assertion at every access that
/// the thread could not use a stale value. SPIN finds no assertion violated iff `check` says
/// ROBUST. For `sc` the program is written as it is, and SPIN finds out whether one of its own
/// assertions can fail.
///
/// To attacks: as the program that `check` explores for a model with store buffers: it fails an
/// assertion under SC iff the original is not robust. `parse --emit`, `check` and `fmt` read it.
///
/// To C: as a program with one POSIX thread for each thread, to be compiled and run.
///
/// A program that cannot be expressed there is refused.
#[derive(clap::Args, Debug)]
#[command(after_help = EXPORT_HELP)]
pub(crate) struct ExportArgs {
    /// File to export, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The other language
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) to: ExportFormat,

    /// Promela, attacks: memory model; for Promela, `sc` leaves the program as it is [default: the
    /// first of those that all commands mean; for attacks, the first with store buffers]
    #[arg(long, short, value_name = "MODEL", value_parser = any_model_parser())]
    pub(crate) model: Option<ModelChoice>,

    /// Promela: allow stale reads that nothing depends on, as in `check --observational`
    #[arg(long)]
    pub(crate) observational: bool,

    /// C: end the run when a thread has jumped backwards this many times
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) steps: u32,

    /// Where to write the result; `-` for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// The language of the model checker SPIN
    Promela,
    /// A program (.fp) that fails an assertion iff the original is not robust against a model with
    /// store buffers
    Attacks,
    /// C11 with POSIX threads, to be compiled and run
    C,
}

const EXPORT_HELP: &str = "\
Examples:
  fencepost export sb.fp --to promela -o sb.pml             is it robust against ra? SPIN decides:
  spin -a sb.pml && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
  fencepost export seqlock.fp --to promela --model cpp20 --observational
  fencepost export peterson.fp --to promela --model sc      the program alone, with its own assertions
  fencepost export peterson.fp --to attacks --model tso     what `check --model tso` explores
  fencepost export peterson.fp --to c -o peterson.c         as a program to run:
  cc -std=c11 -pthread peterson.c && ./a.out

Failures of the program itself are violations for `sc` only; with other models `spin -DCHECK_ASSERTIONS -a` adds them.";
