//! `fencepost verify`: final states and assertions, for every file and model.

use std::io;

use fencepost_check::{Engine, InternalError, Options, Question};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::Model;
use fencepost_report::terminal::{self, Look};
use fencepost_report::{herd, json};
use fencepost_verdict::{Budget, Extent, Reason, Verification};

use crate::args::{EngineChoice, VerifyArgs, VerifyFormat};
use crate::commands::fixes::Fixes;
use crate::device;
use crate::exit::Exit;
use crate::input::{self, Input, InputError, Inputs};
use crate::interrupt;
use crate::limits::{Limits, VERIFY_TIMEOUT};
use crate::load::{self, Desk, File};
use crate::log::{Form, Log};
use crate::options;
use crate::output::Output;
use crate::progress::Line;
use crate::storage;

pub(crate) fn run(args: &VerifyArgs, output: &mut Output) -> io::Result<Exit> {
    let look = options::stderr_look(&args.common);
    if let Some(exit) = load::redirect(output, args.output.as_deref(), &look) {
        return Ok(exit);
    }
    let card = match device::open(&args.device, &options::stderr_look(&args.common), output) {
        Ok(card) => card,
        Err(exit) => return Ok(exit),
    };
    let Inputs { list, skipped } = input::collect(&args.paths, options::language(&args.common));
    if let Err(message) = storage::open(&args.scale, &list) {
        output.note(&terminal::plain_error(&message, None, &look));
        return Ok(Exit::Error);
    }
    let search = options::search(&args.search, false);
    let form = if args.format == VerifyFormat::Html { Form::Page } else { Form::Sarif };
    let mut session = Session {
        args,
        search,
        fixes: Fixes::new(search, form),
        limits: Limits::new(&args.limits, Some(VERIFY_TIMEOUT)).on(card),
        look: options::stdout_look(&args.common, args.full_trace, output),
        desk: Desk {
            json: args.format == VerifyFormat::Json,
            quiet: args.quiet,
            log: Log::new(form),
            ..Desk::new(output, &args.common)
        },
    };
    let mut worst = Exit::Holds;
    for input in list {
        if interrupt::happened() {
            session.desk.log.skipped(&input::name(&input));
            continue;
        }
        worst = worst.max(session.input(input)?);
    }
    session.desk.skipped(&skipped, args.format == VerifyFormat::Human, false)?;
    if matches!(args.format, VerifyFormat::Sarif | VerifyFormat::Html) {
        let log = session.desk.log.render();
        session.desk.output.out(&log)?;
    }
    if let Some(card) = card {
        card.tell(session.desk.output);
    }
    Ok(worst)
}

struct Session<'a> {
    args: &'a VerifyArgs,
    search: Options,
    fixes: Fixes,
    limits: Limits,
    look: Look,
    desk: Desk<'a>,
}

impl Session<'_> {
    fn input(&mut self, input: Result<Input, InputError>) -> io::Result<Exit> {
        let file = match self.desk.load(input, Some(&self.limits))? {
            Ok(file) => file,
            Err(exit) => return Ok(exit),
        };
        let mut worst = Exit::Holds;
        for model in self.models(file.input.language) {
            if interrupt::happened() {
                self.desk.log.skipped(file.source.name());
                break;
            }
            worst = worst.max(self.question(&file, model)?);
        }
        Ok(worst)
    }

    /// The models asked for, in the order of the list.
    fn models(&self, language: Language) -> Vec<&'static dyn Model> {
        let models = options::models(&self.args.model, language, |_| true);
        match (self.args.model.as_slice(), self.args.format) {
            // A log does not say which model it is about: it is about the one that tells orders
            // apart.
            ([], VerifyFormat::Herd) => models.into_iter().next_back().into_iter().collect(),
            _ => models,
        }
    }

    fn question(&mut self, file: &File, model: &'static dyn Model) -> io::Result<Exit> {
        let name = file.source.name();
        let line = Line::new(name, options::wants_progress(self.args.no_progress))
            .with_estimate(format!("{name}, {}", model.name()), self.args.scale.estimate);
        let Session { search, ref limits, ref mut desk, args, .. } = *self;
        let verified = desk.guard(name, "the verification", || {
            limits.after(file.reading).ask(&line, |budget| verify(args.engine, &file.program, model, search, budget))
        })?;
        line.clear();
        match verified {
            Ok((mut verification, time)) => {
                verification.stats.time = time;
                self.answer(file, model, &verification)
            }
            Err(exit) => Ok(exit),
        }
    }

    fn answer(&mut self, file: &File, model: &'static dyn Model, verification: &Verification) -> io::Result<Exit> {
        let subject = &file.subject();
        match self.args.format {
            VerifyFormat::Json => self.desk.output.out(&json::verification(subject, verification))?,
            VerifyFormat::Sarif | VerifyFormat::Html => {
                // What is not understood is told by `check`, which compares.
                let expected = fencepost_expect::expectations(subject.source.text()).unwrap_or_default();
                let announced = fencepost_expect::announced_by_verify(&expected, verification);
                let fix = self.fixes.of_verification(file, model, verification, &self.limits);
                self.desk.log.verification(subject, verification, announced, fix);
            }
            VerifyFormat::Human => {
                let mut text = match self.args.quiet {
                    true => terminal::verification_headline(subject, verification, &self.look),
                    false => terminal::verification(subject, verification, &self.look),
                };
                if matches!(verification.result, Err(Reason::Interrupted)) {
                    text += &terminal::stats(&verification.stats, &self.look);
                }
                self.desk.output.out(&text)?;
            }
            VerifyFormat::Herd => match herd::log(subject, verification) {
                Some(log) => {
                    self.desk.output.out(&log)?;
                    // Such a log claims nothing: what is known goes where it is in nobody's way.
                    if !lists_all_states(verification) {
                        let headline = terminal::verification_headline(subject, verification, &self.desk.look);
                        self.desk.output.note(&headline);
                    }
                }
                // There is no such log.
                None => {
                    let headline = terminal::verification_headline(subject, verification, &self.desk.look);
                    self.desk.output.note(&headline);
                }
            },
        }
        Ok(match &verification.result {
            Ok(verified) if verified.holds(subject.program.condition()) => Exit::Holds,
            Ok(_) => Exit::Violation,
            Err(_) => Exit::Unknown,
        })
    }
}

fn lists_all_states(verification: &Verification) -> bool {
    let states = verification.result.as_ref().ok().and_then(|verified| verified.states.as_ref());
    states.is_none_or(|states| states.extent == Extent::All)
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
        EngineChoice::Views => Engine::Views,
    };
    Question::new(program, model).with(search).by(engine).safety(budget)
}
