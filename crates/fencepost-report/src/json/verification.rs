//! Verifications.

use std::collections::BTreeMap;

use fencepost_verdict::{Attempt, Extent, Frequency, States, Verification};
use serde::Serialize;

use super::findings::{self, FindingReport, StepReport};
use super::wire::{Figures, SCHEMA};
use super::{figures, line};
use crate::execution::Shown;
use crate::finding;
use crate::subject::Subject;

/// What was found out about one file in one model.
#[derive(Serialize)]
struct VerificationReport<'a> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file, as named by the user.
    pub file: String,
    /// The program's name.
    pub program: String,
    /// `condition`, or `safety` if there is none.
    pub property: &'static str,
    /// The memory model.
    pub model: &'static str,
    /// `holds`, `violation`, `unknown`
    pub verdict: &'static str,
    /// Why it is unknown, as in other reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Why it is so: `enumeration`, `exploration`, `coverability`, `robustness`,
    /// `observational-robustness`, `write-write-race-freedom`, `search`, `machine`, `witness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<&'static str>,
    /// What was tried without success.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<AttemptReport>,
    /// The condition and the final states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<ConditionReport>,
    /// A data race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<FindingReport<'a>>,
    /// An assertion that fails, or a run-time error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FindingReport<'a>>,
    /// An execution of the model that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<ExecutionReport<'a>>,
    /// Of a program with threads of any number of copies: how many the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<super::CopiesReport>,
    /// The cost.
    pub stats: Figures,
}

/// An execution of a weak model.
#[derive(Serialize)]
struct ExecutionReport<'a> {
    /// How it ends: the final state, or what fails.
    pub end: String,
    /// Its steps: program order, and writes before their readers.
    pub steps: Vec<StepReport<'a>>,
}

/// An argument that was tried without success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptReport {
    /// As in `VerificationReport::argument`.
    pub argument: &'static str,
    /// Why it did not settle the question, as in `VerificationReport::reason`.
    pub reason: &'static str,
    /// The same in words.
    pub detail: String,
}

/// A condition and the final states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConditionReport {
    /// As herd writes it.
    pub text: String,
    /// `Never`, `Sometimes`, `Always`: how often the formula is true, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation: Option<&'static str>,
    /// Executions that end in a state of which it is true; states, if executions were not counted.
    pub positive: u64,
    /// Executions that do not.
    pub negative: u64,
    /// Are these all final states? Only if `extent` is `all`.
    pub complete: bool,
    /// `all`; `kinds`, if there is one of each kind that there is; `examples`, if there may be any
    /// others.
    pub extent: &'static str,
    /// The final states.
    pub states: Vec<StateReport>,
}

/// A final state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateReport {
    /// What is observed: `0:r0`, `[x]`.
    pub values: BTreeMap<String, StateValue>,
    /// Is the formula true?
    pub satisfies: bool,
    /// How many executions end there, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
}

/// The value of something that is observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StateValue {
    /// A number.
    Number(i64),
    /// The address of the location with this name.
    Address(String),
}

/// The report on a verification, as a line of JSON with its line break.
pub fn verification(subject: &Subject<'_>, verification: &Verification) -> String {
    let subject = &subject.about(verification.copies.as_deref());
    let condition = subject.program.condition();
    let result = verification.result.as_ref();
    let verified = result.ok();
    let model = verification.model;
    let race = verified.and_then(|verified| finding::of_race(subject, verified, model));
    let failure = verified.and_then(|verified| finding::of_failing(subject, verified, model));
    let end = verified.and_then(|verified| Shown::of(subject, verified)).map(|shown| shown.end(subject));
    let execution = verified.map(|verified| finding::shown(subject, verified, model)).unwrap_or_default();
    line(&VerificationReport {
        schema: SCHEMA,
        file: subject.source.name().to_string(),
        program: subject.name().to_string(),
        property: if condition.is_some() { "condition" } else { "safety" },
        model,
        verdict: match result {
            Ok(verified) if verified.holds(condition) => "holds",
            Ok(_) => "violation",
            Err(_) => "unknown",
        },
        reason: result.err().map(|reason| reason.as_str()),
        detail: result.err().map(ToString::to_string),
        argument: verified.map(|verified| verified.argument.as_str()),
        tried: verification.tried.iter().map(attempt).collect(),
        condition: verified.and_then(|verified| verified.states.as_ref()).and_then(|states| report(subject, states)),
        race: race.as_ref().map(findings::report),
        failure: failure.as_ref().map(findings::report),
        execution: end
            .zip(execution.run.as_ref())
            .map(|(end, run)| ExecutionReport { end, steps: run.steps.iter().map(findings::step).collect() }),
        copies: verification.copies.as_deref().map(super::copies),
        stats: figures(&verification.stats),
    })
}

fn attempt(attempt: &Attempt) -> AttemptReport {
    AttemptReport {
        argument: attempt.argument.as_str(),
        reason: attempt.reason.as_str(),
        detail: attempt.reason.to_string(),
    }
}

fn report(subject: &Subject<'_>, states: &States) -> Option<ConditionReport> {
    let program = subject.program;
    let condition = program.condition()?;
    let state = |state: &fencepost_verdict::FinalState| {
        let pairs = states.observed.iter().zip(&state.values);
        let value = |(&what, &value)| {
            let shown = match program.address(value) {
                Some(loc) => StateValue::Address(subject.location(loc).to_string()),
                None => StateValue::Number(program.number(value)),
            };
            (program.observable(what), shown)
        };
        StateReport { values: pairs.map(value).collect(), satisfies: state.satisfies, executions: state.executions }
    };
    Some(ConditionReport {
        text: condition.text(program),
        observation: states.frequency().map(Frequency::as_str),
        positive: states.positive(),
        negative: states.negative(),
        complete: states.extent == Extent::All,
        extent: match states.extent {
            Extent::All => "all",
            Extent::Kinds => "kinds",
            Extent::Examples => "examples",
        },
        states: states.list.iter().map(state).collect(),
    })
}
