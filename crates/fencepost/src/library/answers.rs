//! Answers, and how they are shown.

use std::time::Duration;

use fencepost_report::diagram::Extra;
use fencepost_report::graph::Drawing;
use fencepost_report::json;
use fencepost_report::terminal::{self, Look};
use fencepost_verdict::{Consequences, Outcome, Plan, Repaired, Verdict, Verification, Violation};

use super::Source;

/// Whether a program is robust, and if not, the run that shows it.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    pub(super) source: &'a Source,
    pub(super) outcome: Outcome,
}

impl Checked<'_> {
    /// Was every state visited, and none found where the model leaves SC?
    pub fn is_robust(&self) -> bool {
        matches!(self.outcome.verdict, Verdict::Holds)
    }

    /// The run that leaves SC, replayed on the axioms of the model.
    pub fn violation(&self) -> Option<&Violation> {
        match &self.outcome.verdict {
            Verdict::Violated(violation) => Some(violation),
            Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }

    /// What goes wrong because the program is not robust: data races, failures, or nothing, as far
    /// as was looked ([`Limits::stale_steps`](super::Limits::stale_steps)). None if the program is
    /// robust, or if that was not asked.
    pub fn consequences(&self) -> Option<&Consequences> {
        self.outcome.consequences.as_ref()
    }

    /// Everything that was found out.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// For people: the verdict, the source, the run step by step.
    pub fn to_text(&self) -> String {
        self.to_text_with(&Look::default())
    }

    /// The same, in colours or of another width.
    pub fn to_text_with(&self, look: &Look) -> String {
        terminal::outcome(&self.source.subject(), &self.outcome, look)
    }

    /// For tools: one line of JSON, as `fencepost check --format json` prints it.
    pub fn to_json(&self) -> String {
        json::outcome(&self.source.subject(), &self.outcome, None)
    }

    /// The violating execution as a picture, if there is one.
    pub fn to_svg(&self) -> Option<String> {
        let drawing = Drawing::of_outcome(&self.source.subject(), &self.outcome, Extra::default());
        drawing.map(|drawing| drawing.svg())
    }
}

/// Whether a program is safe under a model, on what argument, and what goes wrong if not.
#[derive(Clone, Debug)]
pub struct Verified<'a> {
    pub(super) source: &'a Source,
    pub(super) verification: Verification,
}

impl Verified<'_> {
    /// Does nothing go wrong? `None` if that is not known.
    pub fn is_safe(&self) -> Option<bool> {
        let verified = self.verification.result.as_ref().ok()?;
        Some(verified.holds(self.source.program().condition()))
    }

    /// Everything that was found out.
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// For people: the answer, what it rests on, and the execution in which something goes wrong.
    pub fn to_text(&self) -> String {
        self.to_text_with(&Look::default())
    }

    /// The same, in colours or of another width.
    pub fn to_text_with(&self, look: &Look) -> String {
        terminal::verification(&self.source.subject(), &self.verification, look)
    }

    /// For tools: one line of JSON, as `fencepost verify --format json` prints it.
    pub fn to_json(&self) -> String {
        json::verification(&self.source.subject(), &self.verification)
    }

    /// The execution in which something goes wrong as a picture, if there is one.
    pub fn to_svg(&self) -> Option<String> {
        let drawing = Drawing::of_verification(&self.source.subject(), &self.verification, Extra::default());
        drawing.map(|drawing| drawing.svg())
    }
}

/// The cheapest edits that make a program robust.
#[derive(Clone, Debug)]
pub struct Repair<'a> {
    pub(super) source: &'a Source,
    pub(super) models: Vec<&'static str>,
    pub(super) repaired: Repaired,
    pub(super) checks: u64,
    pub(super) time: Duration,
}

impl Repair<'_> {
    /// The edits, the text with them, and what they cost; none if the program is robust as it is,
    /// or if there is no repair, or none was found within the limits.
    pub fn plan(&self) -> Option<&Plan> {
        match &self.repaired {
            Repaired::Plans { plans, .. } => plans.first(),
            Repaired::Nothing | Repaired::Impossible(_) | Repaired::Unknown(_) => None,
        }
    }

    /// The repaired text; the text as it is if that is robust.
    pub fn text(&self) -> Option<&str> {
        match &self.repaired {
            Repaired::Nothing => Some(self.source.file().text()),
            _ => self.plan().map(|plan| plan.text.as_str()),
        }
    }

    /// For people: the edits as a difference of texts, and why each is needed.
    pub fn to_text(&self) -> String {
        self.to_text_with(&Look::default())
    }

    /// The same, in colours or of another width.
    pub fn to_text_with(&self, look: &Look) -> String {
        terminal::repaired(&self.source.subject(), &self.models, &self.repaired, self.checks, look)
    }

    /// For tools: one line of JSON, as `fencepost repair --format json` prints it.
    pub fn to_json(&self) -> String {
        json::repaired(&self.source.subject(), &self.models, &self.repaired, self.checks, self.time, false)
    }
}
