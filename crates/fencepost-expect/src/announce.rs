//! What is wrong with a program, and was expected to be.

use fencepost_ir::Program;
use fencepost_verdict::{Consequences, Frequency, Outcome, ScFailureKind, Verification};

use crate::judge::{about_runs, consequences, robustness, sc_answer};
use crate::{Expectation, Expected, Judgement, Subject};

/// The lines that expect what a check has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    /// The violation of robustness.
    pub violation: Option<usize>,
    /// What fails under SC.
    pub failure: Option<usize>,
    /// What goes wrong because the program is not robust.
    pub consequence: Option<usize>,
}

/// The lines that expect what an outcome has found, with all details that they give.
pub fn announced(expected: &[Expectation], program: &Program, outcome: &Outcome) -> Announced {
    let is_met = |it: &&Expectation| it.judge(program, outcome) == Judgement::AsExpected;
    let violation = robustness(expected, outcome).filter(|_| outcome.verdict.is_violated()).filter(is_met);
    let failure = about_runs(expected).filter(|it| outcome.sc_failure.is_some() && it.answer == sc_answer(outcome));
    let rank = outcome.consequences.as_ref().map(Consequences::rank);
    let consequence = consequences(expected, outcome).filter(|it| rank.map(Expected::Consequence) == Some(it.answer));
    Announced {
        violation: violation.map(|it| it.line),
        failure: failure.map(|it| it.line),
        consequence: consequence.map(|it| it.line),
    }
}

/// The line that expects what a verification has found.
pub fn announced_by_verify(expected: &[Expectation], verification: &Verification) -> Option<usize> {
    let found = verified(verification)?;
    let about_it = |it: &&Expectation| it.answer.subject() == Subject::Verification && it.model == verification.model;
    expected.iter().find(about_it).filter(|it| it.answer == found).map(|it| it.line)
}

/// A verification in the words of expectations; none if it is not known how often a condition holds.
pub fn verified(verification: &Verification) -> Option<Expected> {
    Some(match &verification.result {
        Err(_) => Expected::Unsettled,
        Ok(verified) if verified.race.is_some() => Expected::Racy,
        Ok(verified) => match (&verified.failing, &verified.states) {
            (Some(failing), _) if failing.kind == ScFailureKind::Assertion => Expected::AssertionFails,
            (Some(_), _) => Expected::RuntimeError,
            (None, None) => Expected::Safe,
            (None, Some(states)) => match states.frequency()? {
                Frequency::Never => Expected::Never,
                Frequency::Sometimes => Expected::Sometimes,
                Frequency::Always => Expected::Always,
            },
        },
    })
}
