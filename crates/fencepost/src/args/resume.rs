//! `resume`.

use std::path::PathBuf;

/// Go on with a check or a verification that was stopped
///
/// The directory is the one that `--checkpoint` named. It says what the command was and how far it
/// got, so there is nothing else to say. The answer is the same, byte for byte, as if the command
/// had not been stopped. Programs, environment and fencepost itself must be what they were.
#[derive(clap::Args, Debug)]
#[command(after_help = RESUME_CODES, after_long_help = RESUME_HELP)]
pub(crate) struct ResumeArgs {
    /// The directory of the checkpoint
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

/// The exit codes of `resume`.
macro_rules! resume_codes {
    () => {
        "\
Exit codes: those of the command that was stopped; 2 if it cannot go on."
    };
}

const RESUME_CODES: &str = resume_codes!();

const RESUME_HELP: &str = concat!(
    "\
Examples:
  fencepost check big.fp --checkpoint saved    a check that may be stopped at any time
  fencepost resume saved                       goes on with it

",
    resume_codes!()
);
