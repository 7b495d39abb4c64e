//! `fencepost verify`: final states and assertions, for every file and model.

use std::io;

use fencepost_check::{Engine, InternalError, Options, Question};
use fencepost_ir::Program;
use fencepost_lower::Loaded;
use fencepost_model::Model;
use fencepost_model::models::{MODELS, rc20::Rc20};
use fencepost_report::terminal::{self, Look};
use fencepost_report::{Subject, herd, json};
use fencepost_verdict::{Budget, Verification};

use crate::args::{EngineChoice, ModelsChoice, VerifyArgs, VerifyFormat};
use crate::exit::Exit;
use crate::input::{self, Input, InputError};
use crate::internal;
use crate::limits::Limits;
use crate::log::Log;
use crate::options;
use crate::output::Output;
use crate::progress::Line;

pub(crate) fn run(args: &VerifyArgs, output: &mut Output) -> io::Result<Exit> {
    let mut session = Session {
        args,
        search: options::search(&args.search, false),
        limits: Limits::new(&args.limits),
        look: options::stdout_look(&args.common, args.full_trace),
        error_look: options::stderr_look(&args.common),
        output,
        log: Log::default(),
    };
    let mut worst = Exit::Holds;
    for input in input::collect(&args.paths, options::language(&args.common)) {
        worst = worst.max(session.input(input)?);
    }
    if args.format == VerifyFormat::Sarif {
        let log = session.log.render();
        session.output.out(&log)?;
    }
    Ok(worst)
}

struct Session<'a> {
    args: &'a VerifyArgs,
    search: Options,
    limits: Limits,
    look: Look,
    error_look: Look,
    output: &'a mut Output,
    /// For a format that comes in one piece.
    log: Log,
}

impl Session<'_> {
    fn input(&mut self, input: Result<Input, InputError>) -> io::Result<Exit> {
        let is_json = self.args.format == VerifyFormat::Json;
        let (source, language) = match input.and_then(|input| Ok((input.read()?, input.language))) {
            Ok(read) => read,
            Err(error) => {
                self.log.failed(error.name(), &error.message());
                match is_json {
                    true => self.output.out(&error.json())?,
                    false => self.output.note(&error.render(&self.error_look)),
                }
                return Ok(Exit::Error);
            }
        };
        let Ok(Loaded { program, diagnostics }) =
            internal::guard(source.name(), || fencepost_lower::load(language, source.text()))
        else {
            return self.internal_error(source.name(), "the program could not be read");
        };
        let Some(program) = program else {
            self.log.malformed(&source, &diagnostics);
            match is_json {
                true => self.output.out(&json::errors(source.name(), json::diagnostics(&source, &diagnostics)))?,
                false => self.output.note(&terminal::diagnostics(&source, &diagnostics, &self.error_look)),
            }
            return Ok(Exit::Error);
        };
        if !self.args.quiet {
            self.output.note(&terminal::diagnostics(&source, &diagnostics, &self.error_look));
        }
        let subject = Subject { source: &source, program: &program };
        let mut worst = Exit::Holds;
        for model in self.models() {
            worst = worst.max(self.question(&subject, model)?);
        }
        Ok(worst)
    }

    /// The models asked for, in the order of the list.
    fn models(&self) -> Vec<&'static dyn Model> {
        let is_chosen = |model: &&'static dyn Model| {
            self.args.model.iter().any(|choice| match choice {
                ModelsChoice::All => true,
                ModelsChoice::One(one) => one.0.name() == model.name(),
            })
        };
        match (self.args.model.as_slice(), self.args.format) {
            // A log does not say which model it is about; this one is C's.
            ([], VerifyFormat::Herd) => vec![&Rc20],
            ([], _) => MODELS.to_vec(),
            _ => MODELS.iter().copied().filter(is_chosen).collect(),
        }
    }

    fn question(&mut self, subject: &Subject<'_>, model: &'static dyn Model) -> io::Result<Exit> {
        let name = subject.source.name();
        let line = Line::new(name, options::wants_progress(self.args.no_progress));
        let (engine, search) = (self.args.engine, self.search);
        let result = internal::guard(name, || {
            self.limits.within(&line, |budget| verify(engine, subject.program, model, search, budget))
        });
        line.clear();
        match result {
            Ok((Ok(mut verification), time)) => {
                verification.stats.time = time;
                self.answer(subject, &verification)
            }
            Ok((Err(error), _)) => {
                self.output.note(&internal::message(name, &error.to_string()));
                self.internal_error(name, &error.to_string())
            }
            Err(internal::Panicked) => self.internal_error(name, "the verification panicked"),
        }
    }

    fn answer(&mut self, subject: &Subject<'_>, verification: &Verification) -> io::Result<Exit> {
        match self.args.format {
            VerifyFormat::Json => self.output.out(&json::verification(subject, verification))?,
            VerifyFormat::Sarif => self.log.verification(subject, verification),
            VerifyFormat::Human if self.args.quiet => {
                self.output.out(&terminal::verification_headline(subject, verification, &self.look))?;
            }
            VerifyFormat::Human => self.output.out(&terminal::verification(subject, verification, &self.look))?,
            VerifyFormat::Herd => match herd::log(subject, verification) {
                Some(log) => self.output.out(&log)?,
                // There is no such log: what there is to say goes where it is in nobody's way.
                None => {
                    self.output.note(&terminal::verification_headline(subject, verification, &self.error_look));
                }
            },
        }
        Ok(match &verification.result {
            Ok(verified) if verified.holds(subject.program.condition()) => Exit::Holds,
            Ok(_) => Exit::Violation,
            Err(_) => Exit::Unknown,
        })
    }

    fn internal_error(&mut self, name: &str, message: &str) -> io::Result<Exit> {
        self.log.failed(name, message);
        if self.args.format == VerifyFormat::Json {
            self.output.out(&json::internal_error(name, message))?;
        }
        Ok(Exit::Internal)
    }
}

/// One question to the engines.
fn verify(
    engine: EngineChoice,
    program: &Program,
    model: &'static dyn Model,
    search: Options,
    budget: &Budget<'_>,
) -> Result<Verification, InternalError> {
    let engine = match engine {
        EngineChoice::Auto => return Question::new(program, model).with(search).safety(budget),
        EngineChoice::Oracle => Engine::Oracle,
        EngineChoice::Explore => Engine::Exploration,
        EngineChoice::Cover => Engine::Coverability,
        EngineChoice::Robustness => Engine::Robustness,
        EngineChoice::Search => Engine::Search,
    };
    Question::new(program, model).with(search).by(engine).safety(budget)
}
