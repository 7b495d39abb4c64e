//! What `repair` and `relax` have in common: files in, edits out.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::SourceFile;
use fencepost_check::Options;
use fencepost_lower::{Language, Loaded};
use fencepost_repair::{Costs, InternalError, Task};
use fencepost_report::terminal::{self, Look};
use fencepost_report::{Subject, json};

use crate::args::{EditArgs, Format};
use crate::exit::Exit;
use crate::input::{self, Input, InputError};
use crate::internal;
use crate::limits::Limits;
use crate::options;
use crate::output::Output;
use crate::progress::Line;

/// What one command does to a program.
pub(super) trait Editing {
    /// What it finds out.
    type Found;

    /// Finds it out; also says how many programs were checked.
    fn find(&self, task: &Task<'_>) -> Result<(Self::Found, u64), InternalError>;

    /// The text after the edits, if there are any.
    fn text<'f>(&self, found: &'f Self::Found) -> Option<&'f str>;

    /// For people.
    fn terminal(&self, subject: &Subject<'_>, model: &str, found: &Self::Found, checks: u64, look: &Look) -> String;

    /// For scripts.
    fn json(&self, subject: &Subject<'_>, found: &Self::Found, effort: Effort) -> String;

    /// How it ends.
    fn exit(&self, found: &Self::Found) -> Exit;
}

/// What is to be said besides the result.
pub(super) struct Effort {
    pub(super) model: &'static str,
    pub(super) checks: u64,
    pub(super) time: Duration,
    pub(super) written: bool,
}

pub(super) fn run(
    args: &EditArgs,
    observational: bool,
    editing: &impl Editing,
    output: &mut Output,
) -> io::Result<Exit> {
    let error_look = options::stderr_look(&args.common);
    let costs = match costs(&args.cost) {
        Ok(costs) => costs.with_loop_weight(args.loop_weight),
        Err(problem) => {
            output.note(&problem.render(&error_look));
            return Ok(Exit::Error);
        }
    };
    let mut session = Session {
        args,
        costs,
        search: options::search(&args.search, observational),
        limits: Limits::new(&args.limits),
        look: options::stdout_look(&args.common, false),
        error_look,
        editing,
        output,
    };
    let mut worst = Exit::Holds;
    for input in input::collect(&args.paths, options::language(&args.common)) {
        worst = worst.max(session.input(input)?);
    }
    Ok(worst)
}

/// The input, if its language is one that edits are known for.
fn editable(input: Input) -> Result<Input, InputError> {
    if input.language != Language::Litmus {
        return Ok(input);
    }
    let message = format!("`{}` is a C litmus test: these are not edited", input.name);
    let help = "`fencepost parse --emit ir` prints it as a program that can be";
    Err(InputError::Plain { name: input.name, message, help: Some(help.into()) })
}

/// Why there is no table of costs.
enum NoCosts {
    Unreadable(String),
    Malformed(SourceFile, Vec<Diagnostic>),
}

impl NoCosts {
    fn render(&self, look: &Look) -> String {
        match self {
            NoCosts::Unreadable(message) => {
                let names: Vec<&str> = Costs::names().map(|(name, _)| name).collect();
                let help = format!("tables that need no file are {}", names.join(", "));
                terminal::plain_error(message, Some(&help), look)
            }
            NoCosts::Malformed(source, problems) => terminal::diagnostics(source, problems, look),
        }
    }
}

/// The table of this name, or in this file.
fn costs(name: &str) -> Result<Costs, NoCosts> {
    if let Some(costs) = Costs::built_in(name) {
        return Ok(costs);
    }
    let text = fs::read_to_string(name)
        .map_err(|error| NoCosts::Unreadable(format!("cannot read the table of costs `{name}`: {error}")))?;
    Costs::parse(&text).map_err(|problems| NoCosts::Malformed(SourceFile::new(name, text), problems))
}

struct Session<'a, E> {
    args: &'a EditArgs,
    costs: Costs,
    search: Options,
    limits: Limits,
    look: Look,
    error_look: Look,
    editing: &'a E,
    output: &'a mut Output,
}

impl<E: Editing> Session<'_, E> {
    fn input(&mut self, input: Result<Input, InputError>) -> io::Result<Exit> {
        let read = |input: Input| input.read().map(|source| (input, source));
        let (input, source) = match input.and_then(editable).and_then(read) {
            Ok(read) => read,
            Err(error) => {
                match self.args.format {
                    Format::Human => self.output.note(&error.render(&self.error_look)),
                    Format::Json => self.output.out(&error.json())?,
                }
                return Ok(Exit::Error);
            }
        };
        let Ok(Loaded { program, diagnostics }) =
            internal::guard(source.name(), || fencepost_lower::load(input.language, source.text()))
        else {
            return self.internal_error(source.name(), "the program could not be read");
        };
        let Some(program) = program else {
            match self.args.format {
                Format::Human => self.output.note(&terminal::diagnostics(&source, &diagnostics, &self.error_look)),
                Format::Json => {
                    self.output.out(&json::errors(source.name(), json::diagnostics(&source, &diagnostics)))?;
                }
            }
            return Ok(Exit::Error);
        };
        let model = options::model(self.args.model, input.language);
        let line = Line::new(source.name(), options::wants_progress(self.args.no_progress));
        let (result, time) = self.limits.within(&line, |budget| {
            let task = Task {
                language: input.language,
                text: source.text(),
                program: &program,
                model,
                costs: &self.costs,
                options: self.search,
                budget,
            };
            internal::guard(source.name(), || self.editing.find(&task))
        });
        let (found, checks) = match result {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                self.output.note(&internal::message(source.name(), &error.to_string()));
                return self.internal_error(source.name(), &error.to_string());
            }
            Err(internal::Panicked) => return self.internal_error(source.name(), "the search for edits panicked"),
        };
        let subject = Subject { source: &source, program: &program };
        let changed = self.editing.text(&found).filter(|_| self.args.write);
        let failure = match (changed, &input.path) {
            (Some(text), Some(path)) => replace(path, text).err(),
            (Some(_), None) => Some(io::Error::other("standard input cannot be changed")),
            (None, _) => None,
        };
        let written = changed.is_some() && failure.is_none();
        match self.args.format {
            Format::Json => {
                let effort = Effort { model: model.name(), checks, time, written };
                self.output.out(&self.editing.json(&subject, &found, effort))?;
            }
            Format::Human => {
                let text = self.editing.terminal(&subject, model.name(), &found, checks, &self.look);
                self.output.out(&text)?;
                if written {
                    self.output.out(&format!("\n  {} is changed.\n", source.name()))?;
                }
            }
        }
        if let Some(error) = failure {
            let message = format!("cannot write `{}`: {error}", source.name());
            self.output.note(&terminal::plain_error(&message, None, &self.error_look));
            return Ok(Exit::Error);
        }
        Ok(self.editing.exit(&found))
    }

    fn internal_error(&mut self, name: &str, message: &str) -> io::Result<Exit> {
        if self.args.format == Format::Json {
            self.output.out(&json::internal_error(name, message))?;
        }
        Ok(Exit::Internal)
    }
}

/// Puts `text` in the place of a file's content, at once: nobody sees half of it, and if it fails all is as before.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // Where a link leads, not the link.
    let path = fs::canonicalize(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = fs::write(&new, text)
        .and_then(|()| fs::set_permissions(&new, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}
