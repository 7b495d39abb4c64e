//! Expectations against outcomes of `check`.

use fencepost_ir::Program;
use fencepost_verdict::{Outcome, Property, Rank, Reason, ScFailureKind, Verdict, Violation};

use crate::{Expectation, Expected, States, Subject};

/// What an expectation has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is as expected.
    AsExpected,
    /// A limit ended the search before anything was found that confirms it or contradicts it.
    Undecided,
    /// It is not; in words, what was expected and what was found, as often as that is so.
    Differs(Vec<String>),
}

impl Judgement {
    /// Both of two: a difference counts most, then what is not decided.
    #[must_use]
    pub fn and(self, other: Judgement) -> Judgement {
        match (self, other) {
            (Judgement::Differs(some), Judgement::Differs(others)) => Judgement::Differs([some, others].concat()),
            (Judgement::Differs(one), _) | (_, Judgement::Differs(one)) => Judgement::Differs(one),
            (Judgement::Undecided, _) | (_, Judgement::Undecided) => Judgement::Undecided,
            (Judgement::AsExpected, Judgement::AsExpected) => Judgement::AsExpected,
        }
    }
}

/// Compares an outcome with what a file expects of its model, and of runs under SC. None if the
/// file expects nothing of that model.
pub fn judge(expected: &[Expectation], program: &Program, outcome: &Outcome) -> Option<Judgement> {
    let expectation = robustness(expected, outcome)?;
    let judgement = expectation.judge(program, outcome).and(judge_runs(expected, outcome));
    Some(judgement.and(judge_consequences(expected, outcome)))
}

/// Compares what comes of it that a program is not robust with what is expected, if that was asked.
pub fn judge_consequences(expected: &[Expectation], outcome: &Outcome) -> Judgement {
    let Some((expectation, found)) = consequences(expected, outcome).zip(outcome.consequences.as_ref()) else {
        return Judgement::AsExpected;
    };
    match Expected::Consequence(found.rank()) {
        found if found == expectation.answer => Judgement::AsExpected,
        Expected::Consequence(Rank::Unknown) => Judgement::Undecided,
        found => expectation.differs(expectation.answer.as_str(), found.as_str()),
    }
}

/// What is expected of the question that an outcome answers.
pub(crate) fn robustness<'e>(expected: &'e [Expectation], outcome: &Outcome) -> Option<&'e Expectation> {
    let observational = outcome.property == Property::ObservationalRobustness;
    expected.iter().find(|expectation| {
        expectation.answer.subject() == Subject::Robustness
            && expectation.model == outcome.model
            && expectation.observational == observational
    })
}

/// What is expected to come of it that the program is not robust.
pub(crate) fn consequences<'e>(expected: &'e [Expectation], outcome: &Outcome) -> Option<&'e Expectation> {
    let is_about = |it: &&Expectation| it.answer.subject() == Subject::Consequences && it.model == outcome.model;
    expected.iter().find(is_about)
}

impl Expectation {
    /// Compares an outcome with what is expected of robustness. The number of states is not looked
    /// at: it depends on how one searches. If there are too many for a test, no answer is as good
    /// as the right one.
    pub fn judge(&self, program: &Program, outcome: &Outcome) -> Judgement {
        let found = answer(outcome);
        let is_too_large = matches!(self.states, Some(States::AtLeast(_)));
        match found {
            Some(found) if found == self.answer => match &outcome.verdict {
                Verdict::Violated(violation) => self.judge_violation(program, outcome, violation),
                _ => Judgement::AsExpected,
            },
            Some(found) => self.differs(self.answer.as_str(), found.as_str()),
            None if is_too_large => Judgement::AsExpected,
            None => Judgement::Undecided,
        }
    }

    fn judge_violation(&self, program: &Program, outcome: &Outcome, violation: &Violation) -> Judgement {
        let copies = outcome.copies.as_ref().and_then(|copies| copies.with.as_ref());
        let copies = copies.map_or_else(|| "one".into(), |with| with.number.to_string());
        let details = [
            ("kind", self.kind.clone(), violation.kind.as_str().to_string()),
            ("shape", self.shape.clone(), violation.shape.clone().unwrap_or_else(|| "none".into())),
            ("location", self.location.clone(), program.location(violation.location).name.clone()),
            ("values", self.values.as_deref().map(list), list(&violation.stale_values)),
            ("copies", self.copies.map(|copies| copies.to_string()), copies),
        ];
        let differing =
            details.into_iter().find_map(|(what, wanted, found)| Some((what, wanted.filter(|w| *w != found)?, found)));
        match differing {
            None => Judgement::AsExpected,
            Some((what, wanted, found)) => self.differs(&format!("{what}={wanted}"), &format!("{what}={found}")),
        }
    }

    fn differs(&self, wanted: &str, found: &str) -> Judgement {
        let observational = if self.observational { "observational " } else { "" };
        let Expectation { line, model, .. } = self;
        Judgement::Differs(vec![format!("line {line} expects {model} {observational}{wanted}, found {found}")])
    }
}

/// Compares what fails under SC, which every check looks for, with what is expected: nothing,
/// unless the file says so.
pub fn judge_runs(expected: &[Expectation], outcome: &Outcome) -> Judgement {
    // Nothing is explored for a model that has nothing to say about the program.
    if matches!(outcome.verdict, Verdict::Unknown(Reason::Unsupported(_))) {
        return Judgement::AsExpected;
    }
    let expectation = about_runs(expected);
    let wanted = expectation.map_or(Expected::Safe, |expectation| expectation.answer);
    let found = sc_answer(outcome);
    match expectation {
        _ if wanted == found => Judgement::AsExpected,
        // It may come yet.
        _ if found == Expected::Safe && answer(outcome).is_none() => Judgement::Undecided,
        Some(expectation) => expectation.differs(wanted.as_str(), found.as_str()),
        None => Judgement::Differs(vec![format!("no line expects sc {}, which was found", found.as_str())]),
    }
}

/// What is expected of runs under SC.
pub(crate) fn about_runs(expected: &[Expectation]) -> Option<&Expectation> {
    expected.iter().find(|expectation| {
        expectation.model == "sc"
            && expectation.answer.subject() == Subject::Verification
            && !expectation.answer.is_about_finals()
    })
}

/// What fails under SC, in the words of expectations.
pub(crate) fn sc_answer(outcome: &Outcome) -> Expected {
    match outcome.sc_failure.as_ref().map(|failure| &failure.kind) {
        None => Expected::Safe,
        Some(ScFailureKind::Assertion) => Expected::AssertionFails,
        Some(ScFailureKind::DivisionByZero | ScFailureKind::IndexOutOfRange { .. }) => Expected::RuntimeError,
    }
}

/// An outcome in the words of expectations; none if a limit ended the search.
fn answer(outcome: &Outcome) -> Option<Expected> {
    match &outcome.verdict {
        Verdict::Holds => Some(Expected::Robust),
        Verdict::Violated(_) => Some(Expected::Violation),
        Verdict::Unknown(Reason::Unsupported(_)) => Some(Expected::Unsupported),
        Verdict::Unknown(Reason::Bound { .. } | Reason::Unbounded(_)) => Some(Expected::Unbounded),
        Verdict::Unknown(_) => None,
    }
}

fn list(values: &[u32]) -> String {
    values.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use fencepost_ir::{Instr, Op, Origin, ProgramBuilder};
    use fencepost_verdict::Stats;

    use super::*;
    use crate::expectations;

    fn outcome(property: Property, verdict: Verdict) -> Outcome {
        Outcome {
            property,
            model: "ra",
            verdict,
            sc_failure: None,
            speculative: Vec::new(),
            consequences: None,
            copies: None,
            stats: Stats::default(),
        }
    }

    fn judged(comments: &str, outcome: &Outcome) -> Option<Judgement> {
        let mut builder = ProgramBuilder::new(None, 2);
        builder.thread("t", Vec::new(), vec![Instr { op: Op::Halt, origin: Origin::default() }]);
        let program = builder.build().expect("a program");
        judge(&expectations(comments).expect("well-formed"), &program, outcome)
    }

    #[test]
    fn no_answer_contradicts_nothing() {
        let late = outcome(Property::Robustness, Verdict::Unknown(Reason::Time));
        assert_eq!(judged("//: ra robust", &late), Some(Judgement::Undecided));
        assert_eq!(judged("//: ra violation shape=SB", &late), Some(Judgement::Undecided));
        assert_eq!(judged("//: ra robust\n//: sc assertion-fails", &late), Some(Judgement::Undecided));
        assert_eq!(judged("//: ra robust states>=100", &late), Some(Judgement::AsExpected));
        let unbounded = outcome(Property::Robustness, Verdict::Unknown(Reason::Unbounded("r".into())));
        assert_eq!(judged("//: ra unbounded", &unbounded), Some(Judgement::AsExpected));
        assert!(matches!(judged("//: ra robust", &unbounded), Some(Judgement::Differs(_))));
    }

    #[test]
    fn an_answer_is_compared_with_what_is_expected_of_its_question() {
        let robust = outcome(Property::Robustness, Verdict::Holds);
        assert_eq!(judged("//: ra robust\n//: rc20 violation", &robust), Some(Judgement::AsExpected));
        assert_eq!(judged("//: rc20 robust\n//: ra safe\n//: ra observational violation", &robust), None);
        let difference = "line 1 expects ra violation, found robust".to_string();
        assert_eq!(judged("//: ra violation states>=7", &robust), Some(Judgement::Differs(vec![difference.clone()])));
        let failure = "line 2 expects sc runtime-error, found safe".to_string();
        let both = Judgement::Differs(vec![difference, failure]);
        assert_eq!(judged("//: ra violation\n//: sc runtime-error", &robust), Some(both));
        let observational = outcome(Property::ObservationalRobustness, Verdict::Holds);
        assert_eq!(
            judged("//: ra violation\n//: ra observational robust", &observational),
            Some(Judgement::AsExpected)
        );
        assert_eq!(judged("//: ra robust", &observational), None);
    }
}
