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

use fencepost_base::order::Mode;

use super::c11;
use crate::graph::{EventId, Graph};
use crate::model::{
    ByDefault, Causal, Declaration, FenceMeaning, Fences, Kind, LightFences, Model, PromelaMonitor, Repairs,
    Robustness, SafeIf, Views,
};
use crate::monitor::{Monitor, Shape};
use crate::packed::Layout;
use crate::rel::Rel;

/// RC20.
pub struct Rc20;

/// sw, with the reads-from of the graph.
pub fn sw(graph: &Graph) -> Rel {
    c11::sw(graph, &graph.rf())
}

/// hb = (po ∪ sw)⁺
pub fn hb(graph: &Graph) -> Rel {
    c11::hb(graph, &graph.rf())
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
    title: "the C11-style model of the POPL 2021 paper: SC fences update a hidden location",
    essay: "\
What it is: the model of the paper below, in the style of C11: every access has the order that is written. For programs \
in C, C++ or Rust ask `cpp20`, which follows the standard where SC accesses and SC fences are concerned. Without these the \
two agree.

What is modelled: relaxed, acquire, release, acquire/release accesses and fences; release sequences (through \
read-modify-writes); `fence(sc)` as an acquire fence, an update of one hidden location and a release fence; SC accesses, \
which the paper leaves out, as acquire/release accesses with a total order consistent with happens-before, modification \
order and from-read, the rule of C++11; plain accesses to non-atomic locations race unless ordered by happens-before.

What is not: program order ∪ reads-from is acyclic, so loads do not see stores that come after them (load buffering). SC \
fences and SC accesses order each other only through happens-before. Consume; liveness.

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
    views: Some(Views::Anywhere),
    repairs: Repairs { orders: true, sc_accesses: true, exchanges: true },
    default: ByDefault::Never,
    promela: Some(PromelaMonitor::Orders),
};

impl Model for Rc20 {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        self.permits_doubting(graph, &|_| false)
    }

    fn permits_doubting(&self, graph: &Graph, doubted: &dyn Fn(EventId) -> bool) -> bool {
        let rf = graph.rf().filter(|_, read| !doubted(read));
        let (mo, fr, hb) = (graph.mo(), graph.fr(), c11::hb(graph, &rf));
        let write_coherence = mo.then(&rf.optional()).then_is_irreflexive(&hb.optional());
        let read_coherence = fr.then(&rf.optional()).then_is_irreflexive(&hb);
        let atomicity = fr.then_is_irreflexive(&mo);
        let no_thin_air = graph.po().union(&rf).is_acyclic();
        let sc_accesses = sc_order_of(graph, &hb, &mo, &fr).is_irreflexive();
        write_coherence && read_coherence && atomicity && no_thin_air && sc_accesses
    }

    fn race(&self, graph: &Graph, event: EventId) -> Option<EventId> {
        c11::race(graph, event)
    }

    fn relations(&self, graph: &Graph) -> Vec<(&'static str, Rel)> {
        vec![("sw", sw(graph)), ("hb", hb(graph)), ("S", sc_order(graph))]
    }

    fn monitor(&self, shape: &Shape, layout: &mut Layout) -> Option<Box<dyn Monitor>> {
        Some(Box::new(monitor::ScM::new(shape, layout)))
    }
}
