//! `fencepost check`: a verdict for every file and model.

mod watch;

use std::io;

use fencepost_check::{Attacking, Options, Question};
use fencepost_expect::{Expectation, Judgement};
use fencepost_lower::Language;
use fencepost_model::Model;
use fencepost_report::json::{self, ExpectationReport};
use fencepost_report::terminal::{self, Look, Tallied, Tally};
use fencepost_verdict::{Outcome, Rank, Reason, Verdict, ViolationKind};

use crate::args::{CheckArgs, CheckFormat, FailOn};
use crate::commands::fixes::Fixes;
use crate::device;
use crate::exit::Exit;
use crate::input::{self, Input, InputError, Inputs};
use crate::interrupt;
use crate::limits::Limits;
use crate::load::{self, Desk, Done, File};
use crate::log::{Form, Log};
use crate::options;
use crate::output::Output;
use crate::progress::Line;
use crate::storage;

pub(crate) fn run(args: &CheckArgs, output: &mut Output) -> io::Result<Exit> {
    let look = options::stderr_look(&args.common);
    if let Some(exit) = load::redirect(output, args.output.as_deref(), &look) {
        return Ok(exit);
    }
    let inputs = || input::collect(&args.paths, options::language(&args.common));
    if let Err(message) = storage::open(&args.scale, &inputs().list) {
        output.note(&terminal::plain_error(&message, None, &look));
        return Ok(Exit::Error);
    }
    if args.watch { watch::run(args, inputs, output) } else { check_all(args, inputs(), output) }
}

/// Every input, and a table.
fn check_all(args: &CheckArgs, inputs: Inputs, output: &mut Output) -> io::Result<Exit> {
    let Inputs { list: inputs, skipped } = inputs;
    let human = args.format == CheckFormat::Human;
    let card = match device::open(&args.device, &options::stderr_look(&args.common), output) {
        Ok(card) => card,
        Err(exit) => return Ok(exit),
    };
    let search = options::search(&args.search, args.observational);
    let form = if args.format == CheckFormat::Html { Form::Page } else { Form::Sarif };
    let mut session = Session {
        args,
        attacking: options::attacking(args),
        search,
        limits: Limits::new(&args.limits, None).on(card),
        look: Look { in_full: args.details, ..options::stdout_look(&args.common, args.full_trace, output) },
        progress: options::wants_progress(args.no_progress),
        desk: Desk {
            json: args.format == CheckFormat::Json,
            quiet: args.quiet,
            log: Log::new(form),
            ..Desk::new(output, &args.common)
        },
        details: human && !args.quiet && (args.details || inputs.len() == 1),
        tally: Tally::default(),
        fixes: Fixes::new(search, form),
    };
    let many = inputs.len() + skipped.len() > 1;
    let mut worst = Exit::Holds;
    for input in inputs {
        let name = input::name(&input);
        if interrupt::happened() {
            session.tally.add(&name, Tallied::Interrupted, &[]);
            session.desk.log.skipped(&name);
            continue;
        }
        let checked = session.input(input)?;
        session.tally.add(&name, checked.tallied, &checked.outcomes);
        worst = worst.max(checked.exit);
    }
    if human && many {
        let table = session.tally.render(&session.look);
        session.desk.output.out(&table)?;
    }
    session.desk.skipped(&skipped, human, args.details)?;
    if matches!(args.format, CheckFormat::Sarif | CheckFormat::Html) {
        let log = session.desk.log.render();
        session.desk.output.out(&log)?;
    }
    if let Some(card) = card {
        card.tell(session.desk.output);
    }
    Ok(worst)
}

struct Session<'a> {
    args: &'a CheckArgs,
    search: Options,
    attacking: Attacking,
    limits: Limits,
    look: Look,
    progress: bool,
    desk: Desk<'a>,
    /// Explain what is found?
    details: bool,
    tally: Tally,
    fixes: Fixes,
}

/// What came of one file.
struct Checked {
    exit: Exit,
    tallied: Tallied,
    outcomes: Vec<Outcome>,
}

impl Checked {
    fn failed(exit: Exit) -> Self {
        // A limit may end even the reading of a file.
        let tallied = if exit == Exit::Unknown { Tallied::Unknown } else { Tallied::Error };
        Checked { exit, tallied, outcomes: Vec::new() }
    }
}

impl Session<'_> {
    fn input(&mut self, input: Result<Input, InputError>) -> io::Result<Checked> {
        let file = match self.desk.load(input, Some(&self.limits))? {
            Ok(file) => file,
            Err(exit) => return Ok(Checked::failed(exit)),
        };
        let expected = match self.expectations(&file)? {
            Ok(expected) => expected,
            Err(exit) => return Ok(Checked::failed(exit)),
        };
        self.questions(&file, &expected)
    }

    /// What the comments of a file expect.
    fn expectations(&mut self, file: &File) -> Done<Vec<Expectation>> {
        if self.args.ignore_expectations {
            return Ok(Ok(Vec::new()));
        }
        match fencepost_expect::expectations(file.source.text()) {
            Ok(expected) => Ok(Ok(expected)),
            Err(error) => self.desk.malformed(&file.source, &[error.into()]).map(Err),
        }
    }

    /// Every model in turn.
    fn questions(&mut self, file: &File, expected: &[Expectation]) -> io::Result<Checked> {
        let subject = file.subject();
        let models = models(self.args, file.input.language);
        let alone = models.len() == 1;
        let (mut outcomes, mut judgements, mut bug) = (Vec::new(), Vec::new(), None);
        let mut told = String::new();
        for model in models {
            if interrupt::happened() {
                self.desk.log.skipped(file.source.name());
                break;
            }
            let outcome = match self.question(file, model)? {
                Ok(outcome) => outcome,
                Err(exit) => {
                    bug = Some(exit);
                    continue;
                }
            };
            let judgement = fencepost_expect::judge(expected, &file.program, &outcome);
            match self.args.format {
                CheckFormat::Json => {
                    let report = json::outcome(&subject, &outcome, judgement.as_ref().map(expectation_report));
                    self.desk.output.out(&report)?;
                }
                CheckFormat::Sarif | CheckFormat::Html => {
                    let announced = fencepost_expect::announced(expected, &file.program, &outcome);
                    let fix = self.fixes.of_outcome(file, model, &outcome, &self.limits);
                    self.desk.log.outcome(&subject, &outcome, announced, judgement.as_ref(), fix);
                    if let Some(Judgement::Differs(how)) = &judgement {
                        self.desk.log.unexpected(&subject, how);
                    }
                }
                CheckFormat::Human => {
                    let explained = match self.details {
                        true => terminal::explanation(&subject, &outcome, &outcomes, &self.look),
                        false => String::new(),
                    };
                    let figures = match self.args.stats || is_interrupted(&outcome) {
                        true => terminal::outcome_stats(&outcome, &self.look),
                        false => String::new(),
                    };
                    let remark = if alone { remark(judgement.as_slice()) } else { String::new() };
                    // Where there is nothing but the verdict to say, the last line says it for all
                    // models.
                    if alone || !explained.is_empty() || !figures.is_empty() {
                        let headline = terminal::verdict(&subject, std::slice::from_ref(&outcome), &remark, &self.look);
                        self.desk.output.out(&[headline.as_str(), &explained, &figures].concat())?;
                        told = headline;
                    }
                }
            }
            outcomes.push(outcome);
            judgements.push(judgement);
        }
        if self.args.format == CheckFormat::Human {
            let judged: Vec<Judgement> = judgements.iter().flatten().cloned().collect();
            let line = terminal::verdict(&subject, &outcomes, &remark(&judged), &self.look);
            if !outcomes.is_empty() && line != told {
                self.desk.output.out(&line)?;
            }
            self.desk.output.out(&differences(&judged))?;
        }
        let fail_on = self.args.fail_on;
        let exits =
            outcomes.iter().zip(&judgements).map(|(outcome, judgement)| exit(outcome, judgement.as_ref(), fail_on));
        let exit = exits.chain(bug).max().unwrap_or(Exit::Unknown);
        let tallied = if bug.is_some() { Tallied::Error } else { tallied(&outcomes, &judgements) };
        Ok(Checked { exit, tallied, outcomes })
    }

    /// The outcome, unless it is an internal error, which is reported.
    fn question(&mut self, file: &File, model: &'static dyn Model) -> Done<Outcome> {
        let name = file.source.name();
        let line =
            Line::new(name, self.progress).with_estimate(format!("{name}, {}", model.name()), self.args.scale.estimate);
        let Session { search, attacking, ref limits, ref mut desk, args, .. } = *self;
        let limits = limits.after(file.reading);
        let question = Question::new(&file.program, model).with(search).attacking(attacking);
        let result = desk.guard(file.source.name(), "the check", || check(&question, args.stale, &limits, &line));
        line.clear();
        result
    }
}

/// The models that are asked about: all that know the question, if all are meant.
fn models(args: &CheckArgs, language: Language) -> Vec<&'static dyn Model> {
    options::models(&args.model, language, |model| {
        options::is_checkable(model) && (!args.observational || model.buffers().is_none())
    })
}

fn is_interrupted(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(Reason::Interrupted))
}

/// In brackets after the verdict.
fn remark(judgements: &[Judgement]) -> String {
    let is_different = |judgement: &Judgement| matches!(judgement, Judgement::Differs(_));
    match judgements {
        [] => String::new(),
        _ if judgements.iter().any(is_different) => "NOT AS EXPECTED".into(),
        _ if judgements.contains(&Judgement::Undecided) => "not confirmed".into(),
        _ => "as expected".into(),
    }
}

/// One line for everything that is not as expected.
fn differences(judgements: &[Judgement]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for judgement in judgements {
        if let Judgement::Differs(differences) = judgement {
            // What fails under SC is the same for every model.
            let new = differences.iter().map(|difference| format!("  {difference}\n"));
            let new: Vec<String> = new.filter(|line| !lines.contains(line)).collect();
            lines.extend(new);
        }
    }
    lines.concat()
}

fn expectation_report(judgement: &Judgement) -> ExpectationReport {
    match judgement {
        Judgement::AsExpected => ExpectationReport { met: Some(true), difference: None },
        Judgement::Undecided => ExpectationReport { met: None, difference: None },
        Judgement::Differs(how) => ExpectationReport { met: Some(false), difference: Some(how.join("; ")) },
    }
}

/// What an outcome amounts to: the verdict itself, or whether it is what was expected.
fn exit(outcome: &Outcome, judgement: Option<&Judgement>, fail_on: FailOn) -> Exit {
    match (judgement, &outcome.verdict) {
        (Some(Judgement::AsExpected), _) => Exit::Holds,
        (Some(Judgement::Undecided), _) => Exit::Unknown,
        (Some(Judgement::Differs(_)), _) => Exit::Violation,
        (None, _) if outcome.sc_failure.is_some() && fail_on != FailOn::Race => Exit::Violation,
        (None, Verdict::Violated(violation)) => match (fail_on, outcome.consequences.as_ref()) {
            (FailOn::Any, _) => Exit::Violation,
            _ if violation.kind == ViolationKind::DataRace => Exit::Violation,
            (_, None) => Exit::Unknown,
            (_, Some(consequences)) => match consequences.rank() {
                Rank::Race => Exit::Violation,
                Rank::Failure if fail_on == FailOn::Failure => Exit::Violation,
                _ if consequences.cut.is_some() => Exit::Unknown,
                Rank::Failure | Rank::Harmless | Rank::NothingToCheck | Rank::Unknown => Exit::Holds,
            },
        },
        (None, Verdict::Holds) => Exit::Holds,
        (None, Verdict::Unknown(_)) => Exit::Unknown,
    }
}

/// What a file counts as. What was expected counts more than what was not said.
fn tallied(outcomes: &[Outcome], judgements: &[Option<Judgement>]) -> Tallied {
    let judged = || judgements.iter().flatten();
    let unjudged = || outcomes.iter().zip(judgements).filter(|(_, judgement)| judgement.is_none()).map(|(it, _)| it);
    let is_unjudged = |is: fn(&Outcome) -> bool| unjudged().any(is);
    match () {
        () if outcomes.is_empty() => Tallied::Interrupted,
        () if judged().any(|judgement| matches!(judgement, Judgement::Differs(_))) => Tallied::NotAsExpected,
        () if judged().any(|judgement| *judgement == Judgement::Undecided) => Tallied::Unconfirmed,
        () if is_unjudged(|outcome| outcome.verdict.is_violated()) => Tallied::NotRobust,
        () if is_unjudged(|outcome| outcome.sc_failure.is_some()) => Tallied::Failing,
        () if is_unjudged(|outcome| outcome.verdict.is_unknown()) => Tallied::Unknown,
        () if judged().next().is_some() => Tallied::AsExpected,
        () => Tallied::Robust,
    }
}

/// One question to the engines, within limits; and if the program is not robust, the next one: what
/// goes wrong because of it, with up to `stale` stale steps.
pub(crate) fn check(
    question: &Question<'_>,
    stale: u32,
    limits: &Limits,
    line: &Line,
) -> Result<Outcome, fencepost_check::InternalError> {
    let (mut outcome, time) = limits.ask(line, |budget| question.with_consequences(stale, budget))?;
    outcome.stats.time = time;
    Ok(outcome)
}
