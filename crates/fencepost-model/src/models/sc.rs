//! Sequential consistency: the model all others are compared with.
//!
//! Paper: Lahav and Margalit, PLDI 2019, §4.1, Def. A.7 (after Alglave et al.).

use crate::graph::Graph;
use crate::model::{ByDefault, Causal, Declaration, Fences, Kind, Model, PromelaMonitor, Repairs, Robustness, SafeIf};
use crate::rel::Rel;

/// Sequential consistency.
pub struct Sc;

/// hb_SC = (po ∪ rf ∪ mo ∪ fr)⁺: the order in which SC must have executed the graph.
pub fn hb_sc(graph: &Graph) -> Rel {
    graph.po().union(&graph.rf()).union(&graph.mo()).union(&graph.fr()).plus()
}

static DECLARATION: Declaration = Declaration {
    name: "sc",
    title: "sequential consistency",
    essay: "\
What it is: all threads take turns on one memory; a read sees the last write to its location.

What is modelled: an execution graph is consistent when po ∪ rf ∪ mo ∪ fr has no cycle, where \
an atomic section counts as one event. Orders of accesses make no \
difference; `fence(sc)` is kept as an update of a hidden location, so that graphs can be compared with those of \
weaker models, and has no effect of its own.

What is not: fairness and liveness; only finite runs count.

Source: Lamport 1979; in this form Lahav and Margalit, PLDI 2019, Def. A.7.
",
    kind: Kind::Reference,
    races: false,
    sections: true,
    fences: Fences::HIDDEN_RMW_ONLY,
    robustness: Robustness::Always,
    causal: Causal { is_it: false, permits_it: false, safe: SafeIf::Always },
    views: None,
    repairs: Repairs { orders: false, sc_accesses: false, exchanges: true },
    default: ByDefault::Never,
    promela: Some(PromelaMonitor::Nothing),
};

impl Model for Sc {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        graph.is_order(&graph.po().union(&graph.rf()).union(&graph.mo()).union(&graph.fr()))
    }
}
