//! Verifications in the layout of herd's logs, so that scripts that compare
//! logs can read them. Counts are those of executions, as there, or of states,
//! if executions were not counted; the hash of the test is left out. Several
//! models give several logs.
//!
//! Herd lists all final states or none. A list that is not complete is marked as such, and its log
//! claims nothing: neither `Ok` nor `No`, no witnesses, no observation.

use fencepost_ir::Quantifier;
use fencepost_verdict::{Extent, States, Verification};

use crate::subject::Subject;

/// The log of one test in one model; nothing if there is no condition, no answer, or an answer
/// without all that a log says.
pub fn log(subject: &Subject<'_>, verification: &Verification) -> Option<String> {
    let condition = subject.program.condition()?;
    let verified = verification.result.as_ref().ok()?;
    let states = verified.states.as_ref()?;
    let name = subject.name();
    let kind = match condition.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let (length, condition_text) = (states.list.len(), condition.text(subject.program));
    let lines: String = (0..length).map(|index| state(subject, states, index) + "\n").collect();
    let flag = if verified.race.is_some() { "Flag data-race\n" } else { "" };
    let time = format!("Time {name} {:.2}\n\n", verification.stats.time.as_secs_f64());
    let frequency = states.frequency().filter(|_| states.extent == Extent::All);
    let Some(frequency) = frequency else {
        let word = if verified.race.is_some() { "Undef" } else { "Undetermined" };
        return Some(format!(
            "Test {name} {kind}\nStates {length} (incomplete: there may be others)\n{lines}{word}\n{flag}Condition \
             {condition_text}\n{time}"
        ));
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
    Some(format!(
        "Test {name} {kind}\nStates {length}\n{lines}{word}\nWitnesses\nPositive: {witnesses} Negative: {others}\n{flag}\
         Condition {condition_text}\nObservation {name} {} {positive} {negative}\n{time}",
        frequency.as_str(),
    ))
}

/// `0:r0=0; [x]=1;`
pub(crate) fn state(subject: &Subject<'_>, states: &States, index: usize) -> String {
    let state = &states.list[index];
    let pairs = states.observed.iter().zip(&state.values);
    let pair = |(&what, &value)| format!("{}={};", subject.program.observable(what), subject.value(value));
    pairs.map(pair).collect::<Vec<_>>().join(" ")
}
