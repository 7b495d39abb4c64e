//! Strong release/acquire: release/acquire where modification order agrees
//! with causality not only per location but globally.
//!
//! Paper: Lahav and Boker, "Decidable Verification under a Causally Consistent
//! Shared Memory", PLDI 2020. The axioms are those of §3: irr-hb-mo,
//! read-coherence, atomicity.
//!
//! Deviations: (1) locations are initialised implicitly (Remark 1 of the
//! paper), by writes before everything else; (2) non-atomic locations, which
//! the paper does not have, are treated like atomic ones: in programs without
//! data races this makes no difference.
//!
//! There is no monitor: safety under SRA is decided by coverability instead.

use crate::graph::{EventId, Graph};
use crate::model::{ByDefault, Causal, Declaration, Fences, Kind, Model, Repairs, Robustness, SafeIf, Views};
use crate::models::ra::Ra;
use crate::rel::Rel;

/// Strong release/acquire.
pub struct Sra;

/// `hb = (po ∪ rf)⁺`: every read synchronises with the write it reads from.
pub fn hb(graph: &Graph) -> Rel {
    graph.po().union(&graph.rf()).plus()
}

/// Two writes to the same location, neither of which happens before the other (Def. 3.13): the
/// first such pair.
pub fn write_write_race(graph: &Graph) -> Option<(EventId, EventId)> {
    let hb = hb(graph);
    let ordered = |a: EventId, b: EventId| hb.contains(a, b) || hb.contains(b, a);
    let same_location = |a: EventId, b: EventId| graph.label(a).loc() == graph.label(b).loc();
    let writes = || graph.ids().filter(|&id| graph.label(id).is_write());
    writes()
        .flat_map(|a| writes().filter(move |&b| a < b).map(move |b| (a, b)))
        .find(|&(a, b)| same_location(a, b) && !ordered(a, b))
}

static DECLARATION: Declaration = Declaration {
    name: "sra",
    title: "strong release/acquire (causal convergence)",
    essay: "\
What it is: release/acquire where the orders in which locations are written agree with causality all together, not \
each location for itself. It is what POWER gives to release/acquire programs, and what causally consistent databases \
call causal convergence. It differs from release/acquire only in programs with races between writes.

What is modelled: every access counts as release/acquire whatever order is written; a graph is consistent when \
(po ∪ rf ∪ mo) has no cycle, no read sees a write while aware of a later one, and read-modify-writes are atomic. \
`fence(sc)` is a read-modify-write of one hidden location, other fences do nothing. A failed compare-and-swap is a read.

What is not: relaxed accesses, liveness. Plain accesses to non-atomic locations race as under ra; as long as they do \
not, it makes no difference that they count as release/acquire accesses.

Source: Lahav and Boker, Decidable Verification under a Causally Consistent Shared Memory, PLDI 2020.
",
    kind: Kind::Language,
    races: true,
    sections: false,
    fences: Fences::HIDDEN_RMW_ONLY,
    robustness: Robustness::Implied(&Ra),
    causal: Causal { is_it: true, permits_it: true, safe: SafeIf::Always },
    views: Some(Views::Last),
    repairs: Repairs { orders: false, sc_accesses: false, exchanges: true },
    default: ByDefault::Never,
    promela: None,
};

impl Model for Sra {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        let hb = hb(graph);
        let mo = graph.mo();
        let fr = graph.fr();
        let hb_agrees_with_mo = hb.union(&mo).is_acyclic();
        let read_coherence = fr.then_is_irreflexive(&hb);
        let atomicity = fr.then_is_irreflexive(&mo);
        hb_agrees_with_mo && read_coherence && atomicity
    }

    /// As under release/acquire.
    fn race(&self, graph: &Graph, event: EventId) -> Option<EventId> {
        Ra.race(graph, event)
    }

    fn relations(&self, graph: &Graph) -> Vec<(&'static str, Rel)> {
        vec![("hb", hb(graph))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_base::event::Label;
    use fencepost_base::ids::{LocId, ThreadId};
    use fencepost_base::order::Mode;

    /// 2+2W (Ex. 3.11): each thread writes one location, then the other, and reads its second write
    /// overwritten.
    #[test]
    fn two_plus_two_writes_separate_ra_from_sra() {
        let mut graph = Graph::initial(&[0, 0]);
        let (t, u) = (ThreadId(0), ThreadId(1));
        let (x, y) = (LocId(0), LocId(1));
        let write = |loc, value| Label::Write { loc, value, mode: Mode::Rel };
        let x1 = graph.add(t, write(x, 1), Some(EventId(0)), None);
        let y2 = graph.add(t, write(y, 2), Some(EventId(1)), None);
        // u's write of y comes after t's, and t's first write of x after u's last.
        graph.add(u, write(y, 1), Some(y2), None);
        graph.add(u, write(x, 2), Some(EventId(0)), None);
        assert!(Ra.permits(&graph));
        assert!(!Sra.permits(&graph));
        assert!(write_write_race(&graph).is_some());
        assert_eq!(graph.writes(x).last(), Some(&x1));
    }

    #[test]
    fn writes_ordered_by_reading_do_not_race() {
        let mut graph = Graph::initial(&[0]);
        let x = LocId(0);
        let one = graph.add(ThreadId(0), Label::Write { loc: x, value: 1, mode: Mode::Rel }, Some(EventId(0)), None);
        let rmw = Label::Rmw { loc: x, read: 1, written: 2, mode: Mode::AcqRel };
        graph.add(ThreadId(1), rmw, Some(one), None);
        assert!(Sra.permits(&graph));
        assert_eq!(write_write_race(&graph), None);
    }
}
