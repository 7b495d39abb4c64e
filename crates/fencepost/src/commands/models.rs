//! `fencepost models`: the memory models and what they are.

use std::io;

use fencepost_model::models::{MODELS, by_default};
use fencepost_model::{ByDefault, Model};
use fencepost_report::terminal::paragraphs;

use super::explain::WIDTH;
use crate::args::ModelsArgs;
use crate::exit::Exit;
use crate::output::Output;

/// What a model is.
pub(super) fn essay(model: &dyn Model) -> String {
    format!("{}: {}\n\n{}", model.name(), model.title(), paragraphs(model.essay(), WIDTH))
}

pub(crate) fn run(args: &ModelsArgs, output: &mut Output) -> io::Result<Exit> {
    let text = match args.model {
        Some(choice) => essay(choice.0),
        None => {
            let lines: String = MODELS.iter().map(|model| format!("{:<8}{}\n", model.name(), model.title())).collect();
            let defaults: Vec<&str> = by_default(ByDefault::Programs).map(|model| model.name()).collect();
            let defaults = defaults.join(" and ");
            format!("{lines}\nWithout --model, commands mean {defaults}. `fencepost models MODEL` explains one.\n")
        }
    };
    output.out(&text)?;
    Ok(Exit::Holds)
}
