//! What a picture is about: the execution that violates robustness, or the one
//! in which something happens that was asked for.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::ids::LocId;
use fencepost_model::cycle::{Cycle, Edge};
use fencepost_model::{EventId, Graph};
use fencepost_verdict::{Violation, ViolationKind};

use crate::execution::{Shown, last_at};
use crate::shapes;
use crate::subject::Subject;
use crate::words;

/// A graph, and what is remarkable about it.
pub(super) struct Scene<'a> {
    pub(super) graph: &'a Graph,
    /// The cycle that SC forbids.
    cycle: Option<Cow<'a, Cycle>>,
    /// The event that goes wrong.
    pub(super) culprit: Option<EventId>,
    /// The other side of a race.
    pub(super) opponent: Option<EventId>,
    /// The location that the culprit writes in the past.
    pub(super) written_in_the_past: Option<LocId>,
    pub(super) title: String,
    pub(super) subtitle: String,
    /// The numbers of the steps that add events, as in the run that is told in words.
    pub(super) steps: BTreeMap<EventId, usize>,
    /// What happens in the litmus shape, if it has one.
    pub(super) story: Option<String>,
}

impl<'a> Scene<'a> {
    pub(super) fn of_violation(subject: &Subject<'_>, violation: &'a Violation, model: &str) -> Self {
        let in_the_past = matches!(violation.kind, ViolationKind::StaleWrite | ViolationKind::StaleRmw);
        Scene {
            graph: &violation.graph,
            cycle: violation.cycle.as_ref().map(Cow::Borrowed),
            culprit: Some(violation.culprit),
            opponent: opponent(violation),
            written_in_the_past: in_the_past.then_some(violation.location),
            title: format!("{} is not robust against {model}", subject.name()),
            subtitle: subtitle(subject, violation),
            steps: words::step_numbers(violation),
            story: violation
                .shape
                .as_deref()
                .and_then(|name| Some(format!("{name}: {}", shapes::explain(name)?.story))),
        }
    }

    pub(super) fn of_execution(subject: &Subject<'_>, shown: &Shown<'a>, title: String) -> Self {
        let [culprit, opponent] = shown.racing().map_or([None; 2], |events| events.map(Some));
        Scene {
            graph: &shown.execution.graph,
            cycle: shown.cycle().map(Cow::Owned),
            culprit,
            opponent,
            written_in_the_past: None,
            title,
            subtitle: shown.end(subject) + if shown.satisfies() { " · the formula is true" } else { "" },
            steps: shown.step_numbers(subject),
            story: None,
        }
    }

    pub(super) fn cycle_steps(&self) -> &[(EventId, Edge)] {
        self.cycle.as_deref().map_or(&[], |cycle| &cycle.steps)
    }

    /// The events of the cycle, or of the race, and the culprit; without any of these, all are
    /// alike.
    pub(super) fn key_events(&self) -> BTreeSet<EventId> {
        let on_cycle = self.cycle_steps().iter().map(|&(event, _)| event);
        let key: BTreeSet<EventId> = on_cycle.chain(self.culprit).chain(self.opponent).collect();
        match key.is_empty() {
            true => self.graph.ids().filter(|&id| !self.graph.is_init(id)).collect(),
            false => key,
        }
    }

    /// What lines and colours mean.
    pub(super) fn legend(&self) -> &'static str {
        match (&self.cycle, self.culprit, self.opponent) {
            (_, _, Some(_)) => "filled: the access that races",
            (_, Some(_), None) => "bold: the cycle that SC forbids · filled: the step that leaves SC",
            (Some(_), None, None) => "bold: the cycle that SC forbids",
            (None, None, None) => "SC permits it as well",
        }
    }
}

/// The other side of a race.
fn opponent(violation: &Violation) -> Option<EventId> {
    let is_race = violation.kind == ViolationKind::DataRace;
    if is_race { last_at(&violation.graph, violation.conflicting, violation.culprit) } else { None }
}

fn subtitle(subject: &Subject<'_>, violation: &Violation) -> String {
    let kind = violation.kind.as_str().replace('-', " ");
    let place = match subject.program.fence_location() == Some(violation.location) {
        true => "the order of fence(sc)".to_string(),
        false => subject.location(violation.location).to_string(),
    };
    if violation.kind == ViolationKind::DataRace {
        let [a, b] = [violation.conflicting, violation.access].map(|site| subject.thread(site.thread));
        return format!("data race on {place} between {a} and {b}");
    }
    let shape = violation.shape.as_deref().map(|name| match shapes::explain(name) {
        Some(shape) if shape.title != name => format!(" · {} ({name})", shape.title.replace('-', " ")),
        _ => format!(" · {name}"),
    });
    format!("{kind} of {place} by {}{}", subject.thread(violation.access.thread), shape.unwrap_or_default())
}
