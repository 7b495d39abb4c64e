//! `--fail-on`.

use clap::ValueEnum;

/// What a command ends with an exit code for.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// Data races
    Race,
    /// Data races, and what a failure follows from
    Failure,
    /// Everything that is found
    #[default]
    Any,
}
