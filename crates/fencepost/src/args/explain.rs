//! `explain`.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};

use crate::commands::explain;

/// Explain a word of fencepost's messages: a shape, a verdict, a model, a term
#[derive(clap::Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The word, or several that belong together (`not robust`); without it, all words are listed
    #[arg(value_name = "WORD", value_parser = WordParser, hide_possible_values = true)]
    pub(crate) words: Vec<String>,
}

/// Takes any word: the command knows better what to say of one that it does not know. The known
/// ones are for completions.
#[derive(Clone)]
struct WordParser;

impl TypedValueParser for WordParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(explain::completions().map(|(word, about)| PossibleValue::new(word).help(about))))
    }
}
