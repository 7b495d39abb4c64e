//! `fencepost graph`: the violating execution as a picture, or the one that
//! verification finds.

use std::fs;
use std::io;
use std::path::Path;

use fencepost_check::{Attacking, Question};
use fencepost_lower::Loaded;
use fencepost_model::Model;
use fencepost_model::models;
use fencepost_report::graph::Drawing;
use fencepost_report::terminal::{self, Look};
use fencepost_report::{Shown, Subject};
use fencepost_verdict::Verdict;

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
    let Loaded { program, diagnostics } = fencepost_lower::load(language, source.text());
    output.note(&terminal::diagnostics(&source, &diagnostics, &look));
    let Some(program) = program else { return Ok(Exit::Error) };

    let model = options::model(args.model, language);
    let subject = Subject { source: &source, program: &program };
    let found = match args.verify {
        true => verified(args, &subject, model, &look),
        false => violated(args, &subject, model, &look),
    };
    match found {
        Ok(Found { drawing: None, headline, exit }) => {
            output.note(&headline);
            Ok(exit)
        }
        Ok(Found { drawing: Some(drawing), headline, .. }) => {
            let picture = match format {
                GraphFormat::Svg => drawing.svg(),
                GraphFormat::Dot => drawing.dot(),
            };
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
        Err(message) => {
            output.note(&internal::message(source.name(), &message));
            Ok(Exit::Internal)
        }
    }
}

/// What was found out, in a line, and the picture of it.
struct Found {
    headline: String,
    drawing: Option<Drawing>,
    /// The exit code if there is no picture.
    exit: Exit,
}

fn violated(args: &GraphArgs, subject: &Subject<'_>, model: &'static dyn Model, look: &Look) -> Result<Found, String> {
    if models::checkable().all(|checkable| checkable.name() != model.name()) {
        let message = format!("there is no such thing as robustness against {}", model.name());
        let headline = terminal::plain_error(&message, Some("--verify draws what `fencepost verify` finds"), look);
        return Ok(Found { headline, drawing: None, exit: Exit::Error });
    }
    let line = Line::new(subject.source.name(), options::wants_progress(args.no_progress));
    let search = options::search(&args.search, false);
    let limits = Limits::new(&args.limits);
    let outcome = check::check(subject.program, model, search, Attacking::default(), &limits, &line)?;
    let headline = terminal::headline(subject, &outcome, look);
    Ok(match &outcome.verdict {
        Verdict::Holds => nothing(headline, Exit::Holds),
        Verdict::Unknown(_) => Found { headline, drawing: None, exit: Exit::Unknown },
        Verdict::Violated(violation) => {
            let drawing = Some(Drawing::of_violation(subject, violation, model.name()));
            Found { headline, drawing, exit: Exit::Holds }
        }
    })
}

fn verified(args: &GraphArgs, subject: &Subject<'_>, model: &'static dyn Model, look: &Look) -> Result<Found, String> {
    let line = Line::new(subject.source.name(), options::wants_progress(args.no_progress));
    let search = options::search(&args.search, false);
    let limits = Limits::new(&args.limits);
    let (verification, _) =
        limits.within(&line, |budget| Question::new(subject.program, model).with(search).safety(budget));
    let verification = verification.map_err(|error| error.to_string())?;
    let headline = terminal::verification_headline(subject, &verification, look);
    Ok(match &verification.result {
        Err(_) => Found { headline, drawing: None, exit: Exit::Unknown },
        Ok(verified) => match Shown::of(subject, verified) {
            None => nothing(headline, Exit::Holds),
            Some(shown) => {
                let drawing = Some(Drawing::of_execution(subject, &shown, model.name()));
                Found { headline, drawing, exit: Exit::Holds }
            }
        },
    })
}

fn nothing(headline: String, exit: Exit) -> Found {
    Found { headline: format!("{headline}There is nothing to draw.\n"), drawing: None, exit }
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
