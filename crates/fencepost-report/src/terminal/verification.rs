//! What a program does in a model, and whether it is what was asked for.

use fencepost_verdict::{Extent, States, Verification, Verified};

use super::{Look, Paint, source};
use crate::execution::is_about;
use crate::finding;
use crate::herd;
use crate::subject::Subject;
use crate::words;

/// The answer with the final states, or with what goes wrong.
pub fn verification(subject: &Subject<'_>, verification: &Verification, look: &Look) -> String {
    let subject = &subject.about(verification.copies.as_deref());
    let mut text = verification_headline(subject, verification, look);
    let Ok(verified) = &verification.result else {
        text += &verification
            .tried
            .iter()
            .map(|tried| format!("  tried {}: {}\n", tried.argument.as_str(), tried.reason))
            .collect::<String>();
        return text;
    };
    if let Some(states) = &verified.states {
        text += &listing(subject, states);
    }
    let model = verification.model;
    let (race, failing) = (finding::of_race(subject, verified, model), finding::of_failing(subject, verified, model));
    if race.is_none() && failing.is_none() {
        return text + &source::replayed(&finding::shown(subject, verified, model), look);
    }
    text += &race.map_or_else(String::new, |found| super::finding(&found, Some(subject.source), look));
    if verified.race.as_ref().is_some_and(|race| race.execution.is_none()) {
        text += "\n  The run is too long to be told step by step here: `fencepost check` has it.\n\n";
    }
    text + &failing.map_or_else(String::new, |found| super::finding(&found, Some(subject.source), look))
}

/// The answer and its argument in one line: `sb.litmus: OK under tso by enumeration: Sometimes (1
/// of 4 executions): exists (0:r0=0 /\ 1:r0=0)`.
pub fn verification_headline(subject: &Subject<'_>, verification: &Verification, look: &Look) -> String {
    let subject = &subject.about(verification.copies.as_deref());
    let paint = Paint(look.color);
    let (file, model) = (subject.source.name(), verification.model);
    let verified = match &verification.result {
        Ok(verified) => verified,
        Err(reason) => return format!("{file}: {} ({reason}) under {model}\n", paint.unsure("UNKNOWN")),
    };
    let condition = subject.program.condition();
    let (holds, fails) = if condition.is_some() { ("OK", "NO") } else { ("SAFE", "UNSAFE") };
    let answer = match verified.holds(condition) {
        true => paint.good(holds),
        false => paint.bad(if verified.race.is_some() { "RACY" } else { fails }),
    };
    let details: Vec<String> = details(subject, verified).into_iter().map(|detail| format!(": {detail}")).collect();
    let copies = words::for_copies(verification.copies.as_deref());
    format!("{file}: {answer} under {model}{copies} by {}{}\n", verified.argument.as_str(), details.concat())
}

fn details(subject: &Subject<'_>, verified: &Verified) -> Vec<String> {
    let mut details = Vec::new();
    if verified.race.is_some() {
        details.push("undefined behaviour".to_owned());
    }
    if let Some(failing) = &verified.failing {
        details.push(words::failure_kind(subject, failing.site, &failing.kind));
    }
    if let (Some(states), Some(condition)) = (&verified.states, subject.program.condition()) {
        details.push(counts(states));
        let is_short = condition.text(subject.program).len() <= 120;
        if is_short {
            details.push(condition.text(subject.program));
        }
    }
    details
}

const INCOMPLETE: &str = "the list of states is not complete";

/// `Sometimes (1 of 4 executions)`, or what is known of that.
fn counts(states: &States) -> String {
    let (positive, all) = (states.positive(), states.positive() + states.negative());
    let noun = if states.are_counted() { "execution" } else { "state" };
    let plural = if all == 1 { "" } else { "s" };
    match (states.frequency(), states.extent) {
        (Some(frequency), Extent::All) => format!("{} ({positive} of {all} {noun}{plural})", frequency.as_str()),
        (Some(frequency), _) => format!("{} ({INCOMPLETE})", frequency.as_str()),
        (None, _) => format!("{} at least once ({INCOMPLETE})", if positive > 0 { "true" } else { "false" }),
    }
}

/// One state per line; those that the quantifier is about have a mark.
fn listing(subject: &Subject<'_>, states: &States) -> String {
    let condition = subject.program.condition();
    let line = |(index, state): (usize, &fencepost_verdict::FinalState)| {
        let is_marked = condition.is_some_and(|condition| is_about(condition, state));
        let mark = if is_marked { '*' } else { ' ' };
        let times = state.executions.map_or_else(String::new, |executions| format!("  ×{executions}"));
        format!("  {mark} {}{times}\n", herd::state(subject, states, index))
    };
    let rest = match states.extent {
        Extent::All => String::new(),
        Extent::Kinds | Extent::Examples => format!("    … {INCOMPLETE}: there may be other final states\n"),
    };
    states.list.iter().enumerate().map(line).chain([rest]).collect()
}
