//! `fencepost fmt`: every program in its standard form.

use std::fs;
use std::io;

use fencepost_report::terminal;
use fencepost_syntax::format::format;

use crate::args::FmtArgs;
use crate::exit::Exit;
use crate::input::{self, Input, InputError};
use crate::options;
use crate::output::Output;

pub(crate) fn run(args: &FmtArgs, output: &mut Output) -> io::Result<Exit> {
    let mut worst = Exit::Holds;
    for input in input::collect(&args.paths, options::language(&args.common)) {
        worst = worst.max(one(args, input, output)?);
    }
    Ok(worst)
}

fn one(args: &FmtArgs, input: Result<Input, InputError>, output: &mut Output) -> io::Result<Exit> {
    let look = options::stderr_look(&args.common);
    let (input, source) = match input.and_then(|input| input.read().map(|source| (input, source))) {
        Ok(read) => read,
        Err(error) => {
            output.note(&error.render(&look));
            return Ok(Exit::Error);
        }
    };
    let formatted = match format(input.language, source.text()) {
        Ok(formatted) => formatted,
        Err(diagnostics) => {
            output.note(&terminal::diagnostics(&source, &diagnostics, &look));
            return Ok(Exit::Error);
        }
    };
    let differs = formatted != source.text();
    match &input.path {
        _ if args.check && differs => {
            output.out(&format!("{}\n", input.name))?;
            Ok(Exit::Violation)
        }
        _ if args.check => Ok(Exit::Holds),
        None => output.out(&formatted).map(|()| Exit::Holds),
        Some(path) if differs => match fs::write(path, formatted) {
            Ok(()) => Ok(Exit::Holds),
            Err(error) => {
                let message = format!("cannot write `{}`: {error}", input.name);
                output.note(&terminal::plain_error(&message, None, &look));
                Ok(Exit::Error)
            }
        },
        Some(_) => Ok(Exit::Holds),
    }
}
