//! `fencepost export`: a program with its monitor, for another model checker; with its attacks; or as C to be run.

use std::fs;
use std::io;

use fencepost_check::enough_delays;
use fencepost_export::{attacks, c, promela};
use fencepost_lower::Loaded;
use fencepost_model::Model;
use fencepost_model::models::tso::Tso;
use fencepost_report::terminal;

use crate::args::{ExportArgs, ExportFormat};
use crate::exit::Exit;
use crate::input;
use crate::options;
use crate::output::Output;

pub(crate) fn run(args: &ExportArgs, output: &mut Output) -> io::Result<Exit> {
    let look = options::stderr_look(&args.common);
    let Some((source, language)) = input::read_one(&args.file, options::language(&args.common), &look, output) else {
        return Ok(Exit::Error);
    };
    let Loaded { program, diagnostics } = fencepost_lower::load(language, source.text());
    output.note(&terminal::diagnostics(&source, &diagnostics, &look));
    let Some(program) = program else { return Ok(Exit::Error) };

    let exported = match args.to {
        ExportFormat::Promela => {
            let options = promela::Options { observational: args.observational };
            promela::export(&program, options::model(args.model, language), options)
        }
        ExportFormat::Attacks => {
            let model = args.model.map_or(&Tso as &dyn Model, |choice| choice.0);
            attacks::export(&program, model, enough_delays(&program, model))
        }
        ExportFormat::C => c::export(&program, &source, c::Options { steps: args.steps }),
    };
    let text = match exported {
        Ok(text) => text,
        Err(error) => {
            let message = format!("cannot export `{}`: {error}", source.name());
            output.note(&terminal::plain_error(&message, None, &look));
            return Ok(Exit::Error);
        }
    };
    if args.output.as_os_str() == "-" {
        output.out(&text)?;
    } else if let Err(error) = fs::write(&args.output, text) {
        let message = format!("cannot write `{}`: {error}", args.output.display());
        output.note(&terminal::plain_error(&message, None, &look));
        return Ok(Exit::Error);
    }
    Ok(Exit::Holds)
}
