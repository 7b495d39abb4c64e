//! `fencepost parse`: what was understood of a program.

use std::io;

use fencepost_ir::Program;
use fencepost_lower::Loaded;
use fencepost_report::terminal;

use crate::args::{Emit, ParseArgs};
use crate::exit::Exit;
use crate::input;
use crate::options;
use crate::output::Output;

pub(crate) fn run(args: &ParseArgs, output: &mut Output) -> io::Result<Exit> {
    let look = options::stderr_look(&args.common);
    let Some((source, language)) = input::read_one(&args.file, options::language(&args.common), &look, output) else {
        return Ok(Exit::Error);
    };
    let (text, diagnostics) = match args.emit {
        Emit::Ast => {
            let parsed = fencepost_syntax::parse(language, source.text());
            (Some(fencepost_syntax::dump(&parsed.file)), parsed.messages.into_list())
        }
        Emit::Ir => {
            let Loaded { program, diagnostics } = fencepost_lower::load(language, source.text());
            (program.map(|program| listing(&program)), diagnostics)
        }
    };
    output.note(&terminal::diagnostics(&source, &diagnostics, &look));
    if let Some(text) = text {
        output.out(&text)?;
    }
    let malformed = diagnostics.iter().any(|diagnostic| diagnostic.is_error());
    Ok(if malformed { Exit::Error } else { Exit::Holds })
}

/// The program; what it asks about final states is a comment, because `.fp` has no such thing.
fn listing(program: &Program) -> String {
    let condition = program.condition().map_or_else(String::new, |it| format!("\n// {}\n", it.text(program)));
    fencepost_lower::print(program) + &condition
}
