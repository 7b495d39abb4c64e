//! `fencepost check`: a verdict for every file and model.

use std::io;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::SourceFile;
use fencepost_check::{Attacking, Options, Question};
use fencepost_ir::Program;
use fencepost_lower::{Language, Loaded};
use fencepost_model::models::tso::Tso;
use fencepost_model::{Model, models};
use fencepost_report::terminal::{self, Counts, Look};
use fencepost_report::{Subject, json};
use fencepost_verdict::{Outcome, Verdict};

use crate::args::{CheckArgs, CheckFormat, ModelsChoice};
use crate::exit::Exit;
use crate::input::{self, Input};
use crate::internal;
use crate::limits::Limits;
use crate::log::Log;
use crate::options;
use crate::output::Output;
use crate::progress::Line;

pub(crate) fn run(args: &CheckArgs, output: &mut Output) -> io::Result<Exit> {
    let mut session = Session {
        args,
        attacking: options::attacking(args),
        search: options::search(&args.search, args.observational),
        limits: Limits::new(&args.limits),
        look: options::stdout_look(&args.common, args.full_trace),
        error_look: options::stderr_look(&args.common),
        progress: options::wants_progress(args.no_progress),
        output,
        counts: Counts::default(),
        log: Log::default(),
        inputs: 0,
        worst: Exit::Holds,
    };
    for input in input::collect(&args.paths, options::language(&args.common)) {
        session.inputs += 1;
        session.input(input)?;
    }
    if args.format == CheckFormat::Sarif {
        let log = session.log.render();
        session.output.out(&log)?;
    }
    if args.format == CheckFormat::Human && session.inputs > 1 && !args.quiet {
        let summary = terminal::summary(&session.counts, &session.look);
        session.output.out(&summary)?;
    }
    Ok(session.worst)
}

struct Session<'a> {
    args: &'a CheckArgs,
    search: Options,
    attacking: Attacking,
    limits: Limits,
    look: Look,
    error_look: Look,
    progress: bool,
    output: &'a mut Output,
    counts: Counts,
    /// For a format that comes in one piece.
    log: Log,
    /// Files so far.
    inputs: usize,
    worst: Exit,
}

impl Session<'_> {
    fn input(&mut self, input: Result<Input, input::InputError>) -> io::Result<()> {
        let read = input.and_then(|input| Ok((input.read()?, input.language)));
        let (source, language) = match read {
            Ok(read) => read,
            Err(error) => {
                self.failed(Exit::Error);
                if self.args.format == CheckFormat::Json {
                    return self.output.out(&error.json());
                }
                self.log.failed(error.name(), &error.message());
                self.output.note(&error.render(&self.error_look));
                return Ok(());
            }
        };
        match internal::guard(source.name(), || fencepost_lower::load(language, source.text())) {
            Err(internal::Panicked) => self.internal_error(source.name(), "the program could not be read"),
            Ok(Loaded { program: None, diagnostics }) => self.malformed(&source, &diagnostics),
            Ok(Loaded { program: Some(program), diagnostics }) => {
                if !self.args.quiet {
                    self.output.note(&terminal::diagnostics(&source, &diagnostics, &self.error_look));
                }
                let models = chosen_models(&self.args.model, language, self.args.observational);
                self.questions(&Subject { source: &source, program: &program }, &models)
            }
        }
    }

    /// Every model in turn.
    fn questions(&mut self, subject: &Subject<'_>, models: &[&'static dyn Model]) -> io::Result<()> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        for &model in models {
            let Some(outcome) = self.question(subject, model)? else { continue };
            self.answer(subject, &outcome, &outcomes)?;
            outcomes.push(outcome);
        }
        if outcomes.len() > 1 && self.args.format == CheckFormat::Human && !self.args.quiet {
            self.output.out(&terminal::ladder(subject, &outcomes, &self.look))?;
        }
        Ok(())
    }

    /// The outcome, unless it is an internal error, which is reported.
    fn question(&mut self, subject: &Subject<'_>, model: &'static dyn Model) -> io::Result<Option<Outcome>> {
        let name = subject.source.name();
        let line = Line::new(name, self.progress);
        let result =
            internal::guard(name, || check(subject.program, model, self.search, self.attacking, &self.limits, &line));
        line.clear();
        match result {
            Ok(Ok(outcome)) => return Ok(Some(outcome)),
            Ok(Err(message)) => {
                self.output.note(&internal::message(name, &message));
                self.internal_error(name, &message)?;
            }
            Err(internal::Panicked) => self.internal_error(name, "the check panicked")?,
        }
        Ok(None)
    }

    fn answer(&mut self, subject: &Subject<'_>, outcome: &Outcome, earlier: &[Outcome]) -> io::Result<()> {
        let fails = outcome.sc_failure.is_some();
        let exit = match &outcome.verdict {
            Verdict::Holds if fails => {
                self.counts.failing += 1;
                Exit::Violation
            }
            Verdict::Holds => {
                self.counts.robust += 1;
                Exit::Holds
            }
            Verdict::Violated(_) => {
                self.counts.not_robust += 1;
                Exit::Violation
            }
            Verdict::Unknown(_) => {
                self.counts.unknown += 1;
                if fails { Exit::Violation } else { Exit::Unknown }
            }
        };
        self.worst = self.worst.max(exit);
        let text = match self.args.format {
            CheckFormat::Json => json::outcome(subject, outcome),
            CheckFormat::Sarif => {
                self.log.outcome(subject, outcome);
                String::new()
            }
            CheckFormat::Human => {
                let mut text = if self.args.quiet {
                    terminal::headline(subject, outcome, &self.look)
                } else {
                    terminal::outcome(subject, outcome, earlier, &self.look)
                };
                if self.args.stats {
                    text += &terminal::stats(&outcome.stats, &self.look);
                }
                text
            }
        };
        self.output.out(&text)
    }

    fn malformed(&mut self, source: &SourceFile, diagnostics: &[Diagnostic]) -> io::Result<()> {
        self.failed(Exit::Error);
        if self.args.format == CheckFormat::Json {
            return self.output.out(&json::errors(source.name(), json::diagnostics(source, diagnostics)));
        }
        self.log.malformed(source, diagnostics);
        self.output.note(&terminal::diagnostics(source, diagnostics, &self.error_look));
        Ok(())
    }

    fn internal_error(&mut self, name: &str, message: &str) -> io::Result<()> {
        self.failed(Exit::Internal);
        self.log.failed(name, message);
        match self.args.format {
            CheckFormat::Json => self.output.out(&json::internal_error(name, message)),
            CheckFormat::Human | CheckFormat::Sarif => Ok(()),
        }
    }

    fn failed(&mut self, exit: Exit) {
        self.counts.errors += 1;
        self.worst = self.worst.max(exit);
    }
}

/// The models asked for, each once, in the order of the list; if none is, those that the language is about. Asking for
/// all means all that know the question.
fn chosen_models(choices: &[ModelsChoice], language: Language, observational: bool) -> Vec<&'static dyn Model> {
    let fits = |model: &&'static dyn Model| !observational || model.buffers().is_none();
    let is_chosen = |model: &&'static dyn Model| {
        choices.iter().any(|choice| match choice {
            ModelsChoice::All => fits(model),
            ModelsChoice::One(one) => one.0.name() == model.name(),
        })
    };
    match (choices, language) {
        ([], Language::Txt) => vec![&Tso],
        ([], _) => models::monitored().collect(),
        _ => models::checkable().filter(is_chosen).collect(),
    }
}

/// One question to the engines, within limits.
pub(crate) fn check(
    program: &Program,
    model: &'static dyn Model,
    search: Options,
    attacking: Attacking,
    limits: &Limits,
    line: &Line,
) -> Result<Outcome, String> {
    limits
        .check(line, |budget| Question::new(program, model).with(search).attacking(attacking).robustness(budget))
        .map_err(|error| error.to_string())
}
