//! Verifications in the layout of herd's logs, so that scripts that compare
//! logs can read them. Counts are those of executions, as there, or of states,
//! if executions were not counted; the hash of the test is left out. Several
//! models give several logs.

use fencepost_ir::Quantifier;
use fencepost_verdict::{States, Verification};

use crate::subject::Subject;

/// The log of one test in one model; nothing if there is no condition, no answer, or an answer
/// without all that a log says.
pub fn log(subject: &Subject<'_>, verification: &Verification) -> Option<String> {
    let condition = subject.program.condition()?;
    let verified = verification.result.as_ref().ok()?;
    let states = verified.states.as_ref()?;
    let frequency = states.frequency()?;
    let name = subject.name();
    let kind = match condition.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let (positive, negative) = (states.positive(), states.negative());
    // Witnesses are of the condition, observations of the formula.
    let (witnesses, others) = match condition.quantifier {
        Quantifier::NotExists => (negative, positive),
        Quantifier::Exists | Quantifier::Forall => (positive, negative),
    };
    let word = match (&verified.race, states.meet(condition.quantifier)) {
        (Some(_), _) => "Undef",
        (None, Some(true)) => "Ok",
        (None, _) => "No",
    };
    let flag = if verified.race.is_some() { "Flag data-race\n" } else { "" };
    let lines: String = (0..states.list.len()).map(|index| state(subject, states, index) + "\n").collect();
    Some(format!(
        "Test {name} {kind}\nStates {}\n{lines}{word}\nWitnesses\nPositive: {witnesses} Negative: {others}\n{flag}\
         Condition {}\nObservation {name} {} {positive} {negative}\nTime {name} {:.2}\n\n",
        states.list.len(),
        condition.text(subject.program),
        frequency.as_str(),
        verification.stats.time.as_secs_f64(),
    ))
}

/// `0:r0=0; [x]=1;`
pub(crate) fn state(subject: &Subject<'_>, states: &States, index: usize) -> String {
    let Some(condition) = subject.program.condition() else { return String::new() };
    let state = &states.list[index];
    let pairs = states.observed.iter().zip(&state.values);
    let pair =
        |(&what, &value)| format!("{}={};", subject.program.observable(what), condition.number(subject.program, value));
    pairs.map(pair).collect::<Vec<_>>().join(" ")
}
