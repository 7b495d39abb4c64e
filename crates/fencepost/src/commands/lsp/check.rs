//! Is it robust, and what repairs it? Asked in the background, one program after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use fencepost_base::source::SourceFile;
use fencepost_check::{Options, Question};
use fencepost_expect::{Expectation, Judgement};
use fencepost_finding::{Finding, Fix};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::Model;
use fencepost_repair::{Costs, Purpose, Task, repair};
use fencepost_report::{Subject, finding};
use fencepost_verdict::{Budget, Outcome, Repaired, Verdict};

use super::server::Event;
use crate::internal;
use crate::limits::Limits;
use crate::log;

/// What a repair may cost, and how many states each program may have that is checked in search of
/// it: nobody has asked for it yet.
const REPAIR_TIME: Duration = Duration::from_secs(5);
const REPAIR_STATES: u64 = 50_000;

/// A program to check.
pub(super) struct Job {
    pub(super) uri: String,
    pub(super) version: u64,
    pub(super) language: Language,
    pub(super) source: SourceFile,
    pub(super) program: Program,
    pub(super) expected: Vec<Expectation>,
    pub(super) models: Vec<&'static dyn Model>,
    /// Set as soon as nobody wants to know any more.
    pub(super) stop: Arc<AtomicBool>,
}

/// How to check.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    pub(super) limits: Limits,
    pub(super) search: Options,
}

/// What was found out about one model.
pub(super) struct Answer {
    pub(super) model: &'static str,
    /// `ROBUST`, `NOT ROBUST`, `UNKNOWN`.
    pub(super) verdict: &'static str,
    /// Why there is no verdict.
    pub(super) reason: Option<String>,
    /// What is wrong.
    pub(super) findings: Vec<Finding>,
    /// What is not as the comments of the file expect, with the line that does.
    pub(super) unexpected: Vec<(usize, String)>,
}

/// A change of the text that makes the program robust, or keeps it from harm.
#[derive(Clone)]
pub(super) struct Repair {
    pub(super) title: String,
    pub(super) fix: Fix,
}

/// Works on jobs until there are no more.
pub(super) fn work(jobs: &Receiver<Job>, events: &Sender<Event>, effort: Effort) {
    for job in jobs {
        let (uri, version) = (job.uri.clone(), job.version);
        // A panic is told by the hook, on standard error, which editors show.
        let done = internal::guard(&uri, || job.answer(events, effort));
        if done.is_err() {
            let _ = events.send(Event::Checked { uri, version, answers: Vec::new() });
        }
    }
}

impl Job {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// First what there is to know, then what to do about it.
    fn answer(&self, events: &Sender<Event>, effort: Effort) {
        let mut answers = Vec::new();
        let mut violated = Vec::new();
        for &model in &self.models {
            if self.is_stopped() {
                return;
            }
            let (answer, is_harmful) = self.ask(model, effort);
            if answer.verdict == NOT_ROBUST {
                violated.push((model, is_harmful));
            }
            answers.push(answer);
        }
        if self.is_stopped() {
            return;
        }
        let _ = events.send(Event::Checked { uri: self.uri.clone(), version: self.version, answers });
        let repairs = self.repairs(&violated, effort);
        if !self.is_stopped() {
            let _ = events.send(Event::Repaired { uri: self.uri.clone(), version: self.version, repairs });
        }
    }

    /// Also says whether something goes wrong because the program is not robust.
    fn ask(&self, model: &'static dyn Model, effort: Effort) -> (Answer, bool) {
        let subject = Subject { source: &self.source, program: &self.program };
        let question = Question::new(&self.program, model).with(effort.search);
        let limits = effort.limits.until(&self.stop);
        let (outcome, _) = limits.within(|budget| question.with_consequences(1, budget));
        let answer = Answer {
            model: model.name(),
            verdict: UNKNOWN,
            reason: None,
            findings: Vec::new(),
            unexpected: Vec::new(),
        };
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return (Answer { reason: Some(format!("internal error: {error}")), ..answer }, false),
        };
        let announced = fencepost_expect::announced(&self.expected, &self.program, &outcome);
        let (verdict, reason) = match &outcome.verdict {
            Verdict::Holds => (ROBUST, None),
            Verdict::Violated(_) => (NOT_ROBUST, None),
            Verdict::Unknown(reason) => (UNKNOWN, Some(reason.to_string())),
        };
        let findings = log::announced(finding::of_outcome(&subject, &outcome), announced);
        let is_harmful = outcome.consequences.as_ref().is_some_and(|consequences| !consequences.list.is_empty());
        (Answer { verdict, reason, findings, unexpected: self.unexpected(&outcome), ..answer }, is_harmful)
    }

    fn unexpected(&self, outcome: &Outcome) -> Vec<(usize, String)> {
        let line = self.expected.iter().find(|it| it.model == outcome.model).map_or(1, |it| it.line);
        match fencepost_expect::judge(&self.expected, &self.program, outcome) {
            Some(Judgement::Differs(how)) => how.into_iter().map(|text| (line, text)).collect(),
            Some(Judgement::AsExpected | Judgement::Undecided) | None => Vec::new(),
        }
    }

    /// The cheapest repair of everything; if that is not all harmless, also of what goes wrong.
    fn repairs(&self, violated: &[(&'static dyn Model, bool)], effort: Effort) -> Vec<Repair> {
        let all: Vec<&'static dyn Model> = violated.iter().map(|&(model, _)| model).collect();
        let harmful: Vec<&'static dyn Model> = violated.iter().filter(|it| it.1).map(|&(model, _)| model).collect();
        let names =
            |models: &[&'static dyn Model]| models.iter().map(|model| model.name()).collect::<Vec<_>>().join(", ");
        let robust = self.repaired(&all, Purpose::Robustness, effort);
        let robust = robust.map(|fix| Repair { title: format!("Make it robust against {}", names(&all)), fix });
        let safe = self.repaired(&harmful, Purpose::NoHarm, effort);
        let safe = safe.map(|fix| Repair {
            title: format!("Repair what goes wrong with one stale step under {}", names(&harmful)),
            fix,
        });
        // Often they are the same; then the stronger promise is the one to make.
        let safe = safe.filter(|safe| robust.as_ref().is_none_or(|robust| robust.fix.text != safe.fix.text));
        robust.into_iter().chain(safe).collect()
    }

    fn repaired(&self, models: &[&'static dyn Model], purpose: Purpose, effort: Effort) -> Option<Fix> {
        if self.language == Language::Litmus || models.is_empty() || self.is_stopped() {
            return None;
        }
        let limits = effort.limits.at_most(REPAIR_TIME);
        let (found, _) = limits.until(&self.stop).within(|budget| {
            repair(
                &Task {
                    language: self.language,
                    text: self.source.text(),
                    program: &self.program,
                    copies: None,
                    purpose,
                    models,
                    costs: &Costs::default(),
                    options: effort.search,
                    budget: &Budget { max_states: budget.max_states.min(REPAIR_STATES), ..*budget },
                },
                1,
            )
        });
        match found.ok()?.0 {
            Repaired::Plans { plans, .. } => Fix::between(self.source.text(), &plans.first()?.text, String::new()),
            Repaired::Nothing | Repaired::Impossible(_) | Repaired::Unknown(_) => None,
        }
    }
}

pub(super) const ROBUST: &str = "ROBUST";
pub(super) const NOT_ROBUST: &str = "NOT ROBUST";
pub(super) const UNKNOWN: &str = "UNKNOWN";
