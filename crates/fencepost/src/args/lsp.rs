//! `lsp`.

use clap::ValueEnum;

use super::common::{LimitArgs, SearchArgs};
use super::models::{ModelsChoice, models_help, models_parser};

/// Serve editors: the language server protocol, on standard input and output
///
/// An editor starts this command and asks it about the files that are open: mistakes, whether the
/// program is robust, what an access means, where a name comes from, repairs. docs/editors.md says
/// how to set it up in several editors.
#[derive(clap::Args, Debug)]
pub(crate) struct LspArgs {
    #[arg(long, short, value_name = "MODEL", help = models_help(), value_parser = models_parser(), value_delimiter = ',')]
    pub(crate) model: Vec<ModelsChoice>,

    /// When to check whether a program is robust
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = CheckWhen::Pause)]
    pub(crate) check: CheckWhen,

    /// Talk on standard input and output. There is no other way; some editors say it
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckWhen {
    /// When the file is opened or saved, and half a second after the last change
    Pause,
    /// When the file is opened or saved
    Save,
    /// Never: mistakes are shown, verdicts are not
    Never,
}
