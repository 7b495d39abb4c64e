//! Release/acquire: the fragment of C/C++11 in which every load acquires,
//! every store releases and every read-modify-write does both.
//!
//! Paper: Lahav and Margalit, "Robustness against Release/Acquire Semantics",
//! PLDI 2019. The axioms are Def. A.12 with the happens-before of §6; the
//! monitor is SCM of §5 with the critical values of §5.1 ([`monitor`]); what
//! its components mean on execution graphs is written down in [`meaning`].
//!
//! Deviations: (1) values are tracked by classes that no blocking instruction
//! can tell apart, which contains §5.1 as the case of one class per critical
//! value; (2) initialisation writes are known to every thread also for
//! non-atomic accesses, without which a lone plain load would be a race.
//!
//! Sound and complete for execution-graph robustness (Thm 5.3, Thm 6.2).

pub mod meaning;
pub mod monitor;

use crate::graph::{EventId, Graph};
use crate::model::{
    ByDefault, Causal, Declaration, Fences, Kind, Model, PromelaMonitor, Repairs, Robustness, SafeIf, Views,
};
use crate::monitor::{Monitor, Shape};
use crate::packed::Layout;
use crate::rel::Rel;

/// Release/acquire.
pub struct Ra;

/// `sw = ⋃ [Wₓ] ; rf ; [Rₓ]` over atomic accesses: plain ones do not synchronise.
pub fn sw(graph: &Graph) -> Rel {
    let is_atomic = |event: EventId| graph.is_init(event) || !graph.label(event).is_nonatomic();
    graph.rf().filter(|write, read| is_atomic(write) && is_atomic(read))
}

/// hb = (po ∪ sw)⁺
pub fn hb(graph: &Graph) -> Rel {
    graph.po().union(&sw(graph)).plus()
}

static DECLARATION: Declaration = Declaration {
    name: "ra",
    title: "release/acquire",
    essay: "\
What it is: C/C++11 where every load is an acquire load, every store a release store, every read-modify-write both. \
Cheaper than sequential consistency everywhere: free on x86, lightweight fences on POWER.

What is modelled: all atomic accesses count as release/acquire whatever order is written; `fence(sc)` is a \
read-modify-write of one hidden location, other fences do nothing; plain accesses to non-atomic locations race \
when two conflicting ones are enabled at the same time. A failed compare-and-swap is a read. `wait` and `bcas` block \
until they can read an acceptable value, also a stale one.

What is not: relaxed accesses (rc20 has them), liveness.

Source: Lahav and Margalit, Robustness against Release/Acquire Semantics, PLDI 2019.
",
    kind: Kind::Language,
    races: true,
    sections: false,
    fences: Fences::HIDDEN_RMW_ONLY,
    robustness: Robustness::Monitor,
    causal: Causal { is_it: false, permits_it: true, safe: SafeIf::WritesDoNotRace },
    views: Some(Views::Anywhere),
    repairs: Repairs { orders: false, sc_accesses: false, exchanges: true },
    default: ByDefault::Never,
    promela: Some(PromelaMonitor::ReleaseAcquire),
};

impl Model for Ra {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        let hb = hb(graph);
        let mo = graph.mo();
        let fr = graph.fr();
        let write_coherence = mo.then_is_irreflexive(&hb);
        let read_coherence = fr.then_is_irreflexive(&hb);
        let atomicity = fr.then_is_irreflexive(&mo);
        hb.is_irreflexive() && write_coherence && read_coherence && atomicity
    }

    /// The last write before it must have been observed: `wmaxₓ ∈ Init ∪ dom(hb? ; [E_τ])`. Where a
    /// location is accessed in both ways, which the paper does not have: no conflicting access, one
    /// of the two plain, is unordered.
    fn race(&self, graph: &Graph, event: EventId) -> Option<EventId> {
        let is_plain = |e: EventId| graph.label(e).is_nonatomic();
        let is_there = |e: EventId| graph.label(e).loc() == graph.label(event).loc() && !graph.is_init(e);
        if graph.ids().any(|other| is_there(other) && !is_plain(other)) {
            let hb = hb(graph);
            let conflicts = |e: EventId| is_plain(e) || is_plain(event);
            let writes = |e: EventId| graph.label(e).is_write() || graph.label(event).is_write();
            let is_ordered = |e: EventId| e == event || hb.contains(e, event) || hb.contains(event, e);
            return graph.ids().find(|&e| is_there(e) && conflicts(e) && writes(e) && !is_ordered(e));
        }
        let last = graph.predecessor(event).expect("a plain access has a predecessor write");
        (!graph.is_init(last) && !hb(graph).contains(last, event)).then_some(last)
    }

    fn relations(&self, graph: &Graph) -> Vec<(&'static str, Rel)> {
        vec![("sw", sw(graph)), ("hb", hb(graph))]
    }

    fn monitor(&self, shape: &Shape, layout: &mut Layout) -> Option<Box<dyn Monitor>> {
        Some(Box::new(monitor::Scm::new(shape, layout)))
    }
}
