//! `fencepost graph`: the violating execution as a picture.

use std::fs;
use std::io;
use std::path::Path;

use fencepost_check::Attacking;
use fencepost_ir::Loaded;
use fencepost_report::terminal;
use fencepost_report::{Subject, graph};
use fencepost_verdict::{Verdict, Violation};

use super::check;
use crate::args::{GraphArgs, GraphFormat};
use crate::exit::Exit;
use crate::input;
use crate::internal;
use crate::limits::Limits;
use crate::options;
use crate::output::Output;
use crate::progress::Line;

pub(crate) fn run(args: &GraphArgs, output: &mut Output) -> io::Result<Exit> {
    let look = options::stderr_look(&args.common);
    let Some(format) = args.format.or_else(|| by_extension(&args.output)) else {
        let message = format!("cannot tell the form of `{}` by its extension", args.output.display());
        output.note(&terminal::plain_error(&message, Some("end it in .svg or .dot, or say --format svg"), &look));
        return Ok(Exit::Error);
    };
    let Some((source, language)) = input::read_one(&args.file, options::language(&args.common), &look, output) else {
        return Ok(Exit::Error);
    };
    let Loaded { program, diagnostics } = fencepost_ir::load(language, source.text());
    output.note(&terminal::diagnostics(&source, &diagnostics, &look));
    let Some(program) = program else { return Ok(Exit::Error) };

    let line = Line::new(source.name(), options::wants_progress(args.no_progress));
    let model = options::model(args.model, language);
    let search = options::search(&args.search, false);
    let outcome = match check::check(&program, model, search, Attacking::default(), &Limits::new(&args.limits), &line) {
        Ok(outcome) => outcome,
        Err(message) => {
            output.note(&internal::message(source.name(), &message));
            return Ok(Exit::Internal);
        }
    };
    let subject = Subject { source: &source, program: &program };
    let headline = terminal::headline(&subject, &outcome, &look);
    match &outcome.verdict {
        Verdict::Holds => {
            output.note(&format!("{headline}There is nothing to draw.\n"));
            Ok(Exit::Holds)
        }
        Verdict::Unknown(_) => {
            output.note(&headline);
            Ok(Exit::Unknown)
        }
        Verdict::Violated(violation) => {
            let picture = draw(&subject, violation, model.name(), format);
            if args.output.as_os_str() == "-" {
                output.out(&picture)?;
                return Ok(Exit::Holds);
            }
            if let Err(error) = fs::write(&args.output, picture) {
                let message = format!("cannot write `{}`: {error}", args.output.display());
                output.note(&terminal::plain_error(&message, None, &look));
                return Ok(Exit::Error);
            }
            output.note(&format!("{headline}The picture is in {}.\n", args.output.display()));
            Ok(Exit::Holds)
        }
    }
}

fn draw(subject: &Subject<'_>, violation: &Violation, model: &str, format: GraphFormat) -> String {
    match format {
        GraphFormat::Svg => graph::svg(subject, violation, model),
        GraphFormat::Dot => graph::dot(subject, violation, model),
    }
}

fn by_extension(path: &Path) -> Option<GraphFormat> {
    if path.as_os_str() == "-" {
        return Some(GraphFormat::Svg);
    }
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "svg" => Some(GraphFormat::Svg),
        "dot" | "gv" => Some(GraphFormat::Dot),
        _ => None,
    }
}
