//! From an execution graph to a run that the oracle can replay, without what has no part in what
//! was found.

use fencepost_model::{EventId, Graph};
use fencepost_verdict::{GraphRun, GraphStep, Site};

use crate::What;

/// What a step of a thread was. Fences are not steps: whoever replays passes them on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Taken {
    Choice(u32),
    Event(EventId),
}

/// The run to a graph along a path that has all its accesses, in an order that agrees with
/// reads-from: that of the path as far as possible.
pub(crate) fn run(graph: &Graph, path: Vec<(Site, Taken)>, what: &What, other: Option<EventId>) -> GraphRun {
    let kept = kept(graph, what, other);
    let is_whole = |site: &Site| match what {
        What::Failure { site: failing, .. } => site.thread == failing.thread,
        What::Race { .. } => false,
        What::End => true,
    };
    // The steps that are kept, or that lead to others of their thread that are; latest first.
    let mut left: Vec<(Site, Taken)> = Vec::new();
    for (site, taken) in path.into_iter().rev() {
        let is_kept = matches!(taken, Taken::Event(event) if kept[event.index()]);
        if is_kept || is_whole(&site) || left.iter().any(|(later, _)| later.thread == site.thread) {
            left.push((site, taken));
        }
    }
    // The number in the run of every event of the graph.
    let mut numbers: Vec<Option<EventId>> = vec![None; graph.len()];
    let init = graph.locations();
    (0..init).for_each(|id| numbers[id] = Some(EventId::from_index(id)));
    let mut steps = Vec::new();
    let mut events = init;
    while !left.is_empty() {
        let is_ready = |place: usize| {
            let (site, taken): (Site, Taken) = left[place];
            let is_first = left[place + 1..].iter().all(|(other, _)| other.thread != site.thread);
            let has_source = |event| graph.source(event).is_none_or(|source| numbers[source.index()].is_some());
            is_first && !matches!(taken, Taken::Event(event) if !has_source(event))
        };
        let next = (0..left.len()).rev().find(|&place| is_ready(place));
        let (site, taken) = left.remove(next.expect("program order and reads-from have no cycle"));
        match taken {
            Taken::Choice(choice) => steps.push(GraphStep { site, event: None, choice: Some(choice) }),
            Taken::Event(event) => {
                let label = *graph.label(event);
                let predecessor = graph.source(event).and_then(|source| numbers[source.index()]).or_else(|| {
                    let writes = graph.writes(label.loc().expect("an access"));
                    let earlier = writes.iter().rev().skip_while(|&&write| write != event);
                    earlier.skip(1).find_map(|write| numbers[write.index()])
                });
                let predecessor = predecessor.expect("an initialisation write at least");
                steps.push(GraphStep { site, event: Some((label, predecessor)), choice: None });
                numbers[event.index()] = Some(EventId::from_index(events));
                events += 1;
            }
        }
    }
    GraphRun { steps }
}

/// The events that matter: those that come before, in program order and reads-from, and in a race
/// the other access.
fn kept(graph: &Graph, what: &What, other: Option<EventId>) -> Vec<bool> {
    match what {
        What::End => past(graph, graph.ids().collect()),
        What::Failure { site: Site { thread, .. }, .. } | What::Race { thread, .. } => {
            past(graph, graph.thread_events(*thread).chain(other).collect())
        }
    }
}

/// For every event: does it come before one of these, in program order and reads-from, or is it
/// one?
pub(crate) fn past(graph: &Graph, mut events: Vec<EventId>) -> Vec<bool> {
    let mut past = vec![false; graph.len()];
    while let Some(id) = events.pop() {
        if std::mem::replace(&mut past[id.index()], true) {
            continue;
        }
        events.extend(graph.source(id));
        if let Some(thread) = graph.event(id).thread {
            events.extend(graph.thread_events(thread).take_while(|&earlier| earlier < id));
        }
    }
    past
}
