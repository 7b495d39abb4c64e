//! What was asked of a program, and what the answer is.

use fencepost_verdict::{Outcome, Property, Stats, Verdict, Verification};
use serde::{Deserialize, Serialize};

use crate::herd;
use crate::subject::Subject;
use crate::words;

/// A question and its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The file, as named by the user.
    pub(super) file: String,
    /// The memory model.
    pub(super) model: String,
    /// In a word or two: `robust`.
    pub(super) verdict: String,
    /// `good`, `bad`, `unsure`.
    pub(super) tone: String,
    /// What else there is to say, as a sentence; may be empty.
    pub(super) detail: String,
    /// Is it what the file expects? None if that says nothing.
    pub(super) is_expected: Option<bool>,
    /// Final states, if they were asked for.
    pub(super) states: Vec<String>,
    pub(super) figures: Figures,
}

/// What it took. Time and memory differ from run to run, and are not here.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Figures {
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) depth: u64,
    pub(super) state_bits: u64,
}

impl Figures {
    fn new(stats: &Stats) -> Self {
        let Stats { states, transitions, depth, state_bits, .. } = *stats;
        Figures { states, transitions, depth, state_bits }
    }
}

impl Answer {
    /// Is the program robust? And is that what its file expects?
    pub fn of_outcome(subject: &Subject<'_>, outcome: &Outcome, is_expected: Option<bool>) -> Self {
        let subject = &subject.about(outcome.copies.as_deref());
        let robust = match outcome.property {
            Property::Robustness => ["robust", "not robust"],
            Property::ObservationalRobustness => ["observationally robust", "not shown observationally robust"],
        };
        let (verdict, tone, detail) = match &outcome.verdict {
            Verdict::Holds => (robust[0], "good", String::new()),
            Verdict::Violated(_) => (robust[1], "bad", words::consequences(subject, outcome)),
            Verdict::Unknown(reason) => ("unknown", "unsure", reason.to_string()),
        };
        let failure = outcome
            .sc_failure
            .as_deref()
            .map(|failure| format!("fails under SC: {}", words::failure_kind(subject, failure.site, &failure.kind)));
        let detail = detail.trim_start_matches([':', ',', ' ']).to_string();
        let details: Vec<String> = [Some(detail), failure].into_iter().flatten().filter(|it| !it.is_empty()).collect();
        Answer {
            file: subject.source.name().into(),
            model: outcome.model.into(),
            verdict: verdict.into(),
            tone: if outcome.sc_failure.is_some() { "bad" } else { tone }.into(),
            detail: details.join("; "),
            is_expected,
            states: Vec::new(),
            figures: Figures::new(&outcome.stats),
        }
    }

    /// Is the condition met, do assertions hold?
    pub fn of_verification(subject: &Subject<'_>, verification: &Verification) -> Self {
        let subject = &subject.about(verification.copies.as_deref());
        let condition = subject.program.condition();
        let (verdict, tone, detail) = match &verification.result {
            Ok(verified) if verified.holds(condition) => ("holds", "good", verified.argument.to_string()),
            Ok(verified) => ("violation", "bad", verified.argument.to_string()),
            Err(reason) => ("unknown", "unsure", reason.to_string()),
        };
        let states = verification.result.as_ref().ok().and_then(|verified| verified.states.as_ref());
        let frequency = states.and_then(|states| states.frequency()).map(|frequency| frequency.as_str());
        let asked = condition.map(|condition| condition.text(subject.program));
        let parts = [asked, frequency.map(String::from), Some(detail)];
        let line = |states| {
            let state = |index| herd::state(subject, states, index);
            (0..states.list.len()).map(state).collect()
        };
        Answer {
            file: subject.source.name().into(),
            model: verification.model.into(),
            verdict: verdict.into(),
            tone: tone.into(),
            detail: parts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            is_expected: None,
            states: states.map(line).unwrap_or_default(),
            figures: Figures::new(&verification.stats),
        }
    }
}
