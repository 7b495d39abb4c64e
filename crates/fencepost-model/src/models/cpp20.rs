//! C++20 as it is written: relaxed, release, acquire and SC accesses, all fences, non-atomics.
//!
//! Source: ISO C++20, [atomics.order] p3–4 and [intro.races], in the relational form of Lahav,
//! Vafeiadis, Kang, Hur and Dreyer, "Repairing Sequential Consistency in C/C++11", PLDI 2017, whose
//! proposal (P0668) the standard adopted with an edge of its own for SC accesses. Happens-before
//! and races are those of RC20 (`super::c11`).
//!
//! Modelled: S, the order of SC accesses and SC fences, as the edges that the standard requires. A
//! graph is consistent iff
//!
//! - hb ; eco and eco are irreflexive, read-modify-writes are atomic, po ∪ rf is acyclic, where
//!   eco = (mo ∪ rf ∪ fr)⁺ (coherence order);
//! - the edges of [`sc_order`] have no cycle.
//!
//! An SC fence is one event that touches no location. *Strongly happens before* is
//! shb = (po ∪ `[A] ; sw ; [A]` ∪ po ; hb ; po)⁺, A the SC accesses.
//!
//! Not modelled: consume, volatile, accesses of different sizes, out-of-thin-air executions.

pub mod monitor;

use fencepost_base::event::Label;
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

/// C++20.
pub struct Cpp20;

/// The relations of a graph that the axioms are made of.
struct Relations {
    rf: Rel,
    hb: Rel,
    eco: Rel,
    shb: Rel,
}

impl Relations {
    /// With this part of the graph's reads-from.
    fn new(graph: &Graph, rf: Rel) -> Self {
        let sw = c11::sw(graph, &rf);
        let po = graph.po();
        let hb = po.union(&sw).plus();
        let is_sc = |e: EventId| is_sc_access(graph, e);
        let between_sc = sw.filter(|a, b| is_sc(a) && is_sc(b));
        let shb = po.union(&between_sc).union(&po.then(&hb).then(&po)).plus();
        let eco = graph.mo().union(&rf).union(&graph.fr()).plus();
        Relations { rf, hb, eco, shb }
    }

    /// The edges of S that the standard asks for; see [`sc_order`].
    fn sc_order(&self, graph: &Graph) -> Rel {
        let identity = |in_set: &dyn Fn(EventId) -> bool| Rel::identity_on(graph.len(), in_set);
        let accesses = identity(&|e| is_sc_access(graph, e));
        let fences = identity(&|e| is_sc_fence(graph, e));
        let strongly = self.shb.filter(|a, b| is_sc(graph, a) && is_sc(graph, b));
        let from = accesses.union(&fences.then(&self.hb));
        let to = accesses.union(&self.hb.then(&fences));
        from.then(&self.eco).then(&to).union(&strongly)
    }
}

fn is_sc(graph: &Graph, event: EventId) -> bool {
    graph.label(event).mode() == Mode::Sc
}

fn is_sc_fence(graph: &Graph, event: EventId) -> bool {
    matches!(graph.label(event), Label::Fence { mode: Mode::Sc })
}

fn is_sc_access(graph: &Graph, event: EventId) -> bool {
    is_sc(graph, event) && !is_sc_fence(graph, event)
}

/// sw: which events synchronise with which.
pub fn sw(graph: &Graph) -> Rel {
    c11::sw(graph, &graph.rf())
}

/// hb: happens-before.
pub fn hb(graph: &Graph) -> Rel {
    c11::hb(graph, &graph.rf())
}

/// shb: strongly happens before.
pub fn shb(graph: &Graph) -> Rel {
    Relations::new(graph, graph.rf()).shb
}

/// The edges that S must have, for SC accesses A and SC fences F: `[A ∪ F] ; shb ; [A ∪ F]`,
/// `[A] ; eco ; [A]`, `[A] ; eco ; hb ; [F]`, `[F] ; hb ; eco ; [A]`, `[F] ; hb ; eco ; hb ; [F]`.
pub fn sc_order(graph: &Graph) -> Rel {
    Relations::new(graph, graph.rf()).sc_order(graph)
}

static DECLARATION: Declaration = Declaration {
    name: "cpp20",
    title: "C++20 (also C and Rust): every order as written, SC accesses and SC fences in one order",
    essay: "\
What it is: the memory model of C++20, which is also that of C23 and of Rust: every access and every fence has the order \
that is written. This is what programmers of these languages mean, and what commands ask about by default. There is \
one rule that compilers for x86 are known not to implement (below).

What is modelled: relaxed, acquire, release, acquire/release and SC accesses and fences; release sequences (a write and the \
read-modify-writes that follow it); S, the single order of SC accesses and SC fences, by the edges that the standard \
requires ([atomics.order] p3 and p4): it agrees with *strongly happens before*, and with the coherence order of what SC \
accesses access and SC fences enclose. Plain accesses race unless ordered by happens-before.

Where it differs from `rc20`: there, an SC fence is an update of a hidden location, so two SC fences always synchronise; here \
they do not synchronise unless other accesses do, and a fence never adds a violation. There, SC accesses have an order of \
their own, after C++11, with all of happens-before in it, and fences have no part in it; here SC accesses and SC fences have \
one order, which contains happens-before between accesses of different threads only if it starts and ends in program order \
(strongly happens before), and an SC load comes before another SC load that sees a later write, whatever that write's order \
is. Without SC accesses and SC fences the two models agree.

Where it differs from RC11 (Lahav et al., PLDI 2017): RC11's partial SC order leaves out of happens-before what connects two \
accesses of the same location; C++20 leaves out what is not strongly before. The standard's rule is taken.

Where compilers differ from it: by the standard's text, an SC load comes before another SC load of the same location that \
sees a later write, even if that write is relaxed. Compilers for x86 make an SC load an ordinary load, which may read a \
store of its own thread before others can. So a thread that stores with a weaker order and reads that back with an SC load \
can see less than the text promises (LWG issue 3941, open; the committee means to change the text). An SC store, or an SC \
fence after the store, is safe. The program is `litmus/rc20/sb+sc-readback.fp`: robust here, and not under `rc20`.

What is not: program order ∪ reads-from is acyclic, so loads do not see stores that come after them (load buffering); the \
standard only discourages values out of thin air, and forbids none of the executions that are left out here by any other \
rule. Consume, volatile, accesses of different sizes to the same bytes; liveness.

Source: ISO/IEC 14882:2020, [intro.races], [atomics.order]; Lahav, Vafeiadis, Kang, Hur and Dreyer, Repairing Sequential \
Consistency in C/C++11, PLDI 2017; Margalit and Lahav, Verifying Observational Robustness against a C11-Style Memory \
Model, POPL 2021.
",
    kind: Kind::Language,
    races: true,
    sections: false,
    fences: Fences {
        acq: FenceMeaning::Event,
        rel: FenceMeaning::Event,
        acqrel: FenceMeaning::Event,
        sc: FenceMeaning::Event,
        light: LightFences::Ignored,
    },
    robustness: Robustness::Monitor,
    views: Some(Views::Anywhere),
    causal: Causal { is_it: false, permits_it: false, safe: SafeIf::SynchronisedAndWritesDoNotRace },
    repairs: Repairs { orders: true, sc_accesses: true, exchanges: true },
    default: ByDefault::Programs,
    promela: Some(PromelaMonitor::OrdersAndS),
};

impl Model for Cpp20 {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        self.permits_doubting(graph, &|_| false)
    }

    fn permits_doubting(&self, graph: &Graph, doubted: &dyn Fn(EventId) -> bool) -> bool {
        let relations = Relations::new(graph, graph.rf().filter(|_, read| !doubted(read)));
        let coherence = relations.hb.then_is_irreflexive(&relations.eco.optional()) && relations.eco.is_irreflexive();
        let atomicity = graph.fr().then_is_irreflexive(&graph.mo());
        let no_thin_air = graph.po().union(&relations.rf).is_acyclic();
        coherence && atomicity && no_thin_air && relations.sc_order(graph).is_acyclic()
    }

    fn race(&self, graph: &Graph, event: EventId) -> Option<EventId> {
        c11::race(graph, event)
    }

    fn relations(&self, graph: &Graph) -> Vec<(&'static str, Rel)> {
        vec![("sw", sw(graph)), ("hb", hb(graph)), ("shb", shb(graph)), ("S", sc_order(graph))]
    }

    fn monitor(&self, shape: &Shape, layout: &mut Layout) -> Option<Box<dyn Monitor>> {
        Some(Box::new(monitor::ScM::new(shape, layout)))
    }
}
