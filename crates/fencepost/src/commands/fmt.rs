//! `fencepost fmt`: every program in its standard form.

use std::io;

use fencepost_syntax::format::format;

use crate::args::FmtArgs;
use crate::exit::Exit;
use crate::files;
use crate::input::{self, Input, InputError, Inputs};
use crate::load::Desk;
use crate::options;
use crate::output::Output;

pub(crate) fn run(args: &FmtArgs, output: &mut Output) -> io::Result<Exit> {
    let mut desk = Desk::new(output, &args.common);
    let mut worst = Exit::Holds;
    let Inputs { list, skipped } = input::collect(&args.paths, options::language(&args.common));
    for input in list {
        worst = worst.max(one(args, input, &mut desk)?);
    }
    desk.skipped(&skipped, false, false)?;
    Ok(worst)
}

fn one(args: &FmtArgs, input: Result<Input, InputError>, desk: &mut Desk<'_>) -> io::Result<Exit> {
    let (input, source) = match desk.read(input)? {
        Ok(read) => read,
        Err(exit) => return Ok(exit),
    };
    let formatted = match format(input.language, source.text()) {
        Ok(formatted) => formatted,
        Err(diagnostics) => return desk.malformed(&source, &diagnostics),
    };
    let differs = formatted != source.text();
    match &input.path {
        _ if args.check && differs => {
            desk.output.out(&format!("{}\n", input.name))?;
            Ok(Exit::Violation)
        }
        _ if args.check => Ok(Exit::Holds),
        None => desk.output.out(&formatted).map(|()| Exit::Holds),
        Some(path) if differs => match files::write(path, &formatted) {
            Ok(()) => Ok(Exit::Holds),
            Err(error) => Ok(desk.error(&format!("cannot write `{}`: {error}", input.name), None)),
        },
        Some(_) => Ok(Exit::Holds),
    }
}
