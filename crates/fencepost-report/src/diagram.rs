//! Diagrams of executions: with names and lines in place of numbers, so that who draws them needs
//! to know neither program nor model.

mod observed;

pub(crate) use observed::{of_observed, place};

use std::collections::BTreeMap;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Value};
use fencepost_finding::{Diagram, Edge, Event, Relation};
use fencepost_model::cycle::{self, Cycle};
use fencepost_model::{EventId, Graph, Model};
use fencepost_verdict::{Site, States, Violation, ViolationKind};

use crate::execution::{Shown, last_at};
use crate::shapes;
use crate::subject::Subject;
use crate::words;

/// What a picture is to show besides what it has anyway.
#[derive(Clone, Copy, Default)]
pub struct Extra<'a> {
    /// Relations by their names: those that every graph has ([`BASIC_RELATIONS`]) with all their
    /// edges, and derived ones of the model.
    pub relations: &'a [String],
    /// The model that has them.
    pub model: Option<&'a dyn Model>,
}

/// The relations that every graph has.
pub const BASIC_RELATIONS: [&str; 4] = ["po", "rf", "mo", "fr"];

impl Extra<'_> {
    fn wants(&self, name: &str) -> bool {
        self.relations.iter().any(|wanted| wanted == name)
    }
}

/// The execution that violates robustness.
pub(crate) fn of_violation(subject: &Subject<'_>, violation: &Violation, model: &str, extra: Extra<'_>) -> Diagram {
    let is_race = violation.kind == ViolationKind::DataRace;
    let other = last_at(&violation.graph, violation.conflicting, violation.culprit).filter(|_| is_race);
    let race = other.map(|other| (other, violation.culprit));
    Diagram {
        title: format!("{} is not robust against {model}", subject.name()),
        subtitle: subtitle(subject, violation),
        notes: violation.shape.as_deref().and_then(story).into_iter().collect(),
        focus: focus(violation.cycle.as_ref(), race),
        culprit: Some(violation.culprit.index()),
        ..of_graph(subject, &violation.graph, &words::step_numbers(violation), extra)
    }
}

/// The execution that a verification has found.
pub fn of_execution(subject: &Subject<'_>, shown: &Shown<'_>, model: &str, extra: Extra<'_>) -> Diagram {
    titled(subject, shown, format!("{}: an execution under {model}", subject.name()), extra)
}

/// Executions of a program, each with its final state, of `count` that there are.
pub fn of_all(subject: &Subject<'_>, states: &States, count: u64, model: &str, extra: Extra<'_>) -> Vec<Diagram> {
    let one = |(index, shown): (usize, Shown<'_>)| {
        let title = format!("{}: execution {} of {count} under {model}", subject.name(), index + 1);
        titled(subject, &shown, title, extra)
    };
    Shown::each(states).enumerate().map(one).collect()
}

fn titled(subject: &Subject<'_>, shown: &Shown<'_>, title: String, extra: Extra<'_>) -> Diagram {
    let race = shown.racing().map(|[access, other]| (other, access));
    Diagram {
        title,
        subtitle: shown.end(subject) + if shown.satisfies() { " · the formula is true" } else { "" },
        focus: focus(shown.cycle().as_ref(), race),
        culprit: race.map(|(_, access)| access.index()),
        ..of_graph(subject, &shown.execution.graph, &shown.step_numbers(subject), extra)
    }
}

/// The edges of a cycle, and that between the sides of a race. What happens at once is beside each
/// other, and needs no edge.
fn focus(cycle: Option<&Cycle>, race: Option<(EventId, EventId)>) -> Vec<Edge> {
    let steps = cycle.map_or(&[][..], |cycle| &cycle.steps);
    let next = steps.iter().cycle().skip(1);
    let along = steps.iter().zip(next).filter_map(|(&(from, kind), &(to, _))| {
        let relation = match kind {
            cycle::Edge::Po => Relation::Po,
            cycle::Edge::Rf => Relation::Rf,
            cycle::Edge::Mo => Relation::Mo,
            cycle::Edge::Fr => Relation::Fr,
            cycle::Edge::Section => return None,
        };
        Some(edge(from, to, relation))
    });
    along.chain(race.map(|(other, access)| edge(other, access, Relation::Race))).collect()
}

/// Everything that can be said of any graph.
fn of_graph(subject: &Subject<'_>, graph: &Graph, steps: &BTreeMap<EventId, usize>, extra: Extra<'_>) -> Diagram {
    let event = |id: EventId| {
        let event = graph.event(id);
        let line = |site| format!("line {}", subject.line(site));
        Event {
            thread: event.thread.map(|thread| thread.index()),
            step: steps.get(&id).copied(),
            text: if graph.is_init(id) { initially(subject, &event.label) } else { effect(subject, &event.label) },
            place: Site::of(event).map(line).unwrap_or_default(),
        }
    };
    let wanted = [Relation::Po, Relation::Rf, Relation::Mo, Relation::Fr].into_iter();
    Diagram {
        threads: subject.program.threads().iter().map(|thread| thread.name.clone()).collect(),
        events: graph.ids().map(event).collect(),
        edges: edges(subject, graph, extra),
        in_full: wanted.filter(|relation| extra.wants(relation.as_str())).collect(),
        ..Diagram::default()
    }
}

fn edges(subject: &Subject<'_>, graph: &Graph, extra: Extra<'_>) -> Vec<Edge> {
    // The order of fence(sc) is that of updates of a location which nobody has initialised, as far
    // as people can see.
    let is_seen = |id: &EventId| {
        !graph.is_init(*id) || graph.label(*id).loc().is_none_or(|loc| subject.program.fence_location() != Some(loc))
    };
    let mut edges = Vec::new();
    for read in graph.ids() {
        edges.extend(graph.source(read).filter(is_seen).map(|source| edge(source, read, Relation::Rf)));
    }
    let mut next: BTreeMap<EventId, EventId> = BTreeMap::new();
    for loc in (0..graph.locations()).map(LocId::from_index) {
        let writes: Vec<EventId> = graph.writes(loc).iter().copied().filter(is_seen).collect();
        for pair in writes.windows(2) {
            edges.push(edge(pair[0], pair[1], Relation::Mo));
            next.insert(pair[0], pair[1]);
        }
    }
    for read in graph.ids().filter(|&id| !graph.label(id).is_write()) {
        let later = graph.source(read).and_then(|source| next.get(&source));
        edges.extend(later.map(|&later| edge(read, later, Relation::Fr)));
    }
    let relations = extra.model.filter(|_| !extra.relations.is_empty()).map(|model| model.relations(graph));
    for (name, rel) in relations.into_iter().flatten().filter(|(name, _)| extra.wants(name)) {
        let events = || graph.ids().filter(|&id| !graph.is_init(id));
        let pairs = events().flat_map(|a| events().map(move |b| (a, b)));
        let related = pairs.filter(|&(a, b)| a != b && rel.contains(a, b));
        edges.extend(related.map(|(a, b)| edge(a, b, Relation::Derived(name))));
    }
    edges
}

fn edge(from: EventId, to: EventId, relation: Relation) -> Edge {
    Edge { from: from.index(), to: to.index(), relation }
}

/// `W[rel] x=1`
fn effect(subject: &Subject<'_>, label: &Label) -> String {
    let mode = label.mode();
    if subject.is_fence(label) {
        return format!("F[{}]", if label.loc().is_some() { "sc" } else { mode.as_str() });
    }
    match *label {
        Label::Read { loc, value, .. } => format!("R[{mode}] {}", holds(subject, loc, value)),
        Label::Write { loc, value, .. } => format!("W[{mode}] {}", holds(subject, loc, value)),
        Label::Rmw { loc, read, written, .. } => {
            format!("U[{mode}] {}→{}", holds(subject, loc, read), subject.value(written))
        }
        Label::Fence { .. } => format!("F[{mode}]"),
        Label::LightFence { loc: Some(loc) } => format!("F[light] {}", subject.location(loc)),
        Label::LightFence { loc: None } => "F[light]".to_string(),
    }
}

fn initially(subject: &Subject<'_>, label: &Label) -> String {
    let value = label.value_written().unwrap_or(0);
    label.loc().map_or(String::new(), |loc| holds(subject, loc, value))
}

/// `x=1`
fn holds(subject: &Subject<'_>, loc: LocId, value: Value) -> String {
    format!("{}={}", subject.location(loc), subject.value(value))
}

/// What happens in a litmus shape.
fn story(name: &str) -> Option<String> {
    Some(format!("{name}: {}", shapes::explain(name)?.story))
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
