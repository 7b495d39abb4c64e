//! `fencepost graph`: the violating execution as a picture, the one that
//! verification finds, or all executions.

mod all;

use std::io;
use std::path::Path;

use fencepost_check::{InternalError, Question};
use fencepost_model::{Graph, Model};
use fencepost_report::diagram::{BASIC_RELATIONS, Extra};
use fencepost_report::graph::Drawing;
use fencepost_report::terminal;

use super::check;
use crate::args::{GraphArgs, GraphFormat};
use crate::exit::Exit;
use crate::input;
use crate::interrupt;
use crate::limits::{Limits, VERIFY_TIMEOUT};
use crate::load::{Desk, File};
use crate::options;
use crate::output::Output;
use crate::progress::Line;

pub(crate) fn run(args: &GraphArgs, output: &mut Output) -> io::Result<Exit> {
    let mut desk = Desk::new(output, &args.common);
    let Some(format) = args.format.or_else(|| by_extension(&args.output, args.all)) else {
        let message = format!("cannot tell the form of `{}` by its extension", args.output.display());
        return Ok(desk.error(&message, Some("end it in .svg or .dot, or say --format svg")));
    };
    let limits = Limits::new(&args.limits, args.verify.then_some(VERIFY_TIMEOUT));
    let file = match desk.load(input::one(&args.file, options::language(&args.common)), Some(&limits))? {
        Ok(file) => file,
        Err(exit) => return Ok(exit),
    };
    let any_model = args.verify || args.all;
    let models = options::models(&args.model, file.input.language, |model| any_model || options::is_checkable(model));
    if let Some(model) = models.iter().find(|model| !any_model && !options::is_checkable(**model)) {
        let message = format!("there is no such thing as robustness against {}", model.name());
        return Ok(desk.error(&message, Some("--verify draws what `fencepost verify` finds, --all every execution")));
    }
    if let Some(problem) = unknown_relation(&args.show, &models) {
        return Ok(desk.error(&problem.0, Some(&problem.1)));
    }
    if args.all {
        return all::run(args, &file, format, &models, &mut desk);
    }
    // Of several models, the first that has something to show.
    let (mut exit, mut headlines) = (Exit::Holds, String::new());
    for model in models {
        let line = Line::new(file.source.name(), options::wants_progress(args.no_progress));
        let found = desk.guard(file.source.name(), "the search for a picture", || match args.verify {
            true => verified(args, &file, model, &limits.after(file.reading), &line),
            false => violated(args, &file, model, &limits.after(file.reading), &line),
        })?;
        line.clear();
        let found = match found {
            Ok(found) => found,
            Err(exit) => return Ok(exit),
        };
        headlines += &found.headline;
        if let Some(drawing) = found.drawing {
            let delivered = desk.deliver(&args.output, &picture(&drawing, format))?;
            if delivered == Exit::Holds && args.output.as_os_str() != "-" {
                desk.output.note(&format!("{headlines}The picture is in {}.\n", args.output.display()));
            }
            return Ok(delivered);
        }
        exit = exit.max(found.exit);
        if interrupt::happened() {
            break;
        }
    }
    let nothing = if exit == Exit::Holds { "There is nothing to draw.\n" } else { "" };
    desk.output.note(&(headlines + nothing));
    Ok(exit)
}

fn picture(drawing: &Drawing, format: GraphFormat) -> String {
    match format {
        GraphFormat::Svg => drawing.svg(),
        GraphFormat::Dot => drawing.dot(),
    }
}

/// What else is to be drawn.
fn extra<'a>(args: &'a GraphArgs, model: &'a dyn Model) -> Extra<'a> {
    Extra { relations: &args.show, model: Some(model) }
}

/// A relation that none of the models has, and what there is.
fn unknown_relation(wanted: &[String], models: &[&'static dyn Model]) -> Option<(String, String)> {
    let mut known: Vec<&str> = BASIC_RELATIONS.to_vec();
    for (name, _) in models.iter().flat_map(|model| model.relations(&Graph::initial(&[]))) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let unknown = wanted.iter().find(|name| !known.contains(&name.as_str()))?;
    let names: Vec<&str> = models.iter().map(|model| model.name()).collect();
    let message = format!("there is no relation `{unknown}` under {}", names.join(", "));
    Some((message, format!("there are {}", known.join(", "))))
}

/// What was found out, in a line, and the picture of it.
struct Found {
    headline: String,
    drawing: Option<Drawing>,
    /// The exit code if there is no picture.
    exit: Exit,
}

fn violated(
    args: &GraphArgs,
    file: &File,
    model: &'static dyn Model,
    limits: &Limits,
    line: &Line,
) -> Result<Found, InternalError> {
    let search = options::search(&args.search, false);
    let outcome = check::check(&Question::new(&file.program, model).with(search), 1, limits, line)?;
    let subject = file.subject();
    let headline = terminal::headline(&subject, &outcome, &options::stderr_look(&args.common));
    let exit = if outcome.verdict.is_unknown() { Exit::Unknown } else { Exit::Holds };
    Ok(Found { headline, drawing: Drawing::of_outcome(&subject, &outcome, extra(args, model)), exit })
}

fn verified(
    args: &GraphArgs,
    file: &File,
    model: &'static dyn Model,
    limits: &Limits,
    line: &Line,
) -> Result<Found, InternalError> {
    let search = options::search(&args.search, false);
    let (verification, _) =
        limits.ask(line, |budget| Question::new(&file.program, model).with(search).safety(budget))?;
    let subject = file.subject();
    let headline = terminal::verification_headline(&subject, &verification, &options::stderr_look(&args.common));
    let exit = if verification.result.is_err() { Exit::Unknown } else { Exit::Holds };
    Ok(Found { headline, drawing: Drawing::of_verification(&subject, &verification, extra(args, model)), exit })
}

/// The form that a path asks for. Only graphs in DOT can follow each other on standard output.
fn by_extension(path: &Path, several: bool) -> Option<GraphFormat> {
    if path.as_os_str() == "-" {
        return Some(if several { GraphFormat::Dot } else { GraphFormat::Svg });
    }
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "svg" => Some(GraphFormat::Svg),
        "dot" | "gv" => Some(GraphFormat::Dot),
        _ => None,
    }
}
