//! What `repair` and `relax` have in common: files in, edits out.

use std::fs;
use std::io;
use std::time::Duration;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::SourceFile;
use fencepost_check::Options;
use fencepost_lower::Language;
use fencepost_repair::{Costs, InternalError, Purpose, Task};
use fencepost_report::Subject;
use fencepost_report::terminal::{self, Look};

use crate::args::{EditArgs, Format};
use crate::exit::Exit;
use crate::files;
use crate::input::{self, Input, InputError, Inputs};
use crate::interrupt;
use crate::limits::{Answer, Limits};
use crate::load::{Desk, File};
use crate::options;
use crate::output::Output;
use crate::progress::Line;

/// What one command does to a program.
pub(super) trait Editing {
    /// What it finds out.
    type Found: Answer;

    /// What edits are for.
    fn purpose(&self) -> Purpose {
        Purpose::Robustness
    }

    /// Finds it out; also says how many programs were checked.
    fn find(&self, task: &Task<'_>) -> Result<(Self::Found, u64), InternalError>;

    /// The text after the edits, if there are any.
    fn text<'f>(&self, found: &'f Self::Found) -> Option<&'f str>;

    /// For people.
    fn terminal(&self, subject: &Subject<'_>, found: &Self::Found, effort: &Effort, look: &Look) -> String;

    /// For scripts.
    fn json(&self, subject: &Subject<'_>, found: &Self::Found, effort: &Effort) -> String;

    /// How it ends.
    fn exit(&self, found: &Self::Found) -> Exit;
}

/// What is to be said besides the result.
pub(super) struct Effort {
    pub(super) models: Vec<&'static str>,
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
    let look = options::stderr_look(&args.common);
    let costs = match costs(&args.cost) {
        Ok(costs) => costs.with_loop_weight(args.loop_weight),
        Err(problem) => {
            output.note(&problem.render(&look));
            return Ok(Exit::Error);
        }
    };
    let mut session = Session {
        args,
        costs,
        search: options::search(&args.search, observational),
        limits: Limits::new(&args.limits, None),
        look: options::stdout_look(&args.common, false, output),
        editing,
        // Nobody edits a program without having looked at it: warnings are `check`'s.
        desk: Desk { json: args.format == Format::Json, quiet: true, ..Desk::new(output, &args.common) },
    };
    let mut worst = Exit::Holds;
    let Inputs { list, skipped } = input::collect(&args.paths, options::language(&args.common));
    for input in list {
        worst = worst.max(session.input(input)?);
        if interrupt::happened() {
            break;
        }
    }
    session.desk.skipped(&skipped, args.format == Format::Human, false)?;
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
    editing: &'a E,
    desk: Desk<'a>,
}

impl<E: Editing> Session<'_, E> {
    fn input(&mut self, input: Result<Input, InputError>) -> io::Result<Exit> {
        let file = match self.desk.load(input.and_then(editable), Some(&self.limits))? {
            Ok(file) => file,
            Err(exit) => return Ok(exit),
        };
        let name = file.source.name();
        let models = options::models(&self.args.model, file.input.language, options::is_checkable);
        let line = Line::new(name, options::wants_progress(self.args.no_progress));
        let Session { search, ref limits, ref costs, ref mut desk, editing, .. } = *self;
        let found = desk.guard(name, "the search for edits", || {
            limits.after(file.reading).ask(&line, |budget| {
                editing.find(&Task {
                    language: file.input.language,
                    text: file.source.text(),
                    program: &file.program,
                    copies: None,
                    purpose: editing.purpose(),
                    models: &models,
                    costs,
                    options: search,
                    budget,
                })
            })
        })?;
        line.clear();
        match found {
            Ok(((found, checks), time)) => {
                let models = models.iter().map(|model| model.name()).collect();
                self.answer(&file, &found, Effort { models, checks, time, written: false })
            }
            Err(exit) => Ok(exit),
        }
    }

    fn answer(&mut self, file: &File, found: &E::Found, effort: Effort) -> io::Result<Exit> {
        let subject = file.subject();
        let changed = self.editing.text(found).filter(|_| self.args.write);
        let failure = match (changed, &file.input.path) {
            (Some(text), Some(path)) => files::write(path, text).err(),
            (Some(_), None) => Some(io::Error::other("standard input cannot be changed")),
            (None, _) => None,
        };
        let effort = Effort { written: changed.is_some() && failure.is_none(), ..effort };
        let text = match self.args.format {
            Format::Json => self.editing.json(&subject, found, &effort),
            Format::Human => {
                let mut text = self.editing.terminal(&subject, found, &effort, &self.look);
                if effort.written {
                    text += &format!("\n  {} is changed.\n", file.source.name());
                }
                text
            }
        };
        self.desk.output.out(&text)?;
        match failure {
            Some(error) => Ok(self.desk.error(&format!("cannot write `{}`: {error}", file.source.name()), None)),
            None => Ok(self.editing.exit(found)),
        }
    }
}
