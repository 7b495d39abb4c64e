//! `cargo`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::RunArgs;

/// Build and run a Rust project for the sanitizer: `cargo fencepost`
///
/// `cargo fencepost test`, `run`, `build` and `bench` take what cargo takes. Everything that is
/// compiled for the target is instrumented, the standard library and C code of build scripts
/// included; build scripts and procedural macros are left as they are. Test programs, doctests,
/// benchmarks and programs run as `fencepost run` runs them.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true, override_usage = CARGO_USAGE, after_help = CARGO_HELP)]
pub(crate) struct CargoArgs {
    /// test, run, build or bench; its arguments; after --fencepost, options of `fencepost run` and
    /// of `fencepost cargo`; after --, arguments of the program
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

impl CargoArgs {
    /// `--help` in the first place is for us, elsewhere for cargo.
    pub(crate) fn asks_for_help(&self) -> bool {
        self.words.first().is_none_or(|word| word == "--help" || word == "-h")
    }
}

/// What can be said after `--fencepost`.
#[derive(Parser, Clone, Debug)]
#[command(name = "--fencepost", no_binary_name = true, disable_help_flag = true)]
pub(crate) struct CargoOptions {
    /// Which standard library: an instrumented one, or the one that comes with the compiler
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) std: Std,

    /// Write the suggested changes of orders and fences to FILE, as `git apply` reads them
    #[arg(long, value_name = "FILE")]
    pub(crate) patch: Option<PathBuf>,

    /// Write test programs and what was found in them to FILE as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Which standard library.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Std {
    /// Made once for each toolchain, from the bitcode that its libraries carry.
    #[default]
    Instrumented,
    /// As it is. What it does inside is not seen, so there are races reported that are none.
    Prebuilt,
}

const CARGO_USAGE: &str =
    "cargo fencepost <test|run|build|bench> [CARGO ARGUMENTS] [--fencepost OPTIONS] [-- ARGUMENTS]";

const CARGO_HELP: &str = "\
Options after --fencepost:
  --std prebuilt    do not watch what the standard library does inside (false races)
  --patch FILE      write suggested changes as a patch for `git apply`
  --junit FILE      write JUnit XML for continuous integration
  and those of `fencepost run`: --schedule, --runs, --time, --seed, --format, --fail-on, …
  --schedule all    explore every schedule of each test; --timeout, --preemptions, --weak, …

Examples:
  cargo fencepost test                                         all tests, in different schedules
  cargo fencepost test --release queue -- --test-threads 1     as with cargo
  cargo fencepost test --test stress --fencepost --time 2m     for two minutes
  cargo fencepost run --example chat --fencepost --runs 20     a program
  cargo fencepost test --fencepost --format sarif -o log.sarif one log over all test programs
  cargo fencepost test --fencepost --format html -o found.html one page for a browser

Exit codes:
  66   something was reported (--exitcode), as bad as --fail-on says
  3    every schedule was asked for, and not every schedule was seen
  2    wrong usage, or the project cannot be built for the sanitizer
  else cargo's own";
