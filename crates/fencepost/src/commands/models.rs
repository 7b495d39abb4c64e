//! `fencepost models`: the memory models and what they are.

use std::io;

use fencepost_model::ByDefault;
use fencepost_model::models::{MODELS, by_default};
use fencepost_report::terminal::paragraphs;

use crate::args::ModelsArgs;
use crate::exit::Exit;
use crate::output::Output;

/// Essays are read, so their lines are short.
const WIDTH: usize = 80;

pub(crate) fn run(args: &ModelsArgs, output: &mut Output) -> io::Result<Exit> {
    let text = match args.model {
        Some(choice) => {
            format!("{}: {}\n\n{}", choice.0.name(), choice.0.title(), paragraphs(choice.0.essay(), WIDTH))
        }
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
