//! Runs, as they are stepped through: what each step does to memory as data, not as words.

use std::collections::BTreeMap;

use fencepost_finding::{
    Access, Buffered, Delay, Diagram, Finding, Frame, Link, LinkEnd, Observed, Relation, Replayed, Rule, Run,
    Statement, Step,
};
use serde::Serialize;

/// A run. The fields are explained in `assets/finding.js`.
#[derive(Serialize)]
pub(super) struct RunView {
    /// A short name, where there are several runs.
    tab: &'static str,
    title: String,
    is_sc: bool,
    /// Not every step is known, only those on a path.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_partial: bool,
    threads: Vec<String>,
    initially: BTreeMap<String, String>,
    steps: Vec<StepView>,
}

#[derive(Default, Serialize)]
struct StepView {
    thread: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    remark: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stands_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<Action>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reads_from: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overtaken_by: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<u8>,
}

/// What a step does to memory.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Action {
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
}

impl Action {
    /// Of an effect, as statements have them: `R x 0`, `W x 1`, `U x 0→1`, `fence`, `choice 1`.
    fn of_effect(effect: &str) -> Option<Action> {
        let effect = effect.trim_end_matches(", delayed").trim_end_matches(" reaches memory");
        let (op, rest) = effect.split_once(' ').unwrap_or((effect, ""));
        match op {
            "R" | "W" | "U" => {
                let (location, value) = rest.rsplit_once(' ')?;
                Action::of(op, location, value)
            }
            "fence" | "light" => Some(Action { op: "fence", ..Action::default() }),
            "choice" => Some(Action { op: "choice", written: Some(rest.into()), ..Action::default() }),
            _ => None,
        }
    }

    /// Of the text of an event in a diagram: `W[rel] x=1`, `R x`, `U[acq_rel] x=0→1`; `U x→1` if it is
    /// not known what was read.
    fn of_event(text: &str) -> Option<Action> {
        let (op, rest) = text.split_once(' ')?;
        let op = op.split('[').next().unwrap_or(op);
        let at_arrow = || rest.find('→').map_or((rest, ""), |at| rest.split_at(at));
        let (location, value) = rest.rsplit_once('=').unwrap_or_else(at_arrow);
        Action::of(op, location, value)
    }

    fn of(op: &str, location: &str, value: &str) -> Option<Action> {
        let location = Some(location.to_string());
        let known = |value: &str| Some(value.to_string()).filter(|value| !value.is_empty());
        Some(match op {
            "R" => Action { op: "read", location, read: known(value), written: None },
            "W" => Action { op: "write", location, read: None, written: known(value) },
            "U" => {
                let (read, written) = value.split_once('→').unwrap_or_default();
                Action { op: "update", location, read: known(read), written: known(written) }
            }
            _ => return None,
        })
    }
}

/// The runs of a finding, the one that its diagram shows first.
pub(super) fn of_replayed(finding: &Finding, replayed: &Replayed) -> Vec<RunView> {
    let threads = replayed.diagram.as_deref().map_or(&[][..], |diagram| &diagram.threads);
    let run = replayed.run.as_ref().map(|run| of_run(finding, run, threads));
    let delay = replayed.delay.as_ref().map(|delay| of_delay(delay, replayed.run.as_ref(), threads));
    run.into_iter().chain(delay).collect()
}

fn of_run(finding: &Finding, run: &Run, threads: &[String]) -> RunView {
    let steps: Vec<&Step> = run.steps.iter().chain(&run.last).collect();
    let mut view = view("Run", &run.title, run.is_sc, &run.initially, &steps, threads);
    for (access, mark) in [(&finding.conflicting, 2), (&finding.access, 1)] {
        let Some(Access::Statement(access)) = access else { continue };
        let is_it = |step: &&Step| step.statement.thread == access.thread && step.statement.span == access.span;
        if let Some(last) = steps.iter().rposition(is_it) {
            view.steps[last].mark = Some(mark);
        }
    }
    view
}

fn of_delay(delay: &Delay, run: Option<&Run>, threads: &[String]) -> RunView {
    let initially = run.map_or(&[][..], |run| &run.initially);
    let steps: Vec<&Step> = delay.computation.iter().collect();
    let title = "The same on a machine with store buffers, up to when they are empty";
    view("Store buffers", title, false, initially, &steps, threads)
}

fn view(
    tab: &'static str,
    title: &str,
    is_sc: bool,
    initially: &[(String, String)],
    steps: &[&Step],
    names: &[String],
) -> RunView {
    // Columns are in the order of the program, as far as that is known.
    let takes_steps = |name: &&String| steps.iter().any(|step| step.statement.thread == **name);
    let mut threads: Vec<String> = names.iter().filter(takes_steps).cloned().collect();
    let mut views = Vec::new();
    for step in steps {
        let Statement { thread, start, text, effect, remark, .. } = &step.statement;
        let number = threads.iter().position(|name| name == thread).unwrap_or_else(|| {
            threads.push(thread.clone());
            threads.len() - 1
        });
        views.push(StepView {
            thread: number,
            line: Some(start.line),
            text: text.clone(),
            action: effect.as_deref().and_then(Action::of_effect),
            effect: effect.clone().filter(|effect| !effect.is_empty()),
            remark: remark.clone(),
            stands_out: step.stands_out,
            reads_from: step.reads_from,
            overtaken_by: step.overtaken_by,
            buffer: step.buffered.map(|buffered| match buffered {
                Buffered::Enters => "delayed",
                Buffered::Leaves => "memory",
            }),
            ..StepView::default()
        });
    }
    let touches = |name: &str| {
        views.iter().any(|step| step.action.as_ref().is_some_and(|action| action.location.as_deref() == Some(name)))
    };
    let initially = initially.iter().filter(|(name, _)| touches(name)).cloned().collect();
    RunView { tab, title: title.into(), is_sc, is_partial: false, threads, initially, steps: views }
}

/// The path that a watched run has shown, in the order of its events.
pub(super) fn of_observed(finding: &Finding, observed: &Observed, diagram: &Diagram) -> RunView {
    let is_race = finding.kind.rule() == Rule::Race;
    let frames = frames(finding, observed);
    let number = |event: usize| step_of(diagram, event);
    let into = |event: usize, relation: Relation| {
        let edges = diagram.edges.iter().chain(&diagram.focus);
        edges.filter(move |edge| edge.to == event && edge.relation == relation).map(|edge| edge.from)
    };
    let mut steps = Vec::new();
    let mut initially = BTreeMap::new();
    for (index, event) in diagram.events.iter().enumerate() {
        let action = Action::of_event(&event.text);
        let Some(thread) = event.thread else {
            initially.extend(event.text.split_once('=').map(|(name, value)| (name.to_string(), value.to_string())));
            continue;
        };
        let is_culprit = diagram.culprit == Some(index);
        // The edge that closes the circle leads back to what the access should have come after.
        let back = diagram.focus.iter().find(|edge| is_culprit && edge.from == index && edge.to < index);
        let source = into(index, Relation::Rf).next().map(|from| number(from).unwrap_or(0));
        let frame = frames.get(&event.place);
        steps.push(StepView {
            thread,
            file: frame.and_then(|frame| frame.file.clone()),
            line: frame.and_then(|frame| frame.line).map(|line| line as usize),
            place: Some(event.place.clone()).filter(|place| !place.is_empty()),
            text: event.text.clone(),
            stands_out: is_culprit,
            reads_from: source.filter(|_| !is_race),
            overtaken_by: back.filter(|_| !is_race).and_then(|edge| number(edge.to)),
            action,
            ..StepView::default()
        });
    }
    let access = steps.iter().rposition(|step: &StepView| step.stands_out);
    let other =
        access.and_then(|access| if is_race { Some(0) } else { steps[access].overtaken_by.map(|step| step - 1) });
    for (step, mark) in [(other, 2), (access, 1)] {
        if let Some(step) = step.and_then(|step| steps.get_mut(step)) {
            step.mark = Some(mark);
        }
    }
    let title = match is_race {
        true => "The two accesses, and what the recorded run has between them",
        false => "How the missed write comes first in every SC order, and what the access can do all the same",
    };
    let threads = diagram.threads.clone();
    RunView { tab: "Path", title: title.into(), is_sc: false, is_partial: true, threads, initially, steps }
}

/// The step, from 1, that an event of a diagram is.
pub(super) fn step_of(diagram: &Diagram, event: usize) -> Option<usize> {
    let has_numbers = diagram.events.iter().any(|event| event.step.is_some());
    let before = diagram.events[..event].iter().filter(|event| event.thread.is_some()).count();
    match has_numbers {
        true => diagram.events[event].step,
        false => diagram.events[event].thread.map(|_| before + 1),
    }
}

/// The places of events, by what diagrams call them.
fn frames<'a>(finding: &'a Finding, observed: &'a Observed) -> BTreeMap<String, &'a Frame> {
    let ends = observed.links.iter().flat_map(|Link { from, to, .. }| [from, to]);
    let ends = ends.map(|LinkEnd { place, .. }| place);
    let accesses = [&finding.access, &finding.conflicting].into_iter().flatten();
    let operations = accesses.filter_map(|access| match access {
        Access::Operation(operation) => Some(&**operation),
        Access::Statement(_) => None,
    });
    let blamed = operations.chain(&observed.stale).filter_map(|operation| operation.blamed());
    ends.chain(blamed).map(|frame| (crate::diagram::place(frame), frame)).collect()
}

#[cfg(test)]
mod tests {
    use super::Action;

    fn parts(action: Option<Action>) -> Option<(&'static str, Vec<String>)> {
        let Action { op, location, read, written } = action?;
        let texts = [location, read, written].map(|text| text.unwrap_or_else(|| "-".into()));
        Some((op, texts.to_vec()))
    }

    #[test]
    fn effects_are_taken_apart() {
        for (effect, op, texts) in [
            ("R x 0", "read", ["x", "0", "-"]),
            ("W a[1] -3", "write", ["a[1]", "-", "-3"]),
            ("U x 0→1", "update", ["x", "0", "1"]),
            ("W x 1, delayed", "write", ["x", "-", "1"]),
            ("W x 1 reaches memory", "write", ["x", "-", "1"]),
            ("fence", "fence", ["-", "-", "-"]),
            ("light fence x", "fence", ["-", "-", "-"]),
            ("choice 2", "choice", ["-", "-", "2"]),
        ] {
            assert_eq!(parts(Action::of_effect(effect)), Some((op, texts.map(String::from).to_vec())), "{effect}");
        }
        assert_eq!(parts(Action::of_effect("")), None);
    }

    #[test]
    fn events_are_taken_apart() {
        for (text, op, texts) in [
            ("W[rel] x=1", "write", ["x", "-", "1"]),
            ("R[relaxed] queue+8", "read", ["queue+8", "-", "-"]),
            ("R[acquire] 0x4000=", "read", ["0x4000", "-", "-"]),
            ("U[acq_rel] x=0→1", "update", ["x", "0", "1"]),
            ("U[relaxed] x→1", "update", ["x", "-", "1"]),
        ] {
            assert_eq!(parts(Action::of_event(text)), Some((op, texts.map(String::from).to_vec())), "{text}");
        }
        assert_eq!(parts(Action::of_event("F[sc]")), None);
    }
}
