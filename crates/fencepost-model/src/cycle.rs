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
}

impl Edge {
    /// The name in the literature.
    pub fn as_str(self) -> &'static str {
        match self {
            Edge::Po => "po",
            Edge::Rf => "rf",
            Edge::Mo => "mo",
            Edge::Fr => "fr",
        }
    }
}

/// A cycle: each event is related by its edge to the next one, the last to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Events with their outgoing edges.
    pub steps: Vec<(EventId, Edge)>,
}

/// A shortest cycle of po ∪ rf ∪ mo ∪ fr through `start`, if there is one.
/// Communication within a thread is program order already and is not used.
pub fn shortest_through(graph: &Graph, start: EventId) -> Option<Cycle> {
    let external = |rel: Rel| rel.filter(|a, b| graph.event(a).thread != graph.event(b).thread);
    let edges = [
        (Edge::Po, graph.po()),
        (Edge::Rf, external(graph.rf())),
        (Edge::Mo, external(graph.mo())),
        (Edge::Fr, external(graph.fr())),
    ];
    let mut reached: Vec<Option<(EventId, Edge)>> = vec![None; graph.len()];
    let mut frontier = vec![start];
    while !frontier.is_empty() {
        let mut next = Vec::new();
        for &a in &frontier {
            for (edge, rel) in &edges {
                for b in rel.successors(a) {
                    if reached[b.index()].is_none() {
                        reached[b.index()] = Some((a, *edge));
                        if b == start {
                            return Some(backtrack(&reached, start));
                        }
                        next.push(b);
                    }
                }
            }
        }
        frontier = next;
    }
    None
}

fn backtrack(reached: &[Option<(EventId, Edge)>], start: EventId) -> Cycle {
    let mut steps = Vec::new();
    let mut at = start;
    while let Some((from, edge)) = reached[at.index()] {
        steps.push((from, edge));
        at = from;
        if at == start {
            break;
        }
    }
    steps.reverse();
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
const SHAPES: &[(&str, &str)] = &[
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
