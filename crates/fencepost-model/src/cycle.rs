//! Cycles of an execution graph that SC forbids, and the names people know them by.

use fencepost_base::event::Label;

use crate::graph::{EventId, Graph};
use crate::rel::Rel;

/// The relations an SC cycle is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// Program order.
    Po,
    /// Reads-from.
    Rf,
    /// Modification order.
    Mo,
    /// From-read.
    Fr,
    /// Back in an atomic section, which happens at once.
    Section,
}

impl Edge {
    /// The name in the literature.
    pub fn as_str(self) -> &'static str {
        match self {
            Edge::Po => "po",
            Edge::Rf => "rf",
            Edge::Mo => "mo",
            Edge::Fr => "fr",
            Edge::Section => "section",
        }
    }
}

/// A cycle: each event is related by its edge to the next one, the last to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Events with their outgoing edges.
    pub steps: Vec<(EventId, Edge)>,
}

/// A shortest cycle of po ∪ rf ∪ mo ∪ fr through `start`, or its atomic section, if there is one.
/// Atomic sections count as one event: a path may leave one from another event than it came to.
/// Communication within a thread is program order already and is not used.
pub fn shortest_through(graph: &Graph, start: EventId) -> Option<Cycle> {
    let external = |rel: Rel| rel.filter(|a, b| graph.event(a).thread != graph.event(b).thread);
    let edges = [
        (Edge::Po, graph.po()),
        (Edge::Rf, external(graph.rf())),
        (Edge::Mo, external(graph.mo())),
        (Edge::Fr, external(graph.fr())),
    ];
    let section = |id: EventId| graph.section(id);
    let mut members: Vec<Vec<EventId>> = vec![Vec::new(); graph.len()];
    graph.ids().for_each(|id| members[section(id).index()].push(id));
    // For every section reached, the step that leads to it.
    let mut reached: Vec<Option<Step>> = vec![None; graph.len()];
    let mut frontier = vec![section(start)];
    while !frontier.is_empty() {
        let mut next = Vec::new();
        for &from in &frontier {
            for &a in &members[from.index()] {
                for (edge, rel) in &edges {
                    for b in rel.successors(a).filter(|&b| section(b) != from) {
                        let to = section(b);
                        if reached[to.index()].is_none() {
                            reached[to.index()] = Some((a, *edge, b));
                            if to == section(start) {
                                return Some(backtrack(graph, &reached, to));
                            }
                            next.push(to);
                        }
                    }
                }
            }
        }
        frontier = next;
    }
    None
}

/// From an event to another one in another section.
type Step = (EventId, Edge, EventId);

fn backtrack(graph: &Graph, reached: &[Option<Step>], start: EventId) -> Cycle {
    let mut path: Vec<Step> = Vec::new();
    let mut at = start;
    while let Some(step) = reached[at.index()] {
        path.push(step);
        at = graph.section(step.0);
        if at == start {
            break;
        }
    }
    path.reverse();
    let mut steps = Vec::new();
    for (index, &(leaves, edge, _)) in path.iter().enumerate() {
        let (_, before, came) = path[(index + path.len() - 1) % path.len()];
        if edge == Edge::Po {
            // The whole section comes before what follows in program order, and after what
            // precedes.
            steps.push((came, edge));
            continue;
        }
        if came != leaves && before != Edge::Po {
            steps.push((came, if came < leaves { Edge::Po } else { Edge::Section }));
        }
        steps.push((leaves, edge));
    }
    Cycle { steps }
}

/// The name of the litmus shape a cycle has, when it is a known one. A
/// read-modify-write counts as the half of it that the cycle uses.
pub fn shape_name(graph: &Graph, cycle: &Cycle) -> Option<String> {
    let incoming = |step: usize| cycle.steps[(step + cycle.steps.len() - 1) % cycle.steps.len()].1;
    let letters: Vec<String> = cycle
        .steps
        .iter()
        .enumerate()
        .map(|(step, &(event, outgoing))| {
            let kind = match (graph.label(event), outgoing, incoming(step)) {
                (Label::Read { .. }, _, _) => "R",
                (Label::Write { .. }, _, _) => "W",
                (Label::Rmw { .. }, Edge::Fr, _) | (Label::Rmw { .. }, Edge::Po, Edge::Rf) => "R",
                (Label::Rmw { .. }, _, _) => "W",
                (Label::Fence { .. } | Label::LightFence { .. }, _, _) => "F",
            };
            format!("{kind} {}", outgoing.as_str())
        })
        .collect();
    let rotated = |shift: usize| -> String {
        (0..letters.len()).map(|i| letters[(i + shift) % letters.len()].as_str()).collect::<Vec<_>>().join(" ")
    };
    let canonical = (0..letters.len()).map(rotated).min()?;
    let known = |shape: &str| {
        let words: Vec<String> = shape.split(',').map(|step| step.trim().to_string()).collect();
        (0..words.len())
            .map(|shift| {
                (0..words.len()).map(|i| words[(i + shift) % words.len()].as_str()).collect::<Vec<_>>().join(" ")
            })
            .min()
    };
    if let Some((name, _)) = SHAPES.iter().find(|(_, shape)| known(shape).as_ref() == Some(&canonical)) {
        return Some((*name).to_string());
    }
    // Rings of store buffering: one more thread each.
    let threads = letters.len() / 2;
    let ring = vec!["W po, R fr"; threads].join(", ");
    (threads > 2 && known(&ring).as_ref() == Some(&canonical)).then(|| format!("{threads}.SB"))
}

/// Known cycles, each event with its outgoing edge (names as in the litmus test literature).
pub const SHAPES: &[(&str, &str)] = &[
    ("SB", "W po, R fr, W po, R fr"),
    ("MP", "W po, W rf, R po, R fr"),
    ("LB", "R po, W rf, R po, W rf"),
    ("S", "W po, W rf, R po, W mo"),
    ("R", "W po, W mo, W po, R fr"),
    ("2+2W", "W po, W mo, W po, W mo"),
    ("WRC", "W rf, R po, W rf, R po, R fr"),
    ("RWC", "W rf, R po, R fr, W po, R fr"),
    ("WWC", "W rf, R po, W rf, R po, W mo"),
    ("WRR+2W", "W rf, R po, R fr, W po, W mo"),
    ("WRW+2W", "W rf, R po, W mo, W po, W mo"),
    ("WRW+WR", "W rf, R po, W mo, W po, R fr"),
    ("ISA2", "W po, W rf, R po, W rf, R po, R fr"),
    ("W+RWC", "W po, W rf, R po, R fr, W po, R fr"),
    ("Z6.0", "W po, W rf, R po, W mo, W po, R fr"),
    ("Z6.1", "W po, W mo, W po, W rf, R po, W mo"),
    ("Z6.2", "W po, W rf, R po, W rf, R po, W mo"),
    ("Z6.3", "W po, W mo, W po, W rf, R po, R fr"),
    ("Z6.4", "W po, W mo, W po, R fr, W po, R fr"),
    ("Z6.5", "W po, W mo, W po, W mo, W po, R fr"),
    ("3.2W", "W po, W mo, W po, W mo, W po, W mo"),
    ("IRIW", "W rf, R po, R fr, W rf, R po, R fr"),
    ("IRRWIW", "W rf, R po, R fr, W rf, R po, W mo"),
    ("IRWIW", "W rf, R po, W mo, W rf, R po, W mo"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_base::ids::{LocId, ThreadId};
    use fencepost_base::order::Mode;

    use crate::model::Model;
    use crate::models::sc::Sc;

    fn read(loc: u32, value: u32) -> Label {
        Label::Read { loc: LocId(loc), value, mode: Mode::Acq }
    }

    fn write(loc: u32, value: u32) -> Label {
        Label::Write { loc: LocId(loc), value, mode: Mode::Rel }
    }

    #[test]
    fn store_buffering_is_recognised() {
        let mut graph = Graph::initial(&[0, 0]);
        let (x0, y0) = (EventId(0), EventId(1));
        graph.add(ThreadId(0), write(0, 1), Some(x0), None);
        graph.add(ThreadId(0), read(1, 0), Some(y0), None);
        graph.add(ThreadId(1), write(1, 1), Some(y0), None);
        let stale = graph.add(ThreadId(1), read(0, 0), Some(x0), None);
        let cycle = shortest_through(&graph, stale).expect("a cycle");
        assert_eq!(cycle.steps.len(), 4);
        assert_eq!(shape_name(&graph, &cycle).as_deref(), Some("SB"));
    }

    #[test]
    fn an_atomic_section_counts_as_one_event() {
        // Two threads that each write one location and read the other at once.
        let mut graph = Graph::initial(&[0, 0]);
        let (x0, y0) = (EventId(0), EventId(1));
        let ry = graph.add(ThreadId(0), read(1, 0), Some(y0), None);
        let wx = graph.add(ThreadId(0), write(0, 1), Some(x0), None);
        let rx = graph.add(ThreadId(1), read(0, 0), Some(x0), None);
        let wy = graph.add(ThreadId(1), write(1, 1), Some(y0), None);
        assert!(Sc.permits(&graph) && shortest_through(&graph, wy).is_none());
        graph.tie(ry, wx);
        assert!(Sc.permits(&graph), "the other thread's read comes first, its write last");
        graph.tie(rx, wy);
        assert!(!Sc.permits(&graph));
        let cycle = shortest_through(&graph, wy).expect("a cycle");
        assert_eq!(cycle.steps, [(wy, Edge::Section), (rx, Edge::Fr), (wx, Edge::Section), (ry, Edge::Fr)]);
        assert_eq!(graph.restricted(|id| id != wy).section(rx), rx);
        assert!(Sc.permits(&graph.restricted(|id| id != wy)));
    }

    #[test]
    fn cycles_pass_sections_in_program_order() {
        // Store buffering, each load in a section with another one before it.
        let mut graph = Graph::initial(&[0, 0, 0]);
        for (thread, own, other) in [(0, 0, 1), (1, 1, 0)] {
            graph.add(ThreadId(thread), write(own, 1), Some(EventId(own)), None);
            let idle = graph.add(ThreadId(thread), read(2, 0), Some(EventId(2)), None);
            let load = graph.add(ThreadId(thread), read(other, 0), Some(EventId(other)), None);
            graph.tie(idle, load);
        }
        let last = EventId::from_index(graph.len() - 1);
        let cycle = shortest_through(&graph, last).expect("a cycle");
        assert_eq!(shape_name(&graph, &cycle).as_deref(), Some("SB"));
    }

    #[test]
    fn shape_names_and_shapes_are_distinct() {
        for (i, (name, shape)) in SHAPES.iter().enumerate() {
            for (other, same) in &SHAPES[i + 1..] {
                assert_ne!(name, other);
                let steps: Vec<&str> = shape.split(", ").collect();
                for shift in 0..steps.len() {
                    let rotated = [&steps[shift..], &steps[..shift]].concat().join(", ");
                    assert_ne!(&rotated, same, "{name} and {other} are one cycle");
                }
            }
        }
    }
}
