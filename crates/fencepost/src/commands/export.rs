//! `fencepost export`: a program with its monitor, for another model checker; with its attacks; or
//! as C to be run.

use std::io;

use fencepost_export::{attacks, c, promela};
use fencepost_model::{ByDefault, models};

use crate::args::{ExportArgs, ExportFormat};
use crate::exit::Exit;
use crate::input;
use crate::load::{Desk, File};
use crate::options;
use crate::output::Output;

pub(crate) fn run(args: &ExportArgs, output: &mut Output) -> io::Result<Exit> {
    let mut desk = Desk::new(output, &args.common);
    let file = match desk.load(input::one(&args.file, options::language(&args.common)), None)? {
        Ok(file) => file,
        Err(exit) => return Ok(exit),
    };
    if file.program.least_copies().is_some() {
        let problem = format!("cannot export `{}`: it has threads of any number of copies", file.source.name());
        return Ok(desk.error(&problem, Some("write a number instead of `*`")));
    }
    match export(args, &file) {
        Ok(text) => desk.deliver(&args.output, &text),
        Err(error) => Ok(desk.error(&format!("cannot export `{}`: {error}", file.source.name()), None)),
    }
}

fn export(args: &ExportArgs, file: &File) -> Result<String, String> {
    // Of the models that other commands ask by default, the first that this question is about.
    let model = |programs| match args.model {
        Some(choice) => choice.0,
        None => models::by_default(programs).next().expect("a model for every kind of program"),
    };
    match args.to {
        ExportFormat::Promela => {
            let options = promela::Options { observational: args.observational };
            promela::export(&file.program, model(ByDefault::Programs), options)
        }
        ExportFormat::Attacks => attacks::export(&file.program, model(ByDefault::Automata)),
        ExportFormat::C => c::export(&file.program, &file.source, c::Options { steps: args.steps }),
    }
    .map_err(|error| error.to_string())
}
