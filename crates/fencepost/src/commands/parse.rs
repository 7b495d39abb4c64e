//! `fencepost parse`: what was understood of a program.

use std::io;

use fencepost_ir::Program;
use fencepost_report::terminal;

use crate::args::{Emit, ParseArgs};
use crate::exit::Exit;
use crate::input;
use crate::load::Desk;
use crate::options;
use crate::output::Output;

pub(crate) fn run(args: &ParseArgs, output: &mut Output) -> io::Result<Exit> {
    let mut desk = Desk::new(output, &args.common);
    let input = input::one(&args.file, options::language(&args.common));
    match args.emit {
        Emit::Ast => {
            let (input, source) = match desk.read(input)? {
                Ok(read) => read,
                Err(exit) => return Ok(exit),
            };
            let parsed = fencepost_syntax::parse(input.language, source.text());
            let diagnostics = parsed.messages.into_list();
            desk.output.note(&terminal::diagnostics(&source, &diagnostics, &desk.look));
            // There always is a tree, of what was understood.
            desk.output.out(&fencepost_syntax::dump(&parsed.file))?;
            let malformed = diagnostics.iter().any(|diagnostic| diagnostic.is_error());
            Ok(if malformed { Exit::Error } else { Exit::Holds })
        }
        Emit::Ir => match desk.load(input, None)? {
            Ok(file) => desk.output.out(&listing(&file.program)).map(|()| Exit::Holds),
            Err(exit) => Ok(exit),
        },
    }
}

/// The program; what it asks about final states is a comment, because `.fp` has no such thing.
fn listing(program: &Program) -> String {
    let condition = program.condition().map_or_else(String::new, |it| format!("\n// {}\n", it.text(program)));
    fencepost_lower::print(program) + &condition
}
