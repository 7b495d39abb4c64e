//! The definitions: the store-buffer machine, summaries of its traces, replay.

use super::{Mutant, buffers, verify};

const BUFFERS: &str = "crates/fencepost-oracle/src/buffers.rs";
const BOUNDED: &str = "crates/fencepost-oracle/src/buffers/bounded.rs";
const REPLAY_GRAPH: &str = "crates/fencepost-oracle/src/replay/graph.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    verify(
        "verify: a race on the way is passed by",
        REPLAY_GRAPH,
        "self.replayed.race = Some(pair(&graph, site, other));",
        "",
    ),
    verify(
        "verify: an access races with itself",
        REPLAY_GRAPH,
        "RacingPair { access, other, location }",
        "RacingPair { access, other: (other, access).1, location }",
    ),
    buffers(
        "machine: loads do not look into the own queues",
        BUFFERS,
        "let newest = queues.of[loc.index()].back().or(waiting.next_back());",
        "let newest = queues.of[loc.index()].back().or(waiting.next_back().filter(|_| false));",
    ),
    buffers(
        "machine: light fences wait for nothing",
        BUFFERS,
        "Label::LightFence { loc: Some(loc) } => queues.of[loc.index()].is_empty(),",
        "Label::LightFence { loc: Some(_) } => true,",
    ),
    buffers(
        "machine: failed updates do not wait",
        BUFFERS,
        "if !buffered && !state.is_drained(thread) {",
        "if !buffered && !state.is_drained(thread) && !matches!(access.action, Action::Cas { .. }) {",
    ),
    buffers(
        "summaries: what happens before predecessors is forgotten",
        BOUNDED,
        "if set >> first & 1 == 1 { set | predecessors } else { set }",
        "set",
    ),
    buffers(
        "summaries: sections end before they are complete",
        BOUNDED,
        "if set & SECTION == 0 { set } else { set & !SECTION | section }",
        "set & !SECTION",
    ),
    buffers(
        "summaries: threads with the same code are mixed up",
        BOUNDED,
        "order.iter().map(|&thread| state.latest[thread]).collect()",
        "state.latest.clone()",
    ),
    buffers(
        "summaries: registers are dead where they are read",
        BOUNDED,
        "if reads {\n            return true;",
        "if reads {\n            return false;",
    ),
];
