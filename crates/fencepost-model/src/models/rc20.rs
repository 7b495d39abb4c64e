//! RC20: relaxed, release, acquire and SC accesses, fences, non-atomics.
//!
//! Paper: Margalit and Lahav, "Verifying Observational Robustness against a
//! C11-Style Memory Model", POPL 2021. The axioms are Def. 3.5 with the
//! synchronisation of §3.1 and the races of §6; the monitor ([`monitor`]) is
//! SC_M of §5.2 for plain robustness (Thm 4.6), without taints.
//!
//! Deviations: (1) `fence(sc)` is one event, an update of a hidden location
//! that counts as an acquire and a release fence besides; the paper has three
//! events in a row, which order everything else alike. (2) SC accesses, which
//! the paper leaves out: acquire/release accesses that in addition have a
//! total order consistent with hb, mo and fr, the rule of C++11. C++20 weakens
//! its hb part. SC fences and SC accesses do not order each other beyond hb. (3)
//! Value classes instead of values, as for release/acquire.

pub mod meaning;
pub mod monitor;

use fencepost_base::event::Label;
use fencepost_base::order::Mode;

use crate::graph::{EventId, Graph};
use crate::model::{
    ByDefault, Causal, Declaration, FenceMeaning, Fences, Kind, LightFences, Model, PromelaMonitor, Repairs,
    Robustness, SafeIf,
};
use crate::monitor::{Monitor, Shape};
use crate::packed::Layout;
use crate::rel::Rel;

/// RC20.
pub struct Rc20;

/// sw = `[E⊒rel] ; ([F] ; po)? ; rf⁺ ; (po ; [F])? ; [E⊒acq]`, where rf is that of atomic accesses
pub fn sw(graph: &Graph) -> Rel {
    let identity = |in_set: &dyn Fn(EventId) -> bool| Rel::identity_on(graph.len(), in_set);
    let is_fence = |e: EventId| matches!(graph.label(e), Label::Fence { .. } | Label::Rmw { mode: Mode::Full, .. });
    let fence = identity(&is_fence);
    let release = identity(&|e| graph.label(e).mode().releases());
    let acquire = identity(&|e| graph.label(e).mode().acquires());
    let is_atomic = |e: EventId| !graph.label(e).is_nonatomic();
    let rf = graph.rf().filter(|write, read| is_atomic(write) && is_atomic(read));
    let po = graph.po();
    let from_fence = fence.then(&po).optional();
    let to_fence = po.then(&fence).optional();
    release.then(&from_fence).then(&rf.plus()).then(&to_fence).then(&acquire)
}

/// hb = (po ∪ sw)⁺
pub fn hb(graph: &Graph) -> Rel {
    graph.po().union(&sw(graph)).plus()
}

/// The order that SC accesses must have: (`[SC] ; (hb ∪ mo ∪ fr) ; [SC]`)⁺
pub fn sc_order(graph: &Graph) -> Rel {
    sc_order_of(graph, &hb(graph), &graph.mo(), &graph.fr())
}

/// The same, of relations that are there already.
fn sc_order_of(graph: &Graph, hb: &Rel, mo: &Rel, fr: &Rel) -> Rel {
    let is_sc = |e: EventId| graph.label(e).mode() == Mode::Sc;
    hb.union(mo).union(fr).filter(|a, b| is_sc(a) && is_sc(b)).plus()
}

static DECLARATION: Declaration = Declaration {
    name: "rc20",
    title: "C11-style relaxed, release/acquire and SC accesses, fences",
    essay: "\
What it is: the C/C++ memory model without out-of-thin-air values: every access has the order that is written. \
Compilers and all common processors implement it.

What is modelled: relaxed, acquire, release, acquire/release accesses and fences; release sequences (through \
read-modify-writes); `fence(sc)` as an acquire fence, an update of one hidden location and a release fence; SC accesses \
as acquire/release accesses with a total order consistent with happens-before, modification order and \
from-read; plain accesses to non-atomic locations race unless ordered by happens-before.

What is not: program order ∪ reads-from is acyclic, so loads do not see stores that come after them (load buffering). \
The rule for SC accesses is that of C++11 between pairs of SC accesses: C++20 asks less of happens-before, and more where \
an SC load and another SC load are ordered through a store that is not SC; SC fences and SC accesses order each other only \
through happens-before. Code that mixes SC and other accesses, or SC accesses and fences, may therefore be reported although \
C++20 orders it. Consume; liveness.

Source: Margalit and Lahav, Verifying Observational Robustness against a C11-Style Memory Model, POPL 2021; SC \
accesses after C++11.
",
    kind: Kind::Language,
    races: true,
    sections: false,
    fences: Fences {
        acq: FenceMeaning::Event,
        rel: FenceMeaning::Event,
        acqrel: FenceMeaning::Event,
        sc: FenceMeaning::HiddenRmw,
        light: LightFences::Ignored,
    },
    robustness: Robustness::Monitor,
    causal: Causal { is_it: false, permits_it: false, safe: SafeIf::SynchronisedAndWritesDoNotRace },
    repairs: Repairs { orders: true, sc_accesses: true, exchanges: true },
    default: ByDefault::Programs,
    promela: Some(PromelaMonitor::Orders),
};

impl Model for Rc20 {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        let (rf, mo, fr, hb) = (graph.rf(), graph.mo(), graph.fr(), hb(graph));
        let write_coherence = mo.then(&rf.optional()).then_is_irreflexive(&hb.optional());
        let read_coherence = fr.then(&rf.optional()).then_is_irreflexive(&hb);
        let atomicity = fr.then_is_irreflexive(&mo);
        let no_thin_air = graph.po().union(&rf).is_acyclic();
        let sc_accesses = sc_order_of(graph, &hb, &mo, &fr).is_irreflexive();
        write_coherence && read_coherence && atomicity && no_thin_air && sc_accesses
    }

    /// Def. 6.1: a conflicting access that happens-before does not order. Locations may also be
    /// accessed in both ways, as in C: two atomic accesses do not race.
    fn race(&self, graph: &Graph, event: EventId) -> Option<EventId> {
        let hb = hb(graph);
        let loc = graph.label(event).loc();
        graph.ids().find(|&other| {
            other != event
                && graph.label(other).loc() == loc
                && (graph.label(other).is_nonatomic() || graph.label(event).is_nonatomic())
                && (graph.label(other).is_write() || graph.label(event).is_write())
                && !hb.contains(other, event)
                && !hb.contains(event, other)
        })
    }

    fn relations(&self, graph: &Graph) -> Vec<(&'static str, Rel)> {
        vec![("sw", sw(graph)), ("hb", hb(graph)), ("S", sc_order(graph))]
    }

    fn monitor(&self, shape: &Shape, layout: &mut Layout) -> Option<Box<dyn Monitor>> {
        Some(Box::new(monitor::ScM::new(shape, layout)))
    }
}
