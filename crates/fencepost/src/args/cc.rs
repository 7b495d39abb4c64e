//! `cc` and `c++`.

use std::ffi::OsString;

/// Compile and link C for the sanitizer: a drop-in for cc
///
/// Takes what the compiler takes and passes it on, adding instrumentation when compiling and the
/// runtime when linking a program: `make CC="fencepost cc"`, `CC="fencepost cc" cmake …`,
/// `CC="fencepost cc" ./configure`. `--help` alone on the line is this text.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true, after_help = CC_HELP)]
pub(crate) struct CcArgs {
    /// [--compiler X] first on the line, [--atomics-only] anywhere; everything else is for the
    /// compiler
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

impl CcArgs {
    /// `--help` alone is for us, everything else for the compiler.
    pub(crate) fn asks_for_help(&self) -> bool {
        self.words == ["--help"]
    }
}

const CC_HELP: &str = "\
Examples:
  fencepost cc -O1 -pthread queue.c -o queue          compile and link
  fencepost c++ --compiler g++-13 -c queue.cpp        with another compiler than the one it finds
  make CC='fencepost cc --atomics-only'               a whole project, without data races: faster
  fencepost run -- ./queue                            run what was built

Environment:
  FENCEPOST_CC, FENCEPOST_CXX  the compilers to use
  FENCEPOST_ATOMICS_ONLY=1     as --atomics-only
  FENCEPOST_CACHE_DIR          where the runtime is unpacked

The options of the compiler itself: `fencepost cc --compiler clang --help`.";
