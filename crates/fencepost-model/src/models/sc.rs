//! Sequential consistency: the model all others are compared with.
//!
//! Paper: Lahav and Margalit, PLDI 2019, §4.1, Def. A.7 (after Alglave et al.).

use fencepost_base::order::FenceOrder;

use crate::graph::Graph;
use crate::model::{FenceMeaning, Model};
use crate::rel::Rel;

/// Sequential consistency.
pub struct Sc;

/// hb_SC = (po ∪ rf ∪ mo ∪ fr)⁺: the order in which SC must have executed the graph.
pub fn hb_sc(graph: &Graph) -> Rel {
    graph.po().union(&graph.rf()).union(&graph.mo()).union(&graph.fr()).plus()
}

impl Model for Sc {
    fn name(&self) -> &'static str {
        "sc"
    }

    fn title(&self) -> &'static str {
        "sequential consistency"
    }

    fn essay(&self) -> &'static str {
        "\
What it is: all threads take turns on one memory; a read sees the last write to its location.

What is modelled: an execution graph is consistent when po ∪ rf ∪ mo ∪ fr has no cycle, where \
an atomic section counts as one event. Orders of accesses make no \
difference; `fence(sc)` is kept as an update of a hidden location, so that graphs can be compared with those of \
weaker models, and has no effect of its own.

What is not: fairness and liveness; only finite runs count.

Source: Lamport 1979; in this form Lahav and Margalit, PLDI 2019, Def. A.7.
"
    }

    fn fence(&self, order: FenceOrder) -> FenceMeaning {
        match order {
            FenceOrder::Sc => FenceMeaning::HiddenRmw,
            _ => FenceMeaning::Nothing,
        }
    }

    fn permits(&self, graph: &Graph) -> bool {
        graph.is_order(&graph.po().union(&graph.rf()).union(&graph.mo()).union(&graph.fr()))
    }
}
